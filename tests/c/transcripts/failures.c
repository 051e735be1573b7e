/* The behaviours that fail. */
#include "behaviours.h"

#include "item.h"

#include <stdint.h>
#include <string.h>

static const struct {
    const char *name;
    int32_t kind;
    const char *text;
    const char *data;
} failures[] = {
    {"internal", MCP_KIND_INTERNAL, "own words", NULL},
    {"invalid-params", MCP_KIND_INVALID_PARAMS, "own words", NULL},
    {"invalid-arguments", MCP_KIND_INVALID_ARGUMENTS, "own words", NULL},
    {"tool-failed", MCP_KIND_TOOL_FAILED, "own words", NULL},
    {"invalid-output", MCP_KIND_INVALID_OUTPUT, "own words", NULL},
    {"resource-not-found", MCP_KIND_RESOURCE_NOT_FOUND, "own words", NULL},
    {"unknown-tool", MCP_KIND_UNKNOWN_TOOL, "own words", NULL},
    {"unknown-prompt", MCP_KIND_UNKNOWN_PROMPT, "own words", NULL},
    {"unknown-method", MCP_KIND_UNKNOWN_METHOD, "own words", NULL},
    {"invalid-request", MCP_KIND_INVALID_REQUEST, "own words", NULL},
    {"not-initialized", MCP_KIND_NOT_INITIALIZED, "own words", NULL},
    {"not-authorised", MCP_KIND_NOT_AUTHORISED, "own words", NULL},
    {"missing-capability", MCP_KIND_MISSING_CAPABILITY, "sampling is needed",
     "{\"requiredCapabilities\":{\"sampling\":{}}}"},
    {"unsupported-revision", MCP_KIND_UNSUPPORTED_REVISION, "",
     "{\"supported\":[\"2026-07-28\"],\"requested\":\"1999-01-01\"}"},
    {"header-mismatch", MCP_KIND_HEADER_MISMATCH, "own words", NULL},
    {"timeout", MCP_KIND_TIMEOUT, "own words", NULL},
    {"limit", MCP_KIND_LIMIT, "own words", NULL},
    {"bad-state", MCP_KIND_BAD_STATE, "own words", NULL},
    {"parse", MCP_KIND_PARSE, "own words", NULL},
};

mcp_status fail_for_lack_of(mcp_call *call, const char *name)
{
    struct text text = {0};
    mcp_status status;
    text_print(&text, "%s is missing or of the wrong type", name);
    status = mcp_fail(call, MCP_KIND_INVALID_ARGUMENTS, text.at, text.length);
    text_free(&text);
    return status;
}

mcp_status fail_with_stacktrace(void *user_data, mcp_call *call)
{
    (void)user_data;
    TRY(mcp_reply_set(call, MCP_SET_STACKTRACE, MCP_LIT("at fail (fixture)")));
    return mcp_fail(call, MCP_KIND_TOOL_FAILED, MCP_LIT("it broke"));
}

mcp_status fail_as_gone(void *user_data, mcp_call *call)
{
    (void)user_data;
    return mcp_fail(call, MCP_KIND_RESOURCE_NOT_FOUND, MCP_LIT("it is gone"));
}

mcp_status fail_as_told(void *user_data, mcp_call *call)
{
    const struct item *item = user_data;
    int64_t code = mcp_arg_int(call, "code", INT64_MIN);
    const char *name = mcp_arg_str(call, "kind", NULL);
    size_t index;
    if (code != INT64_MIN) {
        return mcp_reply_error(call, (int32_t)code, "own words", MCP_LIT("{\"elicitations\":[]}"));
    }
    for (index = 0; name && index < sizeof failures / sizeof *failures; index++) {
        if (strcmp(failures[index].name, name) != 0) continue;
        if (failures[index].data) {
            TRY(mcp_reply_set(call, MCP_SET_ERROR_DATA, failures[index].data, MCP_Z));
        }
        return mcp_fail(call, failures[index].kind, failures[index].text, MCP_Z);
    }
    complain(item->memory, "unknown kind of failure %s", name ? name : "(none)");
    return MCP_E_INVALID;
}
