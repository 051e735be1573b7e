/* What a handler does, step by step; ../README.md has the vocabulary. */
#ifndef STEPS_H
#define STEPS_H

#include "text.h"

#include <mcplite.h>

struct item;

/* One attempt at answering a call. */
struct attempt {
    const struct item *item;
    mcp_call *call;
    /* The answers that were read so far, as the members of a JSON object. */
    struct text answers;
};

/* MCP_OK: on to the next step. MCP_DONE: the call is answered. Anything else ends the attempt. */
typedef mcp_status (*step_function)(struct attempt *attempt, const char *json);

struct step {
    step_function take;
    char *json;
};

/* What `does` names, or NULL. */
step_function step_named(const char *does);

#endif
