/* everything: every feature of an MCP server in one program, for reading and for testing clients.
 * everything_tools.c has the tools, everything_asking.c those that ask the client back,
 * everything_content.c has resources, prompts, completions and a method of our own,
 * everything_serving.c the ways to reach them.
 *
 * Build:  cc everything*.c $(pkg-config --cflags --libs mcplite) -lpthread -o everything
 * Try:    ./everything                                in an MCP client
 *         ./everything --verbose                      tells on stderr what happens
 *         ./everything --socket ./everything.sock     the same lines over a socket, many clients
 *         ./everything --socket 127.0.0.1:0           until SIGINT or SIGTERM
 *         ./everything --http                         over HTTP; an address may follow
 *         ./everything --http --host example.org      behind a proxy of that name
 */
#include "everything.h"
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
    case MCP_EVENT_EXCHANGE: return "exchange";
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

int main(int argc, char **argv)
{
    static struct everything all = {NULL, PTHREAD_MUTEX_INITIALIZER, "nothing yet", 0, 0, 0};
    struct everything_place place = {EVERYTHING_STDIO, "127.0.0.1:0", NULL};
    int verbose = 0, i;
    mcp_status status;

    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--verbose") == 0) {
            verbose = 1;
        } else if (strcmp(argv[i], "--socket") == 0 && i + 1 < argc) {
            place.way = EVERYTHING_SOCKET;
            place.address = argv[++i];
        } else if (strcmp(argv[i], "--http") == 0) {
            place.way = EVERYTHING_HTTP;
            if (i + 1 < argc && argv[i + 1][0] != '-')
                place.address = argv[++i];
        } else if (strcmp(argv[i], "--host") == 0 && i + 1 < argc) {
            place.host = argv[++i];
        } else {
            fprintf(stderr, "usage: %s [--verbose] [--socket ADDRESS | --http [ADDRESS] "
                    "[--host NAME]]\n", argv[0]);
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

    status = everything_serve(all.server, &place);
    if (status != MCP_OK) {
        mcp_error error;
        mcp_server_last_error(all.server, &error);
        fprintf(stderr, "everything: %s: %s\n", mcp_status_str(status), error.text);
    }
    mcp_server_free(all.server);
    return status == MCP_OK ? 0 : 1;
}
