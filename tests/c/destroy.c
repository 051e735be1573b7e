/* The destroy of whatever is registered runs exactly once, after the last run of it. */
#include "check.h"

static mcp_server *server;

/* The registering functions, each as one of the same shape. */
typedef mcp_status (*registers)(const char *name, void *user_data);

static mcp_status tool(const char *name, void *user_data)
{
    return mcp_register_tool(server, name, NULL, NULL, reply_ok, user_data, count_up);
}

static mcp_status resource(const char *name, void *user_data)
{
    return mcp_register_resource(server, name, "name", NULL, reply_ok, user_data, count_up);
}

static mcp_status template(const char *name, void *user_data)
{
    return mcp_register_template(server, name, "name", NULL, reply_ok, user_data, count_up);
}

static mcp_status prompt(const char *name, void *user_data)
{
    return mcp_register_prompt(server, name, NULL, NULL, reply_ok, user_data, count_up);
}

static mcp_status method(const char *name, void *user_data)
{
    return mcp_register_method(server, name, reply_ok, user_data, count_up);
}

static mcp_status completion(const char *name, void *user_data)
{
    return mcp_register_completion(server, *name ? MCP_PROMPT : MCP_TOOL, "p", name, reply_ok,
                                   user_data, count_up);
}

static mcp_status definition(const char *name, void *user_data)
{
    char text[200];
    snprintf(text, sizeof text, "{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}", name);
    return mcp_register(server, MCP_TOOL, text, reply_ok, user_data, count_up);
}

static mcp_status unhandled(const char *name, void *user_data)
{
    return mcp_register_tool(server, name, NULL, NULL, NULL, user_data, count_up);
}

static const struct {
    registers put;
    int32_t kind;
    const char *name, *bad_name;
} ways[] = {
    {tool, MCP_TOOL, "tool", "bad name"},
    {resource, MCP_RESOURCE, "test://x", "no uri"},
    {template, MCP_TEMPLATE, "test://{x}", "test://{"},
    {prompt, MCP_PROMPT, "prompt", ""},
    {method, MCP_METHOD, "own/method", "ping"},
    {completion, MCP_COMPLETION, "argument", ""},
    {definition, MCP_TOOL, "defined", "bad name"},
    {unhandled, MCP_TOOL, "unhandled", "bad name"},
};

static mcp_status take_away(size_t way)
{
    if (ways[way].kind == MCP_COMPLETION)
        return mcp_unregister_completion(server, MCP_PROMPT, "p", ways[way].name);
    return mcp_unregister(server, ways[way].kind, ways[way].name);
}

static void every_registration_is_destroyed_once(void)
{
    size_t way;
    for (way = 0; way < sizeof ways / sizeof *ways; way++) {
        int kept = 0, twice = 0, bad = 0, null = 0, freed = 0;
        mcp_server *none = NULL, *own;
        server = mcp_server_new("destroy", "1");
        CHECK_STATUS(ways[way].put(ways[way].name, &kept), MCP_OK);
        CHECK(kept == 0);
        CHECK_STATUS(ways[way].put(ways[way].name, &twice), MCP_E_EXISTS);
        CHECK(twice == 1);
        CHECK(ways[way].put(ways[way].bad_name, &bad) < 0);
        CHECK(bad == 1);
        own = server;
        server = none;
        CHECK_STATUS(ways[way].put(ways[way].name, &null), MCP_E_INVALID);
        CHECK(null == 1);
        server = own;
        CHECK(kept == 0);
        CHECK_STATUS(take_away(way), MCP_OK);
        CHECK(kept == 1);
        CHECK_STATUS(take_away(way), MCP_E_NOT_FOUND);
        CHECK_STATUS(ways[way].put(ways[way].name, &freed), MCP_OK);
        mcp_server_free(server);
        CHECK(kept == 1 && twice == 1 && bad == 1 && null == 1 && freed == 1);
    }
}

static void refused_definitions_are_destroyed_too(void)
{
    static const struct { int32_t kind; const char *definition; } refused[] = {
        {MCP_TOOL, NULL}, {MCP_TOOL, "no JSON"}, {MCP_TOOL, "[]"}, {MCP_TOOL, "{}"}, {99,
        "{\"name\":\"x\"}"}, {MCP_METHOD, "{}"},
        {MCP_TOOL, "{\"name\":\"x\",\"inputSchema\":{\"type\":\"string\"}}"},
        {MCP_TOOL, "{\"name\":\"x\",\"inputSchema\":{\"type\":\"object\",\"$ref\":\"#/nowhere\"}}"},
    };
    size_t i;
    server = mcp_server_new("destroy", "1");
    for (i = 0; i < sizeof refused / sizeof *refused; i++) {
        int destroyed = 0;
        CHECK(mcp_register(server, refused[i].kind, refused[i].definition, reply_ok, &destroyed,
                           count_up) < 0);
        CHECK(destroyed == 1);
    }
    mcp_server_free(server);
}

