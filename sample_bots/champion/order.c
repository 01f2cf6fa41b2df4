// The move of the table first, then killers (what refuted the brothers of this node) among captures, and the
// rest by its history: how often a move between the same spaces was too good for the opponent.
#include "order.h"

#include <string.h>

#include "search.h"

enum { KNOWN = 1 << 28, KILLER = 6000, HISTORY_LIMIT = 16384 };

static int16_t history[2][64 * 64];
static Move killers[MOST_PLIES + 1][2];

void order_reset(void) {
    memset(history, 0, sizeof history);
    memset(killers, 0, sizeof killers);
}

void order_age(void) {
    memset(killers, 0, sizeof killers);
    for (int i = 0; i < 64 * 64; i++) history[0][i] /= 2, history[1][i] /= 2;
}

// What a move takes: much for a tall stack of the opponent, nothing for an own one.
static int gain(const Board *board, Move move) {
    Mask landing = bit_of(TO(move));
    int below = board->height[TO(move)];
    if (board->top[board->side ^ 1] & landing) return 2000 + 1500 * below;
    return board->top[board->side] & landing ? -1000 : 2500;
}

void order_score(Moves *moves, const Board *board, Move known_best, int ply) {
    const int16_t *past = history[board->side];
    for (int i = 0; i < moves->count; i++) {
        Move move = moves->move[i];
        int score = past[move & 4095] + gain(board, move);
        if (move == known_best) score = KNOWN;
        else if (move == killers[ply][0]) score += KILLER;
        else if (move == killers[ply][1]) score += KILLER - 1000;
        moves->score[i] = score;
    }
}

Move order_next(Moves *moves, int index) {
    int best = index;
    for (int i = index + 1; i < moves->count; i++)
        if (moves->score[i] > moves->score[best]) best = i;
    Move move = moves->move[best];
    int score = moves->score[best];
    moves->move[best] = moves->move[index], moves->score[best] = moves->score[index];
    moves->move[index] = move, moves->score[index] = score;
    return move;
}

// Moves towards the limit in ever smaller steps, so that no count runs over.
static void learn(int16_t *value, int step) {
    int size = step < 0 ? -step : step;
    *value = (int16_t)(*value + step - *value * size / HISTORY_LIMIT);
}

void order_reward(const Moves *moves, int index, const Board *board, int ply, int depth) {
    Move move = moves->move[index];
    int step = depth * depth * 8 < 1600 ? depth * depth * 8 : 1600;
    if (killers[ply][0] != move) killers[ply][1] = killers[ply][0], killers[ply][0] = move;
    learn(&history[board->side][move & 4095], step);
    for (int i = 0; i < index; i++) learn(&history[board->side][moves->move[i] & 4095], -step / 2);
}
