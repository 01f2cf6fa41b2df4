// The value of a placement is what it gains for its owner and takes from the opponent, who wants the same
// spaces. The weights come from games that started from full boards; see benchmarks/champion/README.md.
#include "placement.h"

#include <stdlib.h>
#include <string.h>

#include "placement_weights.h"

enum { FAR = 6 };

static Mask edge;
static int orbit[BITS], distance[BITS][BITS];

uint64_t chance(uint64_t *seed) { // splitmix64
    uint64_t x = *seed += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static int steps_between(int a, int b) {
    int columns = a % 12 - b % 12, rows = a / 12 - b / 12;
    int apart = abs(columns) > abs(rows) ? abs(columns) : abs(rows);
    return (long)columns * rows < 0 ? abs(columns) + abs(rows) : apart;
}

void placement_init(void) {
    edge = board_mask & ~surrounded(board_mask);
    for (Mask left = board_mask; left; left &= left - 1) {
        int space = lowest(left), row = space / 12, from_middle = abs(2 * (space % 12) - row - 8);
        orbit[space] = row == 2 ? 10 + from_middle / 2 : row == 1 || row == 3 ? 5 + from_middle / 2 : from_middle / 2;
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

// What one more piece of `side` on `space` adds to the values, White's with `sign` 1.
static void add_piece(const Board *board, int space, int side, int sign, int *values) {
    int reds[3] = {FAR, FAR, FAR}, known = 0;
    for (Mask left = board->red; left; left &= left - 1) reds[known++] = distance[space][lowest(left)];
    sort_three(reds);
    bool at_edge = edge >> space & 1;
    values[ORBIT + orbit[space]] += sign;
    values[NEAREST + (reds[0] < FAR ? reds[0] : FAR) - 1] += sign;
    values[FARTHER] += sign * reds[1], values[FARTHER + 1] += sign * reds[2];
    if (at_edge && reds[0] <= 2) values[EDGE_NEAR + reds[0] - 1] += sign;
    Mask own = board->top[side], other = board->top[side ^ 1], near = neighbours[space];
    values[FRIENDS + !at_edge] += sign * count(own & near & edge);
    values[FRIENDS + 1 + !at_edge] += sign * count(own & near & ~edge);
    // To the other side this pair counts with the signs changed, so the order of the two does not matter.
    values[INSIDE_OUT] += sign * (at_edge ? count(other & near & ~edge) : -count(other & near & edge));
    values[IN_LINE] += sign * count(own & jumps[2][space]);
}

static void add_reds(const Board *board, int *values) {
    int steps[3] = {FAR, FAR, FAR}, pairs = 0, sum = 0;
    for (Mask left = board->red; left; left &= left - 1)
        for (Mask other = left & (left - 1); other; other &= other - 1) {
            sum += distance[lowest(left)][lowest(other)];
            steps[pairs++] = distance[lowest(left)][lowest(other)];
        }
    sort_three(steps);
    values[WHITE_FIRST] = 1;
    values[RED_EDGE] = count(board->red & edge);
    if (pairs) values[RED_STEPS + (steps[0] < 5 ? steps[0] : 5) - 1]++;
    values[RED_SPREAD] = sum;
}

void placement_features(const Board *board, int values[PLACEMENT_FEATURES]) {
    Board so_far = {.red = board->red}; // each pair is counted once, by its later piece
    memset(values, 0, PLACEMENT_FEATURES * sizeof *values);
    for (int side = 0; side < 2; side++)
        for (Mask left = board->top[side]; left; left &= left - 1) {
            add_piece(&so_far, lowest(left), side, side == WHITE ? 1 : -1, values);
            so_far.top[side] |= left & -left;
        }
    add_reds(board, values);
}

static int value_of(const int *values) {
    int sum = 0;
    for (int i = 0; i < PLACEMENT_FEATURES; i++) sum += placement_weights[i] * values[i];
    return sum;
}

// What a piece there is worth to its owner, in hundredths of the log-odds.
static int worth(const Board *board, int space, int side) {
    int values[PLACEMENT_FEATURES] = {0};
    add_piece(board, space, side, 1, values);
    return value_of(values);
}

static int worth_of_red(const Board *board, int space) {
    Board next = *board;
    int values[PLACEMENT_FEATURES] = {0};
    next.red |= bit_of(space);
    add_reds(&next, values);
    return board->side == WHITE ? value_of(values) : -value_of(values);
}

int placement_choose(const Position *position, int noise, uint64_t *seed) {
    const Board *board = &position->board;
    bool red = count(board->red) < 3;
    int best = -1, best_value = 0;
    for (Mask left = board_mask & ~occupied(board); left; left &= left - 1) {
        int space = lowest(left);
        int value = red ? worth_of_red(board, space) : worth(board, space, WHITE) + worth(board, space, BLACK);
        value = 8 * value + (int)(chance(seed) % (uint64_t)(8 * noise + 8)); // the last 8 break ties
        if (best < 0 || value > best_value) best = space, best_value = value;
    }
    return best;
}
