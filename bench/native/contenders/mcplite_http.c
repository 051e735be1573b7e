/* mcplite over HTTP, on a port that it writes to standard output: mcplite_http [WORKERS] */
#include "tools.h"
#include "workload.h"

#include <stdio.h>
#include <string.h>

/* Nothing else is wanted, so that nobody need be told of requests. */
static void tell_port(void *server, const mcp_event *event) {
    if (event->kind == MCP_EVENT_LISTENING) {
        puts(strrchr(event->text, ':') + 1);
        fflush(stdout);
        mcp_server_set_observer(server, NULL, NULL, NULL);
    }
}

int main(int argc, char **argv) {
    mcp_server *server = open_adding_server(argc, argv);
    mcp_http *http = mcp_http_new(server, "/mcp");
    mcp_server_set_observer(server, tell_port, server, NULL);
    mcp_status status = mcp_serve_http(http, "127.0.0.1:0");
    if (status != MCP_OK)
        fail("serving ended: %s", mcp_status_str(status));
    mcp_http_free(http);
    mcp_server_free(server);
    return 0;
}
