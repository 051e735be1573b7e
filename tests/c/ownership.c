/* Who may let go of what, and when: in every order, and from inside every callback. */
#include "check.h"

enum thing { SERVER, SESSION, CALL, THINGS };

struct world {
    mcp_server *server;
    mcp_session *session;
    mcp_call *call;
    int cancelled, destroyed, context_destroyed, wakes;
};

static void open_world(struct world *w)
{
    memset(w, 0, sizeof *w);
    w->server = mcp_server_new("ownership", "1");
    CHECK_STATUS(mcp_register_tool(w->server, "keep", NULL, NULL, keep_call, &w->call, NULL),
                 MCP_OK);
    w->session = mcp_session_new(w->server);
    CHECK_STATUS(mcp_session_set_context(w->session, &w->context_destroyed, count_up), MCP_OK);
    shake_hands(w->session, "2025-11-25");
    CHECK_TEXT(call_tool(w->session, 1, "keep", "{\"text\":\"still here\"}"), "");
    CHECK(w->call != NULL);
    CHECK_STATUS(mcp_call_on_cancel(w->call, count_up, &w->cancelled, NULL), MCP_OK);
}

static void let_go(struct world *w, enum thing thing)
{
    switch (thing) {
    case SERVER: mcp_server_free(w->server); w->server = NULL; break;
    case SESSION: mcp_session_free(w->session); w->session = NULL; break;
    default: mcp_call_release(w->call); w->call = NULL; break;
    }
}

/* What must hold of the things that are left after others went. */
static void look_at_what_is_left(struct world *w)
{
    size_t used = 7;
    if (w->session && !w->server) {
        CHECK_STATUS(mcp_handle_message(w->session, "{}", 2), MCP_E_CLOSED);
        CHECK_STATUS(mcp_session_receive(w->session, "{}\n", 3, &used), MCP_E_CLOSED);
        CHECK(used == 0);
        CHECK_STATUS(mcp_session_notify(w->session, "notifications/x", NULL, 0), MCP_E_CLOSED);
        CHECK(mcp_session_poll(w->session, &used) == NULL && used == 0);
        CHECK(mcp_session_finished(w->session) == 1);
        CHECK(mcp_session_open_calls(w->session) == 0);
    }
    if (w->server && !w->session) CHECK_STATUS(mcp_server_tick(w->server), MCP_OK);
    if (w->call && !(w->server && w->session)) {
        CHECK_STATUS(mcp_reply_text(w->call, "too late", MCP_Z), MCP_E_CANCELLED);
        CHECK(mcp_call_cancelled(w->call) == 1);
        CHECK(w->cancelled == 1);
        CHECK_TEXT(mcp_arg_str(w->call, "text", NULL), "still here");
        CHECK_TEXT(mcp_call_info(w->call, MCP_INFO_NAME, NULL), "keep");
        CHECK_TEXT(mcp_call_info(w->call, MCP_INFO_ID, NULL), "1");
        CHECK(mcp_call_context(w->call) == &w->context_destroyed);
        CHECK(w->context_destroyed == 0);
        CHECK_STATUS(mcp_add_text(w->call, "too late", MCP_Z), MCP_E_CANCELLED);
        CHECK_STATUS(mcp_progress(w->call, 1, -1, NULL), MCP_E_CANCELLED);
    }
}

static void everything_goes_in_every_order(void)
{
    static const enum thing orders[][THINGS] = {
        {SERVER, SESSION, CALL}, {SERVER, CALL, SESSION}, {SESSION, SERVER, CALL},
        {SESSION, CALL, SERVER}, {CALL, SERVER, SESSION}, {CALL, SESSION, SERVER},
    };
    size_t order, step;
    for (order = 0; order < sizeof orders / sizeof *orders; order++) {
        struct world w;
        open_world(&w);
        for (step = 0; step < THINGS; step++) {
            let_go(&w, orders[order][step]);
            look_at_what_is_left(&w);
        }
        CHECK(w.context_destroyed == 1);
    }
}

static void letting_go_of_an_open_call_answers_it(void)
{
    struct world w;
    open_world(&w);
    mcp_call_retain(w.call);
    mcp_call_release(w.call);
    CHECK_TEXT(drain(w.session), "");
    let_go(&w, CALL);
    CHECK_PART(drain(w.session), "\"id\":1,\"error\":{\"code\":-32603");
    CHECK(w.cancelled == 0);
    let_go(&w, SESSION);
    let_go(&w, SERVER);
}

static void nothing_may_be_let_go_of_nothing(void)
{
    mcp_server_free(NULL);
    mcp_session_free(NULL);
    mcp_call_release(NULL);
}

static struct world *inside;

