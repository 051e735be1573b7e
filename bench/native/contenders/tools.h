/* The tools of the servers that are measured over stdio and HTTP. */
#ifndef TOOLS_H
#define TOOLS_H

#include <mcplite.h>

/* A server with `add`, which adds two integers, and `progress`, which tells three times how far it has come. As
 * many threads run handlers as the command line says, without it the one that serves. */
mcp_server *open_adding_server(int argc, char **argv);

#endif
