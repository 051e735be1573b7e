#include "item.h"

#include "behaviours.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

int32_t kind_named(struct memory *memory, const char *name)
{
    if (strcmp(name, "tool") == 0) return MCP_TOOL;
    if (strcmp(name, "resource") == 0) return MCP_RESOURCE;
    if (strcmp(name, "template") == 0) return MCP_TEMPLATE;
    if (strcmp(name, "prompt") == 0) return MCP_PROMPT;
    if (strcmp(name, "method") == 0) return MCP_METHOD;
    complain(memory, "unknown kind %s", name);
    return 0;
}

static struct item *item_new(struct memory *memory, const char *json)
{
    struct item *item = grow(NULL, 1, sizeof *item);
    item->memory = memory;
    item->json = copy_text(json);
    item->contents = json_string(json, "contents", &item->contents_length);
    memory->live_items++;
    return item;
}

static void item_destroy(void *user_data)
{
    struct item *item = user_data;
    item->memory->live_items--;
    free(item->contents);
    free(item->json);
    free(item);
}

/* A resource that has a full definition and fixed bytes. */
static mcp_status give_contents(void *user_data, mcp_call *call)
{
    const struct item *item = user_data;
    mcp_status status = mcp_add_media(call, NULL, item->contents, item->contents_length);
    return status < 0 ? status : mcp_reply(call);
}

/* NULL for an item that the host takes by itself. */
static mcp_handler handler_of(struct memory *memory, const char *json)
{
    char *does;
    mcp_handler handler;
    if (json_has(json, "contents")) return give_contents;
    does = json_string(json, "does", NULL);
    if (!does || strcmp(does, "pull") == 0) {
        free(does);
        return NULL;
    }
    handler = behaviour_named(does);
    if (!handler) complain(memory, "unknown behaviour %s", does);
    free(does);
    return handler;
}

/* What goes with a definition but is not part of it. */
static void set_policy(mcp_server *server, struct memory *memory, const char *json, int32_t kind,
                       const char *definition)
{
    const char *member = kind == MCP_RESOURCE ? "uri" : kind == MCP_TEMPLATE ? "uriTemplate" : "name";
    char *name = json_string(definition, member, NULL);
    int64_t number;
    if (!name) {
        complain(memory, "a definition without %s", member);
        return;
    }
    if (json_integer(json, "deadlineMs", &number)) {
        demand(memory, server, mcp_item_set_int(server, kind, name, MCP_ITEM_DEADLINE_MS, number),
               "the item's deadline");
    }
    if (json_integer(json, "/cache/ttlMs", &number)) {
        bool public = json_says(json, "/cache/scope", "public");
        demand(memory, server, mcp_item_set_int(server, kind, name, MCP_ITEM_CACHE_TTL_MS, number),
               "the item's cache time");
        demand(memory, server,
               mcp_item_set_int(server, kind, name, MCP_ITEM_CACHE_SCOPE,
                                public ? MCP_CACHE_PUBLIC : MCP_CACHE_PRIVATE),
               "the item's cache scope");
    }
    free(name);
}

static void register_definition(mcp_server *server, struct memory *memory, const char *json, int32_t kind,
                                mcp_handler handler, bool replace)
{
    char *definition = json_copy(json, "definition");
    char *hidden = json_copy(json, "hidden");
    int32_t flags = replace ? MCP_REPLACE : 0;
    if (hidden && strcmp(hidden, "true") == 0) flags |= MCP_HIDDEN;
    free(hidden);
    if (!definition) {
        complain(memory, "an item without a definition");
        return;
    }
    demand(memory, server,
           mcp_register(server, kind | flags, definition, handler, item_new(memory, json), item_destroy),
           definition);
    if (!has_problem(memory)) set_policy(server, memory, json, kind, definition);
    free(definition);
}

static void register_method(mcp_server *server, struct memory *memory, const char *json, mcp_handler handler,
                            bool replace)
{
    char *method = json_string(json, "method", NULL);
    if (!method) {
        complain(memory, "a method without a name");
        return;
    }
    if (replace) {
        mcp_status status = mcp_unregister(server, MCP_METHOD, method);
        if (status != MCP_E_NOT_FOUND) demand(memory, server, status, method);
    }
    demand(memory, server, mcp_register_method(server, method, handler, item_new(memory, json), item_destroy),
           method);
    free(method);
}

static void register_completion(mcp_server *server, struct memory *memory, const char *json,
                                mcp_handler handler, bool replace)
{
    bool of_prompt = json_has(json, "prompt");
    int32_t kind = of_prompt ? MCP_PROMPT : MCP_TEMPLATE;
    char *name = json_string(json, of_prompt ? "prompt" : "template", NULL);
    char *argument = json_string(json, "argument", NULL);
    if (!name || !argument) {
        complain(memory, "a completion without its reference or argument");
    } else {
        if (replace) {
            mcp_status status = mcp_unregister_completion(server, kind, name, argument);
            if (status != MCP_E_NOT_FOUND) demand(memory, server, status, name);
        }
        demand(memory, server,
               mcp_register_completion(server, kind, name, argument, handler, item_new(memory, json),
                                       item_destroy),
               name);
    }
    free(name);
    free(argument);
}

void item_register(mcp_server *server, struct memory *memory, const char *json, bool replace)
{
    char *named = json_string(json, "kind", NULL);
    mcp_handler handler = handler_of(memory, json);
    int32_t kind;
    if (!named) complain(memory, "an item without a kind");
    if (has_problem(memory)) {
        free(named);
        return;
    }
    if (strcmp(named, "completion") == 0) {
        register_completion(server, memory, json, handler, replace);
    } else if ((kind = kind_named(memory, named)) == MCP_METHOD) {
        register_method(server, memory, json, handler, replace);
    } else if (kind) {
        register_definition(server, memory, json, kind, handler, replace);
    }
    free(named);
}
