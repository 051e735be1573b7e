/* HTTP without the socket: exchanges by pieces, their responses, and who is gone. */
#include "check.h"
#include "crowd.h"

static mcp_server *server;
static mcp_http *http;
static mcp_call *held;

/* A POST of a tool call in 2026-07-28, up to its end. */
static mcp_exchange *open_post(const char *tool)
{
    mcp_exchange *x = mcp_http_open(http, "POST", "/mcp", MCP_Z);
    CHECK_STATUS(mcp_exchange_header(x, MCP_LIT("Host"), MCP_LIT("localhost")), MCP_OK);
    CHECK_STATUS(mcp_exchange_header(x, MCP_LIT("Content-Type"), MCP_LIT("application/json")), MCP_OK);
    CHECK_STATUS(mcp_exchange_header(x, MCP_LIT("MCP-Protocol-Version"), MCP_LIT("2026-07-28")), MCP_OK);
    CHECK_STATUS(mcp_exchange_header(x, MCP_LIT("Mcp-Method"), MCP_LIT("tools/call")), MCP_OK);
    CHECK_STATUS(mcp_exchange_header(x, "Mcp-Name", MCP_Z, tool, MCP_Z), MCP_OK);
    return x;
}

static mcp_exchange *post(const char *tool)
{
    char body[1024];
    size_t i, length;
    mcp_exchange *x = open_post(tool);
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",%s}}", tool,
             MODERN_META(",\"progressToken\":1"));
    length = strlen(body);
    for (i = 0; i < length; i++) CHECK_STATUS(mcp_exchange_body(x, body + i, 1), MCP_OK);
    CHECK_STATUS(mcp_exchange_end(x), MCP_OK);
    return x;
}

static const char *header_of(mcp_exchange *x, const char *wanted)
{
    const char *name, *value;
    size_t i;
    for (i = 0; mcp_exchange_response_header(x, i, &name, &value) == MCP_OK; i++)
        if (strcmp(name, wanted) == 0) return value;
    CHECK(name == NULL && value == NULL);
    return NULL;
}

/* Everything there is of the body; lives until the next call. */
static const char *body_of(mcp_exchange *x)
{
    static char said[1 << 16];
    size_t used = 0, length;
    const char *piece;
    said[0] = '\0';
    while ((piece = mcp_exchange_poll(x, &length)) != NULL) {
        if (used + length + 1 > sizeof said) { CHECK(!"the body fits"); break; }
        CHECK(piece[length] == '\0');
        memcpy(said + used, piece, length + 1);
        used += length;
    }
    return said;
}

static mcp_status report(void *user_data, mcp_call *call)
{
    (void)user_data;
    mcp_progress(call, 1, -1, NULL);
    return mcp_reply_text(call, "reported", MCP_Z);
}

static mcp_status describe(void *user_data, mcp_call *call)
{
    char text[200];
    const char *session = mcp_call_info(call, MCP_INFO_SESSION_ID, NULL);
    const char *principal = mcp_call_info(call, MCP_INFO_PRINCIPAL, NULL);
    (void)user_data;
    snprintf(text, sizeof text, "%s/%s/%s/%s", mcp_call_header(call, "mcp-METHOD", NULL),
             principal ? principal : "-", session ? "session" : "-",
             mcp_call_context(call) ? (const char *)mcp_call_context(call) : "-");
    CHECK(mcp_call_header(call, "absent", NULL) == NULL);
    return mcp_reply_text(call, text, MCP_Z);
}

static void open_server(void)
{
    server = mcp_server_new("http", "1");
    mcp_register_tool(server, "good", NULL, NULL, reply_ok, NULL, NULL);
    mcp_register_tool(server, "report", NULL, NULL, report, NULL, NULL);
    mcp_register_tool(server, "describe", NULL, NULL, describe, NULL, NULL);
    mcp_register_tool(server, "hold", NULL, NULL, keep_call, &held, NULL);
    http = mcp_http_new(server, "/mcp");
}

static void close_server(void)
{
    mcp_http_free(http);
    mcp_server_free(server);
}

static void answers_are_bodies_and_what_comes_before_makes_a_stream(void)
{
    mcp_exchange *x = post("good");
    CHECK(mcp_exchange_status(x) == 200 && !mcp_exchange_is_stream(x));
    CHECK_TEXT(header_of(x, "Content-Type"), "application/json");
    CHECK(!mcp_exchange_finished(x));
    CHECK_PART(body_of(x), "\"resultType\":\"complete\"");
    CHECK(mcp_exchange_finished(x));
    mcp_exchange_free(x);
    x = post("report");
    CHECK(mcp_exchange_status(x) == 200 && mcp_exchange_is_stream(x));
    CHECK_TEXT(header_of(x, "Content-Type"), "text/event-stream");
    CHECK_TEXT(header_of(x, "X-Accel-Buffering"), "no");
    CHECK_PART(body_of(x), "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\"");
    CHECK(mcp_exchange_finished(x));
    mcp_exchange_free(x);
}

