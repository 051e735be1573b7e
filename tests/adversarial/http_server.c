/* The server that hostile HTTP requests are sent to, on a port of the system's choice.
 *
 *     http_server [NAME=VALUE...]
 *
 * Prints its address, serves until its input ends, and then prints how that went. What ran and what was
 * cancelled is told by the tool `status`, so that whoever asks knows what happened before. */
#define _POSIX_C_SOURCE 200809L
#include <mcplite.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_HELD = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mcp_call *held[MOST_HELD];
static int ran, cancelled;
static mcp_server *server;

static void count(int *what)
{
    pthread_mutex_lock(&lock);
    ++*what;
    pthread_mutex_unlock(&lock);
}

static mcp_status echo(void *unused, mcp_call *call)
{
    size_t length = 0;
    const char *text = mcp_arg_str(call, "text", &length);
    (void)unused;
    count(&ran);
    return mcp_reply_text(call, text, length);
}

static mcp_status add(void *unused, mcp_call *call)
{
    char sum[64];
    (void)unused;
    count(&ran);
    snprintf(sum, sizeof sum, "%g", mcp_arg_num(call, "a", 0) + mcp_arg_num(call, "b", 0));
    return mcp_reply_text(call, sum, MCP_Z);
}

static mcp_status fail(void *unused, mcp_call *call)
{
    (void)unused;
    count(&ran);
    return mcp_fail(call, MCP_KIND_TOOL_FAILED, "it always fails", MCP_Z);
}

static void note_cancelled(void *unused)
{
    (void)unused;
    count(&cancelled);
}

/* Is held until `release`, whoever goes away meanwhile. A client that wants progress gets some, so that its
 * response has begun. */
static mcp_status slow(void *unused, mcp_call *call)
{
    int i;
    (void)unused;
    count(&ran);
    mcp_call_on_cancel(call, note_cancelled, NULL, NULL);
    mcp_progress(call, 1, -1, "begun");
    pthread_mutex_lock(&lock);
    for (i = 0; i < MOST_HELD && held[i]; i++) continue;
    if (i < MOST_HELD) held[i] = mcp_call_retain(call);
    pthread_mutex_unlock(&lock);
    return i < MOST_HELD ? MCP_OK : MCP_E_LIMIT;
}

/* Answers all that is held; says how many of them nobody had given up. */
static mcp_status release(void *unused, mcp_call *call)
{
    int i, alive = 0;
    char text[64];
    (void)unused;
    for (i = 0; i < MOST_HELD; i++) {
        mcp_call *mine;
        pthread_mutex_lock(&lock);
        mine = held[i];
        held[i] = NULL;
        pthread_mutex_unlock(&lock);
        if (!mine) continue;
        alive += !mcp_call_cancelled(mine);
        mcp_reply_text(mine, "slow is done", MCP_Z);
        mcp_call_release(mine);
    }
    snprintf(text, sizeof text, "%d", alive);
    return mcp_reply_text(call, text, MCP_Z);
}

static mcp_status status(void *unused, mcp_call *call)
{
    char text[160];
    int i, now = 0;
    (void)unused;
    pthread_mutex_lock(&lock);
    for (i = 0; i < MOST_HELD; i++) now += held[i] != NULL;
    snprintf(text, sizeof text, "{\"ran\":%d,\"held\":%d,\"cancelled\":%d,\"memory\":%lld}", ran, now, cancelled,
             (long long)mcp_server_memory_used(server));
    pthread_mutex_unlock(&lock);
    return mcp_reply_text(call, text, MCP_Z);
}

/* Something has changed, for those who watch. */
static mcp_status touch(void *unused, mcp_call *call)
{
    (void)unused;
    mcp_notify_list_changed(server, MCP_TOOL);
    return mcp_reply_text(call, "touched", MCP_Z);
}

static mcp_status greet(void *unused, mcp_call *call)
{
    (void)unused;
    return mcp_reply_text(call, "Hello!", MCP_Z);
}

static void offer(void)
{
    const char *text = MCP_JSON({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    const char *numbers = MCP_JSON({"type": "object", "required": ["a", "b"],
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}}});
    const char *region = MCP_JSON({"type": "object", "required": ["text"], "properties": {
        "text": {"type": "string"}, "region": {"type": "string", "x-mcp-header": "Region"}}});
    mcp_register_tool(server, "echo", NULL, text, echo, NULL, NULL);
    mcp_register_tool(server, "echo_h", NULL, region, echo, NULL, NULL);
    mcp_register_tool(server, "add", NULL, numbers, add, NULL, NULL);
    mcp_register_tool(server, "fail", NULL, NULL, fail, NULL, NULL);
    mcp_register_tool(server, "slow", NULL, NULL, slow, NULL, NULL);
    mcp_register_tool(server, "release", NULL, NULL, release, NULL, NULL);
    mcp_register_tool(server, "status", NULL, NULL, status, NULL, NULL);
    mcp_register_tool(server, "touch", NULL, NULL, touch, NULL, NULL);
    mcp_register_static(server, "test://static", "static", "text/plain", "static text", 11);
    mcp_register_prompt(server, "greet", NULL, MCP_JSON([{"name": "name", "required": true}]), greet, NULL, NULL);
}

static const struct { const char *name; int32_t option; } numbers[] = {
    {"max-sessions", MCP_HTTP_MAX_SESSIONS}, {"session-idle", MCP_HTTP_SESSION_IDLE_MS},
    {"header-timeout", MCP_HTTP_HEADER_TIMEOUT_MS}, {"body-timeout", MCP_HTTP_BODY_TIMEOUT_MS},
    {"stateless", MCP_HTTP_STATELESS},
};

/* The value of a setting, if it has that name. */
static const char *value_of(const char *setting, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(setting, name, length) && setting[length] == '=' ? setting + length + 1 : NULL;
}

static mcp_status set(mcp_http *http, const char *setting)
{
    const char *value = value_of(setting, "revisions");
    size_t i;
    if (value) return mcp_server_set_int(server, MCP_OPT_REVISIONS, atoll(value));
    value = value_of(setting, "cors");
    if (value) return mcp_http_set_str(http, MCP_HTTP_CORS_ORIGIN, value);
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        value = value_of(setting, numbers[i].name);
        if (value) return mcp_http_set_int(http, numbers[i].option, atoll(value));
    }
    return MCP_E_UNSUPPORTED;
}

static void observe(void *unused, const mcp_event *event)
{
    (void)unused;
    if (event->kind == MCP_EVENT_LISTENING) printf("%s\n", event->text), fflush(stdout);
    if (event->kind == MCP_EVENT_DIAGNOSTIC) fprintf(stderr, "diagnostic: %s\n", event->text);
}

static void *wait_for_the_end(void *unused)
{
    char byte;
    (void)unused;
    while (read(0, &byte, 1) > 0) continue;
    mcp_server_shutdown(server);
    return NULL;
}

int main(int count_of_arguments, char **arguments)
{
    pthread_t waiter;
    mcp_http *http;
    mcp_status ended;
    int i;
    server = mcp_server_new("hostile", "1");
    http = mcp_http_new(server, "/mcp");
    offer();
    mcp_server_set_int(server, MCP_OPT_GRACE_MS, 200);
    mcp_server_set_observer(server, observe, NULL, NULL);
    for (i = 1; i < count_of_arguments; i++)
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
