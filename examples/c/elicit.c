/* elicit: one handler that asks the user, whatever revision the client speaks. Before 2026-07-28
 * the library sends elicitation/create and waits; from then on the call ends as "input required"
 * and the client calls again with the answers. Either way the handler runs from the top at each
 * attempt, and finds the answers that are there.
 *
 * Build:  cc elicit.c $(pkg-config --cflags --libs mcplite) -o elicit
 * Try:    ./elicit in an MCP client that supports elicitation; ask it to book a seat.
 *         ./elicit KEYFILE takes one or two seal keys of 32 bytes from a file; see seal_keys().
 */
#include <mcplite.h>
#include <stdio.h>
#include <string.h>

static int next_hold = 1;                        /* without a lock: one worker runs the handlers */

static int accepted(const char *answer, size_t len)
{
    char action[16];

    return mcp_json_str(answer, len, "action", action, sizeof action, NULL) == MCP_OK
        && strcmp(action, "accept") == 0;
}

/* The third question repeats an answer of the user's. Text inside JSON must be quoted: snprintf()
 * alone would let a name like `"}` change the question. */
static const char *ask_sure(mcp_call *call, const char *date, const char *seat, size_t *out_len)
{
    char text[160], quoted[2 * sizeof text], params[sizeof quoted + 100];

    snprintf(text, sizeof text, "Book the %s seat for %s?", seat, date);
    if (mcp_json_quote(text, MCP_Z, quoted, sizeof quoted, NULL) != MCP_OK)
        return NULL;
    snprintf(params, sizeof params,
             "{\"message\": %s, \"requestedSchema\": {\"type\": \"object\", \"properties\": {}}}",
             quoted);
    return mcp_ask(call, "sure", "elicitation/create", params, MCP_Z, out_len);
}

static mcp_status book(void *unused, mcp_call *call)
{
    const char *when, *which, *sure, *state;
    size_t when_len, which_len, sure_len;
    char hold[24], date[64], seat[16], text[160];

    (void)unused;
    /* Optional: without this, a client that cannot ask gets an error that names what it lacks. */
    if (!mcp_can_ask(call, "elicitation/create", NULL, 0))
        return mcp_fail(call, MCP_KIND_TOOL_FAILED, "Your client cannot ask its user.", MCP_Z);

    /* A side effect that must not happen at every attempt. What an attempt wants to know of the one
     * before goes through the state: the next one may reach another process. */
    state = mcp_call_info(call, MCP_INFO_STATE, NULL);
    if (state != NULL) {
        snprintf(hold, sizeof hold, "%s", state);
    } else {
        snprintf(hold, sizeof hold, "hold-%d", next_hold++);
        mcp_reply_set(call, MCP_SET_STATE, hold, MCP_Z);
    }

    /* Two questions in one round: ask both, then give up the attempt once. */
    when = mcp_ask(call, "when", "elicitation/create", MCP_JSON({
        "message": "Which day?",
        "requestedSchema": {"type": "object", "required": ["date"], "properties": {
            "date": {"type": "string", "format": "date", "maxLength": 10}}}}), MCP_Z, &when_len);
    which = mcp_ask(call, "which", "elicitation/create", MCP_JSON({
        "message": "Window or aisle?",
        "requestedSchema": {"type": "object", "required": ["seat"], "properties": {
            "seat": {"type": "string", "enum": ["window", "aisle"]}}}}), MCP_Z, &which_len);
    if (when == NULL || which == NULL)
        return MCP_PENDING;

    if (!accepted(when, when_len) || !accepted(which, which_len))
        return mcp_reply_text(call, "Not booked: the user did not say when and where.", MCP_Z);
    /* What the user accepted fits the schema of the question, or it would have been asked again. */
    if (mcp_json_str(when, when_len, "/content/date", date, sizeof date, NULL) != MCP_OK
        || mcp_json_str(which, which_len, "/content/seat", seat, sizeof seat, NULL) != MCP_OK)
        return MCP_E_INVALID;

    /* A question whose wording needs an answer: a second round. */
    sure = ask_sure(call, date, seat, &sure_len);
    if (sure == NULL)
        return MCP_PENDING;
    if (!accepted(sure, sure_len))
        return mcp_reply_text(call, "Not booked: the user was not sure.", MCP_Z);

    snprintf(text, sizeof text, "Booked %s: the %s seat for %s.", hold, seat, date);
    return mcp_reply_text(call, text, MCP_Z);
}

/* In 2026-07-28 state and answers travel with the client, sealed so that it can neither read nor
 * change them, and bound to the request and to who made it. By default the key is random and lives
 * as long as the server object: an attempt that reaches another process, or the same one after a
 * restart, is refused and the user starts again. Processes that stand in for each other share
 * their keys. The first one seals and all of them open, so a new key is put in front of the old
 * one, which is dropped when what it sealed has expired (MCP_OPT_STATE_TTL_MS). Make one with
 *
 *     head -c 32 /dev/urandom > keyfile
 */
static int seal_keys(mcp_server *server, const char *path)
{
    uint8_t keys[2 * 32];
    FILE *file = fopen(path, "rb");
    size_t len = file != NULL ? fread(keys, 1, sizeof keys, file) : 0;

    if (file != NULL)
        fclose(file);
    if (len == 0 || len % 32 != 0) {
        fprintf(stderr, "elicit: %s does not hold one or two keys of 32 bytes\n", path);
        return 0;
    }
    return mcp_server_set_seal_keys(server, keys, len / 32) == MCP_OK;
}

int main(int argc, char **argv)
{
    mcp_server *server = mcp_server_new("elicit", "1.0");
    mcp_status status = MCP_E_INVALID;

    mcp_register_tool(server, "book", "Books a seat for a day that the user chooses.", NULL,
                      book, NULL, NULL);
    if (argc < 2 || seal_keys(server, argv[1])) {
        status = mcp_serve_stdio(server);        /* also reports a refused registration */
        if (status != MCP_OK)
            fprintf(stderr, "elicit: %s\n", mcp_status_str(status));
    }
    mcp_server_free(server);
    return status == MCP_OK ? 0 : 1;
}
