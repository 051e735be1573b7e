/* Asking the client: the same handlers in both eras, whatever the client answers. */
#include "check.h"

#define FORM                                                                                     \
    "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"required\":[\"name\"],"    \
    "\"properties\":{\"name\":{\"type\":\"string\"}}}}"
#define ROOTS_ANSWER "{\"roots\":[{\"uri\":\"file:///home\"}]}"
#define NAME_ANSWER "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}"
#define BAD_ANSWER "{\"action\":\"accept\",\"content\":{\"name\":5}}"

static mcp_server *server;
static mcp_session *session;
static int runs;
/* The last message of the client, for the retry of 2026-07-28. */
static const char *tool;

static mcp_status ask_one(void *user_data, mcp_call *call)
{
    size_t length = 99;
    const char *answer = mcp_ask(call, "where", "roots/list", NULL, 0, &length);
    (void)user_data;
    runs++;
    CHECK(answer ? length == strlen(answer) : length == 0);
    return answer ? mcp_reply_text(call, answer, length) : MCP_PENDING;
}

static mcp_status ask_two(void *user_data, mcp_call *call)
{
    const char *where = mcp_ask(call, "where", "roots/list", NULL, 0, NULL);
    const char *who = mcp_ask(call, "who", "elicitation/create", FORM, MCP_Z, NULL);
    (void)user_data;
    runs++;
    if (!where || !who) return MCP_PENDING;
    mcp_add_text(call, where, MCP_Z);
    return mcp_reply_text(call, who, MCP_Z);
}

/* One question after the other, with a note to itself in between. */
static mcp_status ask_in_rounds(void *user_data, mcp_call *call)
{
    const char *state = mcp_call_info(call, MCP_INFO_STATE, NULL), *where, *who;
    (void)user_data;
    runs++;
    CHECK(runs == 1 ? state == NULL : state != NULL);
    where = mcp_ask(call, "where", "roots/list", NULL, 0, NULL);
    if (!where) {
        CHECK_STATUS(mcp_reply_set(call, MCP_SET_STATE, "first", MCP_Z), MCP_OK);
        return MCP_PENDING;
    }
    who = mcp_ask(call, "who", "elicitation/create", FORM, MCP_Z, NULL);
    if (!who) {
        CHECK_TEXT(state, "first");
        CHECK_STATUS(mcp_reply_set(call, MCP_SET_STATE, "second", MCP_Z), MCP_OK);
        return MCP_PENDING;
    }
    CHECK_TEXT(state, "second");
    mcp_add_text(call, where, MCP_Z);
    return mcp_reply_text(call, who, MCP_Z);
}

static mcp_status ask_wrongly(void *user_data, mcp_call *call)
{
    const char *how = mcp_arg_str(call, "how", NULL);
    const char *answer = "", *more;
    size_t length = 99;
    (void)user_data;
    runs++;
    if (!strcmp(how, "method")) answer = mcp_ask(call, "k", "no/method", NULL, 0, &length);
    else if (!strcmp(how, "json")) answer = mcp_ask(call, "k", "roots/list", "{", 1, &length);
    else if (!strcmp(how, "params"))
        answer = mcp_ask(call, "k", "elicitation/create", "{}", 2, &length);
    else if (!strcmp(how, "key")) answer = mcp_ask(call, "", "roots/list", NULL, 0, &length);
    else if (!strcmp(how, "null")) answer = mcp_ask(call, NULL, NULL, NULL, 0, &length);
    else if (!strcmp(how, "twice")) {
        answer = mcp_ask(call, "k", "roots/list", NULL, 0, &length);
        more = mcp_ask(call, "k", "elicitation/create", FORM, MCP_Z, &length);
        CHECK(more == NULL);
    }
    CHECK(answer == NULL && length == 0);
    return MCP_PENDING;
}

static mcp_status do_without(void *user_data, mcp_call *call)
{
    (void)user_data;
    if (!mcp_can_ask(call, "sampling/createMessage", NULL, 0))
        return mcp_reply_text(call, "without", MCP_Z);
    return mcp_reply_text(call, "with", MCP_Z);
}

