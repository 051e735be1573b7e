/* Handlers that do not do what they should: whatever they do, the client gets one good answer. */
#include "check.h"

#include <math.h>

#define CANCEL_1                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","                               \
    "\"params\":{\"requestId\":1,\"reason\":\"bored\"}}"

static mcp_server *server;
static mcp_session *session;
static mcp_call *kept;
static int64_t now_us;

/* What the handler of the tool "tool" does, set by each test. */
static mcp_handler behaviour;

static mcp_status behave(void *user_data, mcp_call *call) { return behaviour(user_data, call); }

static const char *answer_of(mcp_handler handler)
{
    behaviour = handler;
    return call_tool(session, 1, "tool", "{}");
}

static mcp_status say_nothing(void *user_data, mcp_call *call)
{
    (void)user_data;
    (void)call;
    return MCP_OK;
}

static mcp_status answer_twice(void *user_data, mcp_call *call)
{
    (void)user_data;
    CHECK_STATUS(mcp_reply_text(call, "first", MCP_Z), MCP_OK);
    CHECK_STATUS(mcp_reply_text(call, "second", MCP_Z), MCP_E_ANSWERED);
    CHECK_STATUS(mcp_add_text(call, "third", MCP_Z), MCP_E_ANSWERED);
    CHECK_STATUS(mcp_fail(call, MCP_KIND_TOOL_FAILED, "fourth", MCP_Z), MCP_E_ANSWERED);
    CHECK_STATUS(mcp_reply_error(call, 5, "fifth", NULL, 0), MCP_E_ANSWERED);
    CHECK_STATUS(mcp_progress(call, 1, 2, NULL), MCP_E_ANSWERED);
    CHECK_STATUS(mcp_log(call, MCP_LOG_ERROR, NULL, "x", 1), MCP_E_ANSWERED);
    CHECK_STATUS(mcp_reply_set(call, MCP_SET_ERROR_DATA, "{}", 2), MCP_E_ANSWERED);
    CHECK_STATUS(mcp_reply_set(call, MCP_SET_STACKTRACE, "x", 1), MCP_E_ANSWERED);
    CHECK_STATUS(mcp_reply_set(call, MCP_SET_STATE, "x", 1), MCP_E_ANSWERED);
    CHECK_STATUS(mcp_call_set_deadline(call, -1), MCP_E_ANSWERED);
    return mcp_reply(call);
}

static mcp_status answer_then_fail(void *user_data, mcp_call *call)
{
    (void)user_data;
    CHECK_STATUS(mcp_reply_text(call, "done", MCP_Z), MCP_OK);
    return MCP_E_NOMEM;
}

static mcp_status pend_without_asking(void *user_data, mcp_call *call)
{
    (void)user_data;
    (void)call;
    return MCP_PENDING;
}

static void exactly_one_answer_comes(void)
{
    CHECK_PART(answer_of(say_nothing), "\"id\":1,\"error\":{\"code\":-32603");
    CHECK_TEXT(answer_of(answer_twice),
               "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
               "\"text\":\"first\"}]}}\n");
    CHECK_PART(answer_of(answer_then_fail), "\"text\":\"done\"");
    CHECK_PART(answer_of(pend_without_asking), "\"id\":1,\"error\":{\"code\":-32603");
    CHECK(mcp_session_open_calls(session) == 0);
}

static mcp_status returned;

static mcp_status return_it(void *user_data, mcp_call *call)
{
    (void)user_data;
    (void)call;
    return returned;
}

static void every_status_that_a_handler_returns_is_answered(void)
{
    static const mcp_status statuses[] = {
        MCP_DONE, 3, 12345, INT32_MAX, MCP_E_INVALID, MCP_E_NOMEM, MCP_E_UTF8, MCP_E_JSON,
            MCP_E_OUTPUT, MCP_E_CANCELLED,
        MCP_E_ANSWERED, MCP_E_PANIC, MCP_E_POISONED, -12345, INT32_MIN,
    };
    size_t i;
    for (i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        const char *answer;
        returned = statuses[i];
        answer = answer_of(return_it);
        CHECK(strstr(answer, "\"error\":{") || strstr(answer, "\"isError\":true"));
        CHECK(strchr(answer, '\n') == answer + strlen(answer) - 1);
    }
    CHECK(mcp_session_open_calls(session) == 0);
}

