/* Text on its way in and out: who measures it, where it ends, and what is no text at all. */
#include "check.h"

#define BROKEN "a\xff\xfe" "b"
#define LATE_SURROGATE "\xed\xa0\x80"

static mcp_server *server;
static mcp_session *session;

/* A text for the running handler, as pointer and length. */
static const char *given;
static size_t given_length;

static mcp_status reply_given(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_reply_text(call, given, given_length);
}

static const char *answer_of(const char *text, size_t length)
{
    given = text;
    given_length = length;
    return call_tool(session, 1, "reply", "{}");
}

static void lengths_are_measured_only_on_request(void)
{
    char *exact = bare("exact", 5);
    CHECK_PART(answer_of("zero", MCP_Z), "\"text\":\"zero\"");
    CHECK_PART(answer_of(MCP_LIT("literal")), "\"text\":\"literal\"");
    CHECK_PART(answer_of("longer", 4), "\"text\":\"long\"");
    CHECK_PART(answer_of("a\0b", 3), "\"text\":\"a\\u0000b\"");
    CHECK_PART(answer_of(NULL, 0), "\"text\":\"\"");
    CHECK_PART(answer_of("", MCP_Z), "\"text\":\"\"");
    CHECK_PART(answer_of(exact, 5), "\"text\":\"exact\"");
    CHECK_PART(answer_of(NULL, MCP_Z), "\"error\"");
    CHECK_PART(answer_of(NULL, 3), "\"error\"");
    free(exact);
}

static void json_can_be_written_as_json(void)
{
    CHECK_TEXT(MCP_JSON({"type": "object"}), "{\"type\": \"object\"}");
    CHECK_STATUS(mcp_register_tool(server, "json", NULL, MCP_JSON({"type": "object", "required":
        ["x", "y"]}),
                                   reply_ok, NULL, NULL), MCP_OK);
    CHECK_PART(call_tool(session, 1, "json", "{}"), "\"isError\":true");
    CHECK_PART(call_tool(session, 1, "json", "{\"x\":1,\"y\":2}"), "\"text\":\"ok\"");
}

/* Everything that a call takes as pointer and length, without a NUL behind it. */
static mcp_status use_bare_texts(void *user_data, mcp_call *call)
{
    char *text = bare("words", 5), *object = bare("{\"a\":1}", 7), *block =
    bare("{\"type\":\"text\",\"text\":\"b\"}", 26);
    char *role = bare("{}", 2);
    (void)user_data;
    CHECK_STATUS(mcp_add_text(call, text, 5), MCP_OK);
    CHECK_STATUS(mcp_add_media(call, "image/png", text, 5), MCP_OK);
    CHECK_STATUS(mcp_add_resource(call, "test://x", "x", "text/plain", text, 5), MCP_OK);
    CHECK_STATUS(mcp_add_json(call, block, 26), MCP_OK);
    CHECK_STATUS(mcp_put_str(call, "text", text, 5), MCP_OK);
    CHECK_STATUS(mcp_put_json(call, "json", object, 7), MCP_OK);
    CHECK_STATUS(mcp_reply_set(call, MCP_SET_META, role, 2), MCP_OK);
    CHECK_STATUS(mcp_reply_set(call, MCP_SET_STATE, text, 5), MCP_OK);
    CHECK_STATUS(mcp_log(call, MCP_LOG_ERROR, NULL, text, 5), MCP_OK);
    CHECK_STATUS(mcp_log(call, MCP_LOG_ERROR | MCP_LOG_JSON, "logger", object, 7), MCP_OK);
    CHECK(mcp_can_ask(call, "roots/list", object, 7) == 1);
    CHECK_STATUS(mcp_reply(call), MCP_OK);
    free(text);
    free(object);
    free(block);
    free(role);
    return MCP_OK;
}

static mcp_status answer_bare(void *user_data, mcp_call *call)
{
    const char *how = mcp_arg_str(call, "how", NULL);
    char *object = bare("{\"content\":[]}", 14), *text = bare("words", 5);
    mcp_status status;
    (void)user_data;
    if (!strcmp(how, "json")) status = mcp_reply_json(call, object, 14);
    else if (!strcmp(how, "result")) status = mcp_reply_result(call, object, 14);
    else if (!strcmp(how, "error")) status = mcp_reply_error(call, 7, "own", object, 14);
    else status = mcp_fail(call, MCP_KIND_TOOL_FAILED, text, 5);
    free(object);
    free(text);
    return status;
}

