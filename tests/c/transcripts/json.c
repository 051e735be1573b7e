#include "json.h"

#include "text.h"

#include <mcplite.h>

#include <stdlib.h>
#include <string.h>

char *json_copy(const char *json, const char *path)
{
    size_t length;
    const char *found = mcp_json_find(json, strlen(json), path, &length);
    return found ? copy_bytes(found, length) : NULL;
}

char *json_string(const char *json, const char *path, size_t *out_length)
{
    size_t raw, length;
    char *text;
    if (!mcp_json_find(json, strlen(json), path, &raw)) return NULL;
    /* Decoding never makes a string longer, and the quotes leave room for the NUL. */
    text = grow(NULL, raw + 1, 1);
    if (mcp_json_str(json, strlen(json), path, text, raw + 1, &length) != MCP_OK) {
        free(text);
        return NULL;
    }
    if (out_length) *out_length = length;
    return text;
}

bool json_says(const char *json, const char *path, const char *wanted)
{
    char *text = json_string(json, path, NULL);
    bool same = text && strcmp(text, wanted) == 0;
    free(text);
    return same;
}

bool json_has(const char *json, const char *path)
{
    size_t length;
    return mcp_json_find(json, strlen(json), path, &length) != NULL;
}

bool json_integer(const char *json, const char *path, int64_t *out_number)
{
    return mcp_json_int(json, strlen(json), path, out_number) == MCP_OK;
}

char *json_next_key(const char *object, size_t *position)
{
    static const char between[] = "{, \t\r\n";
    const char *start = object + *position + strspn(object + *position, between);
    const char *end, *value;
    size_t value_length;
    char *key;
    if (*start != '"') return NULL;
    end = strpbrk(start + 1, "\"\\");
    if (!end || *end != '"') return NULL;
    key = copy_bytes(start + 1, (size_t)(end - start - 1));
    /* Where the value ends is where the next member starts. */
    value = mcp_json_find(object, strlen(object), key, &value_length);
    if (!value) {
        free(key);
        return NULL;
    }
    *position = (size_t)(value - object) + value_length;
    return key;
}

char *json_bytes(const char *json, size_t *out_length)
{
    size_t length, read, written = 0;
    char *text = json_string(json, "", &length);
    if (!text) return NULL;
    for (read = 0; read < length; read++) {
        unsigned byte = (unsigned char)text[read];
        /* The leads C2 and C3 are those of U+0080 to U+00FF. */
        if (byte == 0xC2 || byte == 0xC3) {
            read++;
            byte = (byte & 3) << 6 | ((unsigned char)text[read] & 0x3F);
        } else if (byte >= 0x80) {
            free(text);
            return NULL;
        }
        text[written++] = (char)byte;
    }
    text[written] = '\0';
    *out_length = written;
    return text;
}
