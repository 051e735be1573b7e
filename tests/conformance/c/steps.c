#define _POSIX_C_SOURCE 200809L
#include "steps.h"

#include "fixtures.h"
#include "json.h"
#include "placeholders.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static mcp_status done_if_ok(mcp_status status)
{
    return status == MCP_OK ? MCP_DONE : status;
}

static mcp_status say(struct attempt *attempt, const char *json)
{
    char *text = fill_in_string(attempt, json, "text");
    mcp_status status = text ? mcp_reply_text(attempt->call, text, MCP_Z) : MCP_E_JSON;
    free(text);
    return done_if_ok(status);
}

static mcp_status give_result(struct attempt *attempt, const char *json)
{
    char *result = fill_in(attempt, json, "result");
    mcp_status status = result ? mcp_reply_result(attempt->call, result, MCP_Z) : MCP_E_JSON;
    free(result);
    return done_if_ok(status);
}

static mcp_status tell_progress(struct attempt *attempt, const char *json)
{
    double progress, total;
    char *message = json_string(json, "message", NULL);
    mcp_status status = mcp_json_num(json, strlen(json), "progress", &progress);
    if (status == MCP_OK) status = mcp_json_num(json, strlen(json), "total", &total);
    if (status == MCP_OK) status = mcp_progress(attempt->call, progress, total, message);
    free(message);
    return status;
}

static int32_t level_named(const char *name)
{
    static const char *const levels[] = {
        "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
    };
    int32_t level;
    for (level = MCP_LOG_DEBUG; level <= MCP_LOG_EMERGENCY; level++) {
        if (strcmp(levels[level], name) == 0) return level;
    }
    return MCP_E_INVALID;
}

static mcp_status write_log(struct attempt *attempt, const char *json)
{
    char *level = json_string(json, "level", NULL);
    char *text = json_string(json, "text", NULL);
    mcp_status status = MCP_E_JSON;
    if (level && text) status = mcp_log(attempt->call, level_named(level), NULL, text, MCP_Z);
    free(level);
    free(text);
    return status;
}

/* A handler has a worker to itself, and may sleep. */
static mcp_status wait_a_while(struct attempt *attempt, const char *json)
{
    struct timespec time;
    int64_t ms;
    (void)attempt;
    if (!json_integer(json, "ms", &ms)) return MCP_E_JSON;
    time.tv_sec = (time_t)(ms / 1000);
    time.tv_nsec = (long)(ms % 1000) * 1000000;
    nanosleep(&time, NULL);
    return MCP_OK;
}

/* Asks one question and notes its answer. MCP_PENDING: there is none yet. */
static mcp_status ask_one(struct attempt *attempt, const char *key, const char *name, bool if_possible)
{
    char *question = json_copy(attempt->item->fixtures->questions, name);
    char *method = question ? json_string(question, "method", NULL) : NULL;
    char *params = question ? fill_in(attempt, question, "params") : NULL;
    mcp_status status = MCP_E_JSON;
    if (method && params) {
        size_t length;
        const char *answer;
        status = MCP_OK;
        if (!if_possible || mcp_can_ask(attempt->call, method, params, strlen(params))) {
            answer = mcp_ask(attempt->call, key, method, params, strlen(params), &length);
            if (answer) {
                text_print(&attempt->answers, "%s\"%s\":", attempt->answers.length ? "," : "", key);
                text_add(&attempt->answers, answer, length);
            } else {
                status = MCP_PENDING;
            }
        }
    }
    free(question);
    free(method);
    free(params);
    return status;
}

/* All of a step's questions go out in one round. */
static mcp_status ask_all(struct attempt *attempt, const char *json, bool if_possible)
{
    char *questions = json_copy(json, "questions");
    mcp_status status = questions ? MCP_OK : MCP_E_JSON;
    size_t position = 0;
    char *key;
    while (status >= 0 && (key = json_next_key(questions, &position))) {
        char *name = json_string(questions, key, NULL);
        mcp_status asked = name ? ask_one(attempt, key, name, if_possible) : MCP_E_JSON;
        if (asked != MCP_OK) status = asked;
        free(name);
        free(key);
    }
    free(questions);
    return status;
}

static mcp_status ask(struct attempt *attempt, const char *json)
{
    return ask_all(attempt, json, false);
}

static mcp_status ask_if_possible(struct attempt *attempt, const char *json)
{
    return ask_all(attempt, json, true);
}

static mcp_status keep_state(struct attempt *attempt, const char *json)
{
    char *state = json_string(json, "state", NULL);
    mcp_status status = state ? mcp_reply_set(attempt->call, MCP_SET_STATE, state, MCP_Z) : MCP_E_JSON;
    free(state);
    return status;
}

static mcp_status need_capabilities(struct attempt *attempt, const char *json)
{
    char *method = json_string(json, "method", NULL);
    char *capabilities = json_copy(json, "capabilities");
    mcp_status status = MCP_E_JSON;
    if (method && capabilities) {
        status = MCP_OK;
        if (!mcp_can_ask(attempt->call, method, NULL, 0)) {
            struct text data = {0};
            text_print(&data, "{\"requiredCapabilities\":%s}", capabilities);
            status = mcp_reply_set(attempt->call, MCP_SET_ERROR_DATA, data.at, data.length);
            if (status == MCP_OK) {
                status = done_if_ok(mcp_fail(attempt->call, MCP_KIND_MISSING_CAPABILITY, NULL, 0));
            }
            text_free(&data);
        }
    }
    free(method);
    free(capabilities);
    return status;
}

/* Where there is no stream to close, the step has nothing to do. */
static mcp_status close_stream(struct attempt *attempt, const char *json)
{
    (void)json;
    mcp_call_close_stream(attempt->call);
    return MCP_OK;
}

static mcp_status tell_list_changed(struct attempt *attempt, const char *json)
{
    int32_t kind = MCP_E_INVALID;
    if (json_says(json, "list", "tools")) kind = MCP_TOOL;
    if (json_says(json, "list", "prompts")) kind = MCP_PROMPT;
    return mcp_notify_list_changed(attempt->item->fixtures->server, kind);
}

step_function step_named(const char *does)
{
    static const struct {
        const char *name;
        step_function take;
    } steps[] = {
        {"say", say},
        {"result", give_result},
        {"progress", tell_progress},
        {"log", write_log},
        {"wait", wait_a_while},
        {"ask", ask},
        {"ask-if-possible", ask_if_possible},
        {"keep", keep_state},
        {"need", need_capabilities},
        {"close-stream", close_stream},
        {"list-changed", tell_list_changed}
    };
    size_t i;
    for (i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (strcmp(steps[i].name, does) == 0) return steps[i].take;
    }
    return NULL;
}
