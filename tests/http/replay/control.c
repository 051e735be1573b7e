#include "control.h"

#include "actions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A held call that stays held: it is taken, and kept again under the key that it came with. */
static mcp_call *borrow(struct endpoint *endpoint, const char *key)
{
    mcp_call *call = memory_take(&endpoint->player.memory, key);
    if (call) memory_hold(&endpoint->player.memory, call);
    return call;
}

static void do_progress(struct endpoint *endpoint, char *rest)
{
    mcp_call *call = borrow(endpoint, next_word(&rest));
    struct memory *memory = &endpoint->player.memory;
    if (!call) return;
    demand(memory, endpoint->player.server, mcp_progress(call, atof(rest), -1, NULL), "progress");
    mcp_call_release(call);
}

static void do_close_stream(struct endpoint *endpoint, char *rest)
{
    mcp_call *call = borrow(endpoint, rest);
    if (!call) return;
    printf("%s\n", mcp_call_close_stream(call) == MCP_OK ? "closed" : "refused");
    mcp_call_release(call);
}

static void do_cancelled(struct endpoint *endpoint, char *rest)
{
    mcp_call *call = borrow(endpoint, rest);
    if (!call) return;
    printf("%s\n", mcp_call_cancelled(call) ? "yes" : "no");
    mcp_call_release(call);
}

static void do_unmount(struct endpoint *endpoint, char *rest)
{
    struct memory *memory = &endpoint->player.memory;
    demand(memory, endpoint->player.server, mcp_http_unmount(endpoint->http, rest), "unmounting");
}

static void do_time(struct endpoint *endpoint, char *rest)
{
    int64_t ms;
    size_t index;
    if (!read_number(rest, &ms)) {
        complain(&endpoint->player.memory, "not a time: %s", rest);
        return;
    }
    atomic_store(&endpoint->now_us, ms * 1000);
    mcp_server_tick(endpoint->player.server);
    for (index = 0; index < endpoint->mount_count; index++) mcp_server_tick(endpoint->mounts[index].server);
}

/* For the replayer: how many requests have arrived, and how many exchanges are over. */
static void do_count(struct endpoint *endpoint, char *rest)
{
    (void)rest;
    printf("%lu %lu\n", atomic_load(&endpoint->arrived), atomic_load(&endpoint->over));
}

static const struct {
    const char *verb;
    void (*act)(struct endpoint *endpoint, char *rest);
} actions[] = {
    {"progress", do_progress}, {"close-stream", do_close_stream}, {"cancelled", do_cancelled},
    {"unmount", do_unmount},   {"time", do_time},                 {"count", do_count},
};

void control(struct endpoint *endpoint, char *line)
{
    struct memory *memory = &endpoint->player.memory;
    size_t length = strcspn(line, " "), index;
    for (index = 0; index < sizeof actions / sizeof *actions; index++) {
        if (strlen(actions[index].verb) != length || memcmp(actions[index].verb, line, length) != 0) continue;
        actions[index].act(endpoint, line + length + (line[length] == ' '));
        break;
    }
    if (index == sizeof actions / sizeof *actions) action_do(&endpoint->player, line);
    printf("%s\n", has_problem(memory) ? text_said(&memory->problem) : "ok");
}
