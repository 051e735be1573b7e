/* The two ends of the session, each in one of two manners. */
#ifndef WIRE_H
#define WIRE_H

#include "player.h"

/* Hands one client line in, without its newline. */
void wire_send(struct player *player, const char *line, size_t length);
/* Adds everything that waits to `out`, each line with its newline. */
void wire_receive(struct player *player, struct text *out);

#endif
