/* Prints as many ids of sessions as it is told to, one on each line: what a client would get that begins
 * sessions and ends them, without the network that would make it slow. */
#include <mcplite.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mcp_exchange *request(mcp_http *http, const char *method, const char *session, const char *body)
{
    mcp_exchange *exchange = mcp_http_open(http, method, "/mcp", 4);
    mcp_exchange_header(exchange, MCP_LIT("Host"), MCP_LIT("localhost"));
    mcp_exchange_header(exchange, MCP_LIT("Content-Type"), MCP_LIT("application/json"));
    if (session) mcp_exchange_header(exchange, MCP_LIT("Mcp-Session-Id"), session, MCP_Z);
    mcp_exchange_body(exchange, body, strlen(body));
    mcp_exchange_end(exchange);
    return exchange;
}

static const char *session_of(const mcp_exchange *exchange)
{
    const char *name, *value;
    size_t i;
    for (i = 0; mcp_exchange_response_header(exchange, i, &name, &value) == MCP_OK; i++)
        if (!strcmp(name, "Mcp-Session-Id")) return value;
    return NULL;
}

int main(int count, char **arguments)
{
    const char *initialize = MCP_JSON({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "ids", "version": "1"}}});
    long i, wanted = count > 1 ? atol(arguments[1]) : 1;
    mcp_server *server = mcp_server_new("ids", "1");
    mcp_http *http = mcp_http_new(server, "/mcp");
    for (i = 0; i < wanted; i++) {
        mcp_exchange *begun = request(http, "POST", NULL, initialize), *ended;
        const char *id = session_of(begun);
        if (!id) return fprintf(stderr, "status %d\n", (int)mcp_exchange_status(begun)), 1;
        puts(id);
        ended = request(http, "DELETE", id, "");
        if (mcp_exchange_status(ended) != 204) return fprintf(stderr, "the session did not end\n"), 1;
        mcp_exchange_free(ended);
        mcp_exchange_free(begun);
    }
    mcp_http_free(http);
    mcp_server_free(server);
    return 0;
}
