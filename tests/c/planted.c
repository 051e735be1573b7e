/* Bugs on purpose, one per name. run.py demands that each tool reports those made for it: a tool
 * that is not really watching would let every other test pass. This program is no test itself. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <limits.h>
#include <pthread.h>

static volatile int sink;

static mcp_session *open_session(mcp_server **out_server)
{
    *out_server = mcp_server_new("planted", "1");
    return mcp_session_new(*out_server);
}

static void overflow(void)
{
    char *text = malloc(10);
    volatile size_t past = 10;
    memset(text, 'x', 10);
    sink = text[past];
    free(text);
}

/* The host says one byte more than it has, so the library reads past the end. */
static void overflow_in_library(void)
{
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    size_t length = sizeof ping - 1;
    char *message = malloc(length);
    mcp_server *server;
    mcp_session *session = open_session(&server);
    memcpy(message, ping, length);
    mcp_handle_message(session, message, length + 1);
    free(message);
    mcp_session_free(session);
    mcp_server_free(server);
}

static mcp_status keep(void *user_data, mcp_call *call)
{
    *(mcp_call **)user_data = mcp_call_retain(call);
    return MCP_OK;
}

/* Text of a call, read after the call was released. */
static void use_after_free(void)
{
    mcp_call *call = NULL;
    mcp_server *server;
    mcp_session *session = open_session(&server);
    const char *text;
    CHECK_STATUS(mcp_register_tool(server, "keep", NULL, NULL, keep, &call, NULL), MCP_OK);
    shake_hands(session, "2025-11-25");
    call_tool(session, 1, "keep", "{\"text\":\"a text that is read too late\"}");
    text = mcp_arg_str(call, "text", NULL);
    CHECK_TEXT(text, "a text that is read too late");
    mcp_reply_text(call, "done", MCP_Z);
    mcp_call_release(call);
    mcp_session_free(session);
    mcp_server_free(server);
    sink = text[3];
}

static void leak(void)
{
    mcp_server *server;
    mcp_session_free(open_session(&server));
}

static void signed_overflow(void)
{
    volatile int most = INT_MAX;
    sink = most + 1;
}

static void misaligned(void)
{
    union { char bytes[16]; int aligned; } space;
    volatile size_t odd = 1;
    memset(space.bytes, 0, sizeof space.bytes);
    sink = *(volatile int *)(void *)(space.bytes + odd);
}

static int shared_number;

static void *add(void *unused)
{
    shared_number++;
    return unused;
}

static double shared_result;

/* Both writes are the library's, to a place that the host should not share. */
static void *write_in_library(void *unused)
{
    mcp_json_num("[1.5]", 5, "/0", &shared_result);
    return unused;
}

static void in_two_threads(void *(*run)(void *))
{
    pthread_t first, second;
    if (pthread_create(&first, NULL, run, NULL) || pthread_create(&second, NULL, run, NULL)) abort();
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

static void race(void) { in_two_threads(add); }
static void race_in_library(void) { in_two_threads(write_in_library); }

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*plant)(void); } bugs[] = {
        {"overflow", overflow},
        {"overflow-in-library", overflow_in_library},
        {"use-after-free", use_after_free},
        {"leak", leak},
        {"signed-overflow", signed_overflow},
        {"misaligned", misaligned},
        {"race", race},
        {"race-in-library", race_in_library},
    };
    size_t i;
    for (i = 0; argc == 2 && i < sizeof bugs / sizeof bugs[0]; i++) {
        if (strcmp(argv[1], bugs[i].name) == 0) {
            bugs[i].plant();
            return check_report();
        }
    }
    fprintf(stderr, "usage: planted BUG\n");
    return 0;
}
