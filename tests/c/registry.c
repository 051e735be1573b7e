/* What is offered: every way to register, what is refused and why, and what lists show. */
#include "check.h"

static mcp_server *server;
static mcp_session *session;

#define OBJECT "\"inputSchema\":{\"type\":\"object\"}"

static mcp_status put(int32_t kind, const char *definition)
{
    return mcp_register(server, kind, definition, reply_ok, NULL, NULL);
}

static mcp_status put_schema(const char *name, const char *schema)
{
    return mcp_register_tool(server, name, NULL, schema, reply_ok, NULL, NULL);
}

static const char *list(const char *what, const char *params)
{
    char message[400];
    snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":\"list\",\"method\":\"%s\","
             "\"params\":%s}", what, params);
    return say(session, message);
}

static void open_server(void)
{
    server = mcp_server_new("registry", "1");
    mcp_server_set_int(server, MCP_OPT_DECLARE, MCP_DECLARE_TOOLS | MCP_DECLARE_RESOURCES |
                       MCP_DECLARE_PROMPTS | MCP_DECLARE_COMPLETIONS);
    session = mcp_session_new(server);
    shake_hands(session, "2025-11-25");
}

static void close_server(void)
{
    mcp_session_free(session);
    mcp_server_free(server);
}

static mcp_status complete(void *user_data, mcp_call *call)
{
    (void)user_data;
    CHECK_TEXT(mcp_arg_str(call, "value", NULL), "a");
    mcp_add_text(call, "abc", MCP_Z);
    mcp_reply_set(call, MCP_SET_TOTAL, "12", MCP_Z);
    mcp_reply_set(call, MCP_SET_HAS_MORE, "true", MCP_Z);
    return mcp_reply(call);
}

static mcp_status greet(void *user_data, mcp_call *call)
{
    (void)user_data;
    mcp_reply_set(call, MCP_SET_DESCRIPTION, "a greeting", MCP_Z);
    mcp_reply_set(call, MCP_SET_ROLE, "assistant", MCP_Z);
    CHECK_STATUS(mcp_reply_set(call, MCP_SET_ROLE, "judge", MCP_Z), MCP_E_INVALID);
    return mcp_reply_text(call, "hello", MCP_Z);
}

static mcp_status read_variable(void *user_data, mcp_call *call)
{
    const char *x = mcp_arg_str(call, "x", NULL);
    (void)user_data;
    return mcp_reply_text(call, x, MCP_Z);
}

static mcp_status own_method(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_reply_result(call, "{\"own\":1}", MCP_Z);
}