static void a_replaced_item_is_destroyed(void)
{
    int first = 0, second = 0;
    const char *text = "{\"name\":\"x\",\"inputSchema\":{\"type\":\"object\"}}";
    server = mcp_server_new("destroy", "1");
    CHECK_STATUS(mcp_register(server, MCP_TOOL | MCP_REPLACE, text, reply_ok, &first, count_up),
                 MCP_OK);
    CHECK_STATUS(mcp_register(server, MCP_TOOL | MCP_REPLACE, text, reply_ok, &second, count_up),
                 MCP_OK);
    CHECK(first == 1 && second == 0);
    mcp_server_free(server);
    CHECK(first == 1 && second == 1);
}

static mcp_status leave_while_running(void *user_data, mcp_call *call)
{
    int *destroyed = user_data;
    CHECK_STATUS(mcp_unregister(server, MCP_TOOL, "leaving"), MCP_OK);
    CHECK(*destroyed == 0);
    CHECK_STATUS(mcp_reply_text(call, "bye", MCP_Z), MCP_OK);
    CHECK(*destroyed == 0);
    return MCP_OK;
}

struct kept {
    mcp_call *call;
    int destroyed;
};

static mcp_status keep_beside(void *user_data, mcp_call *call)
{
    ((struct kept *)user_data)->call = mcp_call_retain(call);
    return MCP_OK;
}

static void destroy_beside(void *user_data) { ((struct kept *)user_data)->destroyed++; }

static void never_before_the_last_run_has_returned(void)
{
    int destroyed = 0;
    struct kept kept = {NULL, 0};
    mcp_session *session;
    server = mcp_server_new("destroy", "1");
    mcp_register_tool(server, "leaving", NULL, NULL, leave_while_running, &destroyed, count_up);
    mcp_register_tool(server, "kept", NULL, NULL, keep_beside, &kept, destroy_beside);
    session = mcp_session_new(server);
    shake_hands(session, "2025-11-25");
    CHECK_PART(call_tool(session, 1, "leaving", "{}"), "bye");
    CHECK(destroyed == 1);
    call_tool(session, 2, "kept", "{}");
    CHECK(kept.call != NULL);
    CHECK_STATUS(mcp_unregister(server, MCP_TOOL, "kept"), MCP_OK);
    /* The call in flight can still give its user_data away. */
    CHECK(kept.destroyed == 0);
    CHECK(mcp_call_user_data(kept.call) == &kept);
    mcp_session_free(session);
    mcp_server_free(server);
    CHECK(kept.destroyed == 0);
    mcp_call_release(kept.call);
    CHECK(kept.destroyed == 1);
}

static void rewrite_nothing(void *user_data, mcp_failure *failure) {
    (void)user_data; (void)failure; }
static void observe_nothing(void *user_data, const mcp_event *event) {
    (void)user_data; (void)event; }
static int64_t stand_still(void *user_data, int32_t which) {
    (void)user_data; (void)which; return 0; }
static void wake_nobody(void *user_data) { (void)user_data; }

static mcp_status seal_nothing(void *user_data, int32_t open, const uint8_t *in, size_t in_len,
                               mcp_buf *out)
{
    (void)user_data;
    (void)open;
    return mcp_buf_append(out, in, in_len);
}

static mcp_status draw_sevens(void *user_data, uint8_t *out, size_t len)
{
    (void)user_data;
    memset(out, 7, len);
    return MCP_OK;
}

typedef mcp_status (*sets)(mcp_server *on, int is_set, void *user_data);
#define SETTER(name, call, hook)                                                                 \
    static mcp_status name(mcp_server *on, int is_set, void *user_data)                          \
    {                                                                                            \
        return call(on, is_set ? hook : NULL, user_data, count_up);                              \
    }
SETTER(set_wake, mcp_server_set_wake, wake_nobody)
SETTER(set_error_hook, mcp_server_set_error_hook, rewrite_nothing)
SETTER(set_observer, mcp_server_set_observer, observe_nothing)
SETTER(set_seal, mcp_server_set_seal, seal_nothing)
SETTER(set_clock, mcp_server_set_clock, stand_still)
SETTER(set_entropy, mcp_server_set_entropy, draw_sevens)