static void answers_that_come_too_late_are_refused(void)
{
    mcp_session *other = mcp_session_new(server);
    CHECK_TEXT(answer_of(keep_call), "");
    say(session, CANCEL_1);
    CHECK(mcp_call_cancelled(kept) == 1);
    CHECK_TEXT(mcp_call_info(kept, MCP_INFO_CANCEL_REASON, NULL), "bored");
    CHECK_STATUS(mcp_reply_text(kept, "late", MCP_Z), MCP_E_CANCELLED);
    mcp_call_release(kept);
    CHECK_TEXT(drain(session), "");

    CHECK_TEXT(answer_of(keep_call), "");
    CHECK_STATUS(mcp_call_set_deadline(kept, 10), MCP_OK);
    CHECK(mcp_server_timeout(server) == 10);
    now_us += 10000;
    CHECK(mcp_server_timeout(server) == 0);
    CHECK_STATUS(mcp_server_tick(server), MCP_OK);
    CHECK_PART(drain(session), "Timed out");
    CHECK_STATUS(mcp_reply_text(kept, "late", MCP_Z), MCP_E_CANCELLED);
    CHECK_STATUS(mcp_call_set_deadline(kept, 10), MCP_E_CANCELLED);
    mcp_call_release(kept);
    CHECK_TEXT(drain(session), "");
    CHECK(mcp_server_timeout(server) == -1);

    shake_hands(other, "2025-11-25");
    behaviour = keep_call;
    call_tool(other, 1, "tool", "{}");
    mcp_session_free(other);
    CHECK_STATUS(mcp_reply_text(kept, "late", MCP_Z), MCP_E_CANCELLED);
    mcp_call_release(kept);
}

static mcp_status reply_badly(void *user_data, mcp_call *call)
{
    static const char *const no_json[] = {"", " ", "{", "{\"a\":}", "{} {}", "nul", "'a'",
        "{\"a\":1,}", "01", "\"\\x\"", "[1}", "\"a\nb\""};
    size_t i;
    (void)user_data;
    for (i = 0; i < sizeof no_json / sizeof *no_json; i++) {
        CHECK_STATUS(mcp_reply_json(call, no_json[i], MCP_Z), MCP_E_JSON);
        CHECK_STATUS(mcp_reply_result(call, no_json[i], MCP_Z), MCP_E_JSON);
        CHECK_STATUS(mcp_add_json(call, no_json[i], MCP_Z), MCP_E_JSON);
        CHECK_STATUS(mcp_put_json(call, "k", no_json[i], MCP_Z), MCP_E_JSON);
        CHECK_STATUS(mcp_reply_set(call, MCP_SET_META, no_json[i], MCP_Z), MCP_E_JSON);
        CHECK_STATUS(mcp_log(call, MCP_LOG_ERROR | MCP_LOG_JSON, NULL, no_json[i], MCP_Z),
                     MCP_E_JSON);
    }
    CHECK(mcp_reply_result(call, "[]", 2) < 0);
    CHECK(mcp_reply_result(call, "{\"content\":5}", MCP_Z) < 0);
    CHECK(mcp_reply_result(call, "{\"nothing\":1}", MCP_Z) < 0);
    CHECK(mcp_add_json(call, "{\"type\":7}", MCP_Z) < 0);
    CHECK(mcp_add_json(call, "[]", MCP_Z) < 0);
    CHECK_STATUS(mcp_put_num(call, "n", NAN), MCP_E_INVALID);
    CHECK_STATUS(mcp_put_num(call, "n", INFINITY), MCP_E_INVALID);
    CHECK_STATUS(mcp_put_int(call, "i", INT64_MIN), MCP_OK);
    CHECK_STATUS(mcp_put_int(call, "i", 1), MCP_E_EXISTS);
    CHECK_STATUS(mcp_reply_set(call, MCP_SET_ROLE, "user", MCP_Z), MCP_E_INVALID);
    CHECK_STATUS(mcp_reply_set(call, MCP_SET_TOTAL, "1", MCP_Z), MCP_E_INVALID);
    return mcp_reply_text(call, "after all", MCP_Z);
}

