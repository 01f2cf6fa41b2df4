#ifndef SELFPLAY_H
#define SELFPLAY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int games, nodes; // nodes a move
    uint64_t seed;
    int noise;        // of the placement; negative for random boards
    bool boards;      // print full boards and outcomes only; leave no ply to chance
} Series;

// Plays games against itself and prints the positions it searched, one a line: DPOS, score of the search in
// hundredths, final margin, number of the game; score and margin from the side to move. Behind each stands a leaf of
// its search, searched in turn, with 99 for the margin, since nobody has played on from there. Exit status.
int selfplay_command(const Series *series);
// Reads such lines and prints what a fit works on: stacks, score, margin and features; or for the net stacks, score,
// margin, game, the linear score and the rows that it adds up.
int features_command(bool rows);
// Games in which both sides place by weights changed by chance, by up to four times the noise; writes White's
// margin and the changes of both sides.
int placements_command(const Series *series);

#endif
