/* Reading JSON text with the library's own help. A path is a member name, or a JSON Pointer if it
 * starts with '/'; the empty path is the whole. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The JSON text at the path, a copy to be freed, or NULL. */
char *json_copy(const char *json, const char *path);
/* The string at the path, decoded, a copy to be freed, or NULL. `out_length` may be NULL. */
char *json_string(const char *json, const char *path, size_t *out_length);
/* Whether the string at the path is there and is `wanted`. */
bool json_says(const char *json, const char *path, const char *wanted);
bool json_has(const char *json, const char *path);
bool json_integer(const char *json, const char *path, int64_t *out_number);

/* One member after the other, in the order of the text. `position` starts at 0. The key is a copy
 * to be freed; keys with escapes are not known here, and end the walk. */
char *json_next_key(const char *object, size_t *position);

/* A JSON string in which every character stands for the byte of its number. */
char *json_bytes(const char *json, size_t *out_length);

#endif