static mcp_status reply_with_line_breaks(void *user_data, mcp_call *call)
{
    (void)user_data;
    CHECK_STATUS(mcp_add_text(call, "two\nlines\r\n", MCP_Z), MCP_OK);
    CHECK_STATUS(mcp_add_json(call, "{\n\"type\":\r\n\"text\",\"text\":\"x\"\n}", MCP_Z), MCP_OK);
    CHECK_STATUS(mcp_put_json(call, "list", "[1,\n2]\n", MCP_Z), MCP_OK);
    /* Half of a character in UTF-16 is JSON by the letter, whether it is taken or not. */
    mcp_put_json(call, "half", "\"\\ud800\"", MCP_Z);
    CHECK_STATUS(mcp_log(call, MCP_LOG_ERROR | MCP_LOG_JSON, "a\nb", "{\n}", MCP_Z), MCP_OK);
    return mcp_reply(call);
}

static mcp_status reply_result_in_lines(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_reply_result(call, "{\n\"content\":\n[],\"structuredContent\":{\"x\":\n1}\n}\n",
                            MCP_Z);
}

static mcp_status fail_in_lines(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_reply_error(call, -1, "two\nlines", "{\n\"a\":\n1}", MCP_Z);
}

static void what_leaves_is_one_line_of_json(void)
{
    CHECK_PART(answer_of(reply_badly), "after all");
    /* Each frame is checked where it is taken. */
    CHECK_PART(answer_of(reply_with_line_breaks), "two\\nlines\\r\\n");
    CHECK_PART(answer_of(reply_result_in_lines), "\"structuredContent\":{\"x\": 1}");
    CHECK_PART(answer_of(fail_in_lines), "two\\nlines");
}

static mcp_status break_output_promise(void *user_data, mcp_call *call)
{
    (void)user_data;
    CHECK_STATUS(mcp_reply_text(call, "nothing structured", MCP_Z), MCP_E_OUTPUT);
    CHECK_STATUS(mcp_reply_json(call, "{\"n\":\"text\"}", MCP_Z), MCP_E_OUTPUT);
    CHECK_STATUS(mcp_reply_result(call, "{\"content\":[],\"structuredContent\":{}}", MCP_Z),
                 MCP_E_OUTPUT);
    if (mcp_arg_bool(call, "mend", 0)) return mcp_reply_json(call, "{\"n\":1}", MCP_Z);
    return mcp_reply_json(call, "{\"n\":null}", MCP_Z);
}

static void an_output_schema_is_kept(void)
{
    CHECK_STATUS(mcp_register(server, MCP_TOOL, MCP_JSON({"name": "promises", "inputSchema":
        {"type": "object"}, "outputSchema":
                     {"type": "object", "required": ["n"], "properties": {"n": {"type":
                     "number"}}}}),
                     break_output_promise, NULL, NULL), MCP_OK);
    CHECK_PART(call_tool(session, 1, "promises", "{\"mend\":true}"),
               "\"structuredContent\":{\"n\":1}");
    CHECK_PART(call_tool(session, 2, "promises", "{}"), "Invalid tool output");
}

/* Answers with so many letters. */
static mcp_status reply_at_length(void *user_data, mcp_call *call)
{
    size_t length = (size_t)mcp_arg_int(call, "length", 0);
    char *text = malloc(length + 1);
    mcp_status status;
    (void)user_data;
    memset(text, 'x', length);
    status = mcp_reply_text(call, text, length);
    CHECK_STATUS(status, length > 200000 ? MCP_E_LIMIT : MCP_OK);
    free(text);
    return status;
}

