/* A program that asks pkg-config, and whether it runs with the library that it was compiled for. */
#include <mcplite.h>

#include <stdio.h>
#include <string.h>

static const char call_add[] =
    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\",\"params\":{\"name\":\"add\","
    "\"arguments\":{\"left\":19,\"right\":23},\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"pkg-config\",\"version\":\"1\"},"
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

static mcp_status add(void *unused, mcp_call *call)
{
    (void)unused;
    mcp_put_int(call, "sum", mcp_arg_int(call, "left", 0) + mcp_arg_int(call, "right", 0));
    return mcp_reply(call);
}

int main(void)
{
    mcp_server *server = mcp_server_new("pkg-config", "1.0");
    mcp_session *session = mcp_session_new(server);
    const char *schema = MCP_JSON({"type": "object", "required": ["left", "right"],
        "properties": {"left": {"type": "integer"}, "right": {"type": "integer"}}});
    const char *answer = NULL;
    int failed;

    if (strcmp(mcp_version(), MCP_VERSION_STRING) != 0 || mcp_abi_version() != MCP_ABI_VERSION) {
        printf("compiled for %s, runs with %s\n", MCP_VERSION_STRING, mcp_version());
        return 1;
    }
    if (mcp_register_tool(server, "add", "Adds two numbers.", schema, add, NULL, NULL) == MCP_OK
        && mcp_handle_message(session, call_add, sizeof call_add - 1) == MCP_OK) {
        answer = mcp_session_poll(session, NULL);
    }
    failed = !answer || !strstr(answer, "\"structuredContent\":{\"sum\":42}");
    printf("%s", answer ? answer : "no answer\n");
    mcp_session_free(session);
    mcp_server_free(server);
    return failed;
}
