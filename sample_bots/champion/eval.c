// A linear evaluation whose weights move with the number of stacks left.
#include "eval.h"

#include "features.h"
#include "weights.h"

static int16_t weights[SPACES + 1][FEATURES]; // by stacks left

// Between two knots the weights run in a straight line.
void eval_init(void) {
    for (int stacks = 0; stacks <= SPACES; stacks++) {
        int upper = 1;
        while (upper < WEIGHT_KNOTS - 1 && weight_knots[upper] < stacks) upper++;
        int from = weight_knots[upper - 1], to = weight_knots[upper];
        int at = stacks < from ? from : stacks > to ? to : stacks;
        for (int i = 0; i < FEATURES; i++)
            weights[stacks][i] = (int16_t)((fitted_weights[upper - 1][i] * (to - at) +
                                            fitted_weights[upper][i] * (at - from)) / (to - from));
    }
}

int evaluate(const Board *board, bool *over, int *movers) {
    int16_t values[FEATURES];
    *over = !features_of(board, values);
    *movers = 0;
    for (int i = 0; i < DEAD_OR_HELD; i++) *movers += values[STACKS + i] + values[SIDE_FEATURES + STACKS + i];
    if (*over) return final_of(board);
    const int16_t *weight = weights[count(occupied(board))];
    int sum = 0;
    for (int i = 0; i < FEATURES; i++) sum += weight[i] * values[i];
    sum /= WEIGHT_UNIT;
    return sum > EVAL_LIMIT ? EVAL_LIMIT : sum < -EVAL_LIMIT ? -EVAL_LIMIT : sum;
}
