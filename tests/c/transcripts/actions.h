/* What the host does in a transcript. */
#ifndef ACTIONS_H
#define ACTIONS_H

#include "player.h"

/* Does one thing: the line without its mark, which is cut into words. */
void action_do(struct player *player, char *line);

#endif
