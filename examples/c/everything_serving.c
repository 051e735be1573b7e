/* The ways to reach "everything": standard input and output, a socket, HTTP. See everything.c. */
#define _POSIX_C_SOURCE 200809L
#include "everything.h"
#include <signal.h>

static void stop_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGTERM);
}

/* A signal handler must not call mcp_server_shutdown(), so a thread waits for the signal. */
static void *shut_down_on_signal(void *server)
{
    sigset_t signals;
    int signal_number;

    stop_signals(&signals);
    if (sigwait(&signals, &signal_number) == 0)
        mcp_server_shutdown(server);             /* makes mcp_serve_...() return */
    return NULL;
}

static mcp_status serve_http(mcp_server *server, const struct everything_place *place)
{
    mcp_http *http = mcp_http_new(server, "/mcp");
    mcp_status status;

    mcp_http_set_str(http, MCP_HTTP_SSE_PATH, "/sse");          /* for clients of 2024-11-05 */
    mcp_http_set_str(http, MCP_HTTP_SSE_POST_PATH, "/messages");
    if (place->host != NULL)                     /* in the place of localhost and the like */
        mcp_http_set_str(http, MCP_HTTP_ALLOW_HOST, place->host);
    status = mcp_serve_http(http, place->address);
    mcp_http_free(http);
    return status;
}

mcp_status everything_serve(mcp_server *server, const struct everything_place *place)
{
    sigset_t signals;
    pthread_t waiter;
    mcp_status status;

    if (place->way == EVERYTHING_STDIO)          /* ends with its input */
        return mcp_serve_stdio(server);
    stop_signals(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);  /* before any thread starts: they inherit it */
    if (pthread_create(&waiter, NULL, shut_down_on_signal, server) != 0)
        return MCP_E_NOMEM;
    status = place->way == EVERYTHING_HTTP ? serve_http(server, place)
                                           : mcp_serve_socket(server, place->address);
    pthread_kill(waiter, SIGTERM);               /* if it still waits; to cancel it could hit it
                                                  * in mcp_server_shutdown() */
    pthread_join(waiter, NULL);
    return status;
}
