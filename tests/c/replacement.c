/* Callbacks that take themselves away while they run, and callbacks that never got to run. */
#include "check.h"

/* One callback: whether it runs now, how often it ran, and how often it was destroyed. */
struct part {
    int running, runs, destroyed;
};

static mcp_server *server;
static mcp_session *session;
static struct part part;

static void destroy_part(void *user_data)
{
    struct part *own = user_data;
    CHECK(own->running == 0);
    own->destroyed++;
}

/* Runs `away`, which takes the callback away; it must not be destroyed before it has returned. */
#define WHILE_RUNNING(user_data, away)      \
    do {                                    \
        struct part *own = (user_data);     \
        own->running++;                     \
        CHECK_STATUS(away, MCP_OK);         \
        CHECK(own->destroyed == 0);         \
        own->running--;                     \
        own->runs++;                        \
    } while (0)

static void wake_session(void *user_data)
{
    WHILE_RUNNING(user_data, mcp_session_set_wake(session, NULL, NULL, NULL));
}

static void wake_server(void *user_data)
{
    WHILE_RUNNING(user_data, mcp_server_set_wake(server, NULL, NULL, NULL));
}

static void observe(void *user_data, const mcp_event *event)
{
    (void)event;
    WHILE_RUNNING(user_data, mcp_server_set_observer(server, NULL, NULL, NULL));
}

static void rewrite(void *user_data, mcp_failure *failure)
{
    WHILE_RUNNING(user_data, mcp_server_set_error_hook(server, NULL, NULL, NULL));
    CHECK_STATUS(mcp_failure_set_code(failure, 99, MCP_FORM_ERROR), MCP_OK);
}

static mcp_status seal(void *user_data, int32_t open, const uint8_t *in, size_t in_len,
                       mcp_buf *out)
{
    (void)open;
    WHILE_RUNNING(user_data, mcp_server_set_seal(server, NULL, NULL, NULL));
    return mcp_buf_append(out, in, in_len);
}

static int64_t tell_time(void *user_data, int32_t which)
{
    (void)which;
    WHILE_RUNNING(user_data, mcp_server_set_clock(server, NULL, NULL, NULL));
    return 1;
}

static mcp_status draw(void *user_data, uint8_t *out, size_t len)
{
    WHILE_RUNNING(user_data, mcp_server_set_entropy(server, NULL, NULL, NULL));
    memset(out, 7, len);
    return MCP_OK;
}

static mcp_status handle(void *user_data, mcp_call *call)
{
    WHILE_RUNNING(user_data, mcp_register(server, MCP_TOOL | MCP_REPLACE,
                                          "{\"name\":\"self\",\"inputSchema\":{\"type\":\"object\"}}",
                                          reply_ok, NULL, NULL));
    CHECK_STATUS(mcp_reply_text(call, "the old one", MCP_Z), MCP_OK);
    CHECK(part.destroyed == 0);
    return MCP_OK;
}

static mcp_status ask(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_ask(call, "where", "roots/list", NULL, 0, NULL) ? mcp_reply(call) : MCP_PENDING;
}

static void begin(void)
{
    memset(&part, 0, sizeof part);
    server = mcp_server_new("replacement", "1");
    mcp_register_tool(server, "asks", NULL, NULL, ask, NULL, NULL);
    mcp_register_tool(server, "waits", NULL, NULL, NULL, NULL, NULL);
    session = mcp_session_new(server);
    shake_hands(session, "2025-11-25");
}

static void end(void)
{
    mcp_session_free(session);
    mcp_server_free(server);
}

/* Sets the callback, makes it run, and sees that it was destroyed once, after its last run. It may
 * run again until the message is over, which is worked on with what there was when it came. */
#define TAKES_ITSELF_AWAY(set, trigger)                                    \
    do {                                                                   \
        begin();                                                           \
        CHECK_STATUS(set, MCP_OK);                                         \
        trigger;                                                           \
        CHECK(part.runs >= 1 && part.destroyed == 1);                      \
        end();                                                             \
        CHECK(part.destroyed == 1);                                        \
    } while (0)

