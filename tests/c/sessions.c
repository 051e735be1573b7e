/* A session: bytes in by pieces, output out by messages or bytes, and the wake that tells of it. */
#include "check.h"

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}"

static mcp_server *server;
static mcp_session *session;

static void begin(void)
{
    server = mcp_server_new("sessions", "1");
    session = mcp_session_new(server);
}

static void end(void)
{
    mcp_session_free(session);
    mcp_server_free(server);
}

static void bytes_are_taken_one_message_at_a_time(void)
{
    static const char input[] = PING(1) "\n" PING(2) "\r\n\n" PING(3) "\n" "{\"jsonrpc\"";
    size_t size = sizeof input - 1, at = 0, used = 99, calls = 0;
    begin();
    while (at < size) {
        CHECK_STATUS(mcp_session_receive(session, input + at, size - at, &used), MCP_OK);
        CHECK(used > 0 && used <= size - at);
        if (!used) break;
        at += used;
        calls++;
        if (calls <= 3) CHECK(mcp_session_poll(session, NULL) != NULL);
        CHECK(mcp_session_poll(session, NULL) == NULL);
    }
    CHECK(calls == 4);
    CHECK_STATUS(mcp_session_receive(session, MCP_LIT(":\"2.0\",\"id\":4,\"method\":\"ping\"}"),
                                     &used), MCP_OK);
    CHECK_TEXT(drain(session), "");
    CHECK_STATUS(mcp_session_receive(session, NULL, 0, &used), MCP_OK);
    CHECK(used == 0);
    CHECK_STATUS(mcp_session_receive(session, "\n", 1, NULL), MCP_OK);
    CHECK_TEXT(drain(session), PONG(4) "\n");
    end();
}

static void every_split_gives_the_same(void)
{
    static const char input[] = PING(1) "\n" PING(2) "\n";
    size_t size = sizeof input - 1, split;
    for (split = 0; split <= size; split++) {
        char *first = bare(input, split), *second = bare(input + split, size - split);
        begin();
        CHECK_STATUS(mcp_session_receive(session, first, split, NULL), MCP_OK);
        CHECK_STATUS(mcp_session_receive(session, second, size - split, NULL), MCP_OK);
        CHECK_TEXT(drain(session), PONG(1) "\n" PONG(2) "\n");
        end();
        free(first);
        free(second);
    }
}

static mcp_status reply_at_length(void *user_data, mcp_call *call)
{
    static char text[3000];
    (void)user_data;
    memset(text, 'x', sizeof text);
    return mcp_reply_text(call, text, sizeof text);
}

static void begin_narrow(void)
{
    begin();
    mcp_server_set_int(server, MCP_LIMIT_OUTPUT_BYTES, 2000);
    mcp_register_tool(server, "long", NULL, NULL, reply_at_length, NULL, NULL);
    shake_hands(session, "2025-11-25");
}

#define LONG                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"long\"}}\n"

static void full_output_pushes_back(void)
{
    size_t used = 99, half;
    begin_narrow();
    CHECK_STATUS(mcp_session_receive(session, LONG, sizeof LONG - 1, &used), MCP_OK);
    CHECK(used == sizeof LONG - 1);
    CHECK_STATUS(mcp_session_receive(session, PING(2) "\n", sizeof PING(2), &used), MCP_E_LIMIT);
    CHECK(used == 0);
    CHECK_STATUS(mcp_handle_message(session, MCP_LIT(PING(2))), MCP_E_LIMIT);
    CHECK(mcp_session_finished(session) == 0);
    CHECK_PART(drain(session), "xxx");
    CHECK_STATUS(mcp_session_receive(session, PING(2) "\n", sizeof PING(2), &used), MCP_OK);
    CHECK_TEXT(drain(session), PONG(2) "\n");
    /* What is peeked at and not yet consumed is output that waits. */
    CHECK_STATUS(mcp_session_receive(session, LONG, sizeof LONG - 1, &used), MCP_OK);
    CHECK(mcp_session_peek(session, &half) != NULL && half > 3000);
    CHECK_STATUS(mcp_session_receive(session, PING(2) "\n", sizeof PING(2), &used), MCP_E_LIMIT);
    CHECK_STATUS(mcp_session_consume(session, half), MCP_OK);
    CHECK_STATUS(mcp_session_receive(session, PING(2) "\n", sizeof PING(2), &used), MCP_OK);
    end();
}

static void without_a_way_to_push_back_the_session_closes(void)
{
    begin_narrow();
    CHECK_STATUS(mcp_session_receive(session, LONG PING(2) "\n", sizeof LONG - 1 + sizeof PING(2),
                                     NULL), MCP_E_CLOSED);
    CHECK_STATUS(mcp_handle_message(session, MCP_LIT(PING(3))), MCP_E_CLOSED);
    CHECK(mcp_session_poll(session, NULL) == NULL);
    CHECK(mcp_session_finished(session) == 1);
    end();
}

