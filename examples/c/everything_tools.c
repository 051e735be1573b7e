/* The tools of "everything" that answer by themselves. See everything.c. */
#include "everything.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

mcp_status everything_add_text(mcp_call *call, const char *format, ...)
{
    mcp_status status = MCP_E_NOMEM;
    va_list args;
    char *text;
    int len;

    va_start(args, format);
    len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len >= 0 && (text = malloc((size_t)len + 1)) != NULL) {
        va_start(args, format);
        vsnprintf(text, (size_t)len + 1, format, args);
        va_end(args);
        status = mcp_add_text(call, text, (size_t)len);
        free(text);
    }
    return status;
}

static mcp_status echo(void *unused, mcp_call *call)
{
    size_t len;
    const char *text = mcp_arg_str(call, "text", &len);     /* by length: it may contain a NUL */

    (void)unused;
    return mcp_reply_text(call, text, len);
}

static mcp_status add(void *unused, mcp_call *call)
{
    double sum = mcp_arg_num(call, "a", 0) + mcp_arg_num(call, "b", 0);
    mcp_status status = mcp_put_num(call, "sum", sum);

    (void)unused;
    if (status != MCP_OK)                        /* JSON has no infinity */
        return mcp_fail(call, MCP_KIND_TOOL_FAILED, "the sum is too large", MCP_Z);
    everything_add_text(call, "%.15g", sum);     /* for models that read no structured content */
    return mcp_reply(call);
}

static mcp_status countdown(void *unused, mcp_call *call)
{
    int from = (int)mcp_arg_int(call, "from", 1), i;

    (void)unused;
    for (i = 1; i <= from; i++) {
        char message[32];
        snprintf(message, sizeof message, "%d to go", from - i);
        mcp_progress(call, i, from, message);
    }
    return mcp_reply_text(call, "liftoff", MCP_Z);
}

/* A held call and who is to be told when nobody waits for it any more. */
struct waiting {
    struct everything *all;
    mcp_call *call;
};

static void wait_cancelled(void *user_data)
{
    struct waiting *waiting = user_data;

    pthread_mutex_lock(&waiting->all->lock);
    waiting->all->cancelled_waits++;
    pthread_mutex_unlock(&waiting->all->lock);
}

static void end_waiting(void *user_data)
{
    struct waiting *waiting = user_data;

    mcp_call_release(waiting->call);
    free(waiting);
}

/* Held until it is cancelled: end_waiting() runs after wait_cancelled(). */
static mcp_status wait_for_cancel(void *user_data, mcp_call *call)
{
    struct waiting *waiting = malloc(sizeof *waiting);

    if (waiting == NULL)
        return MCP_E_NOMEM;
    waiting->all = user_data;
    waiting->call = mcp_call_retain(call);
    mcp_progress(call, 0, -1, "waiting");
    return mcp_call_on_cancel(call, wait_cancelled, waiting, end_waiting);
}

static mcp_status cancelled(void *user_data, mcp_call *call)
{
    struct everything *all = user_data;
    int count;

    pthread_mutex_lock(&all->lock);
    count = all->cancelled_waits;
    pthread_mutex_unlock(&all->lock);
    everything_add_text(call, "%d", count);
    return mcp_reply(call);
}

static void release(void *call)
{
    mcp_call_release(call);
}

/* Held like `wait`; its deadline cancels and answers it. */
static mcp_status slow(void *unused, mcp_call *call)
{
    (void)unused;
    return mcp_call_on_cancel(call, release, mcp_call_retain(call), NULL);
}

/* Long calls need not hold a connection: the client comes back for what it has not heard yet. */
static mcp_status part(void *unused, mcp_call *call)
{
    mcp_status status;

    (void)unused;
    mcp_progress(call, 1, 2, "before");
    status = mcp_call_close_stream(call);
    mcp_progress(call, 2, 2, "after");
    if (status == MCP_E_STATE)                   /* no HTTP, or a client that could not come back */
        return mcp_reply_text(call, "stayed", MCP_Z);
    return mcp_reply_text(call, "met again", MCP_Z);
}

static mcp_status media(void *unused, mcp_call *call)
{
    static const unsigned char beep[] = {        /* four samples */
        'R', 'I', 'F', 'F', 40, 0, 0, 0, 'W', 'A', 'V', 'E',
        'f', 'm', 't', ' ', 16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0,
        'd', 'a', 't', 'a', 4, 0, 0, 0, 128, 255, 128, 0
    };

    (void)unused;
    mcp_add_text(call, "One of each kind.", MCP_Z);
    mcp_add_media(call, "image/png", everything_pixel, everything_pixel_size);
    mcp_add_media(call, "audio/wav", beep, sizeof beep);
    mcp_add_resource(call, "note://embedded", NULL, "text/plain", MCP_LIT("An embedded note."));
    mcp_add_resource(call, "file:///readme.txt", "readme", "text/plain", NULL, 0);   /* a link */
    return mcp_reply(call);
}

