/* The options at the top of a transcript. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "player.h"

/* Sets one option: the line without its mark, which is cut into words. */
void option_set(struct player *player, char *line);

#endif
