/* mcplite over standard input and output: mcplite_stdio [WORKERS] */
#include "tools.h"
#include "workload.h"

int main(int argc, char **argv) {
    mcp_server *server = open_adding_server(argc, argv);
    mcp_status status = mcp_serve_stdio(server);
    if (status != MCP_OK)
        fail("serving ended: %s", mcp_status_str(status));
    mcp_server_free(server);
    return 0;
}
