/* What a host can set on a server: every option and limit, error codes, hooks, and the version. */
#include "check.h"

static mcp_server *server;
static mcp_session *session;

static void open_server(void)
{
    server = mcp_server_new("options", "1");
    mcp_register_tool(server, "tool", NULL, NULL, reply_ok, NULL, NULL);
    session = mcp_session_new(server);
}

static void close_server(void)
{
    mcp_session_free(session);
    mcp_server_free(server);
}

static const char *hello(const char *revision)
{
    char message[300];
    snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
             "\"params\":{\"protocolVersion\":\"%s\","
             "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}", revision);
    return say(session, message);
}

static void the_version_is_that_of_the_header(void)
{
    CHECK_TEXT(mcp_version(), MCP_VERSION_STRING);
    CHECK(mcp_version_number() == MCP_VERSION_NUMBER);
    CHECK(mcp_abi_version() == MCP_ABI_VERSION);
    CHECK(MCP_AT_LEAST(0, 0, 1) && !MCP_AT_LEAST(1000, 0, 0));
}

static void every_status_has_words_of_its_own(void)
{
    static const mcp_status all[] = {
        MCP_OK, MCP_DONE, MCP_PENDING, MCP_E_INVALID, MCP_E_NOMEM, MCP_E_UTF8, MCP_E_JSON,
            MCP_E_SCHEMA, MCP_E_NAME, MCP_E_EXISTS,
        MCP_E_NOT_FOUND, MCP_E_LIMIT, MCP_E_BUSY, MCP_E_STATE, MCP_E_UNSUPPORTED, MCP_E_BUFFER,
            MCP_E_OUTPUT, MCP_E_CLOSED,
        MCP_E_CANCELLED, MCP_E_ANSWERED, MCP_E_IO, MCP_E_PANIC, MCP_E_POISONED,
    };
    size_t count = sizeof all / sizeof *all, i, j;
    for (i = 0; i < count; i++) {
        CHECK(mcp_status_str(all[i])[0] != '\0');
        CHECK(strcmp(mcp_status_str(all[i]), mcp_status_str(12345)) != 0);
        for (j = 0; j < i; j++) CHECK(strcmp(mcp_status_str(all[i]), mcp_status_str(all[j])) != 0);
    }
}

static void numbers_are_checked(void)
{
    /* Up to four values that are accepted and four that are refused; the lists end with 0x5eed. */
    enum { END = 0x5eed };
    static const struct { int32_t option; int64_t good[5], bad[5]; } options[] = {
        {MCP_OPT_DISPATCH, {0, 1, END}, {2, -1, INT64_MAX, INT64_MIN, END}},
        {MCP_OPT_ERROR_PRESET, {0, 1, 2, END}, {3, -1, INT64_MAX, INT64_MIN, END}},
        {MCP_OPT_REVISIONS, {1, 16, 31, END}, {0, 32, -1, INT64_MAX, END}},
        {MCP_OPT_PAGE_SIZE, {0, 1, 1000, END}, {-1, INT64_MIN, END}},
        {MCP_OPT_CACHE_TTL_MS, {0, 1, 86400000, END}, {-1, INT64_MIN, END}},
        {MCP_OPT_CACHE_SCOPE, {0, 1, END}, {2, -1, INT64_MAX, INT64_MIN, END}},
        {MCP_OPT_COERCE, {0, 1, END}, {-1, 2, INT64_MIN, END}},
        {MCP_OPT_DEADLINE_MS, {-1, 1, 86400000, INT64_MAX, END}, {-2, INT64_MIN, END}},
        {MCP_OPT_STATE_TTL_MS, {-1, 1, 86400000, INT64_MAX, END}, {-2, INT64_MIN, END}},
        {MCP_OPT_STACKTRACE, {0, 1, END}, {-1, 2, END}},
        {MCP_OPT_WORKERS, {0, 1, 8, END}, {-1, INT64_MAX, INT64_MIN, END}},
        {MCP_OPT_GRACE_MS, {0, 1, 60000, END}, {-1, INT64_MIN, END}},
        {MCP_OPT_LOGGING, {0, 1, END}, {-1, 2, END}},
        {MCP_OPT_IDENTIFY, {0, 1, END}, {-1, 2, END}},
        {MCP_OPT_DECLARE, {0, 1, 15, END}, {16, -1, INT64_MAX, END}},
        {MCP_LIMIT_CONNECTIONS, {1, 1000, END}, {-1, INT64_MIN, END}},
    };
    size_t i, j;
    int32_t limit;
    open_server();
    for (i = 0; i < sizeof options / sizeof *options; i++) {
        for (j = 0; options[i].good[j] != END; j++)
            CHECK_STATUS(mcp_server_set_int(server, options[i].option, options[i].good[j]), MCP_OK);
        for (j = 0; options[i].bad[j] != END; j++)
            if (mcp_server_set_int(server, options[i].option, options[i].bad[j]) != MCP_E_INVALID) {
                fprintf(stderr, "option %d takes %lld\n", (int)options[i].option,
                        (long long)options[i].bad[j]);
                CHECK(!"refused");
            }
        CHECK_STATUS(mcp_server_set_str(server, options[i].option, "1"), MCP_E_UNSUPPORTED);
    }
    for (limit = MCP_LIMIT_MESSAGE_BYTES; limit <= MCP_LIMIT_UNREADABLE_ANSWERS; limit++) {
        CHECK_STATUS(mcp_server_set_int(server, limit, 1000000), MCP_OK);
        CHECK_STATUS(mcp_server_set_int(server, limit, INT64_MAX), MCP_OK);
        CHECK_STATUS(mcp_server_set_int(server, limit, -1), MCP_E_INVALID);
        CHECK_STATUS(mcp_server_set_int(server, limit, INT64_MIN), MCP_E_INVALID);
    }
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_TITLE, 1), MCP_E_UNSUPPORTED);
    close_server();
}