static void every_kind_can_be_registered_and_used(void)
{
    open_server();
    CHECK_STATUS(mcp_register_tool(server, "tool", "does", "{\"type\":\"object\"}", reply_ok, NULL,
                                   NULL), MCP_OK);
    CHECK_STATUS(mcp_register_resource(server, "test://r", "r", "text/plain", reply_ok, NULL,
                                       NULL), MCP_OK);
    CHECK_STATUS(mcp_register_static(server, "test://s", "s", "text/plain", "fixed", 5), MCP_OK);
    CHECK_STATUS(mcp_register_static(server, "test://b", "b", NULL, "\xff\x00", 2), MCP_OK);
    CHECK_STATUS(mcp_register_template(server, "var://{x}", "t", NULL, read_variable, NULL, NULL),
                 MCP_OK);
    CHECK_STATUS(mcp_register_prompt(server, "prompt", "says",
                                     "[{\"name\":\"who\",\"required\":true}]", greet, NULL, NULL),
                                     MCP_OK);
    CHECK_STATUS(mcp_register_completion(server, MCP_PROMPT, "prompt", "who", complete, NULL,
                                         NULL), MCP_OK);
    CHECK_STATUS(mcp_register_method(server, "own/method", own_method, NULL, NULL), MCP_OK);
    CHECK_PART(list("tools/list", "{}"), "{\"name\":\"tool\",\"description\":\"does\","
               "\"inputSchema\":{\"type\":\"object\"}}");
    CHECK_PART(list("resources/list", "{}"), "test://b");
    CHECK_PART(list("resources/templates/list", "{}"), "var://{x}");
    CHECK_PART(list("prompts/list", "{}"), "\"required\":true");
    CHECK_PART(call_tool(session, 1, "tool", "{}"), "\"text\":\"ok\"");
    CHECK_PART(list("resources/read", "{\"uri\":\"test://r\"}"), "\"text\":\"ok\"");
    CHECK_PART(list("resources/read", "{\"uri\":\"test://s\"}"), "\"text\":\"fixed\"");
    CHECK_PART(list("resources/read", "{\"uri\":\"test://b\"}"), "\"blob\":\"/wA=\"");
    CHECK_PART(list("resources/read", "{\"uri\":\"var://seven\"}"), "\"text\":\"seven\"");
    CHECK_PART(list("prompts/get", "{\"name\":\"prompt\",\"arguments\":{\"who\":\"x\"}}"),
               "\"role\":\"assistant\"");
    CHECK_PART(list("prompts/get", "{\"name\":\"prompt\"}"), "-32602");
    CHECK_PART(list("completion/complete", "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"prompt\"},"
                    "\"argument\":{\"name\":\"who\",\"value\":\"a\"}}"),
               "{\"values\":[\"abc\"],\"total\":12,\"hasMore\":true}");
    CHECK_PART(list("own/method", "{}"), "\"own\":1");
    CHECK_STATUS(mcp_unregister(server, MCP_TOOL, "tool"), MCP_OK);
    CHECK_STATUS(mcp_unregister(server, MCP_TOOL, "tool"), MCP_E_NOT_FOUND);
    CHECK_STATUS(mcp_unregister(server, MCP_RESOURCE, "test://s"), MCP_OK);
    CHECK_STATUS(mcp_unregister(server, MCP_TEMPLATE, "var://{x}"), MCP_OK);
    CHECK_STATUS(mcp_unregister(server, MCP_METHOD, "own/method"), MCP_OK);
    CHECK_STATUS(mcp_unregister_completion(server, MCP_PROMPT, "prompt", "who"), MCP_OK);
    CHECK_STATUS(mcp_unregister_completion(server, MCP_PROMPT, "prompt", "who"), MCP_E_NOT_FOUND);
    CHECK_STATUS(mcp_unregister_completion(server, MCP_TOOL, "prompt", "who"), MCP_E_INVALID);
    CHECK_STATUS(mcp_unregister(server, MCP_PROMPT, "prompt"), MCP_OK);
    CHECK_PART(list("own/method", "{}"), "-32601");
    close_server();
}

static void unusable_schemas_are_refused_with_a_reason(void)
{
    mcp_error error;
    size_t big = 1100000, i, depth = 10000;
    char *schema = malloc(big + 1);
    open_server();
    CHECK_STATUS(put_schema("x", "{\"type\":\"object\""), MCP_E_JSON);
    CHECK_STATUS(mcp_server_last_error(server, &error), MCP_OK);
    CHECK(error.status == MCP_E_JSON);
    CHECK(error.offset >= 0 && error.offset <= 16);
    CHECK(strlen(error.text) > 5 && !strchr(error.text, '\n'));
    CHECK_STATUS(put_schema("x", "5"), MCP_E_SCHEMA);
    CHECK_STATUS(put_schema("x", "[]"), MCP_E_SCHEMA);
    CHECK_STATUS(put_schema("x", "true"), MCP_E_SCHEMA);
    CHECK_STATUS(put_schema("x", "{\"type\":\"string\"}"), MCP_E_SCHEMA);
    CHECK_STATUS(put_schema("x",
                            "{\"type\":\"object\",\"properties\":{\"a\":{\"pattern\":\"(\"}}}"),
                            MCP_E_SCHEMA);
    CHECK_STATUS(put_schema("x",
                            "{\"type\":\"object\",\"properties\":{\"a\":{\"minimum\":\"x\"}}}"),
                            MCP_E_SCHEMA);
    CHECK_STATUS(put_schema("x", "{\"type\":\"object\",\"$ref\":\"http://elsewhere/schema\"}"),
                 MCP_E_SCHEMA);
    CHECK_STATUS(mcp_server_last_error(server, &error), MCP_OK);
    CHECK(error.status == MCP_E_SCHEMA && error.offset == -1);
    CHECK_PART(error.text, "inputSchema");
    CHECK_STATUS(put_schema("x", ""), MCP_E_JSON);
    for (i = 0; i < depth; i++) memcpy(schema + 7 * i, "{\"not\":", 7);
    strcpy(schema + 7 * depth, "{}");
    memset(schema + 7 * depth + 2, '}', depth);
    schema[8 * depth + 2] = '\0';
    CHECK(put_schema("x", schema) < 0);
    memset(schema, ' ', big);
    memcpy(schema, "{\"type\":\"object\",\"description\":\"", 32);
    memset(schema + 32, 'x', big - 34);
    memcpy(schema + big - 2, "\"}", 3);
    CHECK(put_schema("x", schema) < 0);
    CHECK_LACKS(list("tools/list", "{}"), "\"x\"");
    /* What went well does not hide what went wrong before. */
    CHECK_STATUS(put_schema("x", "{\"type\":\"object\"}"), MCP_OK);
    free(schema);
    close_server();
}

