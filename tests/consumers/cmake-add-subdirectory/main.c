/* A program that offers a prompt. */
#include <mcplite.h>

#include <stdio.h>
#include <string.h>

static const char get_review[] =
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"prompts/get\",\"params\":{\"name\":\"review\","
    "\"arguments\":{\"file\":\"main.c\"},\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"add-subdirectory\",\"version\":\"1\"},"
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

static mcp_status review(void *unused, mcp_call *call)
{
    char text[100];
    const char *file = mcp_arg_str(call, "file", NULL);
    (void)unused;
    snprintf(text, sizeof text, "Please review %s.", file ? file : "it");
    return mcp_reply_text(call, text, MCP_Z);
}

int main(void)
{
    mcp_server *server = mcp_server_new("add-subdirectory", "1.0");
    mcp_session *session = mcp_session_new(server);
    const char *arguments = MCP_JSON([{"name": "file", "required": true}]);
    const char *answer = NULL;
    int failed;

    if (mcp_register_prompt(server, "review", "Asks for a review.", arguments, review, NULL, NULL) == MCP_OK
        && mcp_handle_message(session, get_review, sizeof get_review - 1) == MCP_OK) {
        answer = mcp_session_poll(session, NULL);
    }
    failed = !answer || !strstr(answer, "\"text\":\"Please review main.c.\"");
    printf("%s", answer ? answer : "no answer\n");
    mcp_session_free(session);
    mcp_server_free(server);
    return failed;
}