static void texts_are_checked_and_shown(void)
{
    const char *said;
    open_server();
    CHECK_STATUS(mcp_server_set_str(server, MCP_OPT_TITLE, "The title"), MCP_OK);
    CHECK_STATUS(mcp_server_set_str(server, MCP_OPT_DESCRIPTION, "The description"), MCP_OK);
    CHECK_STATUS(mcp_server_set_str(server, MCP_OPT_INSTRUCTIONS, "The instructions"), MCP_OK);
    CHECK_STATUS(mcp_server_set_str(server, MCP_OPT_WEBSITE_URL, "https://example.com"), MCP_OK);
    CHECK_STATUS(mcp_server_set_str(server, MCP_OPT_ICONS, "[{\"src\":\"data:x\"}]"), MCP_OK);
    CHECK_STATUS(mcp_server_set_str(server, MCP_OPT_EXTENSIONS, "{\"x/y\":{}}"), MCP_OK);
    CHECK_STATUS(mcp_server_set_str(server, MCP_OPT_EXPERIMENTAL, "{\"own\":{}}"), MCP_OK);
    CHECK(mcp_server_set_str(server, MCP_OPT_ICONS, "{}") < 0);
    CHECK(mcp_server_set_str(server, MCP_OPT_ICONS, "[") < 0);
    CHECK(mcp_server_set_str(server, MCP_OPT_EXTENSIONS, "[]") < 0);
    CHECK(mcp_server_set_str(server, MCP_OPT_EXPERIMENTAL, "no") < 0);
    said = hello("2025-11-25");
    CHECK_PART(said, "The title");
    CHECK_PART(said, "The description");
    CHECK_PART(said, "The instructions");
    CHECK_PART(said, "https://example.com");
    CHECK_PART(said, "data:x");
    CHECK_PART(said, "\"experimental\":{\"own\":{}}");
    CHECK_PART(say(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
                   "\"params\":{" MODERN_META("") "}}"), "\"x/y\":{}");
    mcp_session_free(session);
    CHECK_STATUS(mcp_server_set_str(server, MCP_OPT_INSTRUCTIONS, NULL), MCP_OK);
    session = mcp_session_new(server);
    CHECK_LACKS(hello("2025-11-25"), "The instructions");
    close_server();
}

static void options_do_what_they_say(void)
{
    open_server();
    CHECK_PART(call_modern(session, 1, "tool", ""), "serverInfo");
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_IDENTIFY, 0), MCP_OK);
    CHECK_LACKS(call_modern(session, 2, "tool", ""), "serverInfo");
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_REVISIONS,
                                    MCP_REV_2025_03_26 | MCP_REV_2025_06_18), MCP_OK);
    CHECK_PART(call_modern(session, 3, "tool", ""), "\"error\"");
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_LOGGING, 0), MCP_OK);
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_DECLARE, MCP_DECLARE_PROMPTS), MCP_OK);
    CHECK_PART(hello("2025-11-25"), "\"protocolVersion\":\"2025-06-18\","
               "\"capabilities\":{\"prompts\":");
    CHECK_STATUS(mcp_server_set_int(server, MCP_LIMIT_MESSAGE_BYTES, 2000), MCP_OK);
    {
        char message[3000];
        memset(message, ' ', sizeof message);
        memcpy(message, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"", 39);
        message[2998] = '}';
        message[2999] = '\0';
        CHECK_PART(say(session, message), "\"id\":9,\"error\":{\"code\":-32600");
    }
    CHECK_STATUS(mcp_server_set_int(server, MCP_LIMIT_OPEN_CALLS, 1), MCP_OK);
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED), MCP_OK);
    CHECK_TEXT(call_tool(session, 10, "tool", "{}"), "");
    CHECK_PART(call_tool(session, 11, "tool", "{}"), "1 requests are open");
    CHECK(mcp_server_run(server, 0) == 1);
    CHECK_PART(drain(session), "\"id\":10,\"result\"");
    close_server();
}

