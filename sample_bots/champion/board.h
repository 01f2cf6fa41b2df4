// The board: five rows of bits, twelve to a row, so that each of the six directions is one shift
// and the unused bits between the rows keep stacks from wandering off the edge.
#ifndef BOARD_H
#define BOARD_H

// Counting bits is one instruction on every x86-64 since 2008, but compilers use it only when allowed to.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("popcnt")
#endif

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t Mask; // a set of spaces: bit 12 * row + column, both counted from 0

enum { WHITE, BLACK };
enum { BITS = 60, SPACES = 49, ORBITS = 16, TALLEST = 49, MOST_MOVES = 300, DPOS_SIZE = 192 };

// A stack move is its source and target. No stack moves onto itself, so equal ends are free for others.
typedef uint16_t Move;
enum { NO_MOVE = 0, PASS_MOVE = 63 << 6 | 63 };
#define MOVE(from, to) ((Move)((from) | (to) << 6))
#define FROM(move) ((move) & 63)
#define TO(move) ((move) >> 6)

typedef struct {
    Mask top[2];       // spaces topped by white and by black
    Mask red;          // spaces with a red inside, lone reds too
    uint64_t key;      // Zobrist key of all of it and the side to move
    int layers[2];     // pieces in the stacks each side tops
    int side;          // who is to move
    uint8_t height[BITS]; // of occupied spaces; what stands at empty ones is kept for undo
} Board;

// What make() cannot work out backwards. Heights need no copy: an empty space is never filled again.
typedef struct {
    Mask top[2], red;
    uint64_t key;
    int layers[2];
} Undo;

extern Mask board_mask;                      // the 49 spaces
extern Mask neighbours[BITS];                // up to six spaces around each space
extern Mask jumps[TALLEST + 1][BITS];        // where a stack of a height lands from a space
extern int orbit[BITS];                      // the kind of a space: which it is up to the symmetries of the board
extern bool one_arc[128];                    // by around(): whether what is there hangs together
extern uint64_t stack_keys[2][BITS][TALLEST + 1], red_keys[BITS], side_key;

uint64_t chance(uint64_t *seed); // the next pseudo-random number
void board_init(void);
void board_clear(Board *board);
uint64_t board_key(const Board *board); // worked out afresh
bool space_parse(const char *text, int *bit);
void space_name(int bit, char *text); // three characters with the final zero
void move_name(Move move, char *text); // at most five
bool move_parse(const char *text, Move *move);

static inline int lowest(Mask mask) { return __builtin_ctzll(mask); }
static inline int count(Mask mask) { return __builtin_popcountll(mask); }
static inline Mask bit_of(int space) { return (Mask)1 << space; }
static inline Mask occupied(const Board *board) { return board->top[WHITE] | board->top[BLACK] | board->red; }

// All spaces beside a space of the mask, and a few bits off the board.
static inline Mask spread(Mask mask) {
    return mask << 1 | mask >> 1 | mask << 12 | mask >> 12 | mask << 13 | mask >> 13;
}

// Spaces with six occupied neighbours. The edge has fewer neighbours and never counts.
static inline Mask surrounded(Mask stacks) {
    return stacks << 1 & stacks >> 1 & stacks << 12 & stacks >> 12 & stacks << 13 & stacks >> 13;
}

// Which of a space's neighbours are in the mask, as an index for one_arc.
static inline unsigned around(Mask mask, int space) {
    Mask near = mask & neighbours[space];
    near = space >= 13 ? near >> (space - 13) : near << (13 - space);
    return (unsigned)(near | near >> 10 | near >> 20) & 0x77;
}

// What of `stacks` hangs together with `seeds`; stops early when all of `wanted` is reached.
static inline Mask flood(Mask stacks, Mask seeds, Mask wanted) {
    Mask reached = seeds, before;
    do {
        before = reached;
        reached |= spread(reached) & stacks;
        reached |= spread(reached) & stacks;
        if (!(wanted & ~reached)) return stacks;
    } while (reached != before);
    return reached;
}

// The stacks that are cut off once `space` has been left.
static inline Mask cut_off(Mask stacks, Mask red, int space, bool red_left) {
    if (red_left) return stacks & ~flood(stacks, red, stacks);
    if (one_arc[around(stacks, space)]) return 0; // the neighbours keep each other connected
    return stacks & ~flood(stacks, red, stacks & neighbours[space]);
}

void take_off(Board *board, Mask lost); // rare enough to stay out of line

static inline void make(Board *board, Move move, Undo *undo) {
    int from = FROM(move), to = TO(move), us = board->side, them = us ^ 1;
    int height = board->height[from], below = board->height[to];
    Mask lifted = bit_of(from), landing = bit_of(to);
    undo->top[0] = board->top[0], undo->top[1] = board->top[1], undo->red = board->red;
    undo->key = board->key, undo->layers[0] = board->layers[0], undo->layers[1] = board->layers[1];

    uint64_t key = board->key ^ side_key ^ stack_keys[us][from][height] ^ stack_keys[us][to][height + below];
    if (board->top[us] & landing) {
        key ^= stack_keys[us][to][below];
    } else {
        board->layers[us] += below;
        if (board->top[them] & landing) {
            board->layers[them] -= below;
            board->top[them] ^= landing;
            key ^= stack_keys[them][to][below];
        }
    }
    board->top[us] = (board->top[us] ^ lifted) | landing;
    bool red_left = board->red & lifted;
    if (red_left) {
        key ^= red_keys[from] ^ (board->red & landing ? 0 : red_keys[to]);
        board->red = (board->red ^ lifted) | landing;
    }
    board->height[to] = (uint8_t)(height + below);
    board->key = key;
    board->side = them;
    Mask lost = cut_off(occupied(board), board->red, from, red_left);
    if (lost) take_off(board, lost);
}

static inline void unmake(Board *board, Move move, const Undo *undo) {
    board->top[0] = undo->top[0], board->top[1] = undo->top[1], board->red = undo->red;
    board->key = undo->key, board->layers[0] = undo->layers[0], board->layers[1] = undo->layers[1];
    board->height[TO(move)] = (uint8_t)(board->height[TO(move)] - board->height[FROM(move)]);
    board->side ^= 1;
}

static inline void make_pass(Board *board) { board->side ^= 1, board->key ^= side_key; }

// Stack moves of the side to move into `moves`, without passes; returns how many.
static inline int generate(const Board *board, Move *moves) {
    Mask stacks = occupied(board);
    Move *end = moves;
    for (Mask left = board->top[board->side] & ~surrounded(stacks); left; left &= left - 1) {
        int from = lowest(left);
        for (Mask to = jumps[board->height[from]][from] & stacks; to; to &= to - 1)
            *end++ = MOVE(from, lowest(to));
    }
    return (int)(end - moves);
}

static inline bool can_move(const Board *board, int side) {
    Mask stacks = occupied(board);
    for (Mask left = board->top[side] & ~surrounded(stacks); left; left &= left - 1)
        if (jumps[board->height[lowest(left)]][lowest(left)] & stacks) return true;
    return false;
}

#endif