static void the_end_of_input_lets_calls_finish(void)
{
    mcp_call *call = NULL;
    size_t used = 99;
    begin();
    mcp_register_tool(server, "keep", NULL, NULL, keep_call, &call, NULL);
    shake_hands(session, "2025-11-25");
    call_tool(session, 1, "keep", "{}");
    CHECK(mcp_session_open_calls(session) == 1);
    /* A last line without its newline counts. */
    CHECK_STATUS(mcp_session_receive(session, MCP_LIT(PING(2)), &used), MCP_OK);
    CHECK_STATUS(mcp_session_end(session), MCP_OK);
    CHECK_TEXT(drain(session), PONG(2) "\n");
    CHECK_STATUS(mcp_session_receive(session, PING(3) "\n", sizeof PING(3), &used), MCP_E_STATE);
    CHECK(used == 0);
    CHECK_STATUS(mcp_handle_message(session, MCP_LIT(PING(3))), MCP_E_STATE);
    CHECK_STATUS(mcp_session_end(session), MCP_OK);
    CHECK(mcp_session_finished(session) == 0);
    CHECK_STATUS(mcp_reply_text(call, "done", MCP_Z), MCP_OK);
    mcp_call_release(call);
    CHECK(mcp_session_open_calls(session) == 0 && mcp_session_finished(session) == 0);
    CHECK_PART(drain(session), "done");
    CHECK(mcp_session_finished(session) == 1);
    end();
}

static void the_wake_tells_once(void)
{
    int wakes = 0, later = 0;
    size_t length;
    begin();
    CHECK_STATUS(mcp_session_set_wake(session, count_up, &wakes, NULL), MCP_OK);
    CHECK(wakes == 0);
    mcp_handle_message(session, MCP_LIT(PING(1)));
    mcp_handle_message(session, MCP_LIT(PING(2)));
    CHECK(wakes == 1);
    CHECK(mcp_session_poll(session, NULL) != NULL);
    mcp_handle_message(session, MCP_LIT(PING(3)));
    CHECK(wakes == 1);
    /* Polling to the end arms it again, and so does peeking. */
    drain(session);
    mcp_handle_message(session, MCP_LIT(PING(4)));
    CHECK(wakes == 2);
    while (mcp_session_peek(session, &length)) mcp_session_consume(session, length);
    mcp_handle_message(session, MCP_LIT(PING(5)));
    CHECK(wakes == 3);
    /* A wake that comes late hears of what waits. */
    CHECK_STATUS(mcp_session_set_wake(session, count_up, &later, NULL), MCP_OK);
    CHECK(later == 1);
    drain(session);
    CHECK_STATUS(mcp_session_end(session), MCP_OK);
    CHECK(later == 2 && wakes == 3);
    CHECK(mcp_session_finished(session) == 1);
    end();
}

