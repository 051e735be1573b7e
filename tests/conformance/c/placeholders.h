/* `${/arguments/name}` in the JSON of a fixture: a JSON Pointer to what an attempt knows. */
#ifndef PLACEHOLDERS_H
#define PLACEHOLDERS_H

#include "steps.h"

/* The JSON text at the path in `json`, filled in; to be freed. NULL if there is none. */
char *fill_in(const struct attempt *attempt, const char *json, const char *path);
/* The same of a string, decoded. */
char *fill_in_string(const struct attempt *attempt, const char *json, const char *path);

#endif
