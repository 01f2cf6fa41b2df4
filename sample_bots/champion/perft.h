#ifndef PERFT_H
#define PERFT_H

#include "position.h"

// Lines of play of exactly this many plies; every one of them is played out, none counted in bulk.
uint64_t perft(Position *position, int depth);
int perft_command(const char *dpos, int depth, bool divide); // exit status

#endif
