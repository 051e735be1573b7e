#include "stage.h"

#include <stdlib.h>
#include <string.h>

static mcp_status say(void *user_data, mcp_call *call) {
    size_t size;
    const char *text = mcp_arg_str(call, user_data, &size);
    return mcp_reply_text(call, text, size);
}

/* Hands the JSON of an argument on as it came. */
static mcp_status splice(void *user_data, mcp_call *call) {
    size_t size;
    const char *json = mcp_arg_json(call, user_data, &size);
    mcp_put_json(call, user_data, json, size);
    return mcp_reply_text(call, "", 0);
}

static void register_line(mcp_server *server, const char *line, size_t size, mcp_handler handler,
                          char *argument) {
    char *definition = malloc(size + 1);
    if (definition == NULL)
        fail("no memory for a definition");
    memcpy(definition, line, size);
    definition[size] = 0;
    mcp_status status = mcp_register(server, MCP_TOOL, definition, handler, argument, NULL);
    if (status != MCP_OK)
        fail("%s: %s", definition, mcp_status_str(status));
    free(definition);
}

mcp_server *open_server(const struct workload *workload) {
    mcp_server *server = mcp_server_new("bench", "1.0");
    mcp_handler handler = strcmp(workload->deed.data, "splice") == 0 ? splice : say;
    const char *line = workload->tools.data;
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        if (*line == '{')
            register_line(server, line, (size_t)(end - line) - (end[-1] == ','), handler,
                          workload->argument.data);
    }
    return server;
}

mcp_session *open_session(mcp_server *server, const struct workload *workload) {
    mcp_session *session = mcp_session_new(server);
    size_t size;
    mcp_session_receive(session, workload->handshake.data, workload->handshake.size, NULL);
    const char *greeting = mcp_session_poll(session, &size);
    if (greeting == NULL || strstr(greeting, "\"2025-11-25\"") == NULL)
        fail("the handshake failed: %s", greeting ? greeting : "no answer");
    return session;
}

void check_answer(const struct workload *workload, struct text answer) {
    if (answer.data == NULL || answer.size != workload->answer.size ||
        memcmp(answer.data, workload->answer.data, answer.size) != 0)
        fail("the answer should be %.400s, but is %.400s", workload->answer.data,
             answer.data ? answer.data : "not there");
}
