/* hello_by_hand: the tool of hello.c without mcp_serve_stdio(). A line is a message: read one, hand
 * it in, write what came out. The transport is yours; a socket or a WebSocket looks the same.
 *
 * Build:  cc hello_by_hand.c $(pkg-config --cflags --libs mcplite) -o hello_by_hand
 * Try:    echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | ./hello_by_hand
 */
#define _POSIX_C_SOURCE 200809L
#include <mcplite.h>
#include <stdio.h>
#include <stdlib.h>

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
    mcp_server *server = mcp_server_new("hello_by_hand", "1.0");
    mcp_session *session = mcp_session_new(server);
    mcp_status status;
    const char *out;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;

    status = mcp_register_tool(server, "greet", "Greets someone by name.",
        MCP_JSON({"type": "object", "required": ["name"],
                  "properties": {"name": {"type": "string", "maxLength": 40}}}),
        greet, NULL, NULL);

    /* What a client does wrong is answered on the wire and is MCP_OK here. */
    while (status == MCP_OK && (len = getline(&line, &room, stdin)) > 0) {
        status = mcp_handle_message(session, line, (size_t)len);     /* runs greet() */
        while ((out = mcp_session_poll(session, NULL)) != NULL)
            fputs(out, stdout);                  /* it ends with a newline */
        if (fflush(stdout) != 0)
            break;                               /* nobody reads any more */
    }
    if (status != MCP_OK) {
        mcp_error error;
        mcp_server_last_error(server, &error);
        fprintf(stderr, "hello_by_hand: %s: %s\n", mcp_status_str(status), error.text);
    }
    free(line);
    mcp_session_free(session);
    mcp_server_free(server);
    return status == MCP_OK ? 0 : 1;
}
