/* What the fixtures' handlers do; the user data of each is its item. */
#ifndef BEHAVIOURS_H
#define BEHAVIOURS_H

#include "memory.h"

#include <mcplite.h>

/* The handler that `does` names, or NULL. */
mcp_handler behaviour_named(const char *does);

/* In a handler: what goes wrong ends it, and the engine answers. */
#define TRY(call)                             \
    do {                                      \
        mcp_status try_status = (call);       \
        if (try_status < 0) return try_status; \
    } while (0)

/* failures.c */
mcp_status fail_with_stacktrace(void *user_data, mcp_call *call);
mcp_status fail_as_told(void *user_data, mcp_call *call);
mcp_status fail_as_gone(void *user_data, mcp_call *call);
/* An argument of that name is missing or of the wrong type. */
mcp_status fail_for_lack_of(mcp_call *call, const char *name);

/* asking.c */
mcp_status ask(void *user_data, mcp_call *call);
mcp_status ask_and_let_go(void *user_data, mcp_call *call);
mcp_status ask_if_possible(void *user_data, mcp_call *call);
mcp_status ask_rounds(void *user_data, mcp_call *call);
mcp_status ask_then_hold(void *user_data, mcp_call *call);
mcp_status log_in(void *user_data, mcp_call *call);
/* Asks one question from outside a handler: the answer is the reply. */
mcp_status ask_held(mcp_call *call, const char *question, struct memory *memory);

#endif
