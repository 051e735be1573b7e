/* The server that the load is on: server [NAME=VALUE...]. Prints its address, serves until its input ends. */
#define _POSIX_C_SOURCE 200809L
#include <mcplite.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_HELD = 4096, MOST_TEXT = 65536, MOST_BLOB = 1 << 25 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mcp_call *held[MOST_HELD];
static int64_t count_held, count_cancelled, count_sessions, count_streamed;
static mcp_server *server;

static void add(int64_t *count, int64_t by)
{
    pthread_mutex_lock(&lock);
    *count += by;
    pthread_mutex_unlock(&lock);
}

static mcp_status echo(void *unused, mcp_call *call)
{
    size_t length = 0;
    const char *text = mcp_arg_str(call, "text", &length);
    (void)unused;
    return mcp_reply_text(call, text, length);
}

/* Reports progress as often as it is told to, with messages as long as it is told to, and a millisecond after each
 * if it is told to pause: then as much is sent as the system takes, before there is no room for more. */
static mcp_status stream(void *unused, mcp_call *call)
{
    int64_t i, wanted = mcp_arg_int(call, "count", 1), size = mcp_arg_int(call, "size", 1);
    const struct timespec pause = {0, mcp_arg_bool(call, "pause", 0) ? 1000000 : 0};
    char text[MOST_TEXT];
    mcp_status status = MCP_OK;
    (void)unused;
    if (size < 0 || size >= MOST_TEXT) return MCP_E_INVALID;
    memset(text, 'x', (size_t)size);
    text[size] = '\0';
    for (i = 0; i < wanted && status == MCP_OK; i++) {
        status = mcp_progress(call, (double)i + 1, -1, text);
        if (pause.tv_nsec) nanosleep(&pause, NULL);
    }
    add(&count_streamed, 1);
    snprintf(text, sizeof text, "%lld", (long long)i);
    return mcp_reply_text(call, text, MCP_Z);
}

/* Answers with so many bytes. */
static mcp_status blob(void *unused, mcp_call *call)
{
    int64_t size = mcp_arg_int(call, "size", 1);
    char *text = size > 0 && size < MOST_BLOB ? malloc((size_t)size) : NULL;
    mcp_status status = MCP_E_INVALID;
    (void)unused;
    if (text) memset(text, 'x', (size_t)size), status = mcp_reply_text(call, text, (size_t)size);
    free(text);
    return status;
}

static void note_cancelled(void *unused)
{
    (void)unused;
    add(&count_cancelled, 1);
}

/* Stays open until `release`. Whoever wants progress gets some, so that its stream begins. */
static mcp_status hold(void *unused, mcp_call *call)
{
    int i;
    (void)unused;
    mcp_call_on_cancel(call, note_cancelled, NULL, NULL);
    mcp_progress(call, 1, -1, NULL);
    pthread_mutex_lock(&lock);
    for (i = 0; i < MOST_HELD && held[i]; i++) continue;
    if (i < MOST_HELD) held[i] = mcp_call_retain(call), count_held++;
    pthread_mutex_unlock(&lock);
    return i < MOST_HELD ? MCP_OK : MCP_E_LIMIT;
}

/* Answers what is held; says how many of the askers were still there. */
static mcp_status release(void *unused, mcp_call *call)
{
    int i, alive = 0;
    char text[32];
    (void)unused;
    for (i = 0; i < MOST_HELD; i++) {
        mcp_call *mine;
        pthread_mutex_lock(&lock);
        mine = held[i];
        held[i] = NULL;
        count_held -= mine != NULL;
        pthread_mutex_unlock(&lock);
        if (!mine) continue;
        alive += !mcp_call_cancelled(mine);
        mcp_reply_text(mine, "released", MCP_Z);
        mcp_call_release(mine);
    }
    snprintf(text, sizeof text, "%d", alive);
    return mcp_reply_text(call, text, MCP_Z);
}

/* Tells of so many changes: of the tools, and of one resource. */
static mcp_status change(void *unused, mcp_call *call)
{
    int64_t i, wanted = mcp_arg_int(call, "count", 1);
    const char *uri = mcp_arg_str(call, "uri", NULL);
    (void)unused;
    for (i = 0; i < wanted; i++) {
        mcp_notify_list_changed(server, MCP_TOOL);
        if (uri) mcp_notify_resource_updated(server, uri);
    }
    return mcp_reply_text(call, "changed", MCP_Z);
}

