/* Options and limits at the ends of their ranges, and times that never come. */
#include "check.h"

static mcp_server *server;
static mcp_session *session;

static mcp_status ask(void *user_data, mcp_call *call)
{
    const char *answer = mcp_ask(call, "where", "roots/list", NULL, 0, NULL);
    (void)user_data;
    return answer ? mcp_reply_text(call, answer, MCP_Z) : MCP_PENDING;
}

static mcp_status say_much(void *user_data, mcp_call *call)
{
    int i;
    (void)user_data;
    for (i = 1; i < 20; i++) {
        mcp_progress(call, i, 20, "a step");
        mcp_log(call, MCP_LOG_ERROR, "logger", "a message", MCP_Z);
        mcp_add_text(call, "a text of some length, so that it does not fit everywhere", MCP_Z);
    }
    mcp_put_str(call, "key", "value", MCP_Z);
    return mcp_reply(call);
}

static void begin(void)
{
    server = mcp_server_new("limits", "1");
    mcp_register_tool(server, "much", NULL, NULL, say_much, NULL, NULL);
    mcp_register_tool(server, "asks", NULL, NULL, ask, NULL, NULL);
    mcp_register_resource(server, "test://r", "r", NULL, reply_ok, NULL, NULL);
    mcp_register_static(server, "test://s", "s", NULL, "fixed", 5);
    mcp_register_template(server, "test://t/{x}", "t", NULL, reply_ok, NULL, NULL);
    mcp_register_prompt(server, "p", NULL, NULL, reply_ok, NULL, NULL);
}

static void end(void)
{
    mcp_session_free(session);
    mcp_server_free(server);
}

/* Hands in a message, which may be refused, and takes what comes; says how many frames. */
static int offer(const char *message)
{
    const char *out;
    size_t length;
    int frames = 0;
    mcp_status status = mcp_handle_message(session, message, strlen(message));
    CHECK(status != MCP_E_PANIC && status != MCP_E_POISONED);
    while ((out = mcp_session_poll(session, &length)) != NULL) {
        CHECK(frame_is_good(out, length));
        frames++;
    }
    return frames;
}

#define REQUEST(id, method, params) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"

static const char *const conversation[] = {
    "no JSON",
    REQUEST("1", "initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"roots\":{}},"
            "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}"),
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
    REQUEST("2", "tools/list", ""),
    REQUEST("3", "resources/list", ""),
    REQUEST("4", "prompts/list", ""),
    REQUEST("\"five\"", "tools/call", "\"name\":\"much\",\"arguments\":{\"a\":[[[1]]]},"
            "\"_meta\":{\"progressToken\":1}"),
    REQUEST("6", "tools/call", "\"name\":\"asks\""),
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}",
    REQUEST("7", "resources/subscribe", "\"uri\":\"test://r\""),
    REQUEST("8", "resources/subscribe", "\"uri\":\"test://s\""),
    REQUEST("9", "resources/read", "\"uri\":\"test://s\""),
    REQUEST("10", "resources/read", "\"uri\":\"test://t/1\""),
    REQUEST("11", "prompts/get", "\"name\":\"p\""),
    REQUEST("12", "tools/call", "\"name\":\"asks\"," MODERN_META("")),
    REQUEST("13", "subscriptions/listen",
            "\"notifications\":{\"toolsListChanged\":true}," MODERN_META("")),
    REQUEST("14", "server/discover", MODERN_META("")),
    ("[{\"jsonrpc\":\"2.0\",\"id\":15,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":16,"
     "\"method\":\"ping\"}]"),
    "{",
};

/* Everything that a client says, with changes of the host's in between. */
static void converse(void)
{
    size_t i;
    session = mcp_session_new(server);
    for (i = 0; session && i < sizeof conversation / sizeof *conversation; i++) {
        offer(conversation[i]);
        mcp_notify_resource_updated(server, "test://r");
        mcp_notify_list_changed(server, MCP_TOOL);
        mcp_server_tick(server);
        CHECK(mcp_server_timeout(server) >= -1);
        CHECK(mcp_server_run(server, 0) >= 0);
    }
    if (session) mcp_session_end(session);
}

