// Tables of the board, names of spaces and moves, and what is not worth inlining.
#include "board.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Mask board_mask, neighbours[BITS], jumps[TALLEST + 1][BITS];
bool one_arc[128];
int orbit[BITS];
uint64_t stack_keys[2][BITS][TALLEST + 1], red_keys[BITS], side_key;

static const int first_column[5] = {0, 0, 0, 1, 2}, last_column[5] = {8, 9, 10, 10, 10};
static const int steps[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}}; // (column, row)

static bool on_board(int column, int row) {
    return row >= 0 && row < 5 && column >= first_column[row] && column <= last_column[row];
}

static void init_jumps(void) {
    for (int row = 0; row < 5; row++)
        for (int column = first_column[row]; column <= last_column[row]; column++) {
            int from = 12 * row + column, from_middle = abs(2 * column - row - 8);
            orbit[from] = (row == 2 ? 10 : row == 1 || row == 3 ? 5 : 0) + from_middle / 2;
            board_mask |= bit_of(from);
            for (int height = 1; height <= 10; height++)
                for (int way = 0; way < 6; way++) {
                    int to_column = column + height * steps[way][0], to_row = row + height * steps[way][1];
                    if (on_board(to_column, to_row)) jumps[height][from] |= bit_of(12 * to_row + to_column);
                }
            neighbours[from] = jumps[1][from];
        }
}

// The six neighbours in a circle stand in around() at these bits; counts how often the circle changes.
static void init_arcs(void) {
    static const int circle[6] = {0, 1, 4, 6, 5, 2};
    for (int index = 0; index < 128; index++) {
        int changes = 0;
        for (int i = 0; i < 6; i++)
            changes += (index >> circle[i] & 1) != (index >> circle[(i + 1) % 6] & 1);
        one_arc[index] = changes <= 2;
    }
}

uint64_t chance(uint64_t *seed) { // splitmix64
    uint64_t x = *seed += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

void board_init(void) {
    if (board_mask) return;
    init_jumps();
    init_arcs();
    uint64_t state = 2011;
    for (int side = 0; side < 2; side++)
        for (int bit = 0; bit < BITS; bit++)
            for (int height = 0; height <= TALLEST; height++) stack_keys[side][bit][height] = chance(&state);
    for (int bit = 0; bit < BITS; bit++) red_keys[bit] = chance(&state);
    side_key = chance(&state);
}

void board_clear(Board *board) { memset(board, 0, sizeof *board); }

uint64_t board_key(const Board *board) {
    uint64_t key = board->side == BLACK ? side_key : 0;
    for (int side = 0; side < 2; side++)
        for (Mask left = board->top[side]; left; left &= left - 1)
            key ^= stack_keys[side][lowest(left)][board->height[lowest(left)]];
    for (Mask left = board->red; left; left &= left - 1) key ^= red_keys[lowest(left)];
    return key;
}

void take_off(Board *board, Mask lost) {
    for (int side = 0; side < 2; side++) {
        for (Mask left = board->top[side] & lost; left; left &= left - 1) {
            int space = lowest(left), height = board->height[space];
            board->layers[side] -= height;
            board->key ^= stack_keys[side][space][height];
        }
        board->top[side] &= ~lost;
    }
}

bool space_parse(const char *text, int *bit) {
    int column = toupper((unsigned char)text[0]) - 'A', row = column >= 0 ? text[1] - '1' : -1;
    if (!on_board(column, row)) return false;
    *bit = 12 * row + column;
    return true;
}

void space_name(int bit, char *text) {
    text[0] = (char)('A' + bit % 12);
    text[1] = (char)('1' + bit / 12);
    text[2] = '\0';
}

void move_name(Move move, char *text) {
    if (move == PASS_MOVE) {
        strcpy(text, "PASS");
        return;
    }
    space_name(FROM(move), text);
    space_name(TO(move), text + 2);
}

bool move_parse(const char *text, Move *move) {
    int from, to;
    if (strlen(text) != 4) return false;
    if (toupper((unsigned char)text[0]) == 'P' && toupper((unsigned char)text[1]) == 'A') {
        *move = PASS_MOVE;
        return toupper((unsigned char)text[2]) == 'S' && toupper((unsigned char)text[3]) == 'S';
    }
    if (!space_parse(text, &from) || !space_parse(text + 2, &to)) return false;
    *move = MOVE(from, to);
    return true;
}