static void nothing_is_read_behind_a_length(void)
{
    char *message = bare("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}", 40);
    char *quoted = bare("say", 3), *document = bare("{\"a\":[1,\"x\"]}", 13), room[64];
    size_t length = 0, used = 0;
    double number = 0;
    int64_t integer = 0;
    const char *found;
    CHECK_STATUS(mcp_handle_message(session, message, 40), MCP_OK);
    CHECK_PART(drain(session), "\"id\":7");
    CHECK_STATUS(mcp_session_receive(session, message, 40, &used), MCP_OK);
    CHECK(used == 40);
    CHECK_STATUS(mcp_session_receive(session, "\n", 1, &used), MCP_OK);
    CHECK_PART(drain(session), "\"id\":7");
    CHECK(mcp_is_notification(message, 40) == 0);
    CHECK_STATUS(mcp_session_notify(session, "notifications/x", document, 13), MCP_OK);
    CHECK_PART(drain(session), "\"params\":{\"a\":[1,\"x\"]}");
    CHECK_STATUS(mcp_json_quote(quoted, 3, room, sizeof room, &length), MCP_OK);
    CHECK_TEXT(room, "\"say\"");
    found = mcp_json_find(document, 13, "/a/0", &length);
    CHECK(found && length == 1 && *found == '1');
    CHECK_STATUS(mcp_json_str(document, 13, "/a/1", room, sizeof room, &length), MCP_OK);
    CHECK_STATUS(mcp_json_num(document, 13, "/a/0", &number), MCP_OK);
    CHECK_STATUS(mcp_json_int(document, 13, "/a/0", &integer), MCP_OK);
    CHECK_STATUS(mcp_make_response("1", 0, document, 13, room, sizeof room, &length), MCP_OK);
    CHECK_TEXT(room, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":[1,\"x\"]}}");
    CHECK_STATUS(mcp_register_static(server, "test://bare", "bare", "text/plain", quoted, 3),
                 MCP_OK);
    CHECK_PART(say(session, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"resources/read\","
                   "\"params\":{\"uri\":\"test://bare\"}}"),
               "\"text\":\"say\"");
    free(message);
    free(quoted);
    free(document);
    mcp_register_tool(server, "bare", NULL, NULL, use_bare_texts, NULL, NULL);
    mcp_register_tool(server, "answer", NULL, NULL, answer_bare, NULL, NULL);
    CHECK_PART(call_tool(session, 1, "bare", "{}"), "\"structuredContent\":{\"text\":\"words\","
               "\"json\":{\"a\":1}}");
    CHECK_PART(call_tool(session, 2, "answer", "{\"how\":\"json\"}"),
               "\"structuredContent\":{\"content\":[]}");
    CHECK_PART(call_tool(session, 3, "answer", "{\"how\":\"result\"}"),
               "\"result\":{\"content\":[]}");
    CHECK_PART(call_tool(session, 4, "answer", "{\"how\":\"error\"}"), "\"data\":{\"content\":[]}");
    CHECK_PART(call_tool(session, 5, "answer", "{\"how\":\"fail\"}"), "\"text\":\"words\"");
}

static mcp_status read_nul(void *user_data, mcp_call *call)
{
    size_t length = 99;
    const char *text = mcp_arg_str(call, "text", &length);
    (void)user_data;
    CHECK(text && length == 3 && memcmp(text, "a\0b", 4) == 0);
    CHECK(mcp_arg_str(call, "text", NULL) == NULL);
    CHECK_TEXT(mcp_arg_str(call, "plain", NULL), "p");
    length = 99;
    CHECK(mcp_arg_str(call, "absent", &length) == NULL && length == 0);
    return mcp_reply_text(call, text, text ? 3 : 0);
}