static void a_name_is_taken_once(void)
{
    mcp_error error;
    open_server();
    CHECK_STATUS(put(MCP_TOOL, "{\"name\":\"x\",\"title\":\"first\"," OBJECT "}"), MCP_OK);
    CHECK_STATUS(put(MCP_TOOL, "{\"name\":\"x\",\"title\":\"second\"," OBJECT "}"), MCP_E_EXISTS);
    mcp_server_last_error(server, &error);
    CHECK(error.status == MCP_E_EXISTS && error.offset == -1);
    CHECK_PART(list("tools/list", "{}"), "\"title\":\"first\"");
    CHECK_STATUS(put(MCP_TOOL | MCP_REPLACE, "{\"name\":\"x\",\"title\":\"third\"," OBJECT "}"),
                 MCP_OK);
    CHECK_PART(list("tools/list", "{}"), "\"title\":\"third\"");
    CHECK_STATUS(put(MCP_PROMPT, "{\"name\":\"x\"}"), MCP_OK);
    CHECK_STATUS(put(MCP_RESOURCE, "{\"uri\":\"test://x\",\"name\":\"x\"}"), MCP_OK);
    CHECK_STATUS(put(MCP_TEMPLATE, "{\"uriTemplate\":\"x://{x}\",\"name\":\"x\"}"), MCP_OK);
    CHECK(put(MCP_METHOD, "{\"name\":\"x\"}") == MCP_E_INVALID);
    CHECK(put(MCP_TOOL | 0x8000, "{\"name\":\"y\"," OBJECT "}") == MCP_E_INVALID);
    CHECK_STATUS(put(MCP_TOOL, "{\"name\":5," OBJECT "}"), MCP_E_SCHEMA);
    close_server();
}

static void flags_change_what_is_accepted_and_shown(void)
{
    const char *lookahead = "{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\"(?=x)y\"}}}}";
    char definition[300];
    open_server();
    CHECK_STATUS(put(MCP_TOOL, "{\"name\":\"server/tool\"," OBJECT "}"), MCP_E_NAME);
    CHECK_STATUS(put(MCP_TOOL | MCP_ANY_NAME, "{\"name\":\"server/tool\"," OBJECT "}"), MCP_OK);
    CHECK_STATUS(put(MCP_TOOL | MCP_HIDDEN, "{\"name\":\"hidden\"," OBJECT "}"), MCP_OK);
    CHECK_LACKS(list("tools/list", "{}"), "hidden");
    CHECK_PART(call_tool(session, 1, "hidden", "{}"), "\"text\":\"ok\"");
    CHECK_PART(call_tool(session, 1, "server/tool", "{}"), "\"text\":\"ok\"");
    snprintf(definition, sizeof definition, lookahead, "refused");
    CHECK_STATUS(put(MCP_TOOL, definition), MCP_E_SCHEMA);
    snprintf(definition, sizeof definition, lookahead, "enforced");
    CHECK_STATUS(put(MCP_TOOL | MCP_HOST_ENFORCES, definition), MCP_OK);
    CHECK_PART(call_tool(session, 1, "enforced", "{\"a\":\"z\"}"), "\"text\":\"ok\"");
    CHECK_PART(call_tool(session, 1, "enforced", "{\"a\":5}"), "\"isError\":true");
    snprintf(definition, sizeof definition, lookahead, "unvalidated");
    CHECK_STATUS(put(MCP_TOOL | MCP_UNVALIDATED, definition), MCP_OK);
    CHECK_PART(call_tool(session, 1, "unvalidated", "{\"a\":5}"), "\"text\":\"ok\"");
    close_server();
}