static void too_long_an_answer_is_an_error_and_too_many_wait(void)
{
    mcp_server *small = mcp_server_new("small", "1");
    mcp_session *flooded;
    mcp_server_set_int(small, MCP_LIMIT_OUTPUT_BYTES, 100000);
    mcp_register_tool(small, "long", NULL, NULL, reply_at_length, NULL, NULL);
    flooded = mcp_session_new(small);
    shake_hands(flooded, "2025-11-25");
    CHECK_PART(call_tool(flooded, 1, "long", "{\"length\":300000}"), "\"id\":1,\"error\"");
    CHECK_PART(call_tool(flooded, 2, "long", "{\"length\":150000}"), "\"id\":2,\"result\"");
    CHECK_STATUS(mcp_handle_message(flooded, MCP_LIT("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
        "\"tools/call\",\"params\":{\"name\":\"long\",\"arguments\":{\"length\":150000}}}")),
        MCP_OK);
    CHECK_STATUS(mcp_handle_message(flooded, MCP_LIT("{}")), MCP_E_LIMIT);
    CHECK_PART(drain(flooded), "\"id\":3,\"result\"");
    CHECK_STATUS(mcp_handle_message(flooded, MCP_LIT("{}")), MCP_OK);
    mcp_session_free(flooded);
    mcp_server_free(small);
}

static mcp_status report_oddly(void *user_data, mcp_call *call)
{
    (void)user_data;
    CHECK_STATUS(mcp_progress(call, 1, 10, "one"), MCP_OK);
    CHECK_STATUS(mcp_progress(call, 1, 10, "again"), MCP_E_INVALID);
    CHECK_STATUS(mcp_progress(call, 0.5, -1, "back"), MCP_E_INVALID);
    CHECK_STATUS(mcp_progress(call, NAN, 10, NULL), MCP_E_INVALID);
    CHECK_STATUS(mcp_progress(call, INFINITY, 10, NULL), MCP_E_INVALID);
    CHECK_STATUS(mcp_progress(call, 2, -1, NULL), MCP_OK);
    CHECK_STATUS(mcp_reply_text(call, "ready", MCP_Z), MCP_OK);
    CHECK_STATUS(mcp_progress(call, 3, 10, NULL), MCP_E_ANSWERED);
    return MCP_OK;
}

static mcp_status log_something(void *user_data, mcp_call *call)
{
    (void)user_data;
    CHECK_STATUS(mcp_log(call, MCP_LOG_EMERGENCY, "logger", "heard", MCP_Z), MCP_OK);
    return mcp_reply_text(call, "logged", MCP_Z);
}

static void progress_and_logs_go_only_to_who_asked(void)
{
    const char *said;
    behaviour = report_oddly;
    said = say(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
               "\"params\":{\"name\":\"tool\",\"_meta\":{\"progressToken\":\"t\"}}}");
    CHECK_PART(said, "{\"progressToken\":\"t\",\"progress\":1,\"total\":10,\"message\":\"one\"}");
    CHECK_PART(said, "{\"progressToken\":\"t\",\"progress\":2}");
    CHECK_LACKS(said, "again");
    CHECK_LACKS(said, "back");
    CHECK(strstr(said, "ready") > strstr(said, "\"progress\":2"));
    behaviour = log_something;
    CHECK_PART(call_tool(session, 1, "tool", "{}"), "heard");
    CHECK_LACKS(call_modern(session, 2, "tool", ""), "heard");
    CHECK_PART(say(session, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\","
                   "\"params\":{\"name\":\"tool\","
                   MODERN_META(",\"io.modelcontextprotocol/logLevel\":\"error\"") "}}"), "heard");
}

static int64_t tell_time(void *user_data, int32_t which)
{
    (void)user_data;
    (void)which;
    return now_us;
}

int main(void)
{
    server = mcp_server_new("handlers", "1");
    mcp_server_set_clock(server, tell_time, NULL, NULL);
    mcp_register_tool(server, "tool", NULL, NULL, behave, &kept, NULL);
    session = mcp_session_new(server);
    shake_hands(session, "2025-11-25");
    exactly_one_answer_comes();
    every_status_that_a_handler_returns_is_answered();
    answers_that_come_too_late_are_refused();
    what_leaves_is_one_line_of_json();
    an_output_schema_is_kept();
    too_long_an_answer_is_an_error_and_too_many_wait();
    progress_and_logs_go_only_to_who_asked();
    mcp_session_free(session);
    mcp_server_free(server);
    return check_report();
}