static mcp_status status(void *unused, mcp_call *call)
{
    char text[256];
    (void)unused;
    pthread_mutex_lock(&lock);
    snprintf(text, sizeof text, "{\"held\":%lld,\"cancelled\":%lld,\"sessions\":%lld,\"streamed\":%lld,\"memory\":%lld}",
             (long long)count_held, (long long)count_cancelled, (long long)count_sessions, (long long)count_streamed,
             (long long)mcp_server_memory_used(server));
    pthread_mutex_unlock(&lock);
    return mcp_reply_text(call, text, MCP_Z);
}

static const struct { const char *name; mcp_handler handler; } tools[] = {
    {"echo", echo}, {"stream", stream}, {"blob", blob}, {"hold", hold}, {"release", release}, {"change", change}, {"status", status},
};

static const struct { const char *name; int of_server; int32_t option; } settings[] = {
    {"workers", 1, MCP_OPT_WORKERS}, {"memory", 1, MCP_LIMIT_MEMORY_BYTES}, {"output", 1, MCP_LIMIT_OUTPUT_BYTES},
    {"connections", 0, MCP_HTTP_MAX_CONNECTIONS}, {"sessions", 0, MCP_HTTP_MAX_SESSIONS},
    {"session-idle", 0, MCP_HTTP_SESSION_IDLE_MS}, {"header-timeout", 0, MCP_HTTP_HEADER_TIMEOUT_MS},
    {"body-timeout", 0, MCP_HTTP_BODY_TIMEOUT_MS}, {"write-timeout", 0, MCP_HTTP_WRITE_TIMEOUT_MS},
};

static mcp_status set(mcp_http *http, const char *setting)
{
    size_t i, length = strcspn(setting, "=");
    for (i = 0; i < sizeof settings / sizeof *settings; i++) {
        int64_t value = setting[length] ? atoll(setting + length + 1) : 0;
        if (strlen(settings[i].name) != length || strncmp(settings[i].name, setting, length)) continue;
        return settings[i].of_server ? mcp_server_set_int(server, settings[i].option, value)
                                     : mcp_http_set_int(http, settings[i].option, value);
    }
    return MCP_E_UNSUPPORTED;
}

static void observe(void *unused, const mcp_event *event)
{
    (void)unused;
    if (event->kind == MCP_EVENT_OPENED) add(&count_sessions, 1);
    if (event->kind == MCP_EVENT_CLOSED) add(&count_sessions, -1);
    if (event->kind == MCP_EVENT_LISTENING) printf("%s\n", event->text), fflush(stdout);
}

static void *wait_for_the_end(void *unused)
{
    char byte;
    (void)unused;
    while (read(0, &byte, 1) > 0) continue;
    mcp_server_shutdown(server);
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t waiter;
    mcp_status ended;
    mcp_http *http;
    size_t i;
    server = mcp_server_new("load", "1");
    http = mcp_http_new(server, "/mcp");
    for (i = 0; i < sizeof tools / sizeof *tools; i++)
        mcp_register_tool(server, tools[i].name, NULL, NULL, tools[i].handler, NULL, NULL);
    mcp_register_static(server, "load://a", "a", "text/plain", "a", 1);
    mcp_register_static(server, "load://b", "b", "text/plain", "b", 1);
    mcp_server_set_int(server, MCP_OPT_GRACE_MS, 500);
    mcp_server_set_observer(server, observe, NULL, NULL);
    for (i = 1; i < (size_t)count; i++)
        if (set(http, arguments[i]) != MCP_OK) return fprintf(stderr, "cannot set %s\n", arguments[i]), 2;
    if (pthread_create(&waiter, NULL, wait_for_the_end, NULL)) return 2;
    ended = mcp_serve_http(http, "127.0.0.1:0");
    printf("ended: %s\n", mcp_status_str(ended));
    pthread_join(waiter, NULL);
    for (i = 0; i < MOST_HELD; i++) mcp_call_release(held[i]);
    mcp_http_free(http);
    mcp_server_free(server);
    return ended == MCP_OK ? 0 : 1;
}