static void free_session_in_callback(void *user_data)
{
    ++*(int *)user_data;
    let_go(inside, SESSION);
}

static void free_server_in_callback(void *user_data)
{
    ++*(int *)user_data;
    let_go(inside, SERVER);
}

static mcp_status free_in_handler(void *user_data, mcp_call *call)
{
    mcp_status status;
    (void)user_data;
    if (mcp_arg_bool(call, "session", 0)) let_go(inside, SESSION);
    if (mcp_arg_bool(call, "server", 0)) let_go(inside, SERVER);
    CHECK(mcp_call_cancelled(call) == 1);
    CHECK_TEXT(mcp_call_info(call, MCP_INFO_NAME, NULL), "free");
    status = mcp_reply_text(call, "gone", MCP_Z);
    CHECK_STATUS(status, MCP_E_CANCELLED);
    return status;
}

static void a_handler_may_free_what_it_runs_in(void)
{
    static const char *arguments[] = {"{\"session\":true}", "{\"server\":true}",
        "{\"session\":true,\"server\":true}"};
    size_t i;
    for (i = 0; i < 3; i++) {
        struct world w;
        char message[200];
        open_world(&w);
        inside = &w;
        CHECK_STATUS(mcp_register_tool(w.server, "free", NULL, NULL, free_in_handler, &w.destroyed,
                                       count_up), MCP_OK);
        snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
                 "\"params\":"
                 "{\"name\":\"free\",\"arguments\":%s}}", arguments[i]);
        mcp_handle_message(w.session, message, strlen(message));
        CHECK(w.cancelled == 1);
        let_go(&w, CALL);
        let_go(&w, SESSION);
        let_go(&w, SERVER);
        CHECK(w.destroyed == 1 && w.context_destroyed == 1);
    }
}

static void a_wake_may_free_its_session_and_server(void)
{
    int which;
    for (which = 0; which < 2; which++) {
        struct world w;
        open_world(&w);
        inside = &w;
        CHECK_STATUS(mcp_session_set_wake(w.session, which ? free_server_in_callback :
                                          free_session_in_callback,
                                          &w.wakes, NULL), MCP_OK);
        CHECK_STATUS(mcp_reply_text(w.call, "rings", MCP_Z), MCP_OK);
        /* Closing the server finishes the session, which is told as well. */
        CHECK(w.wakes >= 1);
        let_go(&w, CALL);
        let_go(&w, SESSION);
        let_go(&w, SERVER);
        CHECK(w.context_destroyed == 1);
    }
}

static void on_cancel_may_free_its_session_and_server(void)
{
    int which;
    for (which = 0; which < 2; which++) {
        struct world w;
        int ran = 0;
        open_world(&w);
        inside = &w;
        CHECK_STATUS(mcp_call_on_cancel(w.call, which ? free_server_in_callback :
                                        free_session_in_callback, &ran, NULL), MCP_OK);
        CHECK_STATUS(mcp_handle_message(w.session,
                                        MCP_LIT("{\"jsonrpc\":\"2.0\","
                                                "\"method\":\"notifications/cancelled\","
                                        "\"params\":{\"requestId\":1}}")), MCP_OK);
        CHECK(ran == 1);
        let_go(&w, CALL);
        let_go(&w, SESSION);
        let_go(&w, SERVER);
        CHECK(w.context_destroyed == 1);
    }
}

static void release_in_callback(void *user_data)
{
    ++*(int *)user_data;
    let_go(inside, CALL);
}

static void on_cancel_may_release_its_own_call(void)
{
    struct world w;
    int ran = 0;
    open_world(&w);
    inside = &w;
    CHECK_STATUS(mcp_call_on_cancel(w.call, release_in_callback, &ran, NULL), MCP_OK);
    let_go(&w, SESSION);
    CHECK(ran == 1 && w.call == NULL);
    let_go(&w, SERVER);
    CHECK(w.context_destroyed == 1);
}

static void destroy_may_free_the_session_and_the_server(void)
{
    int which;
    for (which = 0; which < 2; which++) {
        struct world w;
        int ran = 0;
        open_world(&w);
        inside = &w;
        CHECK_STATUS(mcp_register_tool(w.server, "other", NULL, NULL, reply_ok, &ran,
                                       which ? free_server_in_callback : free_session_in_callback),
                                       MCP_OK);
        CHECK_STATUS(mcp_unregister(w.server, MCP_TOOL, "other"), MCP_OK);
        CHECK(ran == 1);
        let_go(&w, CALL);
        let_go(&w, SESSION);
        let_go(&w, SERVER);
        CHECK(w.context_destroyed == 1);
    }
}

/* What the hooks below let go of when they first run. */
static enum thing first_to_go;
static int hooked;

