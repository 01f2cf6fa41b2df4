// DPOS, and plies of both phases by the rules.
#include "position.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { REDS = 3, MOST_STACKS = 23 };
static const int row_start[5] = {0, 12, 24, 37, 50}, row_length[5] = {9, 10, 11, 10, 9};

void position_start(Position *position, bool black_first) {
    board_clear(&position->board);
    position->placement = true;
    position->black_first = black_first;
}

static int read_number(const char **text) { // -1 when none, or far too great
    int number = 0, digits = 0;
    for (; isdigit((unsigned char)**text) && digits < 3; digits++) number = 10 * number + *(*text)++ - '0';
    return digits == 0 || digits == 3 ? -1 : number;
}

// One cell of a DPOS onto an empty space; moves `text` behind it.
static const char *read_cell(Board *board, int space, const char **text) {
    char cell = *(*text)++;
    if (cell == '.') return NULL;
    if (cell == 'r') {
        board->red |= bit_of(space);
        board->height[space] = 1;
        return NULL;
    }
    if (cell != 'w' && cell != 'b') return "a cell is one of . r w b";
    int height = isdigit((unsigned char)**text) ? read_number(text) : 1;
    if (height < 1 || height > TALLEST) return "a height is 1 to 49";
    int side = cell == 'w' ? WHITE : BLACK;
    board->top[side] |= bit_of(space);
    board->height[space] = (uint8_t)height;
    board->layers[side] += height;
    if (**text != '*') return NULL;
    ++*text;
    board->red |= bit_of(space);
    return height > 1 ? NULL : "a red inside needs a height of 2";
}

static const char *read_rows(Board *board, const char **text) {
    for (int row = 4; row >= 0; row--) {
        for (int i = 0; i < row_length[row]; i++) {
            const char *fault = read_cell(board, row_start[row] + i, text);
            if (fault) return fault;
        }
        if (row && *(*text)++ != '/') return "five rows of 9, 10, 11, 10 and 9 cells are divided by /";
    }
    return NULL;
}

static const char *check_placement(const Board *board) {
    Mask stacks = occupied(board);
    int pieces = count(stacks), reds = count(board->red), coloured = pieces - reds;
    for (Mask left = stacks; left; left &= left - 1)
        if (board->height[lowest(left)] != 1) return "in the placement phase every height is 1";
    if (pieces == SPACES) return "the board is full";
    if (reds != (pieces < REDS ? pieces : REDS)) return "the first three pieces are red";
    if (board->layers[BLACK] != (coloured + 1) / 2) return "Black and White place in turn";
    return board->side == (pieces % 2 ? BLACK : WHITE) ? NULL : "it is the other side's turn";
}

static const char *check_movement(const Board *board) {
    Mask stacks = occupied(board), lone = stacks & ~board->top[WHITE] & ~board->top[BLACK];
    int reds = count(board->red);
    if (!reds || reds > REDS) return "one to three stacks hold a red";
    if (stacks & ~flood(stacks, board->red, stacks)) return "a stack is connected to no red";
    if (board->layers[WHITE] + board->layers[BLACK] + count(lone) > SPACES) return "too many pieces";
    if (count(board->top[WHITE]) > MOST_STACKS || count(board->top[BLACK]) > MOST_STACKS)
        return "a colour has 23 pieces";
    return NULL;
}

const char *position_parse(Position *position, const char *dpos) {
    Position read = {.black_first = position->black_first};
    const char *text = dpos + strspn(dpos, " \t");
    const char *fault = read_rows(&read.board, &text);
    if (fault) return fault;
    char side, phase, more;
    if (sscanf(text, " %c %c %c", &side, &phase, &more) != 2 || *text != ' ') return "expected ROWS w|b p|m";
    if ((side != 'w' && side != 'b') || (phase != 'p' && phase != 'm')) return "expected ROWS w|b p|m";
    read.board.side = side == 'w' ? WHITE : BLACK;
    read.placement = phase == 'p';
    fault = read.placement ? check_placement(&read.board) : check_movement(&read.board);
    if (fault) return fault;
    read.board.key = board_key(&read.board);
    *position = read;
    return NULL;
}

static char *write_cell(const Board *board, int space, char *text) {
    if (!(occupied(board) & bit_of(space))) return *text = '.', text + 1;
    int side = board->top[WHITE] & bit_of(space) ? WHITE : board->top[BLACK] & bit_of(space) ? BLACK : 2;
    *text++ = "wbr"[side];
    if (side == 2) return text;
    if (board->height[space] > 1) text += sprintf(text, "%d", board->height[space]);
    if (board->red & bit_of(space)) *text++ = '*';
    return text;
}

void position_format(const Position *position, char *dpos) {
    for (int row = 4; row >= 0; row--) {
        for (int i = 0; i < row_length[row]; i++) dpos = write_cell(&position->board, row_start[row] + i, dpos);
        *dpos++ = row ? '/' : ' ';
    }
    sprintf(dpos, "%c %c", "wb"[position->board.side], position->placement ? 'p' : 'm');
}

void ply_name(Move ply, char *text) {
    if (ply != PASS_MOVE && FROM(ply) == TO(ply)) space_name(FROM(ply), text);
    else move_name(ply, text);
}

void position_place(Position *position, int space) {
    Board *board = &position->board;
    if (count(occupied(board)) < REDS) {
        board->red |= bit_of(space);
        board->key ^= red_keys[space];
    } else {
        board->top[board->side] |= bit_of(space);
        board->layers[board->side]++;
        board->key ^= stack_keys[board->side][space][1];
    }
    board->height[space] = 1;
    board->side ^= 1;
    board->key ^= side_key;
    if (occupied(board) != board_mask) return;
    position->placement = false; // White has placed last; Black's turn is skipped, except in the variant
    if (!position->black_first) board->side ^= 1, board->key ^= side_key;
}

int position_plies(const Position *position, Move *plies) {
    if (!position->placement) {
        int found = generate(&position->board, plies);
        if (!found && can_move(&position->board, position->board.side ^ 1)) plies[found++] = PASS_MOVE;
        return found;
    }
    int found = 0;
    for (Mask left = board_mask & ~occupied(&position->board); left; left &= left - 1)
        plies[found++] = PLACE(lowest(left));
    return found;
}

bool position_play(Position *position, const char *text) {
    Move plies[MOST_MOVES], wanted;
    int space;
    if (strlen(text) == 2 && space_parse(text, &space)) wanted = PLACE(space);
    else if (!move_parse(text, &wanted)) return false;
    int found = position_plies(position, plies), i = 0;
    while (i < found && plies[i] != wanted) i++;
    if (i == found) return false;
    Undo undo;
    if (position->placement) position_place(position, space);
    else if (wanted == PASS_MOVE) make_pass(&position->board);
    else make(&position->board, wanted, &undo);
    return true;
}
