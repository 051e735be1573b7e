/* What stays allocated, by the counts of count_allocations.so in LD_PRELOAD: mcplite_memory DIR
 *
 * A server with a hundred tools, before and after it was asked for its list; and a connection on which nothing
 * happens any more, after a handshake and a small call. */
#include "stage.h"

#include <stdio.h>

enum { SESSIONS = 1000 };

__attribute__((weak)) long long counted_live_bytes(void);

static mcp_session *open_used_session(mcp_server *server, const struct workload *workload) {
    mcp_session *session = open_session(server, workload);
    size_t size;
    check_answer(workload, play_round(session, workload));
    if (mcp_session_poll(session, &size) != NULL)
        fail("there is more output than one answer");
    return session;
}

static void measure_server(const struct workload *listed) {
    long long before = counted_live_bytes();
    mcp_server *server = open_server(listed);
    long long registered = counted_live_bytes();
    mcp_session *session = open_used_session(server, listed);
    mcp_session_free(session);
    printf("{\"server_100_tools_live_bytes\":%lld,\"server_100_tools_listed_live_bytes\":%lld",
           registered - before, counted_live_bytes() - before);
    mcp_server_free(server);
}

static void measure_sessions(const struct workload *called) {
    static mcp_session *sessions[SESSIONS];
    mcp_server *server = open_server(called);
    /* The first call makes what all later ones share. */
    mcp_session *first = open_used_session(server, called);
    long long before = counted_live_bytes();
    for (int index = 0; index < SESSIONS; index++)
        sessions[index] = open_used_session(server, called);
    printf(",\"idle_connection_live_bytes\":%lld}\n", (counted_live_bytes() - before) / SESSIONS);
    for (int index = 0; index < SESSIONS; index++)
        mcp_session_free(sessions[index]);
    mcp_session_free(first);
    mcp_server_free(server);
}

int main(int argc, char **argv) {
    if (argc != 2)
        fail("usage: %s DIR", argv[0]);
    if (counted_live_bytes == NULL)
        fail("count_allocations.so must be in LD_PRELOAD");
    struct workload listed = read_workload(argv[1], "list-100");
    struct workload called = read_workload(argv[1], "small-call");
    /* What standard output allocates when it is first used belongs to nobody. */
    setvbuf(stdout, NULL, _IONBF, 0);
    measure_server(&listed);
    measure_sessions(&called);
    return 0;
}
