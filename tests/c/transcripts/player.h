/* One transcript in the middle of being played. */
#ifndef PLAYER_H
#define PLAYER_H

#include "memory.h"
#include "states.h"

#include <mcplite.h>

/* How the driver talks to the session. */
struct manner {
    /* Client lines byte by byte through mcp_session_receive(), not as whole messages. */
    bool by_bytes;
    /* Output through mcp_session_peek() and mcp_session_consume(), not mcp_session_poll(). */
    bool by_peeking;
};

struct player {
    struct manner manner;
    mcp_server *server;
    mcp_session *session;
    struct memory memory;
    struct states states;
    /* The clock stands still until it is moved. */
    int64_t now_us;
    /* The next of the random bytes, which are the same in every run. */
    uint8_t next_random;
    /* The number of the step that was taken last, 0 before the first. */
    size_t line_number;
};

/* Plays the file, whose fixtures are in `folder`. What differs is printed; true: nothing does. */
bool play(const char *folder, const char *path, struct manner manner);

/* A new session in place of the one there was. */
void player_connect(struct player *player);

#endif
