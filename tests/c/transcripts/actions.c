#include "actions.h"

#include "behaviours.h"
#include "item.h"

#include <string.h>

static void insist(struct player *player, mcp_status status, const char *what)
{
    demand(&player->memory, player->server, status, what);
}

/* An answer that comes too late is refused; what matters is what the client sees. */
static void allow_too_late(struct player *player, mcp_status status, const char *what)
{
    if (status != MCP_E_CANCELLED && status != MCP_E_ANSWERED && status != MCP_E_CLOSED) {
        insist(player, status, what);
    }
}

static void do_connect(struct player *player, char *rest)
{
    (void)rest;
    player_connect(player);
}

static void do_time(struct player *player, char *rest)
{
    int64_t ms;
    if (!read_number(rest, &ms)) {
        complain(&player->memory, "not a time: %s", rest);
        return;
    }
    player->now_us = ms * 1000;
    insist(player, mcp_server_tick(player->server), "ticking");
}

static void do_run(struct player *player, char *rest)
{
    int32_t ran = mcp_server_run(player->server, 0);
    (void)rest;
    if (ran < 0) insist(player, ran, "running handlers");
}

static void do_answer(struct player *player, char *rest)
{
    mcp_call *call = memory_take(&player->memory, next_word(&rest));
    if (!call) return;
    allow_too_late(player, mcp_reply_text(call, rest, MCP_Z), "answering");
    mcp_call_release(call);
}

static void do_fail(struct player *player, char *rest)
{
    mcp_call *call = memory_take(&player->memory, next_word(&rest));
    if (!call) return;
    allow_too_late(player, mcp_fail(call, MCP_KIND_TOOL_FAILED, rest, MCP_Z), "failing");
    mcp_call_release(call);
}

static void do_release(struct player *player, char *rest)
{
    mcp_call_release(memory_take(&player->memory, rest));
}

static void do_ask(struct player *player, char *rest)
{
    mcp_call *call = memory_take(&player->memory, next_word(&rest));
    if (!call) return;
    insist(player, ask_held(call, rest, &player->memory), "asking");
    mcp_call_release(call);
}

static void do_take(struct player *player, char *rest)
{
    mcp_call *call = mcp_server_next_call(player->server);
    if (!call) {
        complain(&player->memory, "no call waits to be taken");
        return;
    }
    if (!mcp_call_user_data(call)) complain(&player->memory, "the call lacks its user data");
    insist(player, mcp_reply_text(call, rest, MCP_Z), "answering a taken call");
    mcp_call_release(call);
}

static void do_register(struct player *player, char *rest)
{
    item_register(player->server, &player->memory, rest, true);
}

static void do_unregister(struct player *player, char *rest)
{
    int32_t kind = kind_named(&player->memory, next_word(&rest));
    if (kind) insist(player, mcp_unregister(player->server, kind, rest), "unregistering");
}

static void do_notify(struct player *player, char *rest)
{
    const char *method = next_word(&rest);
    insist(player, mcp_session_notify(player->session, method, rest, strlen(rest)), "notifying");
}

static void do_updated(struct player *player, char *rest)
{
    while (*rest) {
        const char *uri = next_word(&rest);
        insist(player, mcp_notify_resource_updated(player->server, uri), "telling of an update");
    }
}

static void do_list_changed(struct player *player, char *rest)
{
    while (*rest) {
        int32_t kind = kind_named(&player->memory, next_word(&rest));
        if (kind) insist(player, mcp_notify_list_changed(player->server, kind), "telling of a list");
    }
}

/* The host cannot tell a client that was not sent there, or whose revision is not told. */
static void do_elicited(struct player *player, char *rest)
{
    mcp_status status = mcp_notify_elicitation_complete(player->server, rest);
    memory_note_elicited(&player->memory, rest);
    if (status != MCP_E_NOT_FOUND && status != MCP_E_STATE) insist(player, status, "telling of a page");
}

static void do_principal(struct player *player, char *rest)
{
    insist(player, mcp_session_set_principal(player->session, *rest ? rest : NULL), "the principal");
}

static void do_keys(struct player *player, char *rest)
{
    uint8_t keys[8][32];
    size_t count = 0;
    while (*rest) {
        int64_t byte;
        if (count == 8 || !read_number(next_word(&rest), &byte) || byte > 255) {
            complain(&player->memory, "keys are at most 8 bytes");
            return;
        }
        memset(keys[count++], (int)byte, sizeof keys[0]);
    }
    insist(player, mcp_server_set_seal_keys(player->server, keys[0], count), "the seal keys");
}

static void do_shutdown(struct player *player, char *rest)
{
    (void)rest;
    insist(player, mcp_server_shutdown(player->server), "shutting down");
}

static void do_end(struct player *player, char *rest)
{
    (void)rest;
    insist(player, mcp_session_end(player->session), "ending the input");
}

static const struct {
    const char *verb;
    void (*act)(struct player *player, char *rest);
} actions[] = {
    {"connect", do_connect},
    {"time", do_time},
    {"run", do_run},
    {"answer", do_answer},
    {"fail", do_fail},
    {"release", do_release},
    {"ask", do_ask},
    {"take", do_take},
    {"register", do_register},
    {"unregister", do_unregister},
    {"notify", do_notify},
    {"updated", do_updated},
    {"list-changed", do_list_changed},
    {"elicited", do_elicited},
    {"principal", do_principal},
    {"keys", do_keys},
    {"shutdown", do_shutdown},
    {"end", do_end},
};

void action_do(struct player *player, char *line)
{
    const char *verb = next_word(&line);
    size_t index;
    for (index = 0; index < sizeof actions / sizeof *actions; index++) {
        if (strcmp(actions[index].verb, verb) == 0) {
            actions[index].act(player, line);
            return;
        }
    }
    complain(&player->memory, "unknown action %s", verb);
}