static void a_refusal_is_there_early(void)
{
    mcp_exchange *x = mcp_http_open(http, "POST", "/nowhere", MCP_Z);
    CHECK_STATUS(mcp_exchange_header(x, MCP_LIT("Host"), MCP_LIT("localhost")), MCP_OK);
    CHECK(mcp_exchange_status(x) == 0 && header_of(x, "Content-Type") == NULL);
    CHECK_STATUS(mcp_exchange_body(x, NULL, 0), MCP_OK);
    CHECK(mcp_exchange_status(x) == 404);
    CHECK_STATUS(mcp_exchange_body(x, "x", 1), MCP_OK);
    CHECK_STATUS(mcp_exchange_header(x, MCP_LIT("a"), MCP_LIT("b")), MCP_OK);
    CHECK_STATUS(mcp_exchange_end(x), MCP_OK);
    CHECK_PART(body_of(x), "there is nothing at this path");
    mcp_exchange_free(x);
    x = mcp_http_open(http, "POST", "/\xff", MCP_Z);
    CHECK(mcp_exchange_status(x) == 400);
    mcp_exchange_free(x);
    x = open_post("good");
    CHECK_STATUS(mcp_exchange_header(x, MCP_LIT("a"), MCP_LIT("b\r\nc: d")), MCP_OK);
    CHECK(mcp_exchange_status(x) == 400);
    mcp_exchange_free(x);
    x = post("good");
    CHECK_STATUS(mcp_exchange_end(x), MCP_E_STATE);
    CHECK_STATUS(mcp_exchange_body(x, "x", 1), MCP_E_STATE);
    CHECK_STATUS(mcp_exchange_header(x, MCP_LIT("a"), MCP_LIT("b")), MCP_E_STATE);
    mcp_exchange_free(x);
}

static void no_exchange_is_a_finished_503(void)
{
    mcp_exchange *x;
    mcp_http_free(http);
    http = mcp_http_new(server, "/mcp");
    mcp_server_free(server);
    x = mcp_http_open(http, "POST", "/mcp", MCP_Z);
    CHECK(x == NULL && mcp_exchange_status(x) == 503 && mcp_exchange_finished(x));
    CHECK(header_of(x, "Content-Type") == NULL);
    mcp_exchange_free(x);
    mcp_http_free(http);
    open_server();
}

static void a_client_that_is_gone_cancels(void)
{
    mcp_exchange *x = post("hold");
    CHECK(mcp_exchange_status(x) == 0 && !mcp_exchange_finished(x));
    mcp_exchange_free(x);
    CHECK(mcp_call_cancelled(held));
    CHECK_STATUS(mcp_reply_text(held, "late", MCP_Z), MCP_E_CANCELLED);
    mcp_call_release(held);
    held = NULL;
}

static int32_t decide(void *user_data, mcp_exchange *x)
{
    const char *token = mcp_exchange_request_header(x, "AUTHORIZATION", NULL);
    size_t length;
    (void)user_data;
    /* Nothing else can be done with it here. */
    CHECK_STATUS(mcp_exchange_end(x), MCP_E_STATE);
    CHECK_STATUS(mcp_exchange_body(x, "x", 1), MCP_E_STATE);
    CHECK(mcp_exchange_poll(x, &length) == NULL);
    CHECK_TEXT(mcp_exchange_info(x, MCP_EXCHANGE_METHOD, NULL), "POST");
    CHECK_TEXT(mcp_exchange_info(x, MCP_EXCHANGE_PATH, &length), "/mcp");
    CHECK(length == 4);
    if (!token) return 401;
    CHECK(mcp_exchange_request_header(x, "AUTHORIZATION", NULL) == token);
    CHECK_STATUS(mcp_exchange_set_challenge(x, "scope=\"a\r\n\""), MCP_E_INVALID);
    CHECK_STATUS(mcp_exchange_set_challenge(x, "scope=\"a\""), MCP_OK);
    return mcp_exchange_set_principal(x, token) == MCP_OK && strcmp(token, "ann") == 0 ? 0 : 999;
}

static mcp_exchange *post_as(const char *token)
{
    char body[512];
    mcp_exchange *x = open_post("describe");
    if (token) mcp_exchange_header(x, MCP_LIT("Authorization"), token, MCP_Z);
    mcp_exchange_set_context(x, "context", NULL);
    snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
             "{\"name\":\"describe\",%s}}", MODERN_META(""));
    mcp_exchange_body(x, body, strlen(body));
    mcp_exchange_end(x);
    return x;
}

