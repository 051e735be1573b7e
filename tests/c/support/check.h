/* What the C tests share: checks that say where they failed, and a client in a few lines.
 * A test is a program: it ends with `return check_report();`. */
#ifndef CHECK_H
#define CHECK_H

#include <mcplite.h>

#include "frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
# define CHECK_MAYBE_UNUSED __attribute__((unused))
#else
# define CHECK_MAYBE_UNUSED
#endif

static int check_failures;

static CHECK_MAYBE_UNUSED void check_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    check_failures++;
}

#define CHECK(condition) \
    do { if (!(condition)) check_failed(__FILE__, __LINE__, #condition); } while (0)

#define CHECK_STATUS(call, wanted)                                                               \
    do {                                                                                         \
        mcp_status check_got = (call);                                                           \
        if (check_got != (wanted)) {                                                             \
            fprintf(stderr, "%s:%d: %s: %s instead of %s\n", __FILE__, __LINE__, #call,          \
                    mcp_status_str(check_got), mcp_status_str(wanted));                          \
            check_failures++;                                                                    \
        }                                                                                        \
    } while (0)

#define CHECK_TEXT(text, wanted)                                                                 \
    do {                                                                                         \
        const char *check_text = (text), *check_wanted = (wanted);                               \
        if (!check_text || strcmp(check_text, check_wanted) != 0) {                              \
            fprintf(stderr, "%s:%d: %s: %s\n  instead of %s\n", __FILE__, __LINE__, #text,       \
                    check_text ? check_text : "(null)", check_wanted);                           \
            check_failures++;                                                                    \
        }                                                                                        \
    } while (0)

/* Whether `part` stands in `text`. */
#define CHECK_PART(text, part)                                                                   \
    do {                                                                                         \
        const char *check_text = (text), *check_part = (part);                                   \
        if (!check_text || !strstr(check_text, check_part)) {                                    \
            fprintf(stderr, "%s:%d: %s: %s\n  lacks %s\n", __FILE__, __LINE__, #text,            \
                    check_text ? check_text : "(null)", check_part);                             \
            check_failures++;                                                                    \
        }                                                                                        \
    } while (0)

static CHECK_MAYBE_UNUSED int check_report(void)
{
    if (check_failures) fprintf(stderr, "%d checks failed\n", check_failures);
    return check_failures ? 1 : 0;
}

/* Everything that waits, one line each, newlines included; each is checked to be a message that can
 * stand on a line. The text lives until the next call. */
static CHECK_MAYBE_UNUSED const char *drain(mcp_session *session)
{
    static char said[1 << 20];
    size_t used = 0, length;
    const char *out;
    said[0] = '\0';
    while ((out = mcp_session_poll(session, &length)) != NULL) {
        if (used + length + 2 > sizeof said) { CHECK(!"the output fits"); break; }
        CHECK(frame_is_good(out, length));
        CHECK(out[length] == '\n' && out[length + 1] == '\0');
        memcpy(said + used, out, length + 1);
        used += length + 1;
        said[used] = '\0';
    }
    return said;
}

/* Hands one message in and gives everything that comes out. */
static CHECK_MAYBE_UNUSED const char *say(mcp_session *session, const char *message)
{
    CHECK_STATUS(mcp_handle_message(session, message, strlen(message)), MCP_OK);
    return drain(session);
}

/* A legacy handshake. */
static CHECK_MAYBE_UNUSED void shake_hands(mcp_session *session, const char *revision)
{
    char message[512];
    snprintf(message, sizeof message,
             "{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"initialize\",\"params\":{"
             "\"protocolVersion\":\"%s\",\"capabilities\":{\"elicitation\":{},\"sampling\":{},\"roots\":{}},"
             "\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}", revision);
    CHECK_PART(say(session, message), "\"protocolVersion\"");
    say(session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

/* Calls a tool after a handshake; `arguments` is a JSON object. */
static CHECK_MAYBE_UNUSED const char *call_tool(mcp_session *session, int id, const char *name, const char *arguments)
{
    static char message[1 << 16];
    snprintf(message, sizeof message,
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":%s}}",
             id, name, arguments);
    return say(session, message);
}

/* The `_meta` of 2026-07-28, whose client can be asked everything; `more` starts with a comma. */
#define MODERN_META(more)                                                                        \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                     \
    "\"io.modelcontextprotocol/clientCapabilities\":"                                            \
    "{\"elicitation\":{},\"sampling\":{},\"roots\":{}}" more "}"

/* Calls a tool in 2026-07-28; `more` are further members of `params`, each followed by a comma. */
static CHECK_MAYBE_UNUSED const char *call_modern(mcp_session *session, int id, const char *name,
                                                  const char *more)
{
    static char message[1 << 16];
    snprintf(message, sizeof message,
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"%s\",%s%s}}", id, name, more, MODERN_META(""));
    return say(session, message);
}

/* Whether `part` is not in `text`. */
#define CHECK_LACKS(text, part)                                                                  \
    do {                                                                                         \
        const char *check_text = (text), *check_part = (part);                                   \
        if (check_text && strstr(check_text, check_part)) {                                      \
            fprintf(stderr, "%s:%d: %s: %s\n  has %s\n", __FILE__, __LINE__, #text, check_text,  \
                    check_part);                                                                 \
            check_failures++;                                                                    \
        }                                                                                        \
    } while (0)

/* A destroy or wake that counts: user_data is an int. */
static CHECK_MAYBE_UNUSED void count_up(void *user_data)
{
    ++*(int *)user_data;
}

/* A handler that answers. */
static CHECK_MAYBE_UNUSED mcp_status reply_ok(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_reply_text(call, "ok", 2);
}

/* A handler that keeps its call: user_data is an mcp_call *, which the test releases. */
static CHECK_MAYBE_UNUSED mcp_status keep_call(void *user_data, mcp_call *call)
{
    *(mcp_call **)user_data = mcp_call_retain(call);
    return MCP_OK;
}

/* Bytes on the heap without a NUL behind them, so that a checker sees who reads on. */
static CHECK_MAYBE_UNUSED char *bare(const char *text, size_t length)
{
    char *copy = malloc(length ? length : 1);
    if (!copy) abort();
    memcpy(copy, text, length);
    return copy;
}

#endif
