/* One item of a fixture file: what is registered, and what its handler knows. */
#ifndef ITEM_H
#define ITEM_H

#include "memory.h"

#include <mcplite.h>

/* The user data of every handler. */
struct item {
    struct memory *memory;
    char *json;
    /* The bytes of a static resource, or NULL. */
    char *contents;
    size_t contents_length;
};

/* Registers the item that `json` describes. With `replace`, one of the same name is replaced. */
void item_register(mcp_server *server, struct memory *memory, const char *json, bool replace);

/* tool, resource, template, prompt or method; 0: complained. */
int32_t kind_named(struct memory *memory, const char *name);

#endif
