#ifndef SELFPLAY_H
#define SELFPLAY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int games, nodes; // nodes a move
    uint64_t seed;
    int noise;        // of the placement; negative for random boards
    bool boards;      // print full boards and outcomes only
} Series;

// Plays games against itself and prints the positions it searched, one a line: DPOS, score of the search in
// hundredths, final margin, number of the game; score and margin from the side to move. Exit status.
int selfplay_command(const Series *series);
// Reads such lines and prints what the fit works on: stacks, score, margin, features.
int features_command(void);
// The same for full boards and the features of the placement.
int placement_features_command(void);

#endif
