/* The endpoint that a transcript talks to, and the options that are its own. */
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include "player.h"

#include <stdatomic.h>

#define MAX_MOUNTS 4

struct mount {
    mcp_server *server;
    struct memory memory;
};

struct endpoint {
    /* The first server, with what its host does. It has no session. */
    struct player player;
    mcp_http *http;
    const char *fixtures;
    struct mount mounts[MAX_MOUNTS];
    size_t mount_count;
    /* The time, which the loop reads as well. */
    atomic_llong now_us;
    atomic_uchar next_random;
    /* What the observer has seen: requests that arrived, and exchanges that are over. */
    atomic_ulong arrived, over;
};

/* `options` are lines as in a transcript, without their mark. What goes wrong is complained. */
void endpoint_make(struct endpoint *endpoint, const char *fixtures, char **options, int count);
/* Runs the handlers that wait, on this thread. */
void endpoint_run(struct endpoint *endpoint);
void endpoint_free(struct endpoint *endpoint);

#endif
