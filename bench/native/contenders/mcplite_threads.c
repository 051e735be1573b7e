/* One server, used by several threads at once, each with a session of its own: THREADS ROUNDS DIR */
#include "stage.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

enum { MOST_THREADS = 64 };

struct player {
    pthread_t thread;
    const struct workload *workload;
    mcp_session *session;
    uint64_t rounds;
    pthread_barrier_t *start;
};

static void *play(void *argument) {
    struct player *player = argument;
    struct text answer = {NULL, 0};
    pthread_barrier_wait(player->start);
    for (uint64_t round = 0; round < player->rounds; round++)
        answer = play_round(player->session, player->workload);
    check_answer(player->workload, answer);
    return NULL;
}

int main(int argc, char **argv) {
    static struct player players[MOST_THREADS];
    pthread_barrier_t start;
    if (argc != 4)
        fail("usage: %s THREADS ROUNDS DIR", argv[0]);
    uint64_t count = number(argv[1]), rounds = number(argv[2]);
    if (count > MOST_THREADS)
        fail("at most %d threads", MOST_THREADS);
    struct workload workload = read_workload(argv[3], "small-call");
    mcp_server *server = open_server(&workload);
    pthread_barrier_init(&start, NULL, (unsigned)count + 1);
    for (uint64_t index = 0; index < count; index++) {
        players[index] = (struct player){.workload = &workload,
                                         .session = open_session(server, &workload),
                                         .rounds = rounds,
                                         .start = &start};
        if (pthread_create(&players[index].thread, NULL, play, &players[index]) != 0)
            fail("no thread more than %" PRIu64, index);
    }

    int64_t cpu = cpu_ns(), wall = wall_ns();
    pthread_barrier_wait(&start);
    for (uint64_t index = 0; index < count; index++)
        pthread_join(players[index].thread, NULL);
    wall = wall_ns() - wall;
    cpu = cpu_ns() - cpu;

    printf("{\"threads\":%" PRIu64 ",\"rounds\":%" PRIu64 ",\"wall_ns\":%" PRId64 ",\"cpu_ns\":%" PRId64
           ",\"request_bytes\":%zu,\"answer_bytes\":%zu}\n",
           count, count * rounds, wall, cpu, workload.request.size, workload.answer.size);
    for (uint64_t index = 0; index < count; index++)
        mcp_session_free(players[index].session);
    mcp_server_free(server);
    return 0;
}
