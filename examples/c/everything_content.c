/* What "everything" offers besides tools: resources, a template, a prompt, completions, and a
 * method of our own. See everything.c. */
#include "everything.h"
#include <string.h>

const unsigned char everything_pixel[] = {
    0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a,
    0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55,
    0, 0, 0, 10, 'I', 'D', 'A', 'T', 0x78, 0xda, 0x63, 0x68, 0, 0, 0, 0x82, 0, 0x81,
    0xda, 0x45, 0x08, 0x3b,
    0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82
};
const size_t everything_pixel_size = sizeof everything_pixel;

static mcp_status latest_note(void *user_data, mcp_call *call)
{
    struct everything *all = user_data;
    char note[sizeof all->note];

    pthread_mutex_lock(&all->lock);
    memcpy(note, all->note, sizeof note);
    pthread_mutex_unlock(&all->lock);
    return mcp_reply_text(call, note, MCP_Z);
}

static mcp_status named_note(void *unused, mcp_call *call)
{
    const char *name = mcp_arg_str(call, "name", NULL);     /* the variable of the template */

    (void)unused;
    if (name == NULL)
        return mcp_fail(call, MCP_KIND_RESOURCE_NOT_FOUND, NULL, 0);
    everything_add_text(call, "note %s", name);
    return mcp_reply(call);
}

static mcp_status greet(void *unused, mcp_call *call)
{
    const char *name = mcp_arg_str(call, "name", NULL);
    const char *style = mcp_arg_str(call, "style", NULL);

    (void)unused;
    mcp_reply_set(call, MCP_SET_DESCRIPTION, "A greeting, and how it begins", MCP_Z);
    mcp_reply_set(call, MCP_SET_ROLE, "user", MCP_Z);
    everything_add_text(call, "Write a %s greeting for %s.", style ? style : "friendly",
                        name ? name : "me");
    mcp_reply_set(call, MCP_SET_ROLE, "assistant", MCP_Z);
    everything_add_text(call, "Dear %s,", name ? name : "you");
    return mcp_reply(call);
}

/* The values that begin with what was typed so far. `values` ends with NULL. */
static mcp_status complete(void *values, mcp_call *call)
{
    const char *const *value = values;
    size_t len = 0;
    const char *typed = mcp_arg_str(call, "value", &len);

    for (; *value != NULL; value++)
        if (typed == NULL || strncmp(*value, typed, len) == 0)
            mcp_add_text(call, *value, MCP_Z);
    return mcp_reply(call);
}

/* Requests that the specification does not know: params in, a result object out. */
static mcp_status reflect(void *unused, mcp_call *call)
{
    size_t len;
    const char *params = mcp_arg_json(call, "", &len);

    (void)unused;
    if (params == NULL)
        return mcp_reply_result(call, MCP_LIT("{}"));
    return mcp_reply_result(call, params, len);
}

void everything_add_content(struct everything *all)
{
    static const char *names[] = {"alpha", "beta", "gamma", NULL};
    static const char *styles[] = {"formal", "friendly", "funny", NULL};
    mcp_server *server = all->server;

    mcp_register_static(server, "file:///readme.txt", "readme", "text/plain", MCP_LIT("Read me."));
    mcp_register_static(server, "data://pixel", "pixel", "image/png",
                        everything_pixel, everything_pixel_size);
    mcp_register(server, MCP_RESOURCE, MCP_JSON({
        "uri": "note://latest", "name": "latest", "title": "Latest note", "mimeType": "text/plain",
        "description": "Changes when the tool touch is called.",
        "annotations": {"audience": ["user", "assistant"], "priority": 0.5}
    }), latest_note, all, NULL);
    mcp_register(server, MCP_TEMPLATE, MCP_JSON({
        "uriTemplate": "note://{name}", "name": "note", "title": "Note", "mimeType": "text/plain",
        "description": "One note by its name."
    }), named_note, NULL, NULL);
    mcp_register_completion(server, MCP_TEMPLATE, "note://{name}", "name", complete, names, NULL);
    mcp_register(server, MCP_PROMPT, MCP_JSON({
        "name": "greet", "title": "Greet", "description": "Has somebody greeted.",
        "arguments": [{"name": "name", "description": "Who it is.", "required": true},
                      {"name": "style", "description": "formal, friendly or funny"}],
        "icons": [{"src": "https://example.com/greet.png", "mimeType": "image/png"}]
    }), greet, NULL, NULL);
    mcp_register_completion(server, MCP_PROMPT, "greet", "style", complete, styles, NULL);
    mcp_register_method(server, "everything/echo", reflect, NULL, NULL);
}
