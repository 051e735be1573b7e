/* everything.h: what the files of the example "everything" share. */
#ifndef EVERYTHING_H
#define EVERYTHING_H

#include <mcplite.h>
#include <pthread.h>

/* The state behind the handlers. Two of them may run at the same time: see MCP_OPT_WORKERS. */
struct everything {
    mcp_server *server;
    pthread_mutex_t lock;                        /* guards what follows */
    char note[64];
    int touches;
    int has_late_tool;
    int cancelled_waits;
};

/* Each registers its part. What is refused is reported by mcp_serve_...(). */
void everything_add_tools(struct everything *all);      /* everything_tools.c */
void everything_add_asking(struct everything *all);     /* everything_asking.c */
void everything_add_content(struct everything *all);    /* everything_content.c */

/* Where clients find the program. */
struct everything_place {
    enum { EVERYTHING_STDIO, EVERYTHING_SOCKET, EVERYTHING_HTTP } way;
    const char *address;
    const char *host;                            /* the name of a proxy in front; NULL for none */
};

/* Serves until the input ends, or until SIGINT or SIGTERM. */
mcp_status everything_serve(mcp_server *server,
                            const struct everything_place *place);  /* everything_serving.c */

/* A picture of one grey pixel. */
extern const unsigned char everything_pixel[];
extern const size_t everything_pixel_size;

/* Adds a text like printf()'s, of any length, to the answer. */
mcp_status everything_add_text(mcp_call *call, const char *format, ...);

#endif