static mcp_status fail(void *unused, mcp_call *call)
{
    (void)unused;
    return mcp_fail(call, MCP_KIND_TOOL_FAILED, "it broke", MCP_Z);
}

static mcp_status log_messages(void *unused, mcp_call *call)
{
    (void)unused;
    mcp_log(call, MCP_LOG_DEBUG, "everything", "in detail", MCP_Z);
    mcp_log(call, MCP_LOG_INFO, "everything", "in general", MCP_Z);
    mcp_log(call, MCP_LOG_WARNING | MCP_LOG_JSON, "everything",
            MCP_JSON({"free": 7, "unit": "MB"}), MCP_Z);
    return mcp_reply_text(call, "logged", MCP_Z);
}

static mcp_status late(void *unused, mcp_call *call)
{
    (void)unused;
    return mcp_reply_text(call, "better than never", MCP_Z);
}

/* What is offered may change at any time. Who watches is told, in the way of its revision. */
static mcp_status touch(void *user_data, mcp_call *call)
{
    struct everything *all = user_data;
    mcp_status status;
    int is_there;

    pthread_mutex_lock(&all->lock);
    snprintf(all->note, sizeof all->note, "touched %d times", ++all->touches);
    if (all->has_late_tool)
        status = mcp_unregister(all->server, MCP_TOOL, "late");
    else
        status = mcp_register_tool(all->server, "late", "Comes and goes.", NULL, late, NULL, NULL);
    if (status == MCP_OK)
        all->has_late_tool = !all->has_late_tool;
    is_there = all->has_late_tool;
    pthread_mutex_unlock(&all->lock);
    if (status != MCP_OK)
        return status;
    mcp_notify_resource_updated(all->server, "note://latest");
    return mcp_reply_text(call, is_there ? "registered late" : "unregistered late", MCP_Z);
}

static mcp_status whoami(void *unused, mcp_call *call)
{
    const char *client = mcp_call_info(call, MCP_INFO_CLIENT, NULL);

    (void)unused;
    mcp_put_str(call, "revision", mcp_call_info(call, MCP_INFO_REVISION, NULL), MCP_Z);
    mcp_put_json(call, "client", client != NULL ? client : "null", MCP_Z);
    mcp_put_str(call, "method", mcp_call_info(call, MCP_INFO_METHOD, NULL), MCP_Z);
    return mcp_reply(call);
}

void everything_add_tools(struct everything *all)
{
    mcp_server *server = all->server;

    /* A definition is the specification's own Tool object, with all that it may have. */
    mcp_register(server, MCP_TOOL, MCP_JSON({
        "name": "echo", "title": "Echo", "description": "Says it again.",
        "inputSchema": {"type": "object", "required": ["text"],
                        "properties": {"text": {"type": "string"}}},
        "annotations": {"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false},
        "icons": [{"src": "https://example.com/echo.svg", "mimeType": "image/svg+xml"}],
        "_meta": {"com.example/rank": 1}
    }), echo, NULL, NULL);
    mcp_register(server, MCP_TOOL, MCP_JSON({
        "name": "add", "title": "Add", "description": "Adds two numbers.",
        "inputSchema": {"type": "object", "required": ["a", "b"],
                        "properties": {"a": {"type": "number"}, "b": {"type": "number"}}},
        "outputSchema": {"type": "object", "required": ["sum"],
                         "properties": {"sum": {"type": "number"}}},
        "annotations": {"readOnlyHint": true}
    }), add, NULL, NULL);
    mcp_register_tool(server, "countdown", "Counts down, with progress.", MCP_JSON({
        "type": "object", "required": ["from"],
        "properties": {"from": {"type": "integer", "minimum": 1, "maximum": 10}}
    }), countdown, NULL, NULL);
    mcp_register_tool(server, "wait", "Waits until it is cancelled.", NULL,
                      wait_for_cancel, all, NULL);
    mcp_register_tool(server, "cancelled", "Tells how many waits were cancelled.", NULL,
                      cancelled, all, NULL);
    mcp_register_tool(server, "part", "Ends the connection before it answers, where it can.", NULL,
                      part, NULL, NULL);
    mcp_register_tool(server, "media", "Gives content of every kind.", NULL, media, NULL, NULL);
    mcp_register_tool(server, "fail", "Fails.", NULL, fail, NULL, NULL);
    mcp_register_tool(server, "log", "Logs at three levels.", NULL, log_messages, NULL, NULL);
    mcp_register_tool(server, "touch", "Changes the note, and which tools there are.", NULL,
                      touch, all, NULL);
    mcp_register_tool(server, "slow", "Would take longer than its deadline of 200 ms.", MCP_JSON({
        "type": "object", "properties": {"ms": {"type": "integer", "minimum": 0}}
    }), slow, NULL, NULL);
    mcp_item_set_int(server, MCP_TOOL, "slow", MCP_ITEM_DEADLINE_MS, 200);
    mcp_register_tool(server, "whoami", "Tells what is known of the request.", NULL,
                      whoami, NULL, NULL);
}