static void a_nul_character_is_never_where_text_ends(void)
{
    mcp_register_tool(server, "nul", NULL, NULL, read_nul, NULL, NULL);
    CHECK_PART(call_tool(session, 1, "nul", "{\"text\":\"a\\u0000b\",\"plain\":\"p\"}"),
               "\"text\":\"a\\u0000b\"");
}

/* Every text that a call takes, with bytes that are none. */
static mcp_status use_broken_texts(void *user_data, mcp_call *call)
{
    size_t length = 99;
    (void)user_data;
    CHECK_STATUS(mcp_reply_text(call, BROKEN, MCP_Z), MCP_E_UTF8);
    CHECK_STATUS(mcp_reply_text(call, LATE_SURROGATE, 3), MCP_E_UTF8);
    CHECK_STATUS(mcp_reply_text(call, "\xc3", 1), MCP_E_UTF8);
    CHECK_STATUS(mcp_reply_json(call, "{\"a\":\"" BROKEN "\"}", MCP_Z), MCP_E_UTF8);
    CHECK_STATUS(mcp_reply_result(call, "{\"a\":\"" BROKEN "\"}", MCP_Z), MCP_E_UTF8);
    CHECK_STATUS(mcp_reply_error(call, 1, BROKEN, NULL, 0), MCP_E_UTF8);
    CHECK_STATUS(mcp_reply_error(call, 1, "m", "\"" BROKEN "\"", MCP_Z), MCP_E_UTF8);
    CHECK_STATUS(mcp_fail(call, MCP_KIND_TOOL_FAILED, BROKEN, MCP_Z), MCP_E_UTF8);
    CHECK_STATUS(mcp_add_text(call, BROKEN, MCP_Z), MCP_E_UTF8);
    CHECK_STATUS(mcp_add_media(call, BROKEN, "x", 1), MCP_E_UTF8);
    CHECK_STATUS(mcp_add_resource(call, BROKEN, "n", NULL, "x", 1), MCP_E_UTF8);
    CHECK_STATUS(mcp_add_resource(call, "test://x", BROKEN, NULL, NULL, 0), MCP_E_UTF8);
    CHECK_STATUS(mcp_add_resource(call, "test://x", "n", BROKEN, "x", 1), MCP_E_UTF8);
    CHECK_STATUS(mcp_add_json(call, "{\"type\":\"text\",\"text\":\"" BROKEN "\"}", MCP_Z),
                 MCP_E_UTF8);
    CHECK_STATUS(mcp_put_str(call, BROKEN, "x", 1), MCP_E_UTF8);
    CHECK_STATUS(mcp_put_str(call, "k", BROKEN, MCP_Z), MCP_E_UTF8);
    CHECK_STATUS(mcp_put_int(call, BROKEN, 1), MCP_E_UTF8);
    CHECK_STATUS(mcp_put_num(call, BROKEN, 1), MCP_E_UTF8);
    CHECK_STATUS(mcp_put_bool(call, BROKEN, 1), MCP_E_UTF8);
    CHECK_STATUS(mcp_put_json(call, "k", "\"" BROKEN "\"", MCP_Z), MCP_E_UTF8);
    CHECK_STATUS(mcp_reply_set(call, MCP_SET_META, "{\"a\":\"" BROKEN "\"}", MCP_Z), MCP_E_UTF8);
    CHECK_STATUS(mcp_reply_set(call, MCP_SET_STATE, BROKEN, MCP_Z), MCP_E_UTF8);
    CHECK_STATUS(mcp_progress(call, 1, 2, BROKEN), MCP_E_UTF8);
    CHECK_STATUS(mcp_log(call, MCP_LOG_ERROR, BROKEN, "x", 1), MCP_E_UTF8);
    CHECK_STATUS(mcp_log(call, MCP_LOG_ERROR, NULL, BROKEN, MCP_Z), MCP_E_UTF8);
    CHECK(mcp_arg_str(call, BROKEN, &length) == NULL && length == 0);
    CHECK(mcp_arg_int(call, BROKEN, 42) == 42);
    CHECK(mcp_can_ask(call, BROKEN, NULL, 0) == 0);
    return mcp_reply_text(call, "whole", MCP_Z);
}

