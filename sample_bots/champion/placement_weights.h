// Not fitted yet: the edge is worth something.
#ifndef PLACEMENT_WEIGHTS_H
#define PLACEMENT_WEIGHTS_H

static const int placement_weights[PLACEMENT_FEATURES] = {0};

#endif
