#include "behaviours.h"

#include "item.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char PNG[] = "\x89PNG";
static const char WAV[] = "RIFF";

static mcp_status echo(void *user_data, mcp_call *call)
{
    size_t length;
    const char *text = mcp_arg_str(call, "text", &length);
    (void)user_data;
    if (!text) return fail_for_lack_of(call, "text");
    return mcp_reply_text(call, text, length);
}

static mcp_status add(void *user_data, mcp_call *call)
{
    double a = mcp_arg_num(call, "a", NAN), b = mcp_arg_num(call, "b", NAN), sum = a + b;
    char text[NUMBER_SIZE];
    (void)user_data;
    if (isnan(a)) return fail_for_lack_of(call, "a");
    if (isnan(b)) return fail_for_lack_of(call, "b");
    if (!isfinite(sum)) return mcp_fail(call, MCP_KIND_TOOL_FAILED, MCP_LIT("the sum is too large"));
    write_number(text, sum);
    TRY(mcp_put_num(call, "sum", sum));
    TRY(mcp_add_text(call, text, MCP_Z));
    return mcp_reply(call);
}

static mcp_status list(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_reply_json(call, MCP_LIT("[1,2,3]"));
}

static mcp_status content(void *user_data, mcp_call *call)
{
    (void)user_data;
    TRY(mcp_add_text(call, MCP_LIT("text \xC3\xA9 \xF0\x9F\x98\x80 \"quoted\"\n")));
    TRY(mcp_add_media(call, "image/png", PNG, sizeof PNG - 1));
    TRY(mcp_add_media(call, "audio/wav", WAV, sizeof WAV - 1));
    TRY(mcp_add_media(call, "application/pdf", MCP_LIT("%PDF")));
    TRY(mcp_add_resource(call, "test://embedded", NULL, "text/plain", MCP_LIT("embedded")));
    TRY(mcp_add_resource(call, "test://static", "static", "text/plain", NULL, 0));
    TRY(mcp_reply_set(call, MCP_SET_META, MCP_LIT("{\"com.example/own\": [1, 2]}")));
    return mcp_reply(call);
}

static mcp_status blocks(void *user_data, mcp_call *call)
{
    (void)user_data;
    TRY(mcp_add_json(call, MCP_LIT(
        "{\"type\":\"text\",\"text\":\"a\",\"annotations\":{\"audience\":[\"user\"],\"priority\":1,"
        "\"lastModified\":\"2026-01-01T00:00:00Z\"},\"_meta\":{\"com.example/a\":1}}")));
    TRY(mcp_add_json(call, MCP_LIT("{\"type\":\"audio\",\n\"data\":\"AA==\",\"mimeType\":\"audio/wav\"}")));
    TRY(mcp_add_json(call, MCP_LIT(
        "{\"type\":\"resource_link\",\"uri\":\"test://static\",\"name\":\"static\",\"title\":\"Static\","
        "\"size\":11,\"icons\":[{\"src\":\"https://example.com/i.png\"}]}")));
    TRY(mcp_add_json(call, MCP_LIT(
        "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://e\",\"mimeType\":\"text/plain\","
        "\"text\":\"e\",\"_meta\":{\"com.example/e\":1}}}")));
    return mcp_reply(call);
}

static mcp_status result(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_reply_result(call, MCP_LIT(
        "{\"content\":[{\"type\":\"text\",\"text\":\"whole\"}],\"structuredContent\":{\"n\":1},"
        "\"isError\":false,\"_meta\":{\"com.example/own\":true}}"));
}

static mcp_status progress(void *user_data, mcp_call *call)
{
    (void)user_data;
    TRY(mcp_progress(call, 0, 100, "starting"));
    TRY(mcp_progress(call, 50, 100, NULL));
    TRY(mcp_progress(call, 100, -1, "done"));
    return mcp_reply_text(call, MCP_LIT("progressed"));
}

static mcp_status log_thrice(void *user_data, mcp_call *call)
{
    (void)user_data;
    TRY(mcp_log(call, MCP_LOG_DEBUG, "fixture", MCP_LIT("in detail")));
    TRY(mcp_log(call, MCP_LOG_INFO, NULL, MCP_LIT("in general")));
    TRY(mcp_log(call, MCP_LOG_ERROR | MCP_LOG_JSON, "fixture", MCP_LIT("{\"code\": 7}")));
    return mcp_reply_text(call, MCP_LIT("logged"));
}

static mcp_status hold(void *user_data, mcp_call *call)
{
    const struct item *item = user_data;
    return memory_hold(item->memory, call);
}

static mcp_status say_nothing(void *user_data, mcp_call *call)
{
    (void)user_data;
    (void)call;
    return MCP_OK;
}

/* What is not known is an empty text. */
static mcp_status put_info(mcp_call *call, const char *key, int32_t what)
{
    size_t length;
    const char *text = mcp_call_info(call, what, &length);
    return text ? mcp_put_str(call, key, text, length) : mcp_put_str(call, key, MCP_LIT(""));
}

/* What is not known is null. */
static mcp_status put_json_info(mcp_call *call, const char *key, int32_t what)
{
    size_t length;
    const char *json = mcp_call_info(call, what, &length);
    return json ? mcp_put_json(call, key, json, length) : mcp_put_json(call, key, MCP_LIT("null"));
}

static mcp_status whoami(void *user_data, mcp_call *call)
{
    (void)user_data;
    TRY(put_info(call, "method", MCP_INFO_METHOD));
    TRY(put_info(call, "name", MCP_INFO_NAME));
    TRY(put_info(call, "revision", MCP_INFO_REVISION));
    TRY(put_json_info(call, "client", MCP_INFO_CLIENT));
    TRY(put_json_info(call, "capabilities", MCP_INFO_CLIENT_CAPABILITIES));
    TRY(put_info(call, "traceparent", MCP_INFO_TRACEPARENT));
    TRY(put_info(call, "principal", MCP_INFO_PRINCIPAL));
    return mcp_reply(call);
}

