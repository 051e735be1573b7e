/* Who watches the engine, and who keeps its secrets: observer, seal, keys, clock and entropy. */
#include "check.h"

#include <stddef.h>

static mcp_server *server;
static mcp_session *session;

/* What was observed, one line each. */
static char seen[4000];
static char traced[64];
static mcp_event last;

static void observe(void *user_data, const mcp_event *event)
{
    size_t used = strlen(seen);
    (void)user_data;
    CHECK(event->struct_size >= offsetof(mcp_event, text) + sizeof event->text);
    CHECK(event->duration_us >= 0);
    last = *event;
    if (event->traceparent) snprintf(traced, sizeof traced, "%s", event->traceparent);
    snprintf(seen + used, sizeof seen - used, "%d:%d:%d %s %s %s %s\n", (int)event->kind,
             (int)event->outcome, (int)event->code,
             event->method ? event->method : "-", event->name ? event->name : "-", event->id ?
                 event->id : "-",
             event->text ? "text" : "-");
}

static void see_nothing_yet(void) { seen[0] = '\0'; }

static mcp_status say_nothing(void *user_data, mcp_call *call)
{
    (void)user_data;
    (void)call;
    return MCP_OK;
}

static mcp_status fail(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_fail(call, MCP_KIND_TOOL_FAILED, "no", MCP_Z);
}

static mcp_status ask(void *user_data, mcp_call *call)
{
    const char *answer = mcp_ask(call, "where", "roots/list", NULL, 0, NULL);
    (void)user_data;
    return answer ? mcp_reply_text(call, answer, MCP_Z) : MCP_PENDING;
}

static void open_server(void)
{
    server = mcp_server_new("observation", "1");
    mcp_register_tool(server, "good", NULL, NULL, reply_ok, NULL, NULL);
    mcp_register_tool(server, "silent", NULL, NULL, say_nothing, NULL, NULL);
    mcp_register_tool(server, "fails", NULL, NULL, fail, NULL, NULL);
    mcp_register_tool(server, "asks", NULL, NULL, ask, NULL, NULL);
}

static void close_server(void)
{
    mcp_session_free(session);
    mcp_server_free(server);
}

