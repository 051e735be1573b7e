/* What may be called from inside which callback; freeing is in ownership.c. */
#include "check.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":\"ping\",\"method\":\"ping\"}"
#define CALL(name)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":\"" name "\",\"method\":\"tools/call\","                        \
    "\"params\":{\"name\":\"" name "\"}}"

static mcp_server *server;
static mcp_session *session;
static mcp_call *kept;
static mcp_handler behaviour;

static mcp_status behave(void *user_data, mcp_call *call) { return behaviour(user_data, call); }

static mcp_status use_everything(void *user_data, mcp_call *call)
{
    mcp_session *second;
    mcp_error error;
    (void)user_data;
    /* This call, and another one. */
    CHECK_STATUS(mcp_add_text(call, "mine", MCP_Z), MCP_OK);
    CHECK_TEXT(mcp_call_info(kept, MCP_INFO_NAME, NULL), "keep");
    CHECK_STATUS(mcp_reply_text(kept, "the other", MCP_Z), MCP_OK);
    mcp_call_release(kept);
    kept = NULL;
    /* The registry, this tool included, and options. */
    CHECK_STATUS(mcp_register_tool(server, "new", NULL, NULL, reply_ok, NULL, NULL), MCP_OK);
    CHECK_STATUS(mcp_unregister(server, MCP_TOOL, "new"), MCP_OK);
    CHECK_STATUS(mcp_unregister(server, MCP_TOOL, "tool"), MCP_OK);
    CHECK_STATUS(mcp_register_tool(server, "tool", NULL, NULL, behave, NULL, NULL), MCP_OK);
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "tool", MCP_ITEM_HIDDEN, 0), MCP_OK);
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_PAGE_SIZE, 10), MCP_OK);
    CHECK_STATUS(mcp_server_set_str(server, MCP_OPT_TITLE, "title"), MCP_OK);
    CHECK_STATUS(mcp_notify_resource_updated(server, "test://x"), MCP_OK);
    CHECK_STATUS(mcp_notify_list_changed(server, MCP_TOOL), MCP_OK);
    CHECK_STATUS(mcp_session_notify(session, "notifications/own", NULL, 0), MCP_OK);
    CHECK_STATUS(mcp_session_set_principal(session, "somebody"), MCP_OK);
    CHECK(mcp_server_last_error(server, &error) >= 0);
    CHECK(mcp_server_memory_used(server) > 0);
    CHECK_STATUS(mcp_server_tick(server), MCP_OK);
    /* Another session from its beginning to its end. */
    second = mcp_session_new(server);
    CHECK_STATUS(mcp_handle_message(second, MCP_LIT(PING)), MCP_OK);
    CHECK(mcp_session_poll(second, NULL) != NULL);
    mcp_session_free(second);
    return mcp_reply(call);
}

static void a_handler_may_call_almost_everything(void)
{
    const char *said;
    say(session, CALL("keep"));
    CHECK(kept != NULL);
    behaviour = use_everything;
    said = say(session, CALL("tool"));
    CHECK_PART(said, "mine");
    CHECK_PART(said, "the other");
    CHECK_PART(said, "notifications/own");
}

static mcp_status take_output(void *user_data, mcp_call *call)
{
    size_t length = 0;
    const char *out;
    (void)user_data;
    CHECK_STATUS(mcp_session_notify(session, "notifications/first", NULL, 0), MCP_OK);
    out = mcp_session_poll(session, &length);
    CHECK_PART(out, "notifications/first");
    CHECK_STATUS(mcp_session_notify(session, "notifications/second", NULL, 0), MCP_OK);
    /* The pointer lives until the next poll, whatever is said meanwhile. */
    CHECK_PART(out, "notifications/first");
    CHECK(mcp_session_poll(session, &length) != NULL);
    CHECK(mcp_session_poll(session, &length) == NULL && length == 0);
    return mcp_reply_text(call, "taken", MCP_Z);
}

static void a_handler_may_take_output(void)
{
    behaviour = take_output;
    CHECK_PART(say(session, CALL("tool")), "taken");
}

static int deepest;

