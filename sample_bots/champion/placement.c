// The weights were found by playing: each game pits two slightly different sets against each other, and
// a regression of the outcomes tells which differences win; see benchmarks/champion/README.md.
#include "placement.h"

#include <stdlib.h>
#include <string.h>

enum { FAR = 6 };

static Mask edge;
static int distance[BITS][BITS];

static int steps_between(int a, int b) {
    int columns = a % 12 - b % 12, rows = a / 12 - b / 12;
    int apart = abs(columns) > abs(rows) ? abs(columns) : abs(rows);
    return (long)columns * rows < 0 ? abs(columns) + abs(rows) : apart;
}

void placement_init(void) {
    edge = board_mask & ~surrounded(board_mask);
    for (Mask left = board_mask; left; left &= left - 1) {
        int space = lowest(left);
        for (Mask other = board_mask; other; other &= other - 1)
            distance[space][lowest(other)] = steps_between(space, lowest(other));
    }
}

static void sort_three(int *d) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (d[j] > d[j + 1]) {
                int swap = d[j];
                d[j] = d[j + 1], d[j + 1] = swap;
            }
}

static int least(int a, int b) { return a < b ? a : b; }

// The worth of a space for the piece of the side to move.
static int worth(const Board *board, int space, const int16_t *weights) {
    int reds[3] = {FAR, FAR, FAR}, known = 0;
    for (Mask left = board->red; left; left &= left - 1) reds[known++] = distance[space][lowest(left)];
    sort_three(reds);
    bool at_edge = edge >> space & 1;
    Mask own = board->top[board->side], foe = board->top[board->side ^ 1], near = neighbours[space];
    int sum = weights[ORBIT + orbit[space]] + weights[(at_edge ? OUTER : INNER) + least(reds[0], FAR) - 1];
    sum += weights[SECOND + least(reds[1], FAR) - 1] + weights[THIRD] * reds[2];
    sum += weights[OWN + !at_edge] * count(own & near & edge);
    sum += weights[OWN + 1 + !at_edge] * count(own & near & ~edge);
    sum += weights[FOE + !at_edge] * count(foe & near & edge);
    sum += weights[FOE + 1 + !at_edge] * count(foe & near & ~edge);
    sum += weights[OWN_LINE] * count(own & jumps[2][space]) + weights[FOE_LINE] * count(foe & jumps[2][space]);
    return sum;
}

static int worth_of_red(const Board *board, int space, const int16_t *weights) {
    int reds = count(board->red), nearest = 5;
    if (reds == 0) return weights[FIRST_RED + orbit[space]];
    for (Mask left = board->red; left; left &= left - 1) nearest = least(nearest, distance[space][lowest(left)]);
    const int16_t *of_this_red = weights + (reds == 1 ? SECOND_RED : THIRD_RED);
    return of_this_red[nearest - 1] + (edge >> space & 1 ? of_this_red[5] : 0);
}

Ranking placement_rank(const Position *position, const int16_t *weights, int noise, uint64_t *seed) {
    const Board *board = &position->board;
    bool red = count(board->red) < 3;
    Ranking ranking = {0};
    for (Mask left = board_mask & ~occupied(board); left; left &= left - 1) {
        int space = lowest(left), at = ranking.count++;
        int value = 8 * (red ? worth_of_red(board, space, weights) : worth(board, space, weights));
        if (seed) value += (int)(chance(seed) % (uint64_t)(8 * noise + 8)); // the last eighths break ties
        for (; at > 0 && ranking.worths[at - 1] < value; at--) {
            ranking.worths[at] = ranking.worths[at - 1];
            ranking.spaces[at] = ranking.spaces[at - 1];
        }
        ranking.worths[at] = value, ranking.spaces[at] = space;
    }
    return ranking;
}

int placement_choose(const Position *position, const int16_t *weights, int noise, uint64_t *seed) {
    return placement_rank(position, weights, noise, seed).spaces[0];
}
