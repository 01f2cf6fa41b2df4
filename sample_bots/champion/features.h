// What the evaluation looks at, in numbers that the fit and the search share.
#ifndef FEATURES_H
#define FEATURES_H

#include "board.h"

// For each side the same list; the side to move comes first, its opponent behind it.
enum {
    // Stacks, and the layers above their first, by what can become of them: a stack is free (it has a
    // move), held (surrounded, with a landing once it is not) or dead (nothing at its distance, for ever);
    // the opponent can land on it now or not; the own side could land there again or not.
    STACKS = 0,
    DEAD_OR_HELD = 4, // the first of them that has no move now
    LAYERS = 12,
    MOVES = 24,      // stack moves
    CAPTURES,        // of them onto stacks of the opponent
    ON_REDS,         // and onto lone reds
    STILL,           // 1 without a move
    LAST_MOVER,      // 1 with a single stack that can move
    AWAY = 29,       // stacks by steps to the nearest red along stacks: 0 (a red inside), 1, 2, 3, more
    LINKS = 34,      // stacks with one, two and three neighbours
    BRIDGES = 37,    // stacks whose neighbours do not hang together around them
    EDGE,            // stacks at the edge
    TALL = 39,       // stacks of height 2, 3, 4, 5 and more
    RED_LAYERS = 43, // layers above the first in stacks with a red inside
    RED_FREE,        // stacks with a red inside that can move
    TURN,            // always 1
    SIDE_FEATURES,
    FEATURES = 2 * SIDE_FEATURES
};

// Each stack by itself, as the net sees it: a row of each of two tables, both divided by its side and its height up to
// five; one by what can become of it, as above, and its steps to a red, the other by the kind of its space.
enum {
    TALLEST_KIND = 5,
    SIDE_HEIGHTS = 2 * TALLEST_KIND,
    STATUSES = 12,
    NEAR = 4,
    PLACES = SIDE_HEIGHTS * STATUSES * NEAR,
    ROWS = PLACES + SIDE_HEIGHTS * ORBITS,
    STACK_ROWS = 2
};

typedef struct {
    int16_t values[FEATURES];
    int rows; // STACK_ROWS for each stack of either side
    uint16_t row[STACK_ROWS * SPACES];
} View;

// False when neither side can move, so that the game is over; `view` has no rows then.
bool features_of(const Board *board, View *view);

#endif
