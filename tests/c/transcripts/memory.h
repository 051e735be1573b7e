/* What handlers share with one another and with the player, while one transcript is played. */
#ifndef MEMORY_H
#define MEMORY_H

#include "text.h"

#include <mcplite.h>

/* A call that waits to be answered. */
struct held_call {
    char *key;
    mcp_call *call;
};

struct memory {
    struct held_call *held;
    size_t held_count;
    /* What the notification that `remember` is for said last. */
    struct text last;
    /* The ids of the pages where the user is done. */
    char **elicited;
    size_t elicited_count;
    /* The fixture's questions, a JSON object. */
    char *questions;
    /* Items whose destroy has not run. */
    size_t live_items;
    /* The first thing that went wrong apart from the bytes; empty if nothing did. */
    struct text problem;
};

/* Notes a problem, with which the transcript fails. Only the first counts. */
void complain(struct memory *memory, const char *format, ...);
/* Complains unless the status is MCP_OK. */
void demand(struct memory *memory, const mcp_server *server, mcp_status status, const char *what);
bool has_problem(const struct memory *memory);

/* Keeps the call under its argument `key`. */
mcp_status memory_hold(struct memory *memory, mcp_call *call);
/* Gives up the call of that key, which then is the caller's to release. NULL: complained. */
mcp_call *memory_take(struct memory *memory, const char *key);

void memory_note_elicited(struct memory *memory, const char *id);
bool memory_is_elicited(const struct memory *memory, const char *id);

void memory_release_calls(struct memory *memory);
void memory_free(struct memory *memory);

#endif