static void items_have_settings_of_their_own(void)
{
    open_server();
    CHECK_STATUS(put_schema("t",
                            "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}"),
                            MCP_OK);
    CHECK_STATUS(mcp_register_resource(server, "test://r", "r", NULL, reply_ok, NULL, NULL),
                 MCP_OK);
    CHECK_PART(call_tool(session, 1, "t", "{\"n\":\"5\"}"), "\"isError\":true");
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "t", MCP_ITEM_COERCE, 1), MCP_OK);
    CHECK_PART(call_tool(session, 1, "t", "{\"n\":\"5\"}"), "\"text\":\"ok\"");
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "t", MCP_ITEM_COERCE, -1), MCP_OK);
    CHECK_PART(call_tool(session, 1, "t", "{\"n\":\"5\"}"), "\"isError\":true");
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "t", MCP_ITEM_COERCE, 2), MCP_E_INVALID);
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "t", MCP_ITEM_DEADLINE_MS, 1000), MCP_OK);
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "t", MCP_ITEM_DEADLINE_MS, -1), MCP_OK);
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "t", MCP_ITEM_DEADLINE_MS, -2), MCP_E_INVALID);
    CHECK_STATUS(mcp_item_set_int(server, MCP_RESOURCE, "test://r", MCP_ITEM_CACHE_TTL_MS, 7000),
                 MCP_OK);
    CHECK_STATUS(mcp_item_set_int(server, MCP_RESOURCE, "test://r", MCP_ITEM_CACHE_SCOPE,
                                  MCP_CACHE_PUBLIC), MCP_OK);
    CHECK_PART(say(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
                   "\"params\":{\"uri\":\"test://r\"," MODERN_META("") "}}"),
               "\"ttlMs\":7000,\"cacheScope\":\"public\"");
    CHECK_STATUS(mcp_item_set_int(server, MCP_RESOURCE, "test://r", MCP_ITEM_CACHE_SCOPE, 2),
                 MCP_E_INVALID);
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "t", MCP_ITEM_HIDDEN, 1), MCP_OK);
    CHECK_LACKS(list("tools/list", "{}"), "\"t\"");
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "t", MCP_ITEM_HIDDEN, 0), MCP_OK);
    CHECK_PART(list("tools/list", "{}"), "\"t\"");
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "nobody", MCP_ITEM_HIDDEN, 1), MCP_E_NOT_FOUND);
    CHECK_STATUS(mcp_item_set_int(server, MCP_TOOL, "t", 77, 1), MCP_E_UNSUPPORTED);
    close_server();
}

static void memory_runs_out_with_a_status(void)
{
    char name[32];
    int i, accepted = 0;
    mcp_status status = MCP_OK;
    open_server();
    CHECK_STATUS(mcp_server_set_int(server, MCP_LIMIT_MEMORY_BYTES,
                                    mcp_server_memory_used(server) + 20000), MCP_OK);
    for (i = 0; i < 1000 && status == MCP_OK; i++, accepted++) {
        snprintf(name, sizeof name, "tool-%d", i);
        status = put_schema(name, "{\"type\":\"object\"}");
    }
    CHECK(status == MCP_E_LIMIT || status == MCP_E_NOMEM);
    CHECK(accepted > 3 && accepted < 100);
    CHECK(mcp_server_memory_used(server) > 10000);
    CHECK_PART(call_tool(session, 1, "tool-0", "{}"), "\"id\":1");
    CHECK_STATUS(mcp_server_set_int(server, MCP_LIMIT_MEMORY_BYTES, 1 << 20), MCP_OK);
    CHECK_PART(call_tool(session, 2, "tool-0", "{}"), "\"text\":\"ok\"");
    close_server();
}

static void long_lists_come_in_pages(void)
{
    char name[32], params[200];
    const char *found;
    size_t length;
    int i, pages = 0, tools = 0;
    open_server();
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_PAGE_SIZE, 7), MCP_OK);
    for (i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "t%d", i);
        CHECK_STATUS(put_schema(name, NULL), MCP_OK);
    }
    drain(session);
    snprintf(params, sizeof params, "{}");
    for (found = params; found && pages < 100; pages++) {
        const char *page = list("tools/list", params), *at = page;
        while ((at = strstr(at, "\"name\":")) != NULL) at++, tools++;
        found = mcp_json_find(page, strlen(page), "/result/nextCursor", &length);
        if (found) snprintf(params, sizeof params, "{\"cursor\":%.*s}", (int)length, found);
    }
    CHECK(pages == 15 && tools == 100);
    close_server();
}

int main(void)
{
    every_kind_can_be_registered_and_used();
    unusable_schemas_are_refused_with_a_reason();
    a_name_is_taken_once();
    flags_change_what_is_accepted_and_shown();
    items_have_settings_of_their_own();
    memory_runs_out_with_a_status();
    long_lists_come_in_pages();
    return check_report();
}
