/* The server that the official conformance suite talks to: server FIXTURES [--stdio]
 *
 * It offers what the file of fixtures says, on a port of its own choice. The first line of its output
 * is its URL; it ends when its input ends. With --stdio it serves standard input and output. */
#define _POSIX_C_SOURCE 200809L
#include "fixtures.h"

#include <mcplite.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH "/mcp"
/* Handlers sleep: enough that none waits for another's. */
#define WORKERS 8

static void observe(void *unused, const mcp_event *event)
{
    (void)unused;
    if (event->kind == MCP_EVENT_LISTENING) {
        printf("%s%s\n", event->text, PATH);
        fflush(stdout);
    } else if (event->kind == MCP_EVENT_DIAGNOSTIC) {
        fprintf(stderr, "diagnostic: %s\n", event->text);
    }
}

static void *shut_down_after_input(void *server)
{
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {}
    mcp_server_shutdown(server);
    return NULL;
}

static mcp_status serve_http(mcp_server *server)
{
    mcp_http *http = mcp_http_new(server, PATH);
    mcp_status status = mcp_http_set_int(http, MCP_HTTP_RETRY_MS, 500);
    pthread_t waiter;
    if (status == MCP_OK && pthread_create(&waiter, NULL, shut_down_after_input, server) != 0) {
        status = MCP_E_NOMEM;
    } else if (status == MCP_OK) {
        status = mcp_serve_http(http, "127.0.0.1:0");
        /* Only a failure ends it before the input does; read() is a cancellation point. */
        pthread_cancel(waiter);
        pthread_join(waiter, NULL);
    }
    mcp_http_free(http);
    return status;
}

int main(int argc, char **argv)
{
    struct fixtures fixtures;
    bool is_stdio = argc == 3 && strcmp(argv[2], "--stdio") == 0;
    mcp_status status = MCP_E_INVALID;
    if (argc != 2 && !is_stdio) {
        fprintf(stderr, "usage: %s FIXTURES [--stdio]\n", argv[0]);
        return 2;
    }
    if (fixtures_load(&fixtures, argv[1])) {
        mcp_server_set_int(fixtures.server, MCP_OPT_WORKERS, WORKERS);
        mcp_server_set_observer(fixtures.server, observe, NULL, NULL);
        status = is_stdio ? mcp_serve_stdio(fixtures.server) : serve_http(fixtures.server);
        if (status != MCP_OK) fprintf(stderr, "%s: %s\n", argv[0], mcp_status_str(status));
    }
    fixtures_free(&fixtures);
    return status == MCP_OK ? 0 : 1;
}
