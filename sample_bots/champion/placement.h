// Where to place: a fitted value of the full board, taken space by space.
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include "position.h"

// What the value of a board is made of. All but the last group count White's pieces less Black's.
enum {
    ORBIT = 0,           // the space, up to the symmetries of the board: 16 kinds
    NEAREST = 16,        // steps to the nearest red: 1, 2, 3, 4, 5, more
    FARTHER = 22,        // steps to the second and the third red
    EDGE_NEAR = 24,      // at the edge and 1 or 2 steps from a red
    FRIENDS = 26,        // pairs of neighbours of one colour: both at the edge, one, none
    INSIDE_OUT = 29,     // pairs of unlike neighbours: the edge is White's and the inside Black's, less the reverse
    IN_LINE = 30,        // pairs of one colour two steps apart in line
    WHITE_FIRST = 31,    // 1
    RED_EDGE = 32,       // reds at the edge
    RED_STEPS = 33,      // steps between the two closest reds: 1, 2, 3, 4, more
    RED_SPREAD = 38,     // sum of the steps between all three
    PLACEMENT_FEATURES = 39
};

void placement_init(void);
void placement_features(const Board *board, int values[PLACEMENT_FEATURES]);
// The space to place on. `noise` is added to every choice by chance, in hundredths of the log-odds of a win.
int placement_choose(const Position *position, int noise, uint64_t *seed);
uint64_t chance(uint64_t *seed); // the next pseudo-random number

#endif
