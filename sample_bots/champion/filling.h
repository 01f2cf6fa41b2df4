// Placement by looking ahead to the full board.
#ifndef FILLING_H
#define FILLING_H

#include "position.h"
#include "search.h"

// The best space, with chance worth up to `noise` added; one that is worth most when no limit allows for more.
// A limit of depth counts this ply; the soft and hard limits of time are those of the whole choice.
Finding filling_choose(const Position *position, const Limits *limits, int noise, uint64_t *seed, Listener *listener);

#endif
