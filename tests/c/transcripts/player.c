#include "player.h"

#include "actions.h"
#include "fixture.h"
#include "json.h"
#include "options.h"
#include "transcript.h"
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t tell_time(void *user_data, int32_t which)
{
    const struct player *player = user_data;
    (void)which;
    return player->now_us;
}

static mcp_status count_up(void *user_data, uint8_t *out, size_t length)
{
    struct player *player = user_data;
    while (length-- > 0) *out++ = player->next_random++;
    return MCP_OK;
}

void player_connect(struct player *player)
{
    mcp_session *old = player->session;
    player->session = mcp_session_new(player->server);
    if (!player->session) complain(&player->memory, "no session can be made");
    mcp_session_free(old);
    if (!player->session) return;
    demand(&player->memory, player->server, mcp_session_set_principal(player->session, "somebody"),
           "the principal");
}

static const char *fixture_name(const struct transcript *transcript)
{
    static const char key[] = "fixture ";
    size_t index;
    for (index = 0; index < transcript->count; index++) {
        const struct line *line = &transcript->lines[index];
        if (line->mark == MARK_OPTION && strncmp(line->rest, key, sizeof key - 1) == 0) {
            return line->rest + sizeof key - 1;
        }
    }
    return "";
}

static void set_up(struct player *player, const char *folder, const struct transcript *transcript)
{
    uint8_t key[32];
    size_t index;
    struct memory *memory = &player->memory;
    memset(key, 1, sizeof key);
    player->server = fixture_server(folder, fixture_name(transcript), memory);
    if (!player->server) complain(memory, "there is no server");
    if (has_problem(memory)) return;
    demand(memory, player->server, mcp_server_set_clock(player->server, tell_time, player, NULL), "the clock");
    demand(memory, player->server, mcp_server_set_seal_keys(player->server, key, 1), "the seal key");
    demand(memory, player->server, mcp_server_set_entropy(player->server, count_up, player, NULL), "entropy");
    for (index = 0; index < transcript->count; index++) {
        const struct line *line = &transcript->lines[index];
        if (line->mark == MARK_OPTION) option_set(player, line->rest);
    }
    if (!has_problem(memory)) player_connect(player);
}

/* Everything goes, in an order that a host may choose: held calls outlive their server. */
static void tear_down(struct player *player)
{
    mcp_session_free(player->session);
    mcp_server_free(player->server);
    memory_release_calls(&player->memory);
    if (player->memory.live_items > 0) {
        complain(&player->memory, "destroy did not run for %zu items", player->memory.live_items);
    }
}

static void take_step(struct player *player, const struct line *line)
{
    if (line->mark == MARK_ACTION) {
        action_do(player, line->rest);
    } else if (line->mark == MARK_SEND_BYTES) {
        size_t length;
        char *bytes = json_bytes(line->rest, &length);
        if (bytes) {
            wire_send(player, bytes, length);
        } else {
            complain(&player->memory, "not a string of bytes");
        }
        free(bytes);
    } else {
        struct text message = {0};
        states_fill_in(&player->states, line->rest, &message, &player->memory);
        if (!has_problem(&player->memory)) wire_send(player, message.at, message.length);
        text_free(&message);
    }
}

static bool differ(const char *path, size_t index, const char *expected, const char *got)
{
    printf("%s:%zu\n  expected %s\n  got      %s\n", path, index + 1, expected, got);
    return false;
}

/* Compares what was said with the lines that follow a step, up to the next step. */
static bool compare(struct player *player, const char *path, const struct transcript *transcript,
                    size_t index, char *said)
{
    for (; index < transcript->count && !is_step(transcript->lines[index].mark); index++) {
        const struct line *line = &transcript->lines[index];
        char *end;
        if (line->mark != MARK_EXPECT) continue;
        if (!*said) return differ(path, index, line->rest, "nothing");
        end = strchr(said, '\n');
        *end = '\0';
        if (strcmp(said, line->rest) != 0) return differ(path, index, line->rest, said);
        states_note(&player->states, said);
        said = end + 1;
    }
    if (!*said) return true;
    *strchr(said, '\n') = '\0';
    return differ(path, index, "nothing", said);
}

static bool play_lines(struct player *player, const char *path, const struct transcript *transcript)
{
    struct text said = {0};
    size_t index;
    /* Nobody speaks before the first step. */
    bool same = compare(player, path, transcript, 0, (char[]){""});
    for (index = 0; same && index < transcript->count; index++) {
        if (!is_step(transcript->lines[index].mark)) continue;
        text_clear(&said);
        text_add(&said, "", 0);
        player->line_number = index + 1;
        take_step(player, &transcript->lines[index]);
        if (!has_problem(&player->memory)) wire_receive(player, &said);
        if (has_problem(&player->memory)) break;
        same = compare(player, path, transcript, index + 1, said.at);
    }
    text_free(&said);
    return same;
}

bool play(const char *folder, const char *path, struct manner manner)
{
    struct player player;
    struct transcript transcript;
    bool same = true;
    memset(&player, 0, sizeof player);
    memset(&transcript, 0, sizeof transcript);
    player.manner = manner;
    transcript_read(&transcript, path, &player.memory);
    if (!has_problem(&player.memory)) set_up(&player, folder, &transcript);
    if (!has_problem(&player.memory)) same = play_lines(&player, path, &transcript);
    tear_down(&player);
    if (has_problem(&player.memory)) {
        printf("%s", path);
        if (player.line_number) printf(":%zu", player.line_number);
        printf(": %s\n", text_said(&player.memory.problem));
        same = false;
    }
    states_free(&player.states);
    memory_free(&player.memory);
    transcript_free(&transcript);
    return same;
}
