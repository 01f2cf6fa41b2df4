// Where to place: a fitted worth of each space, taken greedily.
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include "position.h"

// What the worth of a space is made of, for the side that places.
enum {
    ORBIT = 0,      // the space, up to the symmetries of the board: 16 kinds
    INNER = 16,     // steps to the nearest red: 1, 2, 3, 4, 5, more; not at the edge
    OUTER = 22,     // the same at the edge
    SECOND = 28,    // steps to the second red
    THIRD = 34,     // steps to the third one, a multiple
    OWN = 35,       // own neighbours: edge beside edge, mixed, inner beside inner
    FOE = 38,       // neighbours of the opponent, likewise
    OWN_LINE = 41,  // own pieces two steps away in line
    FOE_LINE = 42,  // and the opponent's
    FIRST_RED = 43, // the first red by the kind of its space
    SECOND_RED = 59, // the second red by its steps to the first: 1, 2, 3, 4, more; and at the edge
    THIRD_RED = 65, // the third by its steps to the nearer one, likewise
    PLACEMENT_WEIGHTS = 71
};

extern const int16_t placement_weights[PLACEMENT_WEIGHTS]; // in hundredths; see benchmarks/champion

void placement_init(void);
typedef struct {
    int count, spaces[SPACES];
    int worths[SPACES]; // in eighths of hundredths
} Ranking;

// The empty spaces by their worth, the greatest first, with chance worth up to `noise` added. Without a seed ties
// go by the order of the spaces, and there is no noise.
Ranking placement_rank(const Position *position, const int16_t *weights, int noise, uint64_t *seed);
int placement_choose(const Position *position, const int16_t *weights, int noise, uint64_t *seed);

#endif
