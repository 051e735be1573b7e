/* Reading what clients and hosts wrote as JSON, and writing small pieces of it. */
#include "check.h"

#include <float.h>
#include <locale.h>

static mcp_server *server;
static mcp_session *session;
static mcp_handler behaviour;

static mcp_status behave(void *user_data, mcp_call *call) { return behaviour(user_data, call); }

static mcp_status read_types(void *user_data, mcp_call *call)
{
    size_t length = 99;
    (void)user_data;
    CHECK_TEXT(mcp_arg_str(call, "s", &length), "t\xc3\xa9" "xt\n\xf0\x9f\x98\x80");
    CHECK(length == 10);
    CHECK(mcp_arg_int(call, "i", 0) == -7);
    CHECK(mcp_arg_num(call, "n", 0) == 2.5);
    CHECK(mcp_arg_num(call, "i", 0) == -7);
    CHECK(mcp_arg_bool(call, "yes", 5) == 1);
    CHECK(mcp_arg_bool(call, "no", 5) == 0);
    CHECK_TEXT(mcp_arg_json(call, "list", &length), "[1, [2, {\"deep\" : true}]]");
    CHECK(length == 25);
    CHECK_TEXT(mcp_arg_json(call, "s", NULL), "\"t\\u00e9xt\\n\\ud83d\\ude00\"");
    CHECK_TEXT(mcp_arg_json(call, "nothing", NULL), "null");
    /* Of another type, or not there: what the caller said. */
    CHECK(mcp_arg_str(call, "i", &length) == NULL && length == 0);
    CHECK(mcp_arg_str(call, "nothing", NULL) == NULL);
    CHECK(mcp_arg_int(call, "s", 42) == 42);
    CHECK(mcp_arg_int(call, "n", 42) == 42);
    CHECK(mcp_arg_int(call, "yes", 42) == 42);
    CHECK(mcp_arg_num(call, "s", 4.5) == 4.5);
    CHECK(mcp_arg_bool(call, "i", 7) == 7);
    CHECK(mcp_arg_bool(call, "nothing", -7) == -7);
    CHECK(mcp_arg_json(call, "absent", &length) == NULL && length == 0);
    /* Paths: a name as it is, or a pointer. */
    CHECK(mcp_arg_int(call, "/i", 0) == -7);
    CHECK(mcp_arg_int(call, "/list/0", 0) == 1);
    CHECK(mcp_arg_int(call, "/list/1/0", 0) == 2);
    CHECK(mcp_arg_bool(call, "/list/1/1/deep", 0) == 1);
    CHECK(mcp_arg_int(call, "/list/00", 42) == 42);
    CHECK(mcp_arg_int(call, "/list/-1", 42) == 42);
    CHECK(mcp_arg_int(call, "/list/99999999999999999999", 42) == 42);
    CHECK(mcp_arg_int(call, "a/b", 0) == 8);
    CHECK(mcp_arg_int(call, "/a~1b", 0) == 8);
    CHECK(mcp_arg_int(call, "/t~0t", 0) == 9);
    CHECK(mcp_arg_int(call, "/", 42) == 10);
    CHECK(mcp_arg_json(call, "", &length) != NULL && length > 100);
    return mcp_reply(call);
}

static void arguments_are_read_by_type_and_path(void)
{
    behaviour = read_types;
    CHECK_PART(call_tool(session, 1, "tool", "{\"s\":\"t\\u00e9xt\\n\\ud83d\\ude00\",\"i\":-7,"
                         "\"n\":2.5,\"yes\":true,\"no\":false,"
                         "\"list\":[1, [2, {\"deep\" : true}]],\"nothing\":null,\"a/b\":8,"
                         "\"t~t\":9,\"\":10}"), "\"result\"");
}

static mcp_status read_numbers(void *user_data, mcp_call *call)
{
    (void)user_data;
    CHECK(mcp_arg_int(call, "most", 0) == INT64_MAX);
    CHECK(mcp_arg_int(call, "least", 0) == INT64_MIN);
    CHECK(mcp_arg_int(call, "beyond", 42) == 42);
    CHECK(mcp_arg_int(call, "below", 42) == 42);
    CHECK(mcp_arg_num(call, "beyond", 0) == 9223372036854775808.0);
    CHECK(mcp_arg_int(call, "huge", 42) == 42);
    CHECK(mcp_arg_num(call, "huge", 4.5) == 4.5);
    CHECK(mcp_arg_num(call, "tiny", 4.5) == 0);
    CHECK(mcp_arg_num(call, "largest", 0) == DBL_MAX);
    CHECK(mcp_arg_int(call, "whole", 0) == 5);
    CHECK(mcp_arg_int(call, "power", 0) == 1000);
    CHECK(mcp_arg_int(call, "zero", 42) == 0);
    CHECK(mcp_arg_num(call, "long", 0) > 1e299);
    return mcp_reply(call);
}

