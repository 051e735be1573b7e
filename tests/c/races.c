/* Everything that can end a call, at the same moment: an answer, a cancellation, a deadline, a
 * release, the end of the session and of the server. One of them wins, the wire and the statuses
 * agree on which, and everything given to the library is destroyed exactly once. */
#define _POSIX_C_SOURCE 200809L
#include "crowd.h"

enum { ACTORS = 4 };

typedef struct arena arena;
typedef void (*act)(arena *a);

struct arena {
    pthread_barrier_t begin, end;
    pthread_t threads[ACTORS];
    act acts[ACTORS];
    int next_actor, over;

    mcp_server *server;
    mcp_session *session;
    mcp_call *call;
    int id;
    int64_t now;                /* microseconds; atomic, because the library asks from any thread */
    mcp_status reply;
    int cancels;                /* runs of on_cancel */
    int cancels_registered, cancels_destroyed;
    int tools_destroyed, contexts_destroyed, wakes_destroyed, clocks_destroyed;
};

/* Lets the actors of a round begin at moments that differ a little. */
static void hesitate(unsigned *seed)
{
    volatile unsigned turns;
    *seed = *seed * 1103515245u + 12345u;
    for (turns = (*seed >> 16) % 400; turns > 0; turns--) continue;
}

static void *actor(void *data)
{
    arena *a = data;
    int self = increment(&a->next_actor) - 1;
    unsigned seed = (unsigned)self * 7919u;
    for (;;) {
        pthread_barrier_wait(&a->begin);
        if (a->over) return NULL;
        hesitate(&seed);
        if (a->acts[self]) a->acts[self](a);
        pthread_barrier_wait(&a->end);
    }
}

static void arena_open(arena *a)
{
    int i;
    memset(a, 0, sizeof *a);
    pthread_barrier_init(&a->begin, NULL, ACTORS + 1);
    pthread_barrier_init(&a->end, NULL, ACTORS + 1);
    for (i = 0; i < ACTORS; i++) a->threads[i] = start(actor, a);
}

static void arena_close(arena *a)
{
    int i;
    a->over = 1;
    pthread_barrier_wait(&a->begin);
    for (i = 0; i < ACTORS; i++) join(a->threads[i]);
    pthread_barrier_destroy(&a->begin);
    pthread_barrier_destroy(&a->end);
}

static void fight(arena *a, act first, act second, act third, act fourth)
{
    a->acts[0] = first;
    a->acts[1] = second;
    a->acts[2] = third;
    a->acts[3] = fourth;
    pthread_barrier_wait(&a->begin);
    pthread_barrier_wait(&a->end);
}

static int64_t read_clock(void *data, int32_t which)
{
    (void)which;
    IS_ATOMIC(&((arena *)data)->now);
    return __atomic_load_n(&((arena *)data)->now, __ATOMIC_RELAXED);
}

static void clock_destroy(void *data) { increment(&((arena *)data)->clocks_destroyed); }
static void tool_destroy(void *data) { increment(&((arena *)data)->tools_destroyed); }
static void context_destroy(void *data) { increment(&((arena *)data)->contexts_destroyed); }
static void wake_destroy(void *data) { increment(&((arena *)data)->wakes_destroyed); }
static void cancel_destroy(void *data) { increment(&((arena *)data)->cancels_destroyed); }
static void on_cancel(void *data) { increment(&((arena *)data)->cancels); }
static void wake(void *data) { (void)data; }

static void watch_for_cancel(arena *a)
{
    increment(&a->cancels_registered);
    CHECK_STATUS(mcp_call_on_cancel(a->call, on_cancel, a, cancel_destroy), MCP_OK);
}

static mcp_status keep(void *data, mcp_call *call)
{
    arena *a = data;
    a->call = mcp_call_retain(call);
    CHECK_STATUS(mcp_call_set_deadline(call, 50), MCP_OK);
    return MCP_OK;
}

static void open_session(arena *a)
{
    a->server = mcp_server_new("races", "1");
    CHECK_STATUS(mcp_server_set_clock(a->server, read_clock, a, clock_destroy), MCP_OK);
    CHECK_STATUS(mcp_register_tool(a->server, "keep", NULL, NULL, keep, a, tool_destroy), MCP_OK);
    a->session = mcp_session_new(a->server);
    CHECK_STATUS(mcp_session_set_wake(a->session, wake, a, wake_destroy), MCP_OK);
    CHECK_STATUS(mcp_session_set_context(a->session, a, context_destroy), MCP_OK);
    greet(a->session);
}

static void open_call(arena *a)
{
    a->id++;
    a->reply = MCP_OK;
    a->cancels = a->cancels_registered = a->cancels_destroyed = 0;
    CHECK_STATUS(feed(a->session, a->id, "keep"), MCP_OK);
    CHECK(a->call != NULL);
}

/* Everything is over once the last of server, session and call is let go. */
static void check_destroyed(arena *a)
{
    CHECK(a->tools_destroyed == 1);
    CHECK(a->contexts_destroyed == 1);
    CHECK(a->wakes_destroyed == 1);
    CHECK(a->clocks_destroyed == 1);
    a->tools_destroyed = a->contexts_destroyed = a->wakes_destroyed = a->clocks_destroyed = 0;
}

static void answer(arena *a) { a->reply = mcp_reply_text(a->call, MCP_LIT("won")); }
static void cancel(arena *a) { CHECK_STATUS(feed_cancel(a->session, a->id), MCP_OK); }

