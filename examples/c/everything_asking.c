/* The tools of "everything" that ask the client: the user, the model, the open folders. Each runs
 * from the top when the answer is there; elicit.c explains how. See everything.c. */
#include "everything.h"
#include <stdio.h>

static mcp_status ask_name(void *unused, mcp_call *call)
{
    char name[512];                              /* 100 characters are at most 400 bytes */
    size_t len;
    const char *answer = mcp_ask(call, "name", "elicitation/create", MCP_JSON({
        "message": "What is your name?",
        "requestedSchema": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "title": "Name", "maxLength": 100}}}}), MCP_Z, &len);

    (void)unused;
    if (answer == NULL)
        return MCP_PENDING;
    if (mcp_json_str(answer, len, "/content/name", name, sizeof name, NULL) != MCP_OK)
        return mcp_reply_text(call, "declined", MCP_Z);
    everything_add_text(call, "Hello, %s!", name);
    return mcp_reply(call);
}

static mcp_status ask_model(void *unused, mcp_call *call)
{
    static const char *const places[] = {"/content/text", "/content/0/text"};
    char text[4096];
    size_t len, text_len, i;
    const char *answer = mcp_ask(call, "capital", "sampling/createMessage", MCP_JSON({
        "messages": [{"role": "user", "content": {
            "type": "text", "text": "What is the capital of France?"}}],
        "maxTokens": 100}), MCP_Z, &len);

    (void)unused;
    if (answer == NULL)
        return MCP_PENDING;
    for (i = 0; i < sizeof places / sizeof *places; i++) {      /* one block, or a list of them */
        mcp_status status = mcp_json_str(answer, len, places[i], text, sizeof text, &text_len);
        if (status == MCP_OK)
            return mcp_reply_text(call, text, text_len);
        if (status == MCP_E_BUFFER)
            return mcp_fail(call, MCP_KIND_TOOL_FAILED, "the model said too much", MCP_Z);
    }
    return mcp_fail(call, MCP_KIND_TOOL_FAILED, "the model made no text", MCP_Z);
}

static mcp_status ask_roots(void *unused, mcp_call *call)
{
    char path[40], uri[1024];
    size_t len, found_len;
    const char *answer = mcp_ask(call, "roots", "roots/list", NULL, 0, &len);
    int count = 0;

    (void)unused;
    if (answer == NULL)
        return MCP_PENDING;
    for (;;) {
        snprintf(path, sizeof path, "/roots/%d", count);
        if (mcp_json_find(answer, len, path, &found_len) == NULL)
            break;
        count++;
    }
    if (mcp_json_str(answer, len, "/roots/0/uri", uri, sizeof uri, NULL) == MCP_OK)
        everything_add_text(call, "%d roots: %s", count, uri);
    else
        everything_add_text(call, "%d roots", count);
    return mcp_reply(call);
}

void everything_add_asking(struct everything *all)
{
    mcp_register_tool(all->server, "ask_name", "Greets the user, whose name it asks for.", NULL,
                      ask_name, NULL, NULL);
    mcp_register_tool(all->server, "ask_model", "Has the client's model answer a question.", NULL,
                      ask_model, NULL, NULL);
    mcp_register_tool(all->server, "ask_roots", "Counts the folders that are open.", NULL,
                      ask_roots, NULL, NULL);
}