static void numbers_keep_their_edges(void)
{
    char arguments[1000], digits[301];
    memset(digits, '9', 300);
    digits[300] = '\0';
    snprintf(arguments, sizeof arguments,
             "{\"most\":9223372036854775807,\"least\":-9223372036854775808,"
             "\"beyond\":9223372036854775808,"
             "\"below\":-9223372036854775809,\"huge\":1e400,\"tiny\":1e-400,"
             "\"largest\":1.7976931348623157e308,\"whole\":5.0,"
             "\"power\":1e3,\"zero\":-0,\"long\":%s}", digits);
    behaviour = read_numbers;
    CHECK_PART(call_tool(session, 1, "tool", arguments), "\"result\"");
}

static mcp_status write_numbers(void *user_data, mcp_call *call)
{
    (void)user_data;
    CHECK(mcp_arg_num(call, "n", 0) == 2.5);
    CHECK_STATUS(mcp_put_num(call, "half", 0.5), MCP_OK);
    CHECK_STATUS(mcp_put_num(call, "third", 1.0 / 3), MCP_OK);
    CHECK_STATUS(mcp_put_num(call, "whole", 3), MCP_OK);
    CHECK_STATUS(mcp_put_int(call, "most", INT64_MAX), MCP_OK);
    CHECK_STATUS(mcp_put_int(call, "least", INT64_MIN), MCP_OK);
    CHECK_STATUS(mcp_put_bool(call, "yes", 7), MCP_OK);
    CHECK_STATUS(mcp_put_bool(call, "no", 0), MCP_OK);
    return mcp_reply(call);
}

static void numbers_have_a_point_in_every_locale(void)
{
    static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8",
        "fr_FR.utf8", "it_IT.utf8", "pl_PL.utf8", "ru_RU.utf8"};
    const char *chosen = NULL, *said;
    double number = 0;
    size_t i;
    for (i = 0; !chosen && i < sizeof with_comma / sizeof *with_comma; i++)
        chosen = setlocale(LC_NUMERIC, with_comma[i]);
    if (chosen) {
        char shown[16];
        snprintf(shown, sizeof shown, "%.1f", 0.5);
        CHECK_TEXT(shown, "0,5");
    } else printf("no locale with a decimal comma is installed: numbers were checked in the C "
                  "locale only\n");
    behaviour = write_numbers;
    said = call_tool(session, 1, "tool", "{\"n\":2.5}");
    CHECK_PART(said, "\"half\":0.5,\"third\":0.3333333333333333,\"whole\":3");
    CHECK_PART(said, "\"most\":9223372036854775807,\"least\":-9223372036854775808,\"yes\":true,"
               "\"no\":false");
    CHECK_STATUS(mcp_json_num("2.5", 3, "", &number), MCP_OK);
    CHECK(number == 2.5);
    setlocale(LC_NUMERIC, "C");
}

static void a_document_can_be_searched(void)
{
    static const char text[] = " {\"a\":[1,2.5,\"x\\ny\"], \"b\":{\"c\":-3}, \"t\":true} ";
    size_t size = sizeof text - 1, length = 99;
    const char *found;
    char room[8];
    double number = 9;
    int64_t integer = 9;
    found = mcp_json_find(text, size, "/b/c", &length);
    CHECK(found > text && found < text + size && length == 2 && memcmp(found, "-3", 2) == 0);
    found = mcp_json_find(text, size, "a", &length);
    CHECK(found && length == 14 && memcmp(found, "[1,2.5,\"x\\ny\"]", 14) == 0);
    CHECK(mcp_json_find(text, MCP_Z, "t", &length) != NULL && length == 4);
    CHECK(mcp_json_find(text, size, "absent", &length) == NULL && length == 0);
    CHECK_STATUS(mcp_json_str(text, size, "/a/2", room, sizeof room, &length), MCP_OK);
    CHECK(length == 3);
    CHECK_TEXT(room, "x\ny");
    CHECK_STATUS(mcp_json_str(text, size, "/a/2", room, 4, &length), MCP_OK);
    CHECK_STATUS(mcp_json_num(text, size, "/a/1", &number), MCP_OK);
    CHECK(number == 2.5);
    CHECK_STATUS(mcp_json_int(text, size, "/b/c", &integer), MCP_OK);
    CHECK(integer == -3);
    CHECK_STATUS(mcp_json_int("9223372036854775807", 19, "", &integer), MCP_OK);
    CHECK(integer == INT64_MAX);
    /* Not there, or of another type. */
    CHECK_STATUS(mcp_json_str(text, size, "absent", room, sizeof room, &length), MCP_E_NOT_FOUND);
    CHECK(length == 0);
    CHECK(mcp_json_str(text, size, "t", room, sizeof room, &length) < 0);
    CHECK(mcp_json_num(text, size, "t", &number) < 0 && number == 0);
    CHECK(mcp_json_int(text, size, "/a/1", &integer) < 0 && integer == 0);
    CHECK(mcp_json_int("9223372036854775808", 19, "", &integer) < 0 && integer == 0);
    CHECK(mcp_json_num("1e400", 5, "", &number) < 0 && number == 0);
}