static mcp_call *kept;

static mcp_status keep_first(void *user_data, mcp_call *call)
{
    const char *answer = mcp_ask(call, "where", "roots/list", NULL, 0, NULL);
    (void)user_data;
    runs++;
    if (answer) return mcp_reply_text(call, answer, MCP_Z);
    kept = mcp_call_retain(call);
    return MCP_OK;
}

static void begin(const char *revision)
{
    static const struct { const char *name; mcp_handler handler; } tools[] = {
        {"one", ask_one}, {"two", ask_two}, {"rounds", ask_in_rounds}, {"wrong", ask_wrongly},
        {"without", do_without}, {"kept", keep_first},
    };
    size_t i;
    server = mcp_server_new("asking", "1");
    for (i = 0; i < sizeof tools / sizeof *tools; i++)
        mcp_register_tool(server, tools[i].name, NULL, NULL, tools[i].handler, NULL, NULL);
    session = mcp_session_new(server);
    if (revision) shake_hands(session, revision);
}

static void end(void)
{
    mcp_session_free(session);
    mcp_server_free(server);
}

/* What the client says to a question of ours, in the era before 2026-07-28. */
static const char *respond(const char *question, const char *answer)
{
    char message[1000];
    size_t length = 0;
    const char *id = mcp_json_find(question, strcspn(question, "\n"), "id", &length);
    CHECK(id != NULL);
    snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%s}",
             (int)length, id ? id : "", answer);
    return say(session, message);
}

static const char *start(int is_modern, const char *name)
{
    runs = 0;
    tool = name;
    return is_modern ? call_modern(session, 1, name, "") : call_tool(session, 1, name, "{}");
}

/* Answers the questions in `said`: the first, and the second if there is one. */
static const char *go_on(int is_modern, const char *said, const char *key, const char *answer,
                         const char *second_key, const char *second)
{
    char more[4000], copy[4000];
    size_t length = 0;
    const char *state, *next;
    snprintf(copy, sizeof copy, "%s", said);
    if (!is_modern) {
        next = strchr(copy, '\n') + 1;
        said = respond(copy, answer);
        return second ? respond(next, second) : said;
    }
    CHECK_PART(copy, "\"resultType\":\"input_required\"");
    state = mcp_json_find(copy, strlen(copy), "/result/requestState", &length);
    CHECK(state != NULL);
    snprintf(more, sizeof more, "\"inputResponses\":{\"%s\":%s%s%s%s%s},\"requestState\":%.*s,",
             key, answer, second ? ",\"" : "",
             second ? second_key : "", second ? "\":" : "", second ? second : "", (int)length,
             state ? state : "");
    return call_modern(session, 2, tool, more);
}

static void questions_are_answered(int is_modern)
{
    const char *said;
    begin(is_modern ? NULL : "2025-11-25");
    said = start(is_modern, "one");
    CHECK_PART(said, "roots/list");
    CHECK_PART(go_on(is_modern, said, "where", ROOTS_ANSWER, NULL, NULL), "file:///home");
    CHECK(runs == 2);

    said = start(is_modern, "two");
    CHECK_PART(said, "roots/list");
    CHECK_PART(said, "elicitation/create");
    said = go_on(is_modern, said, "where", ROOTS_ANSWER, "who", NAME_ANSWER);
    CHECK_PART(said, "file:///home");
    CHECK_PART(said, "Ada");
    CHECK(runs == 2);

    said = start(is_modern, "rounds");
    CHECK_LACKS(said, "elicitation/create");
    said = go_on(is_modern, said, "where", ROOTS_ANSWER, NULL, NULL);
    CHECK_PART(said, "elicitation/create");
    said = go_on(is_modern, said, "who", NAME_ANSWER, NULL, NULL);
    CHECK_PART(said, "file:///home");
    CHECK_PART(said, "Ada");
    CHECK(runs == 3);
    CHECK(mcp_session_open_calls(session) == 0);
    end();
}