static void let_go_in_hook(void)
{
    if (hooked++ == 0) let_go(inside, first_to_go);
}

static void observe(void *user_data, const mcp_event *event)
{
    (void)user_data;
    if (event->kind == MCP_EVENT_COMPLETED) let_go_in_hook();
}

static void rewrite(void *user_data, mcp_failure *failure)
{
    (void)user_data;
    let_go_in_hook();
    CHECK(mcp_failure_kind(failure) == MCP_KIND_UNKNOWN_TOOL);
}

static int64_t tell_time(void *user_data, int32_t which)
{
    (void)user_data;
    (void)which;
    let_go_in_hook();
    return 1;
}

static mcp_status seal(void *user_data, int32_t open, const uint8_t *in, size_t in_len,
                       mcp_buf *out)
{
    (void)user_data;
    (void)open;
    let_go_in_hook();
    return mcp_buf_append(out, in, in_len);
}

static mcp_status ask(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_ask(call, "where", "roots/list", NULL, 0, NULL) ? mcp_reply(call) : MCP_PENDING;
}

static void hooks_may_free_the_session_and_the_server(void)
{
    enum { OBSERVER, ERROR_HOOK, CLOCK, SEAL, HOOKS };
    static const char unknown[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
        "\"params\":{\"name\":\"nobody\"}}";
    static const char asks[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
        "\"params\":{\"name\":\"asks\"," MODERN_META("") "}}";
    int hook, what;
    for (hook = 0; hook < HOOKS; hook++)
        for (what = SERVER; what < THINGS; what++) {
            struct world w;
            open_world(&w);
            inside = &w;
            first_to_go = (enum thing)what;
            hooked = 0;
            mcp_register_tool(w.server, "asks", NULL, NULL, ask, NULL, NULL);
            switch (hook) {
            case OBSERVER: mcp_server_set_observer(w.server, observe, NULL, NULL); break;
            case ERROR_HOOK: mcp_server_set_error_hook(w.server, rewrite, NULL, NULL); break;
            case CLOCK: mcp_server_set_clock(w.server, tell_time, NULL, NULL); break;
            default: mcp_server_set_seal(w.server, seal, NULL, NULL); break;
            }
            if (hook == SEAL) mcp_handle_message(w.session, asks, sizeof asks - 1);
            else if (hook == CLOCK) mcp_server_tick(w.server);
            else mcp_handle_message(w.session, unknown, sizeof unknown - 1);
            CHECK(hooked >= 1);
            let_go(&w, CALL);
            let_go(&w, SESSION);
            let_go(&w, SERVER);
            CHECK(w.context_destroyed == 1);
        }
}

static void a_timeout_may_free_everything(void)
{
    int what;
    for (what = SERVER; what < THINGS; what++) {
        struct world w;
        int ran = 0;
        open_world(&w);
        inside = &w;
        CHECK_STATUS(mcp_call_on_cancel(w.call, what == SERVER ? free_server_in_callback :
                                        what == SESSION ? free_session_in_callback :
                                        release_in_callback, &ran, NULL), MCP_OK);
        CHECK_STATUS(mcp_call_set_deadline(w.call, 0), MCP_OK);
        CHECK_STATUS(mcp_server_tick(w.server), MCP_OK);
        CHECK(ran == 1);
        let_go(&w, CALL);
        let_go(&w, SESSION);
        let_go(&w, SERVER);
        CHECK(w.context_destroyed == 1);
    }
}

static void a_context_lives_as_long_as_its_calls(void)
{
    struct world w;
    int second = 0;
    open_world(&w);
    CHECK_STATUS(mcp_session_set_context(w.session, &second, count_up), MCP_OK);
    CHECK(w.context_destroyed == 0);
    CHECK(mcp_call_context(w.call) == &w.context_destroyed);
    let_go(&w, CALL);
    CHECK(w.context_destroyed == 1 && second == 0);
    CHECK_STATUS(mcp_session_set_context(w.session, NULL, NULL), MCP_OK);
    CHECK(second == 1);
    let_go(&w, SERVER);
    let_go(&w, SESSION);
    CHECK(w.context_destroyed == 1 && second == 1);
}

int main(void)
{
    everything_goes_in_every_order();
    letting_go_of_an_open_call_answers_it();
    nothing_may_be_let_go_of_nothing();
    a_handler_may_free_what_it_runs_in();
    a_wake_may_free_its_session_and_server();
    on_cancel_may_free_its_session_and_server();
    on_cancel_may_release_its_own_call();
    destroy_may_free_the_session_and_the_server();
    hooks_may_free_the_session_and_the_server();
    a_timeout_may_free_everything();
    a_context_lives_as_long_as_its_calls();
    return check_report();
}
