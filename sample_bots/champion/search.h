// Looking ahead: iterative deepening, until a limit is met or the outcome is proved.
#ifndef SEARCH_H
#define SEARCH_H

#include "board.h"

enum { MOST_PLIES = 128, DEEPEST = 100 };

typedef struct {
    int depth;             // at most this deep, 0 for no limit
    uint64_t nodes;        // at most so many nodes, 0 for no limit
    double soft, hard;     // seconds: begin no new depth after `soft`, stop at `hard`; 0 for no limit
    bool (*interrupt)(void); // asked now and then: whether to stop; may be NULL
    Board *leaf;           // takes one of the boards at which depth ran out, by chance; may be NULL
} Limits;

typedef struct {
    Move best;             // NO_MOVE only when the game is over
    int score;             // see eval.h
    bool proved;           // `score` is the final margin under best play
    int depth;
    uint64_t nodes;
    double seconds;
    int length;            // of the expected line
    Move line[MOST_PLIES];
} Finding;

typedef void Listener(const Finding *finding); // hears of each depth that was completed

void search_reset(void); // forget what earlier searches of another game have found
Finding search(const Board *board, const Limits *limits, Listener *listener);
double now(void); // seconds of a clock that only goes forward

#endif
