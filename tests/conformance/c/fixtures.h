/* The file of fixtures, and the server that it describes. */
#ifndef FIXTURES_H
#define FIXTURES_H

#include "steps.h"

#include <mcplite.h>

#include <stdbool.h>

struct fixtures {
    char *json;
    /* JSON objects: what placeholders may name, and what may be asked. */
    char *constants;
    char *questions;
    mcp_server *server;
};

/* One thing that is offered; the user data of its handler. */
struct item {
    const struct fixtures *fixtures;
    struct step *steps;
    size_t step_count;
};

/* Makes a server that offers everything in the file. False: said why on standard error. */
bool fixtures_load(struct fixtures *fixtures, const char *path);
/* Frees the server too. */
void fixtures_free(struct fixtures *fixtures);

#endif