static mcp_status read_arguments(void *user_data, mcp_call *call)
{
    struct text text = {0};
    size_t length;
    const char *piece = mcp_call_info(call, MCP_INFO_NAME, &length);
    mcp_status status;
    (void)user_data;
    text_add(&text, piece, length);
    text_add(&text, " ", 1);
    piece = mcp_arg_json(call, "", &length);
    text_add(&text, piece, length);
    status = mcp_reply_text(call, text.at, text.length);
    text_free(&text);
    return status;
}

static mcp_status greet(void *user_data, mcp_call *call)
{
    const char *name = mcp_arg_str(call, "name", NULL), *style = mcp_arg_str(call, "style", NULL);
    struct text text = {0};
    mcp_status status;
    (void)user_data;
    TRY(mcp_reply_set(call, MCP_SET_DESCRIPTION, MCP_LIT("A greeting")));
    text_print(&text, "%s, %s!", style ? style : "Hello", name ? name : "");
    status = mcp_reply_text(call, text.at, text.length);
    text_free(&text);
    return status;
}

static mcp_status talk(void *user_data, mcp_call *call)
{
    (void)user_data;
    TRY(mcp_add_text(call, MCP_LIT("What is this?")));
    TRY(mcp_add_media(call, "image/png", PNG, sizeof PNG - 1));
    TRY(mcp_reply_set(call, MCP_SET_ROLE, MCP_LIT("assistant")));
    TRY(mcp_add_resource(call, "test://static", "static", NULL, NULL, 0));
    TRY(mcp_add_media(call, "audio/wav", WAV, sizeof WAV - 1));
    return mcp_reply(call);
}

static mcp_status complete_styles(void *user_data, mcp_call *call)
{
    static const char *const styles[] = {"hello", "hey", "hi"};
    const char *start = mcp_arg_str(call, "value", NULL);
    char total[2] = "0";
    size_t index;
    (void)user_data;
    for (index = 0; index < sizeof styles / sizeof *styles; index++) {
        if (start && strncmp(styles[index], start, strlen(start)) != 0) continue;
        TRY(mcp_add_text(call, styles[index], MCP_Z));
        total[0]++;
    }
    TRY(mcp_reply_set(call, MCP_SET_TOTAL, total, MCP_Z));
    TRY(mcp_reply_set(call, MCP_SET_HAS_MORE, MCP_LIT("false")));
    return mcp_reply(call);
}

static mcp_status complete_ids(void *user_data, mcp_call *call)
{
    const char *prefix = mcp_arg_str(call, "/arguments/prefix", NULL);
    int id;
    (void)user_data;
    TRY(mcp_add_text(call, prefix ? prefix : "none", MCP_Z));
    for (id = 0; id < 120; id++) {
        char text[12];
        snprintf(text, sizeof text, "%d", id);
        TRY(mcp_add_text(call, text, MCP_Z));
    }
    return mcp_reply(call);
}

/* Answers with an object that has one member, whose value is JSON text. */
static mcp_status reply_member(mcp_call *call, const char *key, const char *value, size_t length)
{
    struct text json = {0};
    mcp_status status;
    text_print(&json, "{\"%s\":", key);
    text_add(&json, value, length);
    text_add(&json, "}", 1);
    status = mcp_reply_result(call, json.at, json.length);
    text_free(&json);
    return status;
}

static mcp_status reflect(void *user_data, mcp_call *call)
{
    size_t length;
    const char *params = mcp_arg_json(call, "", &length);
    (void)user_data;
    return reply_member(call, "params", params, length);
}

static mcp_status nothing(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_reply_result(call, MCP_LIT("{}"));
}

static mcp_status no_tools(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_reply_result(call, MCP_LIT("{\"tools\":[]}"));
}

static mcp_status remember(void *user_data, mcp_call *call)
{
    const struct item *item = user_data;
    size_t length;
    const char *params = mcp_arg_json(call, "", &length);
    text_clear(&item->memory->last);
    text_add(&item->memory->last, params, length);
    return MCP_OK;
}

static mcp_status recall(void *user_data, mcp_call *call)
{
    const struct item *item = user_data;
    return reply_member(call, "last", text_said(&item->memory->last), item->memory->last.length);
}

static const struct {
    const char *does;
    mcp_handler handler;
} behaviours[] = {
    {"echo", echo},
    {"add", add},
    {"list", list},
    {"fail", fail_with_stacktrace},
    {"fail-as", fail_as_told},
    {"content", content},
    {"blocks", blocks},
    {"result", result},
    {"progress", progress},
    {"log", log_thrice},
    {"hold", hold},
    {"silent", say_nothing},
    {"whoami", whoami},
    {"read", read_arguments},
    {"gone", fail_as_gone},
    {"greet", greet},
    {"talk", talk},
    {"styles", complete_styles},
    {"ids", complete_ids},
    {"reflect", reflect},
    {"nothing", nothing},
    {"no-tools", no_tools},
    {"remember", remember},
    {"recall", recall},
    {"ask", ask},
    {"ask-and-let-go", ask_and_let_go},
    {"ask-if-possible", ask_if_possible},
    {"ask-rounds", ask_rounds},
    {"ask-then-hold", ask_then_hold},
    {"log-in", log_in},
};

mcp_handler behaviour_named(const char *does)
{
    size_t index;
    for (index = 0; index < sizeof behaviours / sizeof *behaviours; index++) {
        if (strcmp(behaviours[index].does, does) == 0) return behaviours[index].handler;
    }
    return NULL;
}