static void broken_documents_are_searched_up_to_the_fault(void)
{
    static const char *const broken[] = {
        "", "{", "{\"a\" 1}", "[1,]", "\xff", "{\"a\":\"\n\"}", "{\"a\":",
    };
    static const char late[] = "{\"a\":1,";
    char deep[4000];
    size_t i, length = 99;
    double number;
    const char *found;
    for (i = 0; i < sizeof broken / sizeof *broken; i++) {
        CHECK(mcp_json_find(broken[i], MCP_Z, "a", &length) == NULL && length == 0);
        CHECK(mcp_json_num(broken[i], MCP_Z, "a", &number) < 0);
    }
    /* Whether a fault behind what was looked for matters is not promised: it does no harm. */
    found = mcp_json_find(late, sizeof late - 1, "a", &length);
    CHECK(found ? found == late + 5 && length == 1 : length == 0);
    CHECK(mcp_json_find(late, sizeof late - 1, "b", &length) == NULL && length == 0);
    memset(deep, '[', sizeof deep);
    CHECK(mcp_json_find(deep, sizeof deep, "/0/0", &length) == NULL);
}

static void small_buffers_say_what_they_need(void)
{
    char room[8];
    size_t length = 99;
    CHECK_STATUS(mcp_json_quote("a\"b", 3, NULL, 0, &length), MCP_E_BUFFER);
    CHECK(length == 6);
    memset(room, '#', sizeof room);
    CHECK_STATUS(mcp_json_quote("a\"b", 3, room, 6, &length), MCP_E_BUFFER);
    CHECK(length == 6 && room[6] == '#');
    CHECK_STATUS(mcp_json_quote("a\"b", 3, room, 7, &length), MCP_OK);
    CHECK_TEXT(room, "\"a\\\"b\"");
    CHECK(length == 6 && room[7] == '#');
    CHECK_STATUS(mcp_json_quote(NULL, 0, room, sizeof room, &length), MCP_OK);
    CHECK_TEXT(room, "\"\"");
    CHECK_STATUS(mcp_json_quote("a\nb", MCP_Z, room, sizeof room, NULL), MCP_OK);
    CHECK_TEXT(room, "\"a\\nb\"");
    CHECK_STATUS(mcp_json_str("\"hello\"", 7, "", room, 5, &length), MCP_E_BUFFER);
    CHECK(length == 5);
    CHECK_STATUS(mcp_json_str("\"hello\"", 7, "", room, 6, &length), MCP_OK);
    CHECK_TEXT(room, "hello");
    CHECK_STATUS(mcp_make_response("1", 0, "{}", 2, room, sizeof room, &length), MCP_E_BUFFER);
    CHECK(length == strlen("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
}

static void responses_are_made_by_hand(void)
{
    char room[200];
    size_t length;
    CHECK_STATUS(mcp_make_response("\"x\"", 0, "{\"a\":\n1}", MCP_Z, room, sizeof room, &length),
                 MCP_OK);
    CHECK(frame_is_good(room, length));
    CHECK_TEXT(room, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"a\": 1}}");
    CHECK_STATUS(mcp_make_response("7", -5, "no\nway", MCP_Z, room, sizeof room, &length), MCP_OK);
    CHECK_TEXT(room, "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-5,"
               "\"message\":\"no\\nway\"}}");
    CHECK_STATUS(mcp_make_response(NULL, -32700, "m", 1, room, sizeof room, &length), MCP_OK);
    CHECK(frame_is_good(room, length));
    CHECK_PART(room, "-32700");
    CHECK(mcp_make_response("{}", 0, "{}", 2, room, sizeof room, &length) < 0);
    CHECK(length == 0);
    CHECK(mcp_make_response("1,\"x\":2", 0, "{}", 2, room, sizeof room, &length) < 0);
    CHECK(mcp_make_response("1", 0, "{", 1, room, sizeof room, &length) == MCP_E_JSON);
}

static void notifications_can_be_told(void)
{
    CHECK(mcp_is_notification(MCP_LIT("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}")) == 1);
    CHECK(mcp_is_notification(MCP_LIT("{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"id\":1}")) == 0);
    CHECK(mcp_is_notification(MCP_LIT("{\"jsonrpc\":\"2.0\",\"result\":{},\"id\":1}")) == 0);
    CHECK(mcp_is_notification(MCP_LIT("no JSON")) == 0);
    CHECK(mcp_is_notification(MCP_LIT("")) == 0);
    CHECK(mcp_is_notification(NULL, 0) == 0);
}

int main(void)
{
    server = mcp_server_new("arguments", "1");
    mcp_register_tool(server, "tool", NULL, NULL, behave, NULL, NULL);
    session = mcp_session_new(server);
    shake_hands(session, "2025-11-25");
    arguments_are_read_by_type_and_path();
    numbers_keep_their_edges();
    numbers_have_a_point_in_every_locale();
    a_document_can_be_searched();
    broken_documents_are_searched_up_to_the_fault();
    small_buffers_say_what_they_need();
    responses_are_made_by_hand();
    notifications_can_be_told();
    mcp_session_free(session);
    mcp_server_free(server);
    return check_report();
}