static mcp_status fail_with_trace(void *user_data, mcp_call *call)
{
    (void)user_data;
    mcp_reply_set(call, MCP_SET_STACKTRACE, "the trace", MCP_Z);
    return mcp_fail(call, MCP_KIND_TOOL_FAILED, "broken", MCP_Z);
}

static void error_codes_are_the_hosts_choice(void)
{
    open_server();
    mcp_register_tool(server, "fail", NULL, NULL, fail_with_trace, NULL, NULL);
    shake_hands(session, "2025-06-18");
    CHECK_PART(call_tool(session, 1, "nobody", "{}"), "\"code\":-32602");
    CHECK_PART(call_tool(session, 1, "fail", "{}"), "\"isError\":true");
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_ERROR_PRESET, MCP_PRESET_CLASSIC), MCP_OK);
    CHECK_PART(call_tool(session, 2, "nobody", "{}"), "\"code\":-32000,\"message\":\"Tool not "
               "found\"");
    CHECK_LACKS(call_tool(session, 2, "fail", "{}"), "the trace");
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_STACKTRACE, 1), MCP_OK);
    CHECK_PART(call_tool(session, 2, "fail", "{}"), "\"stacktrace\":\"the trace\"");
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_ERROR_PRESET, MCP_PRESET_GATEWAY), MCP_OK);
    CHECK_PART(call_tool(session, 3, "fail", "{}"), "\"code\":-32002");
    CHECK_STATUS(mcp_server_set_error(server, MCP_KIND_UNKNOWN_TOOL, 1234, MCP_FORM_ERROR), MCP_OK);
    CHECK_PART(call_tool(session, 4, "nobody", "{}"), "\"code\":1234");
    CHECK_STATUS(mcp_server_set_error(server, MCP_KIND_UNKNOWN_TOOL, 1234, MCP_FORM_TOOL_RESULT),
                 MCP_OK);
    CHECK_PART(call_tool(session, 5, "nobody", "{}"), "\"isError\":true");
    close_server();
}

static int hook_runs;

static void rewrite(void *user_data, mcp_failure *failure)
{
    size_t length = 99;
    (void)user_data;
    hook_runs++;
    CHECK(mcp_failure_kind(failure) == MCP_KIND_UNKNOWN_TOOL);
    CHECK(mcp_failure_code(failure) == -32602);
    CHECK_TEXT(mcp_failure_info(failure, MCP_INFO_METHOD, NULL), "tools/call");
    CHECK_TEXT(mcp_failure_info(failure, MCP_INFO_NAME, NULL), "nobody");
    CHECK_TEXT(mcp_failure_info(failure, MCP_INFO_ID, &length), "7");
    CHECK(length == 1);
    CHECK_TEXT(mcp_failure_info(failure, MCP_INFO_REVISION, NULL), "2025-06-18");
    CHECK_PART(mcp_failure_info(failure, MCP_INFO_MESSAGE, NULL), "nobody");
    CHECK(mcp_failure_info(failure, MCP_INFO_DATA, &length) == NULL && length == 0);
    CHECK_STATUS(mcp_failure_set_code(failure, 77, MCP_FORM_ERROR), MCP_OK);
    CHECK_STATUS(mcp_failure_set(failure, MCP_INFO_MESSAGE, "re\nwritten", MCP_Z), MCP_OK);
    /* What is not JSON is sent as a text, and here replaced by what follows. */
    CHECK_STATUS(mcp_failure_set(failure, MCP_INFO_DATA, "{\"a\":", MCP_Z), MCP_OK);
    CHECK_STATUS(mcp_failure_set(failure, MCP_INFO_DATA, "{\"a\":\n1}", MCP_Z), MCP_OK);
    CHECK_STATUS(mcp_failure_set(failure, MCP_INFO_MESSAGE, "\xff", 1), MCP_E_UTF8);
    CHECK(mcp_failure_code(failure) == 77);
    CHECK_TEXT(mcp_failure_info(failure, MCP_INFO_MESSAGE, NULL), "re\nwritten");
}

static void a_hook_has_the_last_word_on_errors(void)
{
    open_server();
    shake_hands(session, "2025-06-18");
    CHECK_STATUS(mcp_server_set_error_hook(server, rewrite, NULL, NULL), MCP_OK);
    CHECK_PART(call_tool(session, 7, "nobody", "{}"), "{\"code\":77,\"message\":\"re\\nwritten\","
               "\"data\":{\"a\": 1}}");
    CHECK(hook_runs == 1);
    CHECK_STATUS(mcp_server_set_error_hook(server, NULL, NULL, NULL), MCP_OK);
    CHECK_PART(call_tool(session, 8, "nobody", "{}"), "-32602");
    CHECK(hook_runs == 1);
    close_server();
}

int main(void)
{
    the_version_is_that_of_the_header();
    every_status_has_words_of_its_own();
    numbers_are_checked();
    texts_are_checked_and_shown();
    options_do_what_they_say();
    error_codes_are_the_hosts_choice();
    a_hook_has_the_last_word_on_errors();
    return check_report();
}
