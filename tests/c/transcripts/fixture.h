/* The server that a transcript talks to, made from a fixture file. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "memory.h"

#include <mcplite.h>

/* The server of `@ fixture NAME`, whose file is in `folder`; without a name that of fixture.json.
 * NULL, or a server without some of its items: complained. */
mcp_server *fixture_server(const char *folder, const char *name, struct memory *memory);

#endif