static void bytes_that_are_no_text_are_refused(void)
{
    char room[16];
    size_t length = 99;
    mcp_register_tool(server, "broken", NULL, NULL, use_broken_texts, NULL, NULL);
    drain(session);
    CHECK_TEXT(call_tool(session, 1, "broken", "{}"),
               "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
               "\"text\":\"whole\"}]}}\n");
    CHECK(mcp_server_new(BROKEN, "1") == NULL);
    CHECK(mcp_server_new("n", BROKEN) == NULL);
    CHECK_STATUS(mcp_register_tool(server, BROKEN, NULL, NULL, reply_ok, NULL, NULL), MCP_E_UTF8);
    CHECK_STATUS(mcp_register_tool(server, "t", BROKEN, NULL, reply_ok, NULL, NULL), MCP_E_UTF8);
    CHECK_STATUS(mcp_register_tool(server, "t", NULL, "{\"a\":\"" BROKEN "\"}", reply_ok, NULL,
                                   NULL), MCP_E_UTF8);
    CHECK_STATUS(mcp_register(server, MCP_TOOL, "{\"name\":\"" BROKEN "\"}", reply_ok, NULL, NULL),
                 MCP_E_UTF8);
    CHECK_STATUS(mcp_unregister(server, MCP_TOOL, BROKEN), MCP_E_UTF8);
    CHECK_STATUS(mcp_server_set_str(server, MCP_OPT_TITLE, BROKEN), MCP_E_UTF8);
    CHECK_STATUS(mcp_notify_resource_updated(server, BROKEN), MCP_E_UTF8);
    CHECK_STATUS(mcp_session_set_principal(session, BROKEN), MCP_E_UTF8);
    CHECK_STATUS(mcp_session_notify(session, BROKEN, NULL, 0), MCP_E_UTF8);
    CHECK_STATUS(mcp_session_notify(session, "notifications/x", "{\"a\":\"" BROKEN "\"}", MCP_Z),
                 MCP_E_UTF8);
    CHECK_STATUS(mcp_json_quote(BROKEN, 4, room, sizeof room, &length), MCP_E_UTF8);
    CHECK(length == 0);
    CHECK(mcp_json_find("\"" BROKEN "\"", 6, "", &length) == NULL);
    CHECK_STATUS(mcp_make_response("1", 1, BROKEN, 4, room, sizeof room, &length), MCP_E_UTF8);
    CHECK_PART(say(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" BROKEN "\"}"), "-32700");
    CHECK_TEXT(drain(session), "");
}

static void names_have_no_control_characters(void)
{
    CHECK_STATUS(mcp_register_tool(server, "a\nb", NULL, NULL, reply_ok, NULL, NULL), MCP_E_NAME);
    CHECK_STATUS(mcp_register_tool(server, "", NULL, NULL, reply_ok, NULL, NULL), MCP_E_NAME);
    CHECK_STATUS(mcp_register_resource(server, "test://a\x7f", "n", NULL, reply_ok, NULL, NULL),
                 MCP_E_NAME);
    CHECK_STATUS(mcp_register_prompt(server, "a\tb", NULL, NULL, reply_ok, NULL, NULL), MCP_E_NAME);
    CHECK_STATUS(mcp_register_method(server, "a\x01", reply_ok, NULL, NULL), MCP_E_NAME);
    CHECK_STATUS(mcp_register_template(server, "a\r{x}", "n", NULL, reply_ok, NULL, NULL),
                 MCP_E_NAME);
    CHECK_STATUS(mcp_register(server, MCP_TOOL | MCP_ANY_NAME, "{\"name\":\"a\\u0000b\"}",
                              reply_ok, NULL, NULL), MCP_E_NAME);
}

int main(void)
{
    server = mcp_server_new("text", "1");
    mcp_register_tool(server, "reply", NULL, NULL, reply_given, NULL, NULL);
    session = mcp_session_new(server);
    shake_hands(session, "2025-11-25");
    lengths_are_measured_only_on_request();
    json_can_be_written_as_json();
    nothing_is_read_behind_a_length();
    a_nul_character_is_never_where_text_ends();
    bytes_that_are_no_text_are_refused();
    names_have_no_control_characters();
    mcp_session_free(session);
    mcp_server_free(server);
    return check_report();
}
