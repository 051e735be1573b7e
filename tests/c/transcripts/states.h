/* The request states that the server sent, and the `$STATE` that stands for them. */
#ifndef STATES_H
#define STATES_H

#include "memory.h"

struct state {
    /* The JSON text of the id of the message that had it. */
    char *id;
    char *text;
};

struct states {
    struct state *all;
    size_t count;
};

/* Remembers the state in a server line, if it has one in its result. */
void states_note(struct states *states, const char *line);
/* Adds the client line to `out`, every `$STATE` replaced by what it stands for. */
void states_fill_in(const struct states *states, const char *line, struct text *out, struct memory *memory);
void states_free(struct states *states);

#endif
