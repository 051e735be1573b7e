/* The behaviours that ask the client. An item's `asks` has the keys to ask under, and which of the
 * fixture's questions each one is. */
#include "behaviours.h"

#include "item.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The page that `log-in` sends to. */
static const char LOGIN[] =
    "{\"elicitations\":[{\"mode\":\"url\",\"elicitationId\":\"login\","
    "\"url\":\"https://example.com/login\",\"message\":\"Please log in.\"}]}";

/* One thing to ask. */
struct question {
    char *key;
    char *method;
    /* NULL for none. */
    char *params;
};

static void question_free(struct question *question)
{
    free(question->key);
    free(question->method);
    free(question->params);
}

/* The question of that name in the fixture; false: complained. The key is left alone. */
static bool question_find(struct question *question, const char *name, struct memory *memory)
{
    char *described = memory->questions ? json_copy(memory->questions, name) : NULL;
    question->method = described ? json_string(described, "method", NULL) : NULL;
    question->params = described ? json_copy(described, "params") : NULL;
    free(described);
    if (!question->method) complain(memory, "no question is named %s", name);
    return question->method != NULL;
}

/* The next of what the item asks, to be freed; false after the last. */
static bool question_next(struct question *question, const struct item *item, size_t *position)
{
    char *asks = json_copy(item->json, "asks");
    char *name = NULL;
    memset(question, 0, sizeof *question);
    if (!asks) {
        complain(item->memory, "an item that asks nothing");
        return false;
    }
    question->key = json_next_key(asks, position);
    if (question->key) name = json_string(asks, question->key, NULL);
    free(asks);
    if (name && question_find(question, name, item->memory)) {
        free(name);
        return true;
    }
    free(name);
    question_free(question);
    return false;
}

static const char *ask_question(mcp_call *call, const struct question *question, size_t *out_length)
{
    size_t length = question->params ? strlen(question->params) : 0;
    return mcp_ask(call, question->key, question->method, question->params, length, out_length);
}

/* The answers to everything that the item asks, with spaces between them; false if some are not there. */
static bool ask_all(const struct item *item, mcp_call *call, struct text *answers)
{
    struct question question;
    size_t position = 0;
    bool complete = true;
    while (question_next(&question, item, &position)) {
        size_t length;
        const char *answer = ask_question(call, &question, &length);
        if (answer) {
            if (answers->length) text_add(answers, " ", 1);
            text_add(answers, answer, length);
        } else {
            complete = false;
        }
        question_free(&question);
    }
    return complete;
}

/* Replies with the answers if there are all, and if not gives MCP_PENDING. */
static mcp_status reply_answers(const struct item *item, mcp_call *call)
{
    struct text answers = {0};
    mcp_status status = MCP_PENDING;
    if (ask_all(item, call, &answers)) status = mcp_reply_text(call, answers.at, answers.length);
    text_free(&answers);
    return status;
}

mcp_status ask(void *user_data, mcp_call *call)
{
    mcp_status status = reply_answers(user_data, call);
    return status == MCP_PENDING ? mcp_reply_asked(call) : status;
}

mcp_status ask_and_let_go(void *user_data, mcp_call *call)
{
    return reply_answers(user_data, call);
}

mcp_status ask_if_possible(void *user_data, mcp_call *call)
{
    const struct item *item = user_data;
    struct question question;
    size_t position = 0;
    bool is_possible = true;
    mcp_status status;
    while (question_next(&question, item, &position)) {
        size_t length = question.params ? strlen(question.params) : 0;
        if (!mcp_can_ask(call, question.method, question.params, length)) is_possible = false;
        question_free(&question);
    }
    status = reply_answers(item, call);
    if (status != MCP_PENDING) return status;
    return is_possible ? mcp_reply_asked(call) : mcp_reply_text(call, MCP_LIT("nobody to ask"));
}

/* Asks from this round on, until an answer is missing or all rounds are over. */
static mcp_status ask_from_round(struct question *question, mcp_call *call, int64_t round, int64_t wanted)
{
    char *key = question->key;
    char text[40];
    bool is_answered = true;
    while (round < wanted && is_answered) {
        struct text numbered = {0};
        text_print(&numbered, "%s-%lld", key, (long long)round);
        question->key = numbered.at;
        is_answered = ask_question(call, question, NULL) != NULL;
        text_free(&numbered);
        if (is_answered) round++;
    }
    question->key = key;
    if (is_answered) {
        snprintf(text, sizeof text, "%lld rounds", (long long)wanted);
        return mcp_reply_text(call, text, MCP_Z);
    }
    snprintf(text, sizeof text, "%lld", (long long)round);
    TRY(mcp_reply_set(call, MCP_SET_STATE, text, MCP_Z));
    return mcp_reply_asked(call);
}

mcp_status ask_rounds(void *user_data, mcp_call *call)
{
    const struct item *item = user_data;
    int64_t wanted = mcp_arg_int(call, "rounds", 2), round = 0;
    const char *state = mcp_call_info(call, MCP_INFO_STATE, NULL);
    struct question question;
    size_t position = 0;
    mcp_status status;
    if (state && !read_number(state, &round)) complain(item->memory, "not a round: %s", state);
    TRY(mcp_progress(call, (double)round, (double)wanted, NULL));
    if (!question_next(&question, item, &position)) return MCP_E_INVALID;
    status = ask_from_round(&question, call, round, wanted);
    question_free(&question);
    return status;
}

mcp_status ask_then_hold(void *user_data, mcp_call *call)
{
    const struct item *item = user_data;
    struct text answers = {0};
    bool complete = ask_all(item, call, &answers);
    text_free(&answers);
    return complete ? memory_hold(item->memory, call) : mcp_reply_asked(call);
}

mcp_status log_in(void *user_data, mcp_call *call)
{
    const struct item *item = user_data;
    if (memory_is_elicited(item->memory, "login")) return mcp_reply_text(call, MCP_LIT("logged in"));
    TRY(mcp_reply_set(call, MCP_SET_ERROR_DATA, LOGIN, sizeof LOGIN - 1));
    return mcp_fail(call, MCP_KIND_URL_ELICITATION_REQUIRED, MCP_LIT("log in first"));
}

mcp_status ask_held(mcp_call *call, const char *name, struct memory *memory)
{
    struct question question = {0};
    const char *answer;
    size_t length;
    mcp_status status = MCP_E_INVALID;
    question.key = copy_text(name);
    if (question_find(&question, name, memory)) {
        answer = ask_question(call, &question, &length);
        status = answer ? mcp_reply_text(call, answer, length) : mcp_reply_asked(call);
    }
    question_free(&question);
    return status;
}