static void hooks_are_destroyed_when_replaced_unset_or_freed(void)
{
    static const sets all[] = {set_wake, set_error_hook, set_observer, set_seal, set_clock,
        set_entropy};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        int first = 0, second = 0, third = 0, fourth = 0, null = 0;
        server = mcp_server_new("destroy", "1");
        CHECK_STATUS(all[i](NULL, 1, &null), MCP_E_INVALID);
        CHECK(null == 1);
        CHECK_STATUS(all[i](server, 1, &first), MCP_OK);
        CHECK_STATUS(all[i](server, 1, &second), MCP_OK);
        CHECK(first == 1 && second == 0);
        CHECK_STATUS(all[i](server, 0, &third), MCP_OK);
        CHECK(second == 1);
        CHECK_STATUS(all[i](server, 1, &fourth), MCP_OK);
        CHECK(fourth == 0);
        mcp_server_free(server);
        CHECK(first == 1 && second == 1 && third == 1 && fourth == 1);
    }
}

static void sessions_destroy_wakes_and_contexts(void)
{
    int wakes[3] = {0, 0, 0}, contexts[2] = {0, 0}, null = 0;
    mcp_session *session;
    server = mcp_server_new("destroy", "1");
    session = mcp_session_new(server);
    CHECK_STATUS(mcp_session_set_wake(NULL, wake_nobody, &null, count_up), MCP_E_INVALID);
    CHECK_STATUS(mcp_session_set_context(NULL, &null, count_up), MCP_E_INVALID);
    CHECK(null == 2);
    CHECK_STATUS(mcp_session_set_wake(session, wake_nobody, &wakes[0], count_up), MCP_OK);
    CHECK_STATUS(mcp_session_set_wake(session, wake_nobody, &wakes[1], count_up), MCP_OK);
    CHECK(wakes[0] == 1 && wakes[1] == 0);
    CHECK_STATUS(mcp_session_set_wake(session, NULL, NULL, NULL), MCP_OK);
    CHECK(wakes[1] == 1);
    CHECK_STATUS(mcp_session_set_wake(session, wake_nobody, &wakes[2], count_up), MCP_OK);
    CHECK_STATUS(mcp_session_set_context(session, &contexts[0], count_up), MCP_OK);
    CHECK_STATUS(mcp_session_set_context(session, &contexts[1], count_up), MCP_OK);
    CHECK(contexts[0] == 1 && contexts[1] == 0);
    mcp_session_free(session);
    CHECK(wakes[2] == 1 && contexts[1] == 1);
    mcp_server_free(server);
}

static void on_cancel_is_destroyed_however_the_call_ends(void)
{
    enum { REPLACED, ANSWERED, CANCELLED, RELEASED, SESSION_FREED, TOO_LATE, ENDINGS };
    int ending;
    for (ending = 0; ending < ENDINGS; ending++) {
        int destroyed = 0, other = 0, null = 0;
        mcp_call *call = NULL;
        mcp_session *session;
        server = mcp_server_new("destroy", "1");
        mcp_register_tool(server, "keep", NULL, NULL, keep_call, &call, NULL);
        session = mcp_session_new(server);
        shake_hands(session, "2025-11-25");
        call_tool(session, 1, "keep", "{}");
        if (ending == TOO_LATE) CHECK_STATUS(mcp_reply_text(call, "x", 1), MCP_OK);
        mcp_call_on_cancel(call, wake_nobody, &destroyed, count_up);
        CHECK(destroyed == (ending == TOO_LATE));
        CHECK_STATUS(mcp_call_on_cancel(call, NULL, &null, count_up), MCP_E_INVALID);
        CHECK(null == 1);
        switch (ending) {
        case REPLACED: mcp_call_on_cancel(call, wake_nobody, &other, count_up); break;
        case ANSWERED: mcp_reply_text(call, "x", 1); break;
        case CANCELLED: say(session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                            "\"params\":{\"requestId\":1}}"); break;
        case RELEASED: mcp_call_release(call); call = NULL; break;
        case SESSION_FREED: mcp_session_free(session); session = NULL; break;
        default: break;
        }
        CHECK(destroyed == 1);
        mcp_call_release(call);
        mcp_session_free(session);
        mcp_server_free(server);
        CHECK(destroyed == 1 && other == (ending == REPLACED));
    }
}

int main(void)
{
    every_registration_is_destroyed_once();
    refused_definitions_are_destroyed_too();
    a_replaced_item_is_destroyed();
    never_before_the_last_run_has_returned();
    hooks_are_destroyed_when_replaced_unset_or_freed();
    sessions_destroy_wakes_and_contexts();
    on_cancel_is_destroyed_however_the_call_ends();
    return check_report();
}
