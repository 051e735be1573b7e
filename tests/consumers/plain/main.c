/* A program that knows nothing but where the headers and the library are. */
#include <mcplite.h>

#include <stdio.h>
#include <string.h>

static mcp_status greet(void *unused, mcp_call *call)
{
    char text[100];
    const char *name = mcp_arg_str(call, "name", NULL);
    (void)unused;
    snprintf(text, sizeof text, "Hello, %s!", name ? name : "you");
    return mcp_reply_text(call, text, MCP_Z);
}

static const char *ask(mcp_session *session, const char *message)
{
    if (mcp_handle_message(session, message, strlen(message)) != MCP_OK) {
        return NULL;
    }
    return mcp_session_poll(session, NULL);
}

int main(void)
{
    mcp_server *server = mcp_server_new("plain", "1.0");
    mcp_session *session = mcp_session_new(server);
    const char *answer = NULL;
    int failed;

    if (mcp_register_tool(server, "greet", "Greets someone by name.", NULL, greet, NULL, NULL) == MCP_OK
        && ask(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
                        "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
                        "\"clientInfo\":{\"name\":\"plain\",\"version\":\"1\"}}}")) {
        answer = ask(session, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
                              "\"name\":\"greet\",\"arguments\":{\"name\":\"Ada\"}}}");
    }
    failed = !answer || !strstr(answer, "\"text\":\"Hello, Ada!\"");
    printf("%s", answer ? answer : "no answer\n");
    mcp_session_free(session);
    mcp_server_free(server);
    return failed;
}
