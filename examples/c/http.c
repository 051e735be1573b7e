/* http: the smallest MCP server over HTTP. It listens on this machine only, and answers requests to
 * it by one of its own names; docs/http.md says how to open it further.
 *
 * Build:  cc http.c $(pkg-config --cflags --libs mcplite) -o http
 * Try:    ./http 127.0.0.1:8080     and the curl commands of README.md, or an MCP client
 */
#include <mcplite.h>
#include <stdio.h>

static mcp_status greet(void *unused, mcp_call *call)
{
    const char *name = mcp_arg_str(call, "name", NULL);
    char text[200];                              /* 40 characters are at most 160 bytes */
    (void)unused;
    snprintf(text, sizeof text, "Hello, %s!", name ? name : "you");
    return mcp_reply_text(call, text, MCP_Z);
}

static void observe(void *unused, const mcp_event *event)
{
    (void)unused;
    if (event->kind == MCP_EVENT_LISTENING)      /* with the port that was chosen for port 0 */
        fprintf(stderr, "listening on %s/mcp\n", event->text);
}

int main(int argc, char **argv)
{
    mcp_server *server = mcp_server_new("hello", "1.0");
    mcp_http *http = mcp_http_new(server, "/mcp");
    mcp_register_tool(server, "greet", "Greets someone by name.",
        MCP_JSON({"type": "object", "required": ["name"],
                  "properties": {"name": {"type": "string", "maxLength": 40}}}),
        greet, NULL, NULL);
    mcp_server_set_observer(server, observe, NULL, NULL);
    mcp_status status = mcp_serve_http(http, argc > 1 ? argv[1] : "127.0.0.1:8080");
    if (status != MCP_OK) fprintf(stderr, "http: %s\n", mcp_status_str(status));
    mcp_http_free(http);
    mcp_server_free(server);
    return status == MCP_OK ? 0 : 1;
}
