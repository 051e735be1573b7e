/* What a client or a handler may take of the host's memory: texts far larger than anybody has, and
 * many that together exceed the cap. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "echo.h"

#include <sys/mman.h>

/* The most memory that the process ever had, in KiB. */
static long peak_memory(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long peak = 0;
    if (!status) return 0;
    while (fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &peak);
    fclose(status);
    return peak;
}

/* A tool has memory of its own, which grows with what it watches. */
static int memory_is_ours(void)
{
    const char *mode = getenv("CHECK_MODE");
    return !mode || strcmp(mode, "plain") == 0;
}

enum { GIBIBYTE = 1 << 30, MESSAGE = 64 << 20, CAP = 8 << 20 };

static mcp_status answer_hugely(void *data, mcp_call *call)
{
    mcp_status status = mcp_reply_text(call, data, GIBIBYTE);
    CHECK(status == MCP_E_LIMIT || status == MCP_E_NOMEM);
    status = mcp_add_media(call, "image/png", data, GIBIBYTE);
    CHECK(status == MCP_E_LIMIT || status == MCP_E_NOMEM);
    status = mcp_log(call, MCP_LOG_ERROR, "huge", data, GIBIBYTE);
    CHECK(status == MCP_E_LIMIT || status == MCP_E_NOMEM);
    return status;
}

/* A gibibyte that takes no memory, because nobody writes to it. */
static void huge_texts_are_refused_early(void)
{
    mcp_server *server;
    mcp_session *session = open_session(&server);
    void *huge = mmap(NULL, GIBIBYTE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    long before = peak_memory(), taken;
    CHECK(huge != MAP_FAILED);
    CHECK_STATUS(mcp_server_set_int(server, MCP_LIMIT_MEMORY_BYTES, CAP), MCP_OK);
    CHECK_STATUS(mcp_register_tool(server, "huge", NULL, NULL, answer_hugely, huge, NULL), MCP_OK);
    while (mcp_session_poll(session, NULL)) continue;
    CHECK_STATUS(feed(session, 1, "huge"), MCP_OK);
    CHECK_PART(mcp_session_poll(session, NULL), "\"id\":1");
    CHECK_STATUS(mcp_handle_message(session, huge, MESSAGE), MCP_OK);
    CHECK_PART(mcp_session_poll(session, NULL), "\"error\"");
    CHECK(mcp_register_static(server, "test://huge", "huge", "text/plain", huge, GIBIBYTE) < 0);
    while (mcp_session_poll(session, NULL)) continue;
    use(session, 2);
    taken = peak_memory() - before;
    if (taken > 2 * CAP / 1024 && memory_is_ours()) {
        fprintf(stderr, "%ld KiB more\n", taken);
        CHECK(!"memory stays within twice the cap");
    }
    close_session(server, session);
    munmap(huge, GIBIBYTE);
}

enum { MOST_CALLS = 1000 };

typedef struct hoard { mcp_call *calls[MOST_CALLS]; int count; } hoard;

static mcp_status hoard_call(void *data, mcp_call *call)
{
    hoard *h = data;
    if (h->count < MOST_CALLS) h->calls[h->count++] = mcp_call_retain(call);
    return MCP_OK;
}

/* A client that sends ever more gets errors, not the host's memory; afterwards all is well. */
static void the_memory_cap_holds(void)
{
    enum { TEXT = 100000 };
    mcp_server *server;
    mcp_session *session = open_session(&server);
    char *message = malloc(TEXT + 200);
    hoard h = {{NULL}, 0};
    int id, refused = 0;
    CHECK_STATUS(mcp_server_set_int(server, MCP_LIMIT_MEMORY_BYTES, CAP), MCP_OK);
    CHECK_STATUS(mcp_register_tool(server, "hoard", NULL, NULL, hoard_call, &h, NULL), MCP_OK);
    while (mcp_session_poll(session, NULL)) continue;
    for (id = 10; id < 10 + 2 * CAP / TEXT; id++) {
        int used = snprintf(message, 200, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":"
                            "{\"name\":\"hoard\",\"arguments\":{\"text\":\"", id);
        const char *out;
        mcp_status status;
        memset(message + used, 'x', TEXT);
        memcpy(message + used + TEXT, "\"}}}", 4);
        status = mcp_handle_message(session, message, (size_t)used + TEXT + 4);
        CHECK(status == MCP_OK || status == MCP_E_LIMIT || status == MCP_E_NOMEM);
        out = mcp_session_poll(session, NULL);
        if (out) CHECK_PART(out, "\"error\"");
        if (out || status < 0) refused++;
        CHECK(mcp_server_memory_used(server) <= CAP);
    }
    CHECK(refused > 0 && h.count > 0);
    while (h.count > 0) {
        CHECK_STATUS(mcp_reply_text(h.calls[--h.count], MCP_LIT("let go")), MCP_OK);
        mcp_call_release(h.calls[h.count]);
        CHECK_PART(mcp_session_poll(session, NULL), "let go");
    }
    CHECK(mcp_session_poll(session, NULL) == NULL);
    use(session, 1);
    free(message);
    close_session(server, session);
}

int main(void)
{
    huge_texts_are_refused_early();
    the_memory_cap_holds();
    return check_report();
}