static void an_answer_that_does_not_fit_is_asked_for_again(int is_modern)
{
    const char *said;
    begin(is_modern ? NULL : "2025-11-25");
    said = start(is_modern, "two");
    said = go_on(is_modern, said, "where", ROOTS_ANSWER, "who", BAD_ANSWER);
    CHECK_PART(said, "elicitation/create");
    CHECK_LACKS(said, "roots/list");
    CHECK_PART(go_on(is_modern, said, "who", NAME_ANSWER, NULL, NULL), "Ada");
    CHECK(runs == 3);
    end();
}

static void a_client_that_cannot_be_asked_is_told(void)
{
    begin(NULL);
    say(session, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
        "\"params\":{\"protocolVersion\":\"2025-11-25\","
        "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}");
    CHECK_PART(call_tool(session, 1, "one", "{}"), "\"isError\":true");
    CHECK_PART(call_tool(session, 2, "without", "{}"), "\"text\":\"without\"");
    CHECK_PART(say(session, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\","
                   "\"params\":{\"name\":\"one\",\"_meta\":"
                   "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                   "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"), "-32021");
    CHECK_PART(call_modern(session, 4, "without", ""), "\"text\":\"with\"");
    end();
}

static void questions_that_the_host_gets_wrong_are_errors(int is_modern)
{
    static const char *const ways[] = {"method", "json", "params", "key", "null", "twice"};
    size_t i;
    begin(is_modern ? NULL : "2025-11-25");
    for (i = 0; i < sizeof ways / sizeof *ways; i++) {
        char arguments[100];
        const char *said;
        runs = 0;
        snprintf(arguments, sizeof arguments, is_modern ? "\"arguments\":{\"how\":\"%s\"}," :
                 "{\"how\":\"%s\"}", ways[i]);
        if (is_modern) said = call_modern(session, 1, "wrong", arguments);
        else said = call_tool(session, 1, "wrong", arguments);
        if (!strstr(said, "\"error\":{") && !strstr(said, "\"isError\":true")) {
            fprintf(stderr, "asked wrongly (%s): %s", ways[i], said);
            CHECK(!"an error answer");
        }
        CHECK(runs == 1);
        CHECK(mcp_session_open_calls(session) == 0);
    }
    end();
}

static void a_kept_call_can_ask(int is_modern)
{
    const char *said;
    begin(is_modern ? NULL : "2025-11-25");
    CHECK_TEXT(start(is_modern, "kept"), "");
    CHECK_STATUS(mcp_reply_asked(kept), MCP_OK);
    CHECK_STATUS(mcp_reply_asked(kept), MCP_E_ANSWERED);
    CHECK_STATUS(mcp_reply_text(kept, "late", MCP_Z), MCP_E_ANSWERED);
    mcp_call_release(kept);
    said = drain(session);
    CHECK_PART(said, "roots/list");
    CHECK_PART(go_on(is_modern, said, "where", ROOTS_ANSWER, NULL, NULL), "file:///home");
    CHECK(runs == 2);
    end();
}

static void rounds_come_to_an_end(void)
{
    const char *said;
    int rounds;
    begin("2025-11-25");
    CHECK_STATUS(mcp_server_set_int(server, MCP_LIMIT_ASK_ROUNDS, 3), MCP_OK);
    said = start(0, "one");
    for (rounds = 1; strstr(said, "roots/list") && rounds < 10; rounds++)
        said = go_on(0, said, "where", "{\"roots\":5}", NULL, NULL);
    CHECK(rounds == 4);
    CHECK_PART(said, "\"isError\":true");
    end();
}

int main(void)
{
    int is_modern;
    for (is_modern = 0; is_modern < 2; is_modern++) {
        questions_are_answered(is_modern);
        an_answer_that_does_not_fit_is_asked_for_again(is_modern);
        questions_that_the_host_gets_wrong_are_errors(is_modern);
        a_kept_call_can_ask(is_modern);
    }
    a_client_that_cannot_be_asked_is_told();
    rounds_come_to_an_end();
    return check_report();
}