static void the_host_decides_who_may_go_on(void)
{
    int destroyed = 0;
    mcp_exchange *x;
    CHECK_STATUS(mcp_http_set_str(http, MCP_HTTP_RESOURCE_METADATA, "{\"resource\":\"https://a.example/mcp\"}"),
                 MCP_OK);
    CHECK_STATUS(mcp_http_set_str(http, MCP_HTTP_RESOURCE_METADATA, "{}"), MCP_E_INVALID);
    CHECK_STATUS(mcp_http_set_authorize(http, decide, &destroyed, count_up), MCP_OK);
    x = post_as(NULL);
    CHECK(mcp_exchange_status(x) == 401);
    CHECK_TEXT(header_of(x, "WWW-Authenticate"),
               "Bearer resource_metadata=\"https://a.example/.well-known/oauth-protected-resource/mcp\"");
    mcp_exchange_free(x);
    x = post_as("bob");
    CHECK(mcp_exchange_status(x) == 403);
    CHECK_PART(header_of(x, "WWW-Authenticate"), "scope=\"a\"");
    mcp_exchange_free(x);
    x = post_as("ann");
    CHECK_PART(body_of(x), "tools/call/ann/-/context");
    mcp_exchange_free(x);
    CHECK_STATUS(mcp_http_set_authorize(http, NULL, NULL, NULL), MCP_OK);
    CHECK(destroyed == 1);
    x = post_as(NULL);
    CHECK_PART(body_of(x), "tools/call/-/-/context");
    mcp_exchange_free(x);
}

static mcp_exchange *legacy(const char *method, const char *session, const char *body)
{
    mcp_exchange *x = mcp_http_open(http, method, MCP_LIT("/mcp"));
    mcp_exchange_header(x, MCP_LIT("Host"), MCP_LIT("localhost"));
    mcp_exchange_header(x, MCP_LIT("Content-Type"), MCP_LIT("application/json"));
    if (session) mcp_exchange_header(x, MCP_LIT("Mcp-Session-Id"), session, MCP_Z);
    mcp_exchange_body(x, body, strlen(body));
    CHECK_STATUS(mcp_exchange_end(x), MCP_OK);
    return x;
}

static void sessions_begin_and_end(void)
{
    char id[64];
    mcp_exchange *x = legacy("POST", NULL, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                             "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":"
                             "{\"name\":\"c\",\"version\":\"1\"}}}");
    CHECK(mcp_exchange_status(x) == 200 && header_of(x, "Mcp-Session-Id") != NULL);
    snprintf(id, sizeof id, "%s", header_of(x, "Mcp-Session-Id"));
    mcp_exchange_free(x);
    x = legacy("POST", id, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"hold\"}}");
    CHECK_STATUS(mcp_call_close_stream(held), MCP_OK);
    CHECK(mcp_exchange_is_stream(x));
    CHECK_TEXT(body_of(x), "id: 1-0\nretry: 1000\ndata: \n\n");
    CHECK(mcp_exchange_finished(x));
    mcp_exchange_free(x);
    CHECK(!mcp_call_cancelled(held));
    CHECK_STATUS(mcp_reply_text(held, "later", MCP_Z), MCP_OK);
    mcp_call_release(held);
    held = NULL;
    x = mcp_http_open(http, "GET", MCP_LIT("/mcp"));
    mcp_exchange_header(x, MCP_LIT("Host"), MCP_LIT("localhost"));
    mcp_exchange_header(x, MCP_LIT("Mcp-Session-Id"), id, MCP_Z);
    mcp_exchange_header(x, MCP_LIT("Last-Event-ID"), MCP_LIT("1-0"));
    mcp_exchange_end(x);
    CHECK_PART(body_of(x), "id: 1-1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\"");
    mcp_exchange_free(x);
    x = legacy("DELETE", id, "");
    CHECK(mcp_exchange_status(x) == 204 && mcp_exchange_finished(x));
    mcp_exchange_free(x);
    x = legacy("POST", id, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    CHECK(mcp_exchange_status(x) == 404);
    mcp_exchange_free(x);
}

/* A wake that takes what there is, on whatever thread it runs. */
struct reader {
    mcp_exchange *exchange;
    size_t taken;
    int destroyed;
};

static void take(void *user_data)
{
    struct reader *reader = user_data;
    size_t length;
    while (mcp_exchange_poll(reader->exchange, &length) != NULL) reader->taken += length;
}

static void destroy_reader(void *user_data) { ((struct reader *)user_data)->destroyed++; }

static void *answer_held(void *unused)
{
    int i;
    for (i = 0; i < 100; i++) mcp_progress(held, i, -1, NULL);
    CHECK_STATUS(mcp_reply_text(held, "done", MCP_Z), MCP_OK);
    mcp_call_release(held);
    return unused;
}

static void a_wake_may_take_what_another_thread_says(void)
{
    struct reader reader = {NULL, 0, 0};
    pthread_t answerer;
    reader.exchange = post("hold");
    CHECK_STATUS(mcp_exchange_set_wake(reader.exchange, take, &reader, destroy_reader), MCP_OK);
    answerer = start(answer_held, NULL);
    pthread_join(answerer, NULL);
    take(&reader);
    CHECK(mcp_exchange_finished(reader.exchange));
    CHECK(reader.taken > 100 * 100);
    mcp_exchange_free(reader.exchange);
    CHECK(reader.destroyed == 1);
    held = NULL;
}

int main(void)
{
    open_server();
    answers_are_bodies_and_what_comes_before_makes_a_stream();
    a_refusal_is_there_early();
    no_exchange_is_a_finished_503();
    a_client_that_is_gone_cancels();
    the_host_decides_who_may_go_on();
    sessions_begin_and_end();
    a_wake_may_take_what_another_thread_says();
    close_server();
    return check_report();
}
