/* A program that reads a resource of its own. */
#include <mcplite.h>

#include <stdio.h>
#include <string.h>

static const char read_motto[] =
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/read\",\"params\":{\"uri\":\"note:motto\",\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"find-package\",\"version\":\"1\"},"
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

int main(void)
{
    mcp_server *server = mcp_server_new("find-package", "1.0");
    mcp_session *session = mcp_session_new(server);
    const char *answer = NULL;
    int failed;

    if (mcp_register_static(server, "note:motto", "motto", "text/plain", MCP_LIT("festina lente")) == MCP_OK
        && mcp_handle_message(session, read_motto, sizeof read_motto - 1) == MCP_OK) {
        answer = mcp_session_poll(session, NULL);
    }
    failed = !answer || !strstr(answer, "\"text\":\"festina lente\"");
    printf("%s", answer ? answer : "no answer\n");
    mcp_session_free(session);
    mcp_server_free(server);
    return failed;
}
