#include "fixture.h"

#include "item.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *path;
    int32_t option;
    bool is_json;
} server_texts[] = {
    {"/options/title", MCP_OPT_TITLE, false},
    {"/options/description", MCP_OPT_DESCRIPTION, false},
    {"/options/websiteUrl", MCP_OPT_WEBSITE_URL, false},
    {"/options/icons", MCP_OPT_ICONS, true},
    {"/options/instructions", MCP_OPT_INSTRUCTIONS, false},
    {"/options/experimental", MCP_OPT_EXPERIMENTAL, true},
    {"/options/extensions", MCP_OPT_EXTENSIONS, true},
};

static mcp_server *new_server(const char *fixture, struct memory *memory)
{
    char *name = json_string(fixture, "/options/name", NULL);
    char *version = json_string(fixture, "/options/version", NULL);
    mcp_server *server = mcp_server_new(name, version);
    if (!server) complain(memory, "no server can be made of the fixture's name and version");
    free(name);
    free(version);
    return server;
}

static void set_texts(mcp_server *server, const char *fixture, struct memory *memory)
{
    size_t index;
    for (index = 0; index < sizeof server_texts / sizeof *server_texts; index++) {
        const char *path = server_texts[index].path;
        char *value = server_texts[index].is_json ? json_copy(fixture, path) : json_string(fixture, path, NULL);
        if (!value) continue;
        demand(memory, server, mcp_server_set_str(server, server_texts[index].option, value), path);
        free(value);
    }
}

static void register_items(mcp_server *server, const char *fixture, struct memory *memory)
{
    int index;
    for (index = 0; !has_problem(memory); index++) {
        char path[40];
        char *item;
        snprintf(path, sizeof path, "/items/%d", index);
        item = json_copy(fixture, path);
        if (!item) break;
        item_register(server, memory, item, false);
        free(item);
    }
    if (index == 0) complain(memory, "the fixture has no items");
}

mcp_server *fixture_server(const char *folder, const char *name, struct memory *memory)
{
    struct text path = {0}, fixture = {0};
    mcp_server *server = NULL;
    if (strcmp(name, "empty") == 0) return mcp_server_new("empty", "1.0");
    if (*name && strcmp(name, "asking") != 0) {
        complain(memory, "unknown fixture %s", name);
        return NULL;
    }
    text_print(&path, "%s/fixture%s%s.json", folder, *name ? "-" : "", name);
    if (text_add_file(&fixture, text_said(&path))) {
        server = new_server(text_said(&fixture), memory);
    } else {
        complain(memory, "cannot read %s", text_said(&path));
    }
    if (server) {
        memory->questions = json_copy(text_said(&fixture), "questions");
        set_texts(server, text_said(&fixture), memory);
        register_items(server, text_said(&fixture), memory);
    }
    text_free(&path);
    text_free(&fixture);
    return server;
}
