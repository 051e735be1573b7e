/* A million calls: whatever a call, a session or a server takes it gives back. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "crowd.h"
#include "live_bytes.h"

#include <unistd.h>

/* What the C library keeps at hand belongs to the process. */
enum { CALLS = 1000000, LIFE = 1000, LIVES = 200, PROCESS_SLACK = 1 << 20 };

/* A server clears up after so many sessions that ended: it is measured when it just did. */
enum { SESSIONS_OF_A_CLEARING = 16, CLEARINGS = 1250 };

static mcp_status echo(void *unused, mcp_call *call)
{
    size_t length;
    const char *text = mcp_arg_str(call, "text", &length);
    (void)unused;
    mcp_progress(call, 1, 2, "half");
    return mcp_reply_text(call, text, length);
}

/* Bytes of memory that the process has. */
static long resident(void)
{
    FILE *statm = fopen("/proc/self/statm", "r");
    long total = 0, pages = 0;
    if (!statm) return 0;
    if (fscanf(statm, "%ld %ld", &total, &pages) != 2) pages = 0;
    fclose(statm);
    return pages * sysconf(_SC_PAGESIZE);
}

static mcp_server *open_server(void)
{
    mcp_server *server = mcp_server_new("soak", "1");
    CHECK_STATUS(mcp_register_tool(server, "echo", NULL, NULL, echo, NULL, NULL), MCP_OK);
    return server;
}

static void call_often(mcp_session *session, int count)
{
    int id;
    for (id = 0; id < count; id++) {
        int answers = 0;
        CHECK_STATUS(feed(session, id, "echo"), MCP_OK);
        while (mcp_session_poll(session, NULL) != NULL) answers++;
        CHECK(answers == 2);
    }
}

/* One life of each: what it leaves behind must not add up. */
static void live(void)
{
    mcp_server *server = open_server();
    mcp_session *session = mcp_session_new(server);
    greet(session);
    call_often(session, LIFE);
    mcp_session_free(session);
    mcp_server_free(server);
}

static void check_growth(const char *what, long before, long after, long allowed)
{
    if (after - before > allowed) {
        fprintf(stderr, "%s grew by %ld bytes\n", what, after - before);
        CHECK(!"nothing grows");
    }
}

static void one_session_for_all(void)
{
    mcp_server *server = open_server();
    mcp_session *session = mcp_session_new(server);
    long live_before, resident_before;
    int64_t counted_before;
    greet(session);
    call_often(session, LIFE);
    live_before = live_bytes();
    resident_before = resident();
    counted_before = mcp_server_memory_used(server);
    call_often(session, rounds(CALLS));
    CHECK(mcp_server_memory_used(server) == counted_before);
    check_growth("what is in use", live_before, live_bytes(), 0);
    check_growth("the process", resident_before, resident(), PROCESS_SLACK);
    mcp_session_free(session);
    mcp_server_free(server);
}

static void new_ones_again_and_again(void)
{
    long live_before, resident_before;
    int lives;
    live();
    live();
    live_before = live_bytes();
    resident_before = resident();
    for (lives = rounds(LIVES); lives > 0; lives--) live();
    check_growth("what is in use", live_before, live_bytes(), 0);
    check_growth("the process", resident_before, resident(), PROCESS_SLACK);
}

/* Sessions that come and go while their server stays. */
static void many_sessions_of_one_server(void)
{
    mcp_server *server = open_server();
    long live_before = 0;
    int64_t counted_before = 0;
    int i, half = rounds(CLEARINGS / 2) * SESSIONS_OF_A_CLEARING;
    for (i = 0; i < 2 * half; i++) {
        mcp_session *session;
        if (i == half) {
            live_before = live_bytes();
            counted_before = mcp_server_memory_used(server);
        }
        session = mcp_session_new(server);
        greet(session);
        call_often(session, 1);
        mcp_session_free(session);
    }
    CHECK(mcp_server_memory_used(server) == counted_before);
    check_growth("what is in use", live_before, live_bytes(), 0);
    mcp_server_free(server);
}

int main(void)
{
    one_session_for_all();
    new_ones_again_and_again();
    many_sessions_of_one_server();
    return check_report();
}