static void extreme_values_break_nothing(void)
{
    static const int64_t extremes[] = {0, 1, 2, 1023, INT32_MAX, (int64_t)INT32_MAX + 1,
        INT64_MAX - 1, INT64_MAX};
    int32_t option;
    size_t i;
    for (option = 1; option <= MCP_LIMIT_CONNECTIONS; option++) {
        if (option == MCP_OPT_DECLARE + 1) option = MCP_LIMIT_MESSAGE_BYTES;
        for (i = 0; i < sizeof extremes / sizeof *extremes; i++) {
            mcp_status status;
            begin();
            status = mcp_server_set_int(server, option, extremes[i]);
            CHECK(status == MCP_OK || status == MCP_E_INVALID);
            if (status == MCP_OK) converse();
            end();
            session = NULL;
        }
    }
}

static mcp_call *kept;
static int64_t now_us;

static int64_t tell_time(void *user_data, int32_t which)
{
    (void)user_data;
    (void)which;
    return now_us;
}

static void deadlines_are_kept_at_both_ends_of_time(void)
{
    static const int64_t deadlines[] = {0, 1, INT32_MAX, (int64_t)INT32_MAX + 1, INT64_MAX};
    static const int64_t clocks[] = {0, INT64_MAX, INT64_MIN, -1, 1000};
    size_t i, j;
    for (i = 0; i < sizeof deadlines / sizeof *deadlines; i++)
        for (j = 0; j < sizeof clocks / sizeof *clocks; j++) {
            int32_t timeout;
            begin();
            now_us = clocks[j];
            CHECK_STATUS(mcp_server_set_clock(server, tell_time, NULL, NULL), MCP_OK);
            mcp_register_tool(server, "keep", NULL, NULL, keep_call, &kept, NULL);
            session = mcp_session_new(server);
            shake_hands(session, "2025-11-25");
            call_tool(session, 1, "keep", "{}");
            CHECK_STATUS(mcp_call_set_deadline(kept, deadlines[i]), MCP_OK);
            timeout = mcp_server_timeout(server);
            CHECK(deadlines[i] > INT32_MAX ? timeout == INT32_MAX : timeout == deadlines[i]);
            CHECK_STATUS(mcp_server_tick(server), MCP_OK);
            CHECK(mcp_call_cancelled(kept) == (deadlines[i] == 0));
            CHECK_STATUS(mcp_call_set_deadline(kept, -2), MCP_E_INVALID);
            mcp_call_release(kept);
            end();
        }
}

/* What the engine counts goes back to what it was, however much came and went. */
static void memory_is_given_back(void)
{
    int64_t before, after;
    int round;
    begin();
    converse();
    mcp_session_free(session);
    before = mcp_server_memory_used(server);
    for (round = 0; round < 20; round++) {
        converse();
        mcp_session_free(session);
    }
    after = mcp_server_memory_used(server);
    CHECK(before > 0 && after == before);
    session = NULL;
    end();
}

static void the_last_error_is_one_whole_line(void)
{
    mcp_error error;
    char schema[2000];
    size_t i, used;
    begin();
    memset(&error, 0x55, sizeof error);
    CHECK_STATUS(mcp_server_last_error(server, &error), MCP_DONE);
    CHECK(error.status == MCP_OK && error.offset == -1 && error.text[0] == '\0');
    /* A place whose name has line breaks and is longer than there is room. */
    used = (size_t)sprintf(schema, "{\"type\":\"object\",\"properties\":{\"a\\nb");
    for (i = 0; i < 400; i++) used += (size_t)sprintf(schema + used, "\xc3\xa9");
    sprintf(schema + used, "\":{\"type\":5}}}");
    CHECK_STATUS(mcp_register_tool(server, "x", NULL, schema, reply_ok, NULL, NULL), MCP_E_SCHEMA);
    CHECK_STATUS(mcp_server_last_error(server, &error), MCP_OK);
    CHECK(error.status == MCP_E_SCHEMA);
    CHECK(memchr(error.text, '\0', sizeof error.text) != NULL);
    CHECK(strlen(error.text) > 200 && !strchr(error.text, '\n') && !strchr(error.text, '\r'));
    /* No character is cut in half. */
    CHECK((unsigned char)error.text[strlen(error.text) - 1] != 0xc3);
    end();
}

int main(void)
{
    extreme_values_break_nothing();
    deadlines_are_kept_at_both_ends_of_time();
    memory_is_given_back();
    the_last_error_is_one_whole_line();
    return check_report();
}
