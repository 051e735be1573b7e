#include "tools.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static mcp_status add(void *unused, mcp_call *call) {
    char text[24];
    int64_t sum = mcp_arg_int(call, "a", 0) + mcp_arg_int(call, "b", 0);
    int length = snprintf(text, sizeof text, "%" PRId64, sum);
    (void)unused;
    return mcp_reply_text(call, text, (size_t)length);
}

static mcp_status progress(void *unused, mcp_call *call) {
    (void)unused;
    for (int step = 1; step <= 3; step++)
        mcp_progress(call, step, 3, NULL);
    return mcp_reply_text(call, MCP_LIT("done"));
}

mcp_server *open_adding_server(int argc, char **argv) {
    mcp_server *server = mcp_server_new("bench", "1.0");
    mcp_status added = mcp_register_tool(
        server, "add", "Adds.",
        MCP_JSON({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                  "required": ["a", "b"]}),
        add, NULL, NULL);
    mcp_status other = mcp_register_tool(server, "progress", "Tells three times how far it has come.",
                                         "{\"type\":\"object\"}", progress, NULL, NULL);
    if (added != MCP_OK || other != MCP_OK)
        fail("the tools are refused: %s", mcp_status_str(added != MCP_OK ? added : other));
    mcp_server_set_int(server, MCP_OPT_WORKERS, argc > 1 ? atoi(argv[1]) : 0);
    return server;
}
