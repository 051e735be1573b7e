/* hello: one tool, served over standard input and output.
 *
 * Build:  cc hello.c $(pkg-config --cflags --libs mcplite) -o hello
 * Try:    name ./hello as a server in an MCP client's settings, or pipe it a line:
 *         echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | ./hello
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

int main(void)
{
    mcp_server *server = mcp_server_new("hello", "1.0");
    mcp_register_tool(server, "greet", "Greets someone by name.",
        MCP_JSON({"type": "object", "required": ["name"],
                  "properties": {"name": {"type": "string", "maxLength": 40}}}),
        greet, NULL, NULL);
    mcp_status status = mcp_serve_stdio(server); /* also says if a registration was refused */
    if (status != MCP_OK) fprintf(stderr, "hello: %s\n", mcp_status_str(status));
    mcp_server_free(server);
    return status == MCP_OK ? 0 : 1;
}
