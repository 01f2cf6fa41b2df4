// A linear evaluation whose weights move with the number of stacks left, and a small net beside it.
#include "eval.h"

#include "blend.h"
#include "features.h"
#include "net.h"

static int16_t weights[SPACES + 1][FEATURES]; // by stacks left

void eval_init(void) {
    for (int stacks = 0; stacks <= SPACES; stacks++) {
        Blend blend = blend_at(stacks);
        for (int i = 0; i < FEATURES; i++) weights[stacks][i] = blend_of(&blend, &fitted_weights[0][i], FEATURES);
    }
    net_init();
}

int linear_score(const View *view, int stacks) {
    int sum = 0;
    for (int i = 0; i < FEATURES; i++) sum += weights[stacks][i] * view->values[i];
    return sum / WEIGHT_UNIT;
}

int evaluate(const Board *board, bool *over, int *movers) {
    View view;
    *over = !features_of(board, &view);
    *movers = 0;
    for (int i = 0; i < DEAD_OR_HELD; i++)
        *movers += view.values[STACKS + i] + view.values[SIDE_FEATURES + STACKS + i];
    if (*over) return final_of(board);
    int stacks = count(occupied(board)), score = linear_score(&view, stacks) + net_score(&view, stacks);
    return score > EVAL_LIMIT ? EVAL_LIMIT : score < -EVAL_LIMIT ? -EVAL_LIMIT : score;
}
