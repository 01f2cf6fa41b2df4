// A position as the protocol knows it: a board and its phase, read from DPOS and moved on by plies.
#ifndef POSITION_H
#define POSITION_H

#include "board.h"

typedef struct {
    Board board;
    bool placement;   // the phase: placement or movement
    bool black_first; // the variant in which Black makes the first stack move
} Position;

// A placement is written as a move from a space to itself.
#define PLACE(space) MOVE(space, space)

void position_start(Position *position, bool black_first);
// NULL, or what is wrong with the text; the position is untouched then. The variant is kept.
const char *position_parse(Position *position, const char *dpos);
void position_format(const Position *position, char *dpos); // DPOS_SIZE characters
void ply_name(Move ply, char *text);
// Reads a ply and plays it; false when it is none or not allowed.
bool position_play(Position *position, const char *ply);
void position_place(Position *position, int space);
// Every legal ply, PASS_MOVE alone when a pass is forced; 0 when the game is over.
int position_plies(const Position *position, Move *plies);

#endif
