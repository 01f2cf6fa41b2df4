// Which moves to try first.
#ifndef ORDER_H
#define ORDER_H

#include "board.h"

typedef struct {
    int count;
    Move move[MOST_MOVES];
    int score[MOST_MOVES];
} Moves;

void order_reset(void);
void order_age(void);
void order_score(Moves *moves, const Board *board, Move known_best, int ply);
Move order_next(Moves *moves, int index);             // brings the best of the rest to `index`
// Move number `index` was good enough to end the search of its node; the ones before it were not.
void order_reward(const Moves *moves, int index, const Board *board, int ply, int depth);

#endif
