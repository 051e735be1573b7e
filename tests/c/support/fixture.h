/* One of everything, fresh for each case of the generated test of absurd arguments: a server with
 * an item of each kind, a session after its handshake, a call that is kept open, and an exchange. Inside the hooks
 * that have them there are also a failure and a buffer. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "check.h"

#include <limits.h>

enum where { OUTSIDE, IN_ERROR_HOOK, IN_SEAL };

struct fixture {
    mcp_server *server;
    mcp_session *session;
    mcp_http *http;
    mcp_exchange *exchange;
    mcp_call *call;
    mcp_failure *failure;
    mcp_buf *buf;
    /* Somewhere for whatever is written. */
    char room[256];
    const char *text;
    mcp_error error;
    size_t size;
    int64_t integer;
    double number;
    int destroyed;
    int destroys_wanted;
    int ran;
    /* Set by a case after which the call can be answered no more. */
    int call_is_over;
    void (*body)(struct fixture *);
    char *heap[8];
    int heaps;
};

/* A copy in memory that ends where it does; freed with the fixture. */
static CHECK_MAYBE_UNUSED char *on_heap(struct fixture *f, const char *text, size_t length)
{
    return f->heap[f->heaps++] = bare(text, length);
}

static const uint8_t fixture_key[32] = {1, 2, 3};

static CHECK_MAYBE_UNUSED mcp_status nothing_to_handle(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_reply_text(call, "ok", MCP_Z);
}

static CHECK_MAYBE_UNUSED void nothing_to_wake(void *user_data) { (void)user_data; }

static CHECK_MAYBE_UNUSED void nothing_to_rewrite(void *user_data, mcp_failure *failure)
{
    (void)user_data;
    (void)failure;
}

static CHECK_MAYBE_UNUSED void nothing_to_observe(void *user_data, const mcp_event *event)
{
    (void)user_data;
    (void)event;
}

static CHECK_MAYBE_UNUSED mcp_status nothing_to_seal(void *user_data, int32_t open,
                                                     const uint8_t *in, size_t in_len, mcp_buf *out)
{
    (void)user_data;
    (void)open;
    return mcp_buf_append(out, in, in_len);
}

static CHECK_MAYBE_UNUSED int32_t nothing_to_authorize(void *user_data, mcp_exchange *exchange)
{
    (void)user_data;
    (void)exchange;
    return 0;
}

static CHECK_MAYBE_UNUSED int64_t no_time(void *user_data, int32_t which)
{
    (void)user_data;
    (void)which;
    return 0;
}

static CHECK_MAYBE_UNUSED mcp_status no_entropy(void *user_data, uint8_t *out, size_t len)
{
    (void)user_data;
    memset(out, 7, len);
    return MCP_OK;
}

static CHECK_MAYBE_UNUSED void *no_memory(size_t size, size_t align)
{
    (void)size;
    (void)align;
    return NULL;
}

static CHECK_MAYBE_UNUSED void *no_more_memory(void *p, size_t old_size, size_t new_size,
                                               size_t align)
{
    (void)p;
    (void)old_size;
    (void)new_size;
    (void)align;
    return NULL;
}

static CHECK_MAYBE_UNUSED void nothing_to_release(void *p, size_t size, size_t align)
{
    (void)p;
    (void)size;
    (void)align;
}

static void run_in_hook(void *user_data, mcp_failure *failure)
{
    struct fixture *f = user_data;
    f->failure = failure;
    f->body(f);
    f->ran++;
}

static mcp_status run_in_seal(void *user_data, int32_t open, const uint8_t *in, size_t in_len,
                              mcp_buf *out)
{
    struct fixture *f = user_data;
    f->buf = out;
    f->body(f);
    f->ran++;
    return open ? MCP_E_INVALID : mcp_buf_append(out, in, in_len);
}

static mcp_status ask_for_roots(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_ask(call, "where", "roots/list", NULL, 0, NULL) ? mcp_reply(call) : MCP_PENDING;
}

static void open_fixture(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    /* So that it can be seen that out-parameters are zeroed. */
    memset(&f->error, 0x55, sizeof f->error);
    f->size = 0x5555;
    f->integer = 0x5555;
    f->number = 5.5;
    f->server = mcp_server_new("fixture", "1");
    mcp_register_tool(f->server, "tool", NULL, NULL, keep_call, &f->call, NULL);
    mcp_register_tool(f->server, "asks", NULL, NULL, ask_for_roots, NULL, NULL);
    mcp_register_resource(f->server, "test://resource", "resource", NULL, nothing_to_handle, NULL,
                          NULL);
    mcp_register_template(f->server, "test://{x}", "template", NULL, nothing_to_handle, NULL, NULL);
    mcp_register_prompt(f->server, "prompt", NULL, NULL, nothing_to_handle, NULL, NULL);
    mcp_register_completion(f->server, MCP_PROMPT, "prompt", "argument", nothing_to_handle, NULL,
                            NULL);
    f->session = mcp_session_new(f->server);
    shake_hands(f->session, "2025-11-25");
    say(f->session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"tool\",\"arguments\":{\"s\":\"text\",\"i\":1,\"n\":1.5,\"b\":true},"
        "\"_meta\":{\"progressToken\":1}}}");
    CHECK(f->call != NULL);
    f->http = mcp_http_new(f->server, "/mcp");
    f->exchange = mcp_http_open(f->http, "POST", "/mcp", MCP_Z);
    f->text = f->room;
}

static void close_fixture(struct fixture *f)
{
    /* Whatever was wrong with an argument, the call it was about is as open as before. */
    if (f->call && !f->call_is_over)
        CHECK_STATUS(mcp_reply_text(f->call, "still open", MCP_Z), MCP_OK);
    mcp_call_release(f->call);
    mcp_exchange_free(f->exchange);
    mcp_http_free(f->http);
    mcp_session_free(f->session);
    mcp_server_free(f->server);
    while (f->heaps) free(f->heap[--f->heaps]);
    CHECK(f->destroyed == f->destroys_wanted);
}

static void run_case(void (*body)(struct fixture *), enum where where)
{
    struct fixture f;
    open_fixture(&f);
    f.body = body;
    switch (where) {
    case OUTSIDE:
        body(&f);
        f.ran++;
        break;
    case IN_ERROR_HOOK:
        mcp_server_set_error_hook(f.server, run_in_hook, &f, NULL);
        call_tool(f.session, 2, "nobody", "{}");
        mcp_server_set_error_hook(f.server, NULL, NULL, NULL);
        break;
    case IN_SEAL:
        mcp_server_set_seal(f.server, run_in_seal, &f, NULL);
        call_modern(f.session, 3, "asks", "");
        break;
    }
    CHECK(f.ran == 1);
    close_fixture(&f);
}

#endif
