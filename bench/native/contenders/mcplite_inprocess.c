/* mcplite through its C interface, from bytes to bytes in one process: play NAME ROUNDS DIR */
#include "stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 5 || strcmp(argv[1], "play") != 0)
        fail("usage: %s play NAME ROUNDS DIR", argv[0]);
    struct workload workload = read_workload(argv[4], argv[2]);
    uint64_t rounds = number(argv[3]);
    mcp_server *server = open_server(&workload);
    mcp_session *session = open_session(server, &workload);

    struct text answer = play_round(session, &workload);
    check_answer(&workload, answer);
    int64_t cpu = cpu_ns(), wall = wall_ns();
    for (uint64_t round = 0; round < rounds; round++)
        answer = play_round(session, &workload);
    wall = wall_ns() - wall;
    cpu = cpu_ns() - cpu;

    check_answer(&workload, answer);
    printf("{\"rounds\":%" PRIu64 ",\"wall_ns\":%" PRId64 ",\"cpu_ns\":%" PRId64
           ",\"request_bytes\":%zu,\"answer_bytes\":%zu}\n",
           rounds, wall, cpu, workload.request.size, answer.size);
    mcp_session_free(session);
    mcp_server_free(server);
    return 0;
}