static mcp_status go_deeper(void *user_data, mcp_call *call)
{
    char message[200];
    int64_t depth = mcp_arg_int(call, "depth", 1);
    mcp_status status;
    (void)user_data;
    if (depth > deepest) deepest = (int)depth;
    snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
             "\"params\":"
             "{\"name\":\"tool\",\"arguments\":{\"depth\":%d}}}", (int)depth + 100, (int)depth + 1);
    status = mcp_handle_message(session, message, strlen(message));
    CHECK(status == (depth < 8 ? MCP_OK : MCP_E_BUSY));
    return mcp_reply_text(call, "climbed", MCP_Z);
}

static void messages_nest_to_a_depth_of_eight(void)
{
    const char *said;
    behaviour = go_deeper;
    said = say(session, CALL("tool"));
    CHECK(deepest == 8);
    CHECK_PART(said, "\"id\":\"tool\"");
    CHECK_PART(said, "\"id\":107");
    CHECK_LACKS(said, "\"id\":108");
    /* Afterwards everything is as before. */
    CHECK_PART(say(session, PING), "\"id\":\"ping\"");
}

static mcp_status use_the_byte_end(void *user_data, mcp_call *call)
{
    size_t used = 7;
    (void)user_data;
    CHECK_STATUS(mcp_session_receive(session, PING "\n", sizeof PING, &used), MCP_E_BUSY);
    CHECK(used == 0);
    CHECK_STATUS(mcp_session_receive(session, PING "\n", sizeof PING, NULL), MCP_E_BUSY);
    CHECK_STATUS(mcp_session_end(session), MCP_E_BUSY);
    CHECK_STATUS(mcp_handle_message(session, MCP_LIT(PING)), MCP_OK);
    return mcp_reply_text(call, "busy", MCP_Z);
}

static void the_byte_end_has_one_user(void)
{
    const char *said;
    behaviour = use_the_byte_end;
    CHECK_STATUS(mcp_session_receive(session, CALL("tool") "\n", sizeof CALL("tool"), NULL),
                 MCP_OK);
    said = drain(session);
    CHECK_PART(said, "\"id\":\"ping\"");
    CHECK_PART(said, "busy");
    CHECK_STATUS(mcp_session_receive(session, PING "\n", sizeof PING, NULL), MCP_OK);
    CHECK_PART(drain(session), "\"id\":\"ping\"");
}

static mcp_status try_to_serve(void *user_data, mcp_call *call)
{
    mcp_status status;
    (void)user_data;
    status = mcp_serve_stdio(server);
    CHECK(status == MCP_E_STATE || status == MCP_E_UNSUPPORTED);
    status = mcp_serve_socket(server, "127.0.0.1:0");
    CHECK(status == MCP_E_STATE || status == MCP_E_UNSUPPORTED);
    return mcp_reply_text(call, "not served", MCP_Z);
}

static void a_handler_cannot_serve(void)
{
    behaviour = try_to_serve;
    CHECK_PART(say(session, CALL("tool")), "not served");
}

static int ran;

static mcp_status run_more(void *user_data, mcp_call *call)
{
    int32_t result = mcp_server_run(server, 1);
    (void)user_data;
    ran++;
    CHECK(result == 1 || result == 0 || result == MCP_E_BUSY);
    return mcp_reply_text(call, "ran", MCP_Z);
}

static void run_may_be_nested(void)
{
    int i;
    behaviour = run_more;
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED), MCP_OK);
    for (i = 0; i < 20; i++) call_tool(session, i, "tool", "{}");
    CHECK(ran == 0);
    /* One runs the next inside itself, eight deep; the rest waits. */
    CHECK(mcp_server_run(server, 1) == 1);
    CHECK(ran == 8);
    CHECK(mcp_server_run(server, 0) > 0);
    while (mcp_server_run(server, 0) > 0) continue;
    CHECK(ran == 20);
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_DISPATCH, MCP_DISPATCH_INLINE), MCP_OK);
    drain(session);
}

static size_t drained;

static void drain_in_wake(void *user_data)
{
    size_t length, half;
    const char *out;
    (void)user_data;
    while ((out = mcp_session_peek(session, &length)) != NULL) {
        half = (length + 1) / 2;
        CHECK(out[length - 1] == '\n');
        CHECK_STATUS(mcp_session_consume(session, half), MCP_OK);
        drained += half;
    }
}

static void a_wake_may_drain(void)
{
    size_t length = 99;
    CHECK_STATUS(mcp_session_set_wake(session, drain_in_wake, NULL, NULL), MCP_OK);
    behaviour = reply_ok;
    CHECK_STATUS(mcp_handle_message(session, MCP_LIT(CALL("tool"))), MCP_OK);
    CHECK(drained > 60);
    CHECK(mcp_session_peek(session, &length) == NULL && length == 0);
    CHECK_STATUS(mcp_session_set_wake(session, NULL, NULL, NULL), MCP_OK);
}