/* Whoever takes exactly what is there, without looking once more, is told of the end all the same. */
static void the_end_is_told_to_whoever_has_taken_everything(void)
{
    int by_poll;
    for (by_poll = 0; by_poll < 2; by_poll++) {
        int told = 0;
        size_t length;
        mcp_server *own = mcp_server_new("end", "1");
        mcp_session *pipe = mcp_session_new(own);
        CHECK_STATUS(mcp_session_set_wake(pipe, count_up, &told, NULL), MCP_OK);
        CHECK_STATUS(mcp_handle_message(pipe, MCP_LIT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")), MCP_OK);
        CHECK(told == 1);
        if (by_poll) CHECK(mcp_session_poll(pipe, &length) != NULL);
        else {
            CHECK(mcp_session_peek(pipe, &length) != NULL);
            CHECK_STATUS(mcp_session_consume(pipe, length), MCP_OK);
        }
        CHECK_STATUS(mcp_session_end(pipe), MCP_OK);
        CHECK(told == 2 && mcp_session_finished(pipe));
        mcp_session_free(pipe);
        mcp_server_free(own);
    }
}

static void a_cancelled_last_call_finishes_the_session_aloud(void)
{
    mcp_call *call = NULL;
    int wakes = 0;
    begin();
    mcp_register_tool(server, "keep", NULL, NULL, keep_call, &call, NULL);
    shake_hands(session, "2025-11-25");
    call_tool(session, 1, "keep", "{}");
    CHECK_STATUS(mcp_session_set_wake(session, count_up, &wakes, NULL), MCP_OK);
    CHECK_STATUS(mcp_session_receive(session,
                                     MCP_LIT("{\"jsonrpc\":\"2.0\","
                                             "\"method\":\"notifications/cancelled\","
                                             "\"params\":{\"requestId\":1}}"), NULL), MCP_OK);
    CHECK_STATUS(mcp_session_end(session), MCP_OK);
    CHECK(mcp_call_cancelled(call) == 1);
    CHECK(mcp_session_finished(session) == 1 && wakes >= 1);
    mcp_call_release(call);
    end();
}

static void output_can_be_taken_in_odd_pieces(void)
{
    static const char wanted[] = PONG(1) "\n" PONG(2) "\n" PONG(3) "\n";
    char taken[200];
    size_t step, length;
    for (step = 1; step < 50; step += 6) {
        size_t used = 0, again;
        const char *out;
        begin();
        mcp_handle_message(session, MCP_LIT(PING(1)));
        mcp_handle_message(session, MCP_LIT(PING(2)));
        while ((out = mcp_session_peek(session, &length)) != NULL) {
            size_t piece = length < step ? length : step;
            CHECK(length > 0 && used + piece < sizeof taken);
            /* Another look shows the same. */
            CHECK(mcp_session_peek(session, &again) == out && again == length);
            memcpy(taken + used, out, piece);
            if (used == 0) mcp_handle_message(session, MCP_LIT(PING(3)));
            used += piece;
            CHECK_STATUS(mcp_session_consume(session, piece), MCP_OK);
        }
        CHECK(used == sizeof wanted - 1 && memcmp(taken, wanted, used) == 0);
        end();
    }
}

static void nobody_consumes_what_is_not_there(void)
{
    size_t length = 0;
    begin();
    CHECK_STATUS(mcp_session_consume(session, 1), MCP_E_INVALID);
    CHECK_STATUS(mcp_session_consume(session, 0), MCP_OK);
    mcp_handle_message(session, MCP_LIT(PING(1)));
    CHECK_STATUS(mcp_session_consume(session, 1), MCP_E_INVALID);
    CHECK(mcp_session_peek(session, &length) != NULL);
    CHECK_STATUS(mcp_session_consume(session, length + 1), MCP_E_INVALID);
    CHECK_STATUS(mcp_session_consume(session, MCP_Z), MCP_E_INVALID);
    CHECK_STATUS(mcp_session_consume(session, length - 2), MCP_OK);
    /* The rest of a message that left in part is not a message: polling does not give it away. */
    mcp_handle_message(session, MCP_LIT(PING(2)));
    {
        const char *out = mcp_session_poll(session, &length);
        CHECK(out == NULL || strcmp(out, PONG(2) "\n") == 0);
        CHECK(out == NULL || length == strlen(PONG(2)));
    }
    end();
}

static mcp_status tell_who(void *user_data, mcp_call *call)
{
    const char *principal = mcp_call_info(call, MCP_INFO_PRINCIPAL, NULL);
    const char *context = mcp_call_context(call);
    (void)user_data;
    mcp_add_text(call, principal ? principal : "nobody", MCP_Z);
    return mcp_reply_text(call, context ? context : "nowhere", MCP_Z);
}

static void two_sessions_have_nothing_in_common(void)
{
    static char here[] = "here";
    mcp_session *other;
    begin();
    mcp_register_tool(server, "who", NULL, NULL, tell_who, NULL, NULL);
    other = mcp_session_new(server);
    shake_hands(session, "2025-11-25");
    shake_hands(other, "2024-11-05");
    CHECK_STATUS(mcp_session_set_principal(session, "Ada"), MCP_OK);
    CHECK_STATUS(mcp_session_set_context(session, here, NULL), MCP_OK);
    CHECK_PART(call_tool(session, 1, "who", "{}"), "\"text\":\"Ada\"},{\"type\":\"text\","
               "\"text\":\"here\"}");
    CHECK_PART(call_tool(other, 1, "who", "{}"), "\"text\":\"nobody\"},{\"type\":\"text\","
               "\"text\":\"nowhere\"}");
    CHECK_STATUS(mcp_session_set_principal(session, NULL), MCP_OK);
    CHECK_PART(call_tool(session, 1, "who", "{}"), "\"text\":\"nobody\"");
    CHECK_STATUS(mcp_session_notify(session, "notifications/own", "{\"a\":\n1}", MCP_Z), MCP_OK);
    CHECK_TEXT(drain(session), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/own\","
               "\"params\":{\"a\": 1}}\n");
    CHECK_TEXT(drain(other), "");
    CHECK_STATUS(mcp_session_notify(session, "notifications/own", "[]", 2), MCP_E_JSON);
    CHECK_STATUS(mcp_session_notify(session, "notifications/own", "{", 1), MCP_E_JSON);
    mcp_session_free(other);
    CHECK_PART(say(session, PING(9)), PONG(9));
    end();
}

static void a_server_that_shuts_down_lets_sessions_finish(void)
{
    begin();
    shake_hands(session, "2025-11-25");
    mcp_handle_message(session, MCP_LIT(PING(1)));
    CHECK_STATUS(mcp_server_shutdown(server), MCP_OK);
    CHECK(mcp_session_new(server) == NULL);
    CHECK(mcp_session_finished(session) == 0);
    CHECK_PART(drain(session), PONG(1));
    CHECK(mcp_session_finished(session) == 1);
    end();
}

int main(void)
{
    bytes_are_taken_one_message_at_a_time();
    every_split_gives_the_same();
    full_output_pushes_back();
    without_a_way_to_push_back_the_session_closes();
    the_end_of_input_lets_calls_finish();
    the_wake_tells_once();
    the_end_is_told_to_whoever_has_taken_everything();
    a_cancelled_last_call_finishes_the_session_aloud();
    output_can_be_taken_in_odd_pieces();
    nobody_consumes_what_is_not_there();
    two_sessions_have_nothing_in_common();
    a_server_that_shuts_down_lets_sessions_finish();
    return check_report();
}
