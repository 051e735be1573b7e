#include "placeholders.h"

#include "fixtures.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

static void add_quoted(struct text *text, const char *said, size_t length)
{
    /* A byte becomes at most six, as in \u0000; then the quotes and the NUL. */
    size_t capacity = 6 * length + 3;
    char *quoted = grow(NULL, capacity, 1);
    if (mcp_json_quote(said, length, quoted, capacity, &length) == MCP_OK) text_add(text, quoted, length);
    free(quoted);
}

/* The object that placeholders point into; the names are those of ../README.md. */
static void add_document(struct text *document, const struct attempt *attempt)
{
    const char *arguments = mcp_arg_json(attempt->call, "", NULL);
    const char *state = mcp_call_info(attempt->call, MCP_INFO_STATE, NULL);
    text_print(document, "{\"constants\":%s,", attempt->item->fixtures->constants);
    text_print(document, "\"arguments\":%s,", arguments ? arguments : "{}");
    if (state) {
        text_print(document, "\"state\":");
        add_quoted(document, state, strlen(state));
        text_print(document, ",");
    }
    text_print(document, "\"answers\":{%s}}", text_said(&attempt->answers));
}

/* What stands inside of a JSON string for the value: a string as it is, another value as its JSON
 * text, and nothing for one that is not there. */
static void add_value(struct text *filled, const char *document, const char *pointer)
{
    struct text quoted = {0};
    size_t length;
    const char *value = mcp_json_find(document, strlen(document), pointer, &length);
    if (!value) return;
    if (*value == '"') {
        text_add(filled, value + 1, length - 2);
        return;
    }
    add_quoted(&quoted, value, length);
    if (quoted.length) text_add(filled, quoted.at + 1, quoted.length - 2);
    text_free(&quoted);
}

char *fill_in(const struct attempt *attempt, const char *json, const char *path)
{
    struct text document = {0}, filled = {0};
    char *found = json_copy(json, path);
    const char *rest = found, *start, *end;
    if (!found) return NULL;
    add_document(&document, attempt);
    while ((start = strstr(rest, "${")) && (end = strchr(start, '}'))) {
        char *pointer = copy_bytes(start + 2, (size_t)(end - start - 2));
        text_add(&filled, rest, (size_t)(start - rest));
        add_value(&filled, text_said(&document), pointer);
        free(pointer);
        rest = end + 1;
    }
    text_add(&filled, rest, strlen(rest));
    free(found);
    text_free(&document);
    return filled.at;
}

char *fill_in_string(const struct attempt *attempt, const char *json, const char *path)
{
    char *filled = fill_in(attempt, json, path);
    char *string = filled ? json_string(filled, "", NULL) : NULL;
    free(filled);
    return string;
}
