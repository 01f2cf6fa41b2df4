// The transposition table: what is known of positions seen before.
#ifndef TABLE_H
#define TABLE_H

#include "board.h"

#include <stddef.h>

enum Bound { UPPER = 1, LOWER = 2, EXACT = 3 };

typedef struct {
    uint64_t key;
    int16_t score;
    Move move;
    int8_t depth;
    uint8_t bound;
    bool proved;  // the bound holds to the end of the game, whatever the depth
    uint8_t age;
} Entry;

bool table_resize(int megabytes); // false, and the old size, when there is no memory
void table_clear(void);
void table_new_search(void);
void table_free(void);
const Entry *table_find(uint64_t key); // NULL when not there
void table_store(uint64_t key, int score, Move move, int depth, enum Bound bound, bool proved);
void table_prefetch(uint64_t key);
int table_fullness(void); // in thousandths, of a sample

#endif
