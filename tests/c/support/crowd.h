/* What the tests with many threads share: how much to do, threads, and a tally of answers.
 *
 * Counters that several threads change are atomic but relaxed: a test that used locks here would
 * order the threads, and a race inside the library would go unseen. */
#ifndef CROWD_H
#define CROWD_H

#include "check.h"

#include <pthread.h>

/* Helgrind knows no atomics, and is told to look away. */
#ifdef CHECK_HELGRIND
# include <valgrind/helgrind.h>
# define IS_ATOMIC(p) VALGRIND_HG_DISABLE_CHECKING((p), sizeof *(p))
#else
# define IS_ATOMIC(p) ((void)0)
#endif

static CHECK_MAYBE_UNUSED int increment(int *counter)
{
    IS_ATOMIC(counter);
    return __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static CHECK_MAYBE_UNUSED int current(int *counter)
{
    IS_ATOMIC(counter);
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* Gives what was there before. */
static CHECK_MAYBE_UNUSED int exchange(int *flag, int value)
{
    IS_ATOMIC(flag);
    return __atomic_exchange_n(flag, value, __ATOMIC_RELAXED);
}

/* A counter as the destroy of a callback. */
static CHECK_MAYBE_UNUSED void count_destroy(void *counter) { increment(counter); }

/* How many rounds to do: fewer under a tool that makes everything slow. */
static CHECK_MAYBE_UNUSED int rounds(int full)
{
    const char *scale = getenv("CHECK_SCALE");
    long percent = scale ? strtol(scale, NULL, 10) : 100;
    long scaled = (long)full * percent / 100;
    return scaled < 1 ? 1 : (int)scaled;
}

static CHECK_MAYBE_UNUSED pthread_t start(void *(*run)(void *), void *data)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, data)) {
        fprintf(stderr, "cannot start a thread\n");
        abort();
    }
    return thread;
}

static CHECK_MAYBE_UNUSED void join(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

/* A handshake that any thread may make, unlike that of check.h. */
static CHECK_MAYBE_UNUSED void greet(mcp_session *session)
{
    CHECK_STATUS(mcp_handle_message(session, MCP_LIT(
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
        "\"capabilities\":{},\"clientInfo\":{\"name\":\"crowd\",\"version\":\"1\"}}}")), MCP_OK);
    CHECK_PART(mcp_session_poll(session, NULL), "\"protocolVersion\"");
    CHECK_STATUS(mcp_handle_message(session, MCP_LIT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")), MCP_OK);
    CHECK(mcp_session_poll(session, NULL) == NULL);
}

/* A call of a tool with {"text":"hello"} that asks for progress; gives what the library said. */
static CHECK_MAYBE_UNUSED mcp_status feed(mcp_session *session, int id, const char *tool)
{
    char message[256];
    int length = snprintf(message, sizeof message,
                          "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
                          "\"arguments\":{\"text\":\"hello\"},\"_meta\":{\"progressToken\":%d}}}", id, tool, id);
    return mcp_handle_message(session, message, (size_t)length);
}

static CHECK_MAYBE_UNUSED mcp_status feed_cancel(mcp_session *session, int id)
{
    char message[160];
    int length = snprintf(message, sizeof message,
                          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                          "\"params\":{\"requestId\":%d,\"reason\":\"a test\"}}", id);
    return mcp_handle_message(session, message, (size_t)length);
}

/* How often each id was answered. Not atomic: whoever drains a session does so alone. */
typedef struct tally {
    unsigned char *answers;
    int ids;
    int answered;               /* with any id, all together */
    int others;                 /* notifications */
} tally;

static CHECK_MAYBE_UNUSED void tally_open(tally *t, int ids)
{
    t->answers = calloc((size_t)ids, 1);
    t->ids = ids;
    t->answered = t->others = 0;
    if (!t->answers) abort();
}

/* Takes what waits in the session; gives how many messages that were. */
static CHECK_MAYBE_UNUSED int tally_drain(tally *t, mcp_session *session)
{
    const char *out;
    size_t length;
    int taken = 0;
    while ((out = mcp_session_poll(session, &length)) != NULL) {
        int64_t id;
        CHECK(strlen(out) == length + 1 && out[length] == '\n');
        taken++;
        if (mcp_json_int(out, length, "id", &id) != MCP_OK) {
            t->others++;
            continue;
        }
        t->answered++;
        if (id >= 0 && id < t->ids) t->answers[id]++;
        else CHECK(!"an id that was asked");
    }
    return taken;
}

/* Every id exactly once. */
static CHECK_MAYBE_UNUSED void tally_close(tally *t)
{
    int id, wrong = 0;
    for (id = 0; id < t->ids; id++) {
        if (t->answers[id] != 1 && wrong++ < 5) fprintf(stderr, "id %d answered %d times\n", id, t->answers[id]);
    }
    CHECK(wrong == 0);
    free(t->answers);
}

#endif
