/* everything: every feature of an MCP server in one program, for reading and for testing clients.
 * everything_tools.c has the tools, everything_asking.c those that ask the client back,
 * everything_content.c has resources, prompts, completions and a method of our own.
 *
 * Build:  cc everything*.c $(pkg-config --cflags --libs mcplite) -lpthread -o everything
 * Try:    ./everything                                in an MCP client
 *         ./everything --verbose                      tells on stderr what happens
 *         ./everything --socket ./everything.sock     the same lines over a socket, many clients
 *         ./everything --socket 127.0.0.1:0           until SIGINT or SIGTERM
 */
#define _POSIX_C_SOURCE 200809L
#include "everything.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *event_name(int32_t kind)
{
    switch (kind) {
    case MCP_EVENT_RECEIVED: return "received";
    case MCP_EVENT_COMPLETED: return "completed";
    case MCP_EVENT_TOOL: return "tool";
    case MCP_EVENT_OPENED: return "opened";
    case MCP_EVENT_CLOSED: return "closed";
    case MCP_EVENT_LISTENING: return "listening";
    case MCP_EVENT_DIAGNOSTIC: return "diagnostic";
    default: return "event";                     /* a newer library may know more */
    }
}

/* Runs on any thread; one fprintf() is one line. */
static void observe(void *user_data, const mcp_event *event)
{
    const int *verbose = user_data;

    if (event->kind == MCP_EVENT_LISTENING)
        fprintf(stderr, "listening on %s\n", event->text != NULL ? event->text : "?");
    else if (*verbose)
        fprintf(stderr, "%s method=%s name=%s id=%s outcome=%d code=%d us=%lld %s\n",
                event_name(event->kind),
                event->method != NULL ? event->method : "-",
                event->name != NULL ? event->name : "-",
                event->id != NULL ? event->id : "-",
                (int)event->outcome, (int)event->code, (long long)event->duration_us,
                event->text != NULL ? event->text : "");
}

static void describe(mcp_server *server)
{
    mcp_server_set_str(server, MCP_OPT_TITLE, "Everything");
    mcp_server_set_str(server, MCP_OPT_DESCRIPTION, "Every feature of an MCP server.");
    mcp_server_set_str(server, MCP_OPT_INSTRUCTIONS, "Call echo first, then try the others.");
    mcp_server_set_str(server, MCP_OPT_WEBSITE_URL, "https://example.com/everything");
    mcp_server_set_str(server, MCP_OPT_ICONS,
        MCP_JSON([{"src": "https://example.com/everything.svg", "mimeType": "image/svg+xml"}]));
}

/* A signal handler must not call mcp_server_shutdown(), so a thread waits for the signal. */
static void *shut_down_on_signal(void *server)
{
    sigset_t signals;
    int signal_number;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    if (sigwait(&signals, &signal_number) == 0)
        mcp_server_shutdown(server);             /* makes mcp_serve_socket() return */
    return NULL;
}

static mcp_status serve_socket(mcp_server *server, const char *address)
{
    sigset_t signals;
    pthread_t waiter;
    mcp_status status;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);  /* before any thread starts: they inherit it */
    if (pthread_create(&waiter, NULL, shut_down_on_signal, server) != 0)
        return MCP_E_NOMEM;
    status = mcp_serve_socket(server, address);
    pthread_cancel(waiter);                      /* sigwait() is a cancellation point */
    pthread_join(waiter, NULL);
    return status;
}

int main(int argc, char **argv)
{
    static struct everything all = {NULL, PTHREAD_MUTEX_INITIALIZER, "nothing yet", 0, 0, 0};
    const char *address = NULL;
    int verbose = 0, i;
    mcp_status status;

    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--verbose") == 0) {
            verbose = 1;
        } else if (strcmp(argv[i], "--socket") == 0 && i + 1 < argc) {
            address = argv[++i];
        } else {
            fprintf(stderr, "usage: %s [--verbose] [--socket ADDRESS]\n", argv[0]);
            return 2;
        }
    }

    all.server = mcp_server_new("everything", "1.0");
    describe(all.server);
    mcp_server_set_int(all.server, MCP_OPT_WORKERS, 2);
    mcp_server_set_int(all.server, MCP_OPT_GRACE_MS, 1000);     /* held calls outlive the input */
    mcp_server_set_observer(all.server, observe, &verbose, NULL);
    everything_add_tools(&all);
    everything_add_asking(&all);
    everything_add_content(&all);

    status = address != NULL ? serve_socket(all.server, address) : mcp_serve_stdio(all.server);
    if (status != MCP_OK) {
        mcp_error error;
        mcp_server_last_error(all.server, &error);
        fprintf(stderr, "everything: %s: %s\n", mcp_status_str(status), error.text);
    }
    mcp_server_free(all.server);
    return status == MCP_OK ? 0 : 1;
}