static void let_time_pass(arena *a)
{
    IS_ATOMIC(&a->now);
    __atomic_add_fetch(&a->now, 100000, __ATOMIC_RELAXED);
    CHECK_STATUS(mcp_server_tick(a->server), MCP_OK);
}

/* What stands on the wire for the call: how many answers, and whether one is that of the host. */
static int answers_on_wire(arena *a, int *out_won)
{
    const char *out;
    size_t length;
    int found = 0;
    *out_won = 0;
    while ((out = mcp_session_poll(a->session, &length)) != NULL) {
        int64_t id;
        if (mcp_json_int(out, length, "id", &id) != MCP_OK) continue;
        CHECK(id == a->id);
        found++;
        if (strstr(out, "\"won\"")) *out_won = 1;
    }
    return found;
}

static void check_outcome(arena *a, int cancelled, int timed)
{
    int won, found = answers_on_wire(a, &won);
    if (a->reply == MCP_OK) {
        CHECK(found == 1 && won);
        CHECK(a->cancels == 0);
    } else {
        CHECK_STATUS(a->reply, MCP_E_CANCELLED);
        CHECK(mcp_call_cancelled(a->call) == 1);
        CHECK(!won && found <= 1);
        if (!timed) CHECK(found == 0);
        if (!cancelled) CHECK(found == 1);
        CHECK(a->cancels == 1);
    }
    mcp_call_release(a->call);
    CHECK(a->cancels_destroyed == a->cancels_registered);
    CHECK(mcp_session_open_calls(a->session) == 0);
}

static void answer_cancel_and_deadline(arena *a)
{
    int round;
    open_session(a);
    for (round = rounds(4000); round > 0; round--) {
        int who = round % 3;
        open_call(a);
        watch_for_cancel(a);
        fight(a, answer, who != 0 ? cancel : NULL, who != 1 ? let_time_pass : NULL, NULL);
        check_outcome(a, who != 0, who != 1);
    }
    mcp_session_free(a->session);
    mcp_server_free(a->server);
    check_destroyed(a);
}

static void release_once(arena *a) { mcp_call_release(a->call); }

/* Nobody answers and the last of several holders lets go: the library answers, once. */
static void the_last_release_answers(arena *a)
{
    int round, won;
    open_session(a);
    for (round = rounds(3000); round > 0; round--) {
        open_call(a);
        mcp_call_retain(a->call);
        mcp_call_retain(a->call);
        watch_for_cancel(a);
        fight(a, release_once, release_once, release_once, NULL);
        CHECK(answers_on_wire(a, &won) == 1 && !won);
        CHECK(a->cancels == 0 && a->cancels_destroyed == 1);
    }
    mcp_server_free(a->server);
    mcp_session_free(a->session);
    check_destroyed(a);
}

/* Whoever comes first, each registration's function runs or is replaced, and is destroyed. */
static void watching_races_with_cancelling(arena *a)
{
    int round;
    open_session(a);
    for (round = rounds(3000); round > 0; round--) {
        open_call(a);
        if (round % 2) {
            fight(a, watch_for_cancel, cancel, NULL, NULL);
            CHECK(a->cancels == 1);
        } else {
            fight(a, watch_for_cancel, cancel, watch_for_cancel, let_time_pass);
            CHECK(a->cancels == 1 || a->cancels == 2);
        }
        a->reply = mcp_reply(a->call);
        CHECK_STATUS(a->reply, MCP_E_CANCELLED);
        mcp_call_release(a->call);
        CHECK(a->cancels_destroyed == a->cancels_registered);
        while (mcp_session_poll(a->session, NULL)) continue;
    }
    mcp_session_free(a->session);
    mcp_server_free(a->server);
    check_destroyed(a);
}

static void free_session(arena *a) { mcp_session_free(a->session); }
static void free_server(arena *a) { mcp_server_free(a->server); }

static void report_progress(arena *a)
{
    mcp_status status = mcp_progress(a->call, 1, 2, "half");
    CHECK(status == MCP_OK || status == MCP_E_CANCELLED || status == MCP_E_ANSWERED);
    mcp_call_set_deadline(a->call, 10);
    CHECK_TEXT(mcp_arg_str(a->call, "text", NULL), "hello");
}

/* The call is all that is left of it, and is still good to read and to release. */
static void the_session_and_the_server_go(arena *a)
{
    int round;
    for (round = rounds(3000); round > 0; round--) {
        int who = round % 3;
        open_session(a);
        open_call(a);
        watch_for_cancel(a);
        fight(a, answer, who != 0 ? free_session : NULL, who != 1 ? free_server : NULL, report_progress);
        CHECK(a->reply == MCP_OK || a->reply == MCP_E_CANCELLED);
        CHECK(a->cancels == (a->reply != MCP_OK));
        CHECK_TEXT(mcp_arg_str(a->call, "text", NULL), "hello");
        CHECK(mcp_call_context(a->call) == a);
        if (who == 0) mcp_session_free(a->session);
        if (who == 1) mcp_server_free(a->server);
        mcp_call_release(a->call);
        CHECK(a->cancels_destroyed == 1);
        check_destroyed(a);
    }
}

int main(void)
{
    arena a;
    arena_open(&a);
    answer_cancel_and_deadline(&a);
    the_last_release_answers(&a);
    watching_races_with_cancelling(&a);
    the_session_and_the_server_go(&a);
    arena_close(&a);
    return check_report();
}
