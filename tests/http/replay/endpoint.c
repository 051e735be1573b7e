#include "endpoint.h"

#include "fixture.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key;
    int32_t option;
} numbers[] = {
    {"body-bytes", MCP_HTTP_MAX_BODY},
    {"header-bytes", MCP_HTTP_MAX_HEADER_BYTES},
    {"header-count", MCP_HTTP_MAX_HEADERS},
    {"keepalive", MCP_HTTP_KEEPALIVE_MS},
    {"replay-bytes", MCP_HTTP_REPLAY_BYTES},
    {"retry", MCP_HTTP_RETRY_MS},
    {"session-idle", MCP_HTTP_SESSION_IDLE_MS},
    {"sessions", MCP_HTTP_MAX_SESSIONS},
};

/* Lists, whose values stand between commas. */
static const struct {
    const char *key;
    int32_t option;
} lists[] = {
    {"cors", MCP_HTTP_CORS_ORIGIN},
    {"hosts", MCP_HTTP_ALLOW_HOST},
    {"origins", MCP_HTTP_ALLOW_ORIGIN},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int64_t tell_time(void *user_data, int32_t which)
{
    struct endpoint *endpoint = user_data;
    (void)which;
    return atomic_load(&endpoint->now_us);
}

static mcp_status count_up(void *user_data, uint8_t *out, size_t length)
{
    struct endpoint *endpoint = user_data;
    while (length-- > 0) *out++ = atomic_fetch_add(&endpoint->next_random, 1);
    return MCP_OK;
}

static void demand_of(struct endpoint *endpoint, mcp_status status, const char *what)
{
    demand(&endpoint->player.memory, endpoint->player.server, status, what);
}

/* Takes the token for the name of whoever sends it, but for two that are not good enough. */
static int32_t authorize_by_name(void *user_data, mcp_exchange *exchange)
{
    static const char scheme[] = "Bearer ";
    const char *header = mcp_exchange_request_header(exchange, "Authorization", NULL);
    const char *token = header && strncmp(header, scheme, sizeof scheme - 1) == 0 ? header + sizeof scheme - 1 : NULL;
    (void)user_data;
    if (!token) {
        mcp_exchange_set_challenge(exchange, "scope=\"files:read\"");
        return 401;
    }
    if (strcmp(token, "expired") == 0) {
        mcp_exchange_set_challenge(exchange, "error=\"invalid_token\"");
        return 401;
    }
    if (strcmp(token, "weak") == 0) {
        mcp_exchange_set_challenge(exchange, "scope=\"files:write\"");
        return 403;
    }
    return mcp_exchange_set_principal(exchange, token) == MCP_OK ? 0 : 403;
}

/* Handlers run on the thread that does what the host does, so that the two share their memory. */
static void set_up(struct endpoint *endpoint, mcp_server *server)
{
    uint8_t key[32];
    memset(key, 1, sizeof key);
    demand_of(endpoint, mcp_server_set_clock(server, tell_time, endpoint, NULL), "the clock");
    demand_of(endpoint, mcp_server_set_entropy(server, count_up, endpoint, NULL), "entropy");
    demand_of(endpoint, mcp_server_set_seal_keys(server, key, 1), "the seal key");
    demand_of(endpoint, mcp_server_set_int(server, MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED), "dispatch");
}

static void mount(struct endpoint *endpoint, char *value)
{
    const char *path = next_word(&value);
    struct mount *mount = &endpoint->mounts[endpoint->mount_count];
    if (endpoint->mount_count == MAX_MOUNTS) {
        complain(&endpoint->player.memory, "too many mounts");
        return;
    }
    endpoint->mount_count++;
    mount->server = fixture_server(endpoint->fixtures, value, &mount->memory);
    if (!mount->server) complain(&endpoint->player.memory, "there is no server to mount");
    set_up(endpoint, mount->server);
    demand_of(endpoint, mcp_http_mount(endpoint->http, path, mount->server), path);
}

static void set_text(struct endpoint *endpoint, int32_t option, const char *value)
{
    demand_of(endpoint, mcp_http_set_str(endpoint->http, option, value), value);
}

static void add_all(struct endpoint *endpoint, int32_t option, char *values)
{
    char *value;
    for (value = strtok(values, ","); value; value = strtok(NULL, ",")) set_text(endpoint, option, value);
}

/* Whether the option is one of the endpoint's own. */
static bool set_own(struct endpoint *endpoint, const char *key, char *value)
{
    size_t index;
    int64_t number;
    for (index = 0; index < COUNT(numbers); index++) {
        if (strcmp(numbers[index].key, key) != 0) continue;
        if (!read_number(value, &number)) complain(&endpoint->player.memory, "not a number for %s", key);
        demand_of(endpoint, mcp_http_set_int(endpoint->http, numbers[index].option, number), key);
        return true;
    }
    for (index = 0; index < COUNT(lists); index++) {
        if (strcmp(lists[index].key, key) != 0) continue;
        add_all(endpoint, lists[index].option, value);
        return true;
    }
    if (strcmp(key, "stateless") == 0) {
        demand_of(endpoint, mcp_http_set_int(endpoint->http, MCP_HTTP_STATELESS, strcmp(value, "on") == 0), key);
    } else if (strcmp(key, "resource-metadata") == 0) {
        set_text(endpoint, MCP_HTTP_RESOURCE_METADATA, value);
    } else if (strcmp(key, "sse") == 0) {
        set_text(endpoint, MCP_HTTP_SSE_PATH, next_word(&value));
        set_text(endpoint, MCP_HTTP_SSE_POST_PATH, value);
    } else if (strcmp(key, "authorize") == 0) {
        demand_of(endpoint, mcp_http_set_authorize(endpoint->http, authorize_by_name, NULL, NULL), key);
    } else if (strcmp(key, "mount") == 0) {
        mount(endpoint, value);
    } else {
        return false;
    }
    return true;
}

static void set(struct endpoint *endpoint, const char *line)
{
    /* One to cut into words, one for whom the option belongs to if it is not the endpoint's. */
    char *own = copy_text(line), *others = copy_text(line), *rest = own;
    const char *key = next_word(&rest);
    if (!set_own(endpoint, key, rest)) option_set(&endpoint->player, others);
    free(own);
    free(others);
}

static const char *fixture_name(char **options, int count)
{
    static const char key[] = "fixture ";
    int index;
    for (index = 0; index < count; index++) {
        if (strncmp(options[index], key, sizeof key - 1) == 0) return options[index] + sizeof key - 1;
    }
    return "";
}

void endpoint_make(struct endpoint *endpoint, const char *fixtures, char **options, int count)
{
    int index;
    struct memory *memory = &endpoint->player.memory;
    endpoint->fixtures = fixtures;
    endpoint->player.server = fixture_server(fixtures, fixture_name(options, count), memory);
    if (!endpoint->player.server) complain(memory, "there is no server");
    if (has_problem(memory)) return;
    set_up(endpoint, endpoint->player.server);
    endpoint->http = mcp_http_new(endpoint->player.server, "/mcp");
    if (!endpoint->http) complain(memory, "there is no endpoint");
    for (index = 0; index < count && !has_problem(memory); index++) set(endpoint, options[index]);
}

void endpoint_run(struct endpoint *endpoint)
{
    size_t index;
    mcp_server_run(endpoint->player.server, 0);
    for (index = 0; index < endpoint->mount_count; index++) mcp_server_run(endpoint->mounts[index].server, 0);
}

void endpoint_free(struct endpoint *endpoint)
{
    size_t index;
    mcp_http_free(endpoint->http);
    mcp_server_free(endpoint->player.server);
    for (index = 0; index < endpoint->mount_count; index++) {
        mcp_server_free(endpoint->mounts[index].server);
        memory_free(&endpoint->mounts[index].memory);
    }
    memory_free(&endpoint->player.memory);
}
