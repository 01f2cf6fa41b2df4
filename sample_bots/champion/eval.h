// The evaluation of a board in movement, and the scale of scores.
#ifndef EVAL_H
#define EVAL_H

#include "board.h"
#include "features.h"

// A heuristic score is the margin expected at the end in hundredths of a piece, within ±EVAL_LIMIT. A
// final margin lies beyond it, so that a proved win, however narrow, is better than any hope.
enum { EVAL_LIMIT = 9000, FINAL_BASE = 10000, FINAL_STEP = 100, INFINITE = 20000 };

static inline int final_score(int margin) {
    return margin * FINAL_STEP + (margin > 0 ? FINAL_BASE : margin < 0 ? -FINAL_BASE : 0);
}

// The score of a board on which neither side can move, from the side to move.
static inline int final_of(const Board *board) {
    return final_score(board->layers[board->side] - board->layers[board->side ^ 1]);
}

// Hundredths of a piece, as people read them: no margin is greater than all pieces.
static inline int shown_score(int score) {
    if (score > FINAL_BASE || score < -FINAL_BASE) return score > 0 ? score - FINAL_BASE : score + FINAL_BASE;
    int most = SPACES * FINAL_STEP;
    return score > most ? most : score < -most ? -most : score;
}

void eval_init(void);
int linear_score(const View *view, int stacks); // the greater part of the evaluation, which the net corrects
// From the side to move; `*over` when neither side can move, and the score is the final one then. `*movers` is the
// number of stacks that can move now, of both sides.
int evaluate(const Board *board, bool *over, int *movers);

#endif
