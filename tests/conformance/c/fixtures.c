#include "fixtures.h"

#include "json.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void item_free(void *user_data)
{
    struct item *item = user_data;
    size_t i;
    for (i = 0; i < item->step_count; i++) free(item->steps[i].json);
    free(item->steps);
    free(item);
}

/* NULL if it has a step of an unknown name, or none. */
static struct item *item_new(const struct fixtures *fixtures, const char *json)
{
    struct item *item = grow(NULL, 1, sizeof *item);
    bool is_known = true;
    memset(item, 0, sizeof *item);
    item->fixtures = fixtures;
    while (is_known) {
        char path[32];
        char *step, *does;
        snprintf(path, sizeof path, "/steps/%u", (unsigned)item->step_count);
        step = json_copy(json, path);
        if (!step) break;
        does = json_string(step, "does", NULL);
        item->steps = grow(item->steps, item->step_count + 1, sizeof *item->steps);
        item->steps[item->step_count].json = step;
        item->steps[item->step_count].take = does ? step_named(does) : NULL;
        is_known = item->steps[item->step_count].take != NULL;
        item->step_count++;
        free(does);
    }
    if (is_known && item->step_count) return item;
    item_free(item);
    return NULL;
}

/* The steps from the first, at every attempt. */
static mcp_status take_steps(void *user_data, mcp_call *call)
{
    const struct item *item = user_data;
    struct attempt attempt = {0};
    mcp_status status = MCP_OK;
    size_t i;
    attempt.item = item;
    attempt.call = call;
    for (i = 0; i < item->step_count && status == MCP_OK; i++) {
        status = item->steps[i].take(&attempt, item->steps[i].json);
    }
    text_free(&attempt.answers);
    return status == MCP_DONE ? MCP_OK : status;
}

static int32_t kind_named(const char *kind)
{
    if (strcmp(kind, "tool") == 0) return MCP_TOOL;
    if (strcmp(kind, "resource") == 0) return MCP_RESOURCE;
    if (strcmp(kind, "template") == 0) return MCP_TEMPLATE;
    if (strcmp(kind, "prompt") == 0) return MCP_PROMPT;
    return MCP_E_INVALID;
}

static mcp_status register_completion(mcp_server *server, const char *json, struct item *item)
{
    char *prompt = json_string(json, "prompt", NULL);
    char *argument = json_string(json, "argument", NULL);
    mcp_status status =
        mcp_register_completion(server, MCP_PROMPT, prompt, argument, take_steps, item, item_free);
    free(prompt);
    free(argument);
    return status;
}

static mcp_status register_item(const struct fixtures *fixtures, const char *json)
{
    struct item *item = item_new(fixtures, json);
    char *kind, *definition;
    mcp_status status;
    if (!item) return MCP_E_INVALID;
    kind = json_string(json, "kind", NULL);
    definition = json_copy(json, "definition");
    if (kind && strcmp(kind, "completion") == 0) {
        status = register_completion(fixtures->server, json, item);
    } else {
        status = mcp_register(fixtures->server, kind_named(kind ? kind : ""), definition, take_steps,
                              item, item_free);
    }
    free(kind);
    free(definition);
    return status;
}

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, "fixtures: %s: %s\n", what, why);
    return false;
}

static bool register_items(const struct fixtures *fixtures)
{
    unsigned count;
    for (count = 0;; count++) {
        char path[32];
        char *json;
        mcp_status status;
        snprintf(path, sizeof path, "/items/%u", count);
        json = json_copy(fixtures->json, path);
        if (!json) return count > 0 || complain("items", "there are none");
        status = register_item(fixtures, json);
        if (status != MCP_OK) complain(json, mcp_status_str(status));
        free(json);
        if (status != MCP_OK) return false;
    }
}

bool fixtures_load(struct fixtures *fixtures, const char *path)
{
    struct text file = {0};
    char *name, *version;
    memset(fixtures, 0, sizeof *fixtures);
    if (!text_add_file(&file, path) || !file.at) {
        text_free(&file);
        return complain(path, "cannot be read");
    }
    fixtures->json = file.at;
    fixtures->constants = json_copy(fixtures->json, "constants");
    fixtures->questions = json_copy(fixtures->json, "questions");
    name = json_string(fixtures->json, "/server/name", NULL);
    version = json_string(fixtures->json, "/server/version", NULL);
    fixtures->server = mcp_server_new(name, version);
    free(name);
    free(version);
    if (!fixtures->constants || !fixtures->questions || !fixtures->server) {
        return complain(path, "server, constants or questions are missing");
    }
    return register_items(fixtures);
}

void fixtures_free(struct fixtures *fixtures)
{
    mcp_server_free(fixtures->server);
    free(fixtures->constants);
    free(fixtures->questions);
    free(fixtures->json);
}
