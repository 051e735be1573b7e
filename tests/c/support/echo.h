/* A server with one tool that says what it is told, and a client of it. */
#ifndef ECHO_H
#define ECHO_H

#include "crowd.h"

static CHECK_MAYBE_UNUSED mcp_status echo(void *unused, mcp_call *call)
{
    size_t length;
    const char *text = mcp_arg_str(call, "text", &length);
    (void)unused;
    return mcp_reply_text(call, text ? text : "nothing", text ? length : MCP_Z);
}

static CHECK_MAYBE_UNUSED mcp_session *open_session(mcp_server **out_server)
{
    mcp_session *session;
    *out_server = mcp_server_new("echo", "1");
    CHECK_STATUS(mcp_register_tool(*out_server, "echo", NULL, NULL, echo, NULL, NULL), MCP_OK);
    session = mcp_session_new(*out_server);
    greet(session);
    return session;
}

static CHECK_MAYBE_UNUSED void close_session(mcp_server *server, mcp_session *session)
{
    mcp_session_free(session);
    mcp_server_free(server);
}

/* Calls a tool and checks what it answers. */
static CHECK_MAYBE_UNUSED void use(mcp_session *session, int id)
{
    const char *out;
    CHECK_STATUS(feed(session, id, "echo"), MCP_OK);
    out = mcp_session_poll(session, NULL);
    CHECK_PART(out, "hello");
    CHECK(mcp_session_poll(session, NULL) == NULL);
}

#endif