static void an_observer_is_told_what_happens(void)
{
    mcp_call *call = NULL;
    open_server();
    mcp_register_tool(server, "keeps", NULL, NULL, keep_call, &call, NULL);
    CHECK_STATUS(mcp_server_set_observer(server, observe, NULL, NULL), MCP_OK);
    see_nothing_yet();
    session = mcp_session_new(server);
    CHECK_PART(seen, "4:0:0 - - - -");
    shake_hands(session, "2025-11-25");
    see_nothing_yet();
    call_tool(session, 5, "good", "{}");
    CHECK_PART(seen, "1:0:0 tools/call - 5 -\n");
    CHECK_PART(seen, "3:0:0 - good - -\n");
    CHECK_PART(seen, "2:0:0 tools/call - 5 -\n");
    see_nothing_yet();
    call_tool(session, 6, "fails", "{}");
    CHECK_PART(seen, "2:2:0 tools/call");
    see_nothing_yet();
    call_tool(session, 7, "nobody", "{}");
    CHECK_PART(seen, "2:1:-32602 tools/call");
    see_nothing_yet();
    call_tool(session, 8, "silent", "{}");
    CHECK_PART(seen, "7:0:0 - - - text\n");
    see_nothing_yet();
    call_tool(session, 9, "keeps", "{}");
    say(session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
        "\"params\":{\"requestId\":9}}");
    mcp_call_release(call);
    CHECK_PART(seen, "2:3:0 tools/call - 9");
    see_nothing_yet();
    call_modern(session, 10, "asks", "");
    CHECK_PART(seen, "2:4:0 tools/call - 10");
    see_nothing_yet();
    say(session, "{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"tools/call\","
        "\"params\":{\"name\":\"good\",\"_meta\":"
        "{\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}}}");
    CHECK_TEXT(traced, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    see_nothing_yet();
    /* Cut short at its NUL, a method could pass for another. */
    say(session, "{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"tools/call\\u0000x\"}");
    CHECK_PART(seen, "2:1:-32601 - - 12 -\n");
    CHECK_LACKS(seen, "tools/call");
    see_nothing_yet();
    mcp_session_free(session);
    session = NULL;
    CHECK_PART(seen, "5:0:0 - - - -");
    CHECK(last.kind == MCP_EVENT_CLOSED);
    close_server();
}

/* A seal that can be seen through: every byte turned over, behind a letter. */
static int seals, opens;

static mcp_status turn_over(void *user_data, int32_t open, const uint8_t *in, size_t in_len,
                            mcp_buf *out)
{
    size_t i;
    (void)user_data;
    if (open) opens++;
    else seals++;
    if (open && (in_len == 0 || *in != 'S')) return MCP_E_INVALID;
    if (!open) CHECK_STATUS(mcp_buf_append(out, "S", 1), MCP_OK);
    for (i = open ? 1 : 0; i < in_len; i++) {
        uint8_t turned = (uint8_t)~in[i];
        CHECK_STATUS(mcp_buf_append(out, &turned, 1), MCP_OK);
    }
    return MCP_OK;
}

static mcp_status refuse(void *user_data, int32_t open, const uint8_t *in, size_t in_len,
                         mcp_buf *out)
{
    (void)user_data;
    (void)open;
    (void)in;
    (void)in_len;
    (void)out;
    return MCP_E_IO;
}

/* Asks in 2026-07-28 and tries again with the state it was given, perhaps spoilt. */
static const char *ask_and_try_again(mcp_session *first, mcp_session *second, int spoil)
{
    char more[4000], state[2000];
    const char *said = call_modern(first, 1, "asks", "");
    size_t length = 0;
    const char *found = mcp_json_find(said, strlen(said), "/result/requestState", &length);
    CHECK_PART(said, "input_required");
    CHECK(found && length < sizeof state);
    if (!found || length >= sizeof state) return "";
    memcpy(state, found, length);
    state[length] = '\0';
    if (spoil) state[length / 2] = state[length / 2] == 'A' ? 'B' : 'A';
    snprintf(more, sizeof more,
             "\"inputResponses\":{\"where\":{\"roots\":[{\"uri\":\"file:///home\"}]}},"
             "\"requestState\":%s,", state);
    return call_modern(second, 2, "asks", more);
}

static void the_hosts_own_seal_goes_round(void)
{
    open_server();
    session = mcp_session_new(server);
    CHECK_STATUS(mcp_server_set_seal(server, turn_over, NULL, NULL), MCP_OK);
    CHECK_PART(ask_and_try_again(session, session, 0), "file:///home");
    CHECK(seals == 1 && opens == 1);
    CHECK_STATUS(mcp_server_set_seal(server, refuse, NULL, NULL), MCP_OK);
    CHECK_PART(call_modern(session, 3, "asks", ""), "-32603");
    CHECK_STATUS(mcp_server_set_seal(server, NULL, NULL, NULL), MCP_OK);
    CHECK_PART(ask_and_try_again(session, session, 0), "file:///home");
    CHECK(seals == 1 && opens == 1);
    CHECK_PART(ask_and_try_again(session, session, 1), "Invalid request state");
    close_server();
}

static void servers_with_the_same_key_open_each_others_state(void)
{
    uint8_t keys[96];
    mcp_server *first_server;
    mcp_session *first;
    memset(keys, 1, 32);
    memset(keys + 32, 2, 32);
    memset(keys + 64, 3, 32);
    open_server();
    first_server = server;
    first = mcp_session_new(first_server);
    open_server();
    session = mcp_session_new(server);
    /* Each draws a key of its own. */
    CHECK_PART(ask_and_try_again(first, session, 0), "Invalid request state");
    CHECK_STATUS(mcp_server_set_seal_keys(first_server, keys + 32, 1), MCP_OK);
    CHECK_STATUS(mcp_server_set_seal_keys(server, keys, 2), MCP_OK);
    CHECK_PART(ask_and_try_again(first, session, 0), "file:///home");
    CHECK_PART(ask_and_try_again(session, first, 0), "Invalid request state");
    CHECK_STATUS(mcp_server_set_seal_keys(server, keys + 64, 1), MCP_OK);
    CHECK_PART(ask_and_try_again(first, session, 0), "Invalid request state");
    CHECK_STATUS(mcp_server_set_seal_keys(server, NULL, 0), MCP_OK);
    CHECK_PART(ask_and_try_again(session, session, 0), "file:///home");
    CHECK_STATUS(mcp_server_set_seal_keys(server, NULL, 1), MCP_E_INVALID);
    mcp_session_free(first);
    mcp_server_free(first_server);
    close_server();
}

static int64_t now_us = 1000000;
static int monotonic_questions, unix_questions;

static int64_t tell_time(void *user_data, int32_t which)
{
    (void)user_data;
    if (which == MCP_CLOCK_MONOTONIC) monotonic_questions++;
    else if (which == MCP_CLOCK_UNIX) unix_questions++;
    else CHECK(!"a clock that is known");
    return now_us;
}

static int draws;
static mcp_status draw_result;

static mcp_status draw(void *user_data, uint8_t *out, size_t len)
{
    (void)user_data;
    draws++;
    memset(out, draws, len);
    return draw_result;
}

static void the_clock_and_entropy_are_the_hosts(void)
{
    open_server();
    session = mcp_session_new(server);
    CHECK_STATUS(mcp_server_set_clock(server, tell_time, NULL, NULL), MCP_OK);
    CHECK_STATUS(mcp_server_set_entropy(server, draw, NULL, NULL), MCP_OK);
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_STATE_TTL_MS, 5), MCP_OK);
    CHECK_PART(ask_and_try_again(session, session, 0), "file:///home");
    CHECK(unix_questions > 0 && draws > 0);
    CHECK_STATUS(mcp_server_tick(server), MCP_OK);
    CHECK(monotonic_questions > 0);
    draw_result = MCP_E_IO;
    CHECK_PART(call_modern(session, 3, "asks", ""), "-32603");
    draw_result = MCP_OK;
    CHECK_STATUS(mcp_server_set_entropy(server, NULL, NULL, NULL), MCP_OK);
    CHECK_PART(ask_and_try_again(session, session, 0), "file:///home");
    CHECK_STATUS(mcp_server_set_clock(server, NULL, NULL, NULL), MCP_OK);
    close_server();
}

int main(void)
{
    an_observer_is_told_what_happens();
    the_hosts_own_seal_goes_round();
    servers_with_the_same_key_open_each_others_state();
    the_clock_and_entropy_are_the_hosts();
    return check_report();
}