static void callbacks_may_take_themselves_away(void)
{
    TAKES_ITSELF_AWAY(mcp_session_set_wake(session, wake_session, &part, destroy_part),
                      call_tool(session, 1, "nobody", "{}"));
    TAKES_ITSELF_AWAY(mcp_server_set_wake(server, wake_server, &part, destroy_part),
                      call_tool(session, 1, "waits", "{}"));
    TAKES_ITSELF_AWAY(mcp_server_set_observer(server, observe, &part, destroy_part),
                      call_tool(session, 1, "nobody", "{}"));
    TAKES_ITSELF_AWAY(mcp_server_set_error_hook(server, rewrite, &part, destroy_part),
                      CHECK_PART(call_tool(session, 1, "nobody", "{}"), "\"code\":99"));
    TAKES_ITSELF_AWAY(mcp_server_set_seal(server, seal, &part, destroy_part),
                      call_modern(session, 1, "asks", ""));
    TAKES_ITSELF_AWAY(mcp_server_set_clock(server, tell_time, &part, destroy_part),
                      mcp_server_tick(server));
    TAKES_ITSELF_AWAY(mcp_server_set_entropy(server, draw, &part, destroy_part),
                      call_modern(session, 1, "asks", ""));
    TAKES_ITSELF_AWAY(mcp_register_tool(server, "self", NULL, NULL, handle, &part, destroy_part),
                      CHECK_PART(call_tool(session, 1, "self", "{}"), "the old one"));
}

static void nothing_more(void *user_data) { (void)user_data; }

static void what_waits_in_the_queue_goes_with_the_server(void)
{
    int order;
    for (order = 0; order < 2; order++) {
        int handlers = 0, replaced = 0, destroyed = 0;
        mcp_call *call;
        begin();
        mcp_register_tool(server, "tool", NULL, NULL, reply_ok, &handlers, count_up);
        call_tool(session, 1, "waits", "{}");
        call = mcp_server_next_call(server);
        CHECK(call != NULL);
        CHECK(mcp_server_next_call(server) == NULL);
        CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED), MCP_OK);
        /* Two calls wait for a handler, one to be taken; one has code for its cancellation. */
        call_tool(session, 2, "tool", "{}");
        call_tool(session, 3, "tool", "{}");
        call_tool(session, 4, "waits", "{}");
        CHECK_STATUS(mcp_call_on_cancel(call, count_up, &replaced, NULL), MCP_OK);
        CHECK_STATUS(mcp_call_on_cancel(call, nothing_more, &destroyed, count_up), MCP_OK);
        CHECK_STATUS(mcp_unregister(server, MCP_TOOL, "tool"), MCP_OK);
        CHECK(handlers == 0);
        if (order == 0) mcp_session_free(session);
        mcp_server_free(server);
        if (order == 1) mcp_session_free(session);
        mcp_call_release(call);
        CHECK(handlers == 1 && replaced == 0 && destroyed == 1);
    }
}

static void a_cancelled_call_does_not_start(void)
{
    begin();
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED), MCP_OK);
    mcp_register_tool(server, "self", NULL, NULL, handle, &part, destroy_part);
    drain(session);
    call_tool(session, 1, "self", "{}");
    say(session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
        "\"params\":{\"requestId\":1}}");
    while (mcp_server_run(server, 0) > 0) continue;
    CHECK(part.runs == 0);
    CHECK_TEXT(drain(session), "");
    CHECK(mcp_session_open_calls(session) == 0);
    end();
    CHECK(part.destroyed == 1);
}

int main(void)
{
    callbacks_may_take_themselves_away();
    what_waits_in_the_queue_goes_with_the_server();
    a_cancelled_call_does_not_start();
    return check_report();
}
