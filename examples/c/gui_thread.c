/* gui_thread: handlers that run on one thread only, the one that owns the windows, while another
 * thread reads from the client. With MCP_DISPATCH_QUEUED a message never runs a handler; it waits
 * for mcp_server_run(), which the UI thread calls when the server's wake has told it to.
 *
 * Build:  cc gui_thread.c $(pkg-config --cflags --libs mcplite) -lpthread -o gui_thread
 * Try:    ./gui_thread in an MCP client; ask it to set the title of the window.
 *
 * The event queue below stands for that of your toolkit: ui_post() is its g_idle_add(),
 * PostMessage() or QMetaObject::invokeMethod().
 */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <mcplite.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* An event that is posted twice before it is handled is handled once. */
typedef struct ui_event {
    void (*run)(void *user_data);
    void *user_data;
    struct ui_event *next;
    int posted;
} ui_event;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    ui_event *first, **last;
} ui = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &ui.first};

static pthread_t ui_thread;

static void ui_post(ui_event *event)             /* any thread */
{
    pthread_mutex_lock(&ui.lock);
    if (!event->posted) {
        event->posted = 1;
        event->next = NULL;
        *ui.last = event;
        ui.last = &event->next;
        pthread_cond_signal(&ui.more);
    }
    pthread_mutex_unlock(&ui.lock);
}

/* Waits for an event and handles it; at most timeout_ms, for ever if that is negative. */
static void ui_step(int32_t timeout_ms)
{
    struct timespec until;
    ui_event *event;
    int late = 0;

    if (timeout_ms >= 0) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
        until.tv_sec += timeout_ms / 1000 + until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
    }
    pthread_mutex_lock(&ui.lock);
    while (ui.first == NULL && !late)
        late = timeout_ms < 0 ? pthread_cond_wait(&ui.more, &ui.lock)
                              : pthread_cond_timedwait(&ui.more, &ui.lock, &until);
    event = ui.first;
    if (event != NULL) {
        event->posted = 0;
        if ((ui.first = event->next) == NULL)
            ui.last = &ui.first;
    }
    pthread_mutex_unlock(&ui.lock);
    if (event != NULL)
        event->run(event->user_data);
}

/* What only the UI thread touches, and therefore needs no lock. */
typedef struct {
    char title[256];
    int changes;
} window;

static mcp_status set_title(void *user_data, mcp_call *call)
{
    window *w = user_data;
    const char *title = mcp_arg_str(call, "title", NULL);

    assert(pthread_equal(pthread_self(), ui_thread));
    if (title == NULL)
        return mcp_fail(call, MCP_KIND_INVALID_ARGUMENTS, "a title has no NUL character", MCP_Z);
    snprintf(w->title, sizeof w->title, "%s", title);    /* 60 characters are at most 240 bytes */
    mcp_put_int(call, "changes", ++w->changes);
    return mcp_reply(call);
}

static mcp_status get_title(void *user_data, mcp_call *call)
{
    const window *w = user_data;

    assert(pthread_equal(pthread_self(), ui_thread));
    return mcp_reply_text(call, w->title, MCP_Z);
}

static void run_calls(void *server)
{
    mcp_server_run(server, 0);                   /* every call that waits now */
}

static void look_around(void *unused)
{
    (void)unused;                                /* being handled is enough: the loop asks again */
}

/* Told on any thread that calls wait, or that the next deadline came nearer. */
static void wake_server(void *event)
{
    ui_post(event);
}

typedef struct {
    mcp_session *session;
    ui_event *changed;
} connection;

/* Told on any thread that there is output. It is never run twice at the same time, so it may write
 * right here; nobody else takes output. */
static void wake_session(void *user_data)
{
    connection *c = user_data;
    const char *out;

    while ((out = mcp_session_poll(c->session, NULL)) != NULL)
        fputs(out, stdout);
    fflush(stdout);                              /* if the client is gone, our input ends too */
    ui_post(c->changed);                         /* perhaps that was the last of it */
}

static void *network(void *user_data)
{
    connection *c = user_data;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;

    while ((len = getline(&line, &room, stdin)) > 0)
        if (mcp_handle_message(c->session, line, (size_t)len) < 0)
            break;
    free(line);
    mcp_session_end(c->session);                 /* what waits is still answered */
    return NULL;
}

int main(void)
{
    static window w = {"untitled", 0};
    mcp_server *server = mcp_server_new("gui", "1.0");
    ui_event calls = {run_calls, NULL, NULL, 0}, changed = {look_around, NULL, NULL, 0};
    connection c;
    pthread_t reader;
    int failed;

    ui_thread = pthread_self();
    signal(SIGPIPE, SIG_IGN);
    calls.user_data = server;
    c.session = mcp_session_new(server);
    c.changed = &changed;

    failed = mcp_register_tool(server, "set_title", "Sets the title of the window.",
                 MCP_JSON({"type": "object", "required": ["title"],
                           "properties": {"title": {"type": "string", "maxLength": 60}}}),
                 set_title, &w, NULL) != MCP_OK
          || mcp_register_tool(server, "get_title", "Tells the title of the window.", NULL,
                 get_title, &w, NULL) != MCP_OK
          || mcp_server_set_int(server, MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED) != MCP_OK
          || mcp_server_set_int(server, MCP_OPT_DEADLINE_MS, 60000) != MCP_OK
          || mcp_server_set_wake(server, wake_server, &calls, NULL) != MCP_OK
          || mcp_session_set_wake(c.session, wake_session, &c, NULL) != MCP_OK
          || pthread_create(&reader, NULL, network, &c) != 0;
    if (failed) {
        mcp_error error;
        mcp_server_last_error(server, &error);
        fprintf(stderr, "gui_thread: cannot start: %s\n", error.text);
    } else {
        while (!mcp_session_finished(c.session)) {
            ui_step(mcp_server_timeout(server));
            mcp_server_tick(server);
        }
        pthread_join(reader, NULL);
    }
    mcp_session_free(c.session);
    mcp_server_free(server);
    return failed ? 1 : 0;
}
