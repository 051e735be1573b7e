/* What the host of the endpoint is told to do. */
#ifndef CONTROL_H
#define CONTROL_H

#include "endpoint.h"

/* Does one thing, and prints what was learned and how it went. The line is cut into words. */
void control(struct endpoint *endpoint, char *line);

#endif
