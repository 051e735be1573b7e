#include "options.h"

#include <string.h>

/* Options whose value is a number. */
static const struct {
    const char *key;
    int32_t option;
} numbers[] = {
    {"page-size", MCP_OPT_PAGE_SIZE},
    {"deadline", MCP_OPT_DEADLINE_MS},
    {"state-ttl", MCP_OPT_STATE_TTL_MS},
    {"depth", MCP_LIMIT_NESTING},
    {"message-bytes", MCP_LIMIT_MESSAGE_BYTES},
    {"open-calls", MCP_LIMIT_OPEN_CALLS},
    {"batch-messages", MCP_LIMIT_BATCH_MESSAGES},
    {"subscriptions", MCP_LIMIT_SUBSCRIPTIONS},
    {"listen-streams", MCP_LIMIT_LISTEN_STREAMS},
    {"ask-rounds", MCP_LIMIT_ASK_ROUNDS},
    {"state-bytes", MCP_LIMIT_STATE_BYTES},
};

/* Options whose value is one of a few words. */
static const struct {
    const char *key;
    const char *word;
    int32_t option;
    int64_t value;
} words[] = {
    {"preset", "spec", MCP_OPT_ERROR_PRESET, MCP_PRESET_SPEC},
    {"preset", "classic", MCP_OPT_ERROR_PRESET, MCP_PRESET_CLASSIC},
    {"preset", "gateway", MCP_OPT_ERROR_PRESET, MCP_PRESET_GATEWAY},
    {"dispatch", "queued", MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED},
    {"logging", "on", MCP_OPT_LOGGING, 1},
    {"logging", "off", MCP_OPT_LOGGING, 0},
    {"identify", "on", MCP_OPT_IDENTIFY, 1},
    {"identify", "off", MCP_OPT_IDENTIFY, 0},
    {"stacktraces", "on", MCP_OPT_STACKTRACE, 1},
    {"stacktraces", "off", MCP_OPT_STACKTRACE, 0},
};

static const struct {
    const char *name;
    int64_t bit;
} revisions[] = {
    {"2024-11-05", MCP_REV_2024_11_05},
    {"2025-03-26", MCP_REV_2025_03_26},
    {"2025-06-18", MCP_REV_2025_06_18},
    {"2025-11-25", MCP_REV_2025_11_25},
    {"2026-07-28", MCP_REV_2026_07_28},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void set_int(struct player *player, int32_t option, int64_t value, const char *key)
{
    demand(&player->memory, player->server, mcp_server_set_int(player->server, option, value), key);
}

static mcp_status no_entropy(void *user_data, uint8_t *out, size_t length)
{
    (void)user_data;
    (void)out;
    (void)length;
    return MCP_E_UNSUPPORTED;
}

static void set_revisions(struct player *player, const char *names)
{
    int64_t bits = 0;
    while (*names) {
        size_t length = strcspn(names, ","), index = 0;
        while (index < COUNT(revisions) && (strlen(revisions[index].name) != length
                                            || memcmp(revisions[index].name, names, length) != 0)) {
            index++;
        }
        if (index == COUNT(revisions)) {
            complain(&player->memory, "unknown revision %s", names);
            return;
        }
        bits |= revisions[index].bit;
        names += length + (names[length] == ',');
    }
    set_int(player, MCP_OPT_REVISIONS, bits, "revisions");
}

static void set_cache(struct player *player, char *value)
{
    int64_t ttl_ms;
    bool is_number = read_number(next_word(&value), &ttl_ms);
    bool is_public = strcmp(value, "public") == 0;
    if (!is_number || (!is_public && strcmp(value, "private") != 0)) {
        complain(&player->memory, "cache is followed by milliseconds and a scope");
        return;
    }
    set_int(player, MCP_OPT_CACHE_TTL_MS, ttl_ms, "cache");
    set_int(player, MCP_OPT_CACHE_SCOPE, is_public ? MCP_CACHE_PUBLIC : MCP_CACHE_PRIVATE, "cache");
}

/* Whether the option has a number for its value. */
static bool set_number(struct player *player, const char *key, const char *value)
{
    size_t index;
    int64_t number;
    for (index = 0; index < COUNT(numbers); index++) {
        if (strcmp(numbers[index].key, key) != 0) continue;
        if (read_number(value, &number)) {
            set_int(player, numbers[index].option, number, key);
        } else {
            complain(&player->memory, "not a number for %s: %s", key, value);
        }
        return true;
    }
    return false;
}

void option_set(struct player *player, char *line)
{
    const char *key = next_word(&line);
    size_t index;
    /* The player has chosen the fixture before there was anything to set. */
    if (strcmp(key, "fixture") == 0) return;
    if (strcmp(key, "revisions") == 0) {
        set_revisions(player, line);
        return;
    }
    if (strcmp(key, "cache") == 0) {
        set_cache(player, line);
        return;
    }
    if (strcmp(key, "entropy") == 0 && strcmp(line, "off") == 0) {
        mcp_status status = mcp_server_set_entropy(player->server, no_entropy, NULL, NULL);
        demand(&player->memory, player->server, status, key);
        return;
    }
    if (set_number(player, key, line)) return;
    for (index = 0; index < COUNT(words); index++) {
        if (strcmp(words[index].key, key) != 0 || strcmp(words[index].word, line) != 0) continue;
        set_int(player, words[index].option, words[index].value, key);
        return;
    }
    complain(&player->memory, "unknown option %s %s", key, line);
}