/* A hook runs in the middle of something: nothing is fed there, no handler runs, the rest works. */
static int hooked;

static void try_inside_a_hook(void)
{
    size_t used = 7;
    hooked++;
    CHECK_STATUS(mcp_handle_message(session, MCP_LIT(PING)), MCP_E_BUSY);
    CHECK_STATUS(mcp_session_receive(session, PING "\n", sizeof PING, &used), MCP_E_BUSY);
    CHECK(used == 0);
    CHECK(mcp_server_run(server, 0) == MCP_E_BUSY);
    CHECK_STATUS(mcp_session_notify(session, "notifications/hooked", NULL, 0), MCP_OK);
    CHECK(mcp_server_memory_used(server) > 0);
}

static void observe(void *user_data, const mcp_event *event) {
    (void)user_data; (void)event; try_inside_a_hook(); }
static void rewrite(void *user_data, mcp_failure *failure) {
    (void)user_data; (void)failure; try_inside_a_hook(); }
static int64_t tell_time(void *user_data, int32_t which) {
    (void)user_data; (void)which; try_inside_a_hook(); return 1; }
static void destroy(void *user_data) { (void)user_data; try_inside_a_hook(); }

static mcp_status draw(void *user_data, uint8_t *out, size_t len)
{
    (void)user_data;
    try_inside_a_hook();
    memset(out, 7, len);
    return MCP_OK;
}

static mcp_status seal(void *user_data, int32_t open, const uint8_t *in, size_t in_len,
                       mcp_buf *out)
{
    (void)user_data;
    (void)open;
    try_inside_a_hook();
    return mcp_buf_append(out, in, in_len);
}

static mcp_status ask(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_ask(call, "where", "roots/list", NULL, 0, NULL) ? mcp_reply(call) : MCP_PENDING;
}

#define IN_HOOK(set, trigger, unset)                                                             \
    do {                                                                                         \
        hooked = 0;                                                                              \
        CHECK_STATUS(set, MCP_OK);                                                               \
        trigger;                                                                                 \
        CHECK(hooked > 0);                                                                       \
        CHECK_STATUS(unset, MCP_OK);                                                             \
    } while (0)

static void hooks_cannot_feed(void)
{
    behaviour = ask;
    IN_HOOK(mcp_server_set_observer(server, observe, NULL, NULL), say(session, PING),
            mcp_server_set_observer(server, NULL, NULL, NULL));
    IN_HOOK(mcp_server_set_error_hook(server, rewrite, NULL, NULL), call_tool(session, 1, "nobody",
        "{}"), mcp_server_set_error_hook(server, NULL, NULL, NULL));
    IN_HOOK(mcp_server_set_clock(server, tell_time, NULL, NULL), mcp_server_tick(server),
            mcp_server_set_clock(server, NULL, NULL, NULL));
    IN_HOOK(mcp_server_set_entropy(server, draw, NULL, NULL), call_modern(session, 1, "tool", ""),
            mcp_server_set_entropy(server, NULL, NULL, NULL));
    IN_HOOK(mcp_server_set_seal(server, seal, NULL, NULL), call_modern(session, 1, "tool", ""),
            mcp_server_set_seal(server, NULL, NULL, NULL));
    IN_HOOK(mcp_register_tool(server, "short", NULL, NULL, reply_ok, NULL, destroy),
            mcp_unregister(server, MCP_TOOL, "short"), MCP_OK);
    drain(session);
}

int main(void)
{
    server = mcp_server_new("reentrancy", "1");
    mcp_register_tool(server, "tool", NULL, NULL, behave, NULL, NULL);
    mcp_register_tool(server, "keep", NULL, NULL, keep_call, &kept, NULL);
    session = mcp_session_new(server);
    shake_hands(session, "2025-11-25");
    a_handler_may_call_almost_everything();
    a_handler_may_take_output();
    messages_nest_to_a_depth_of_eight();
    the_byte_end_has_one_user();
    a_handler_cannot_serve();
    run_may_be_nested();
    a_wake_may_drain();
    hooks_cannot_feed();
    mcp_session_free(session);
    mcp_server_free(server);
    return check_report();
}
