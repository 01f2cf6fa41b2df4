// Counting lines of play, to check the moves and to measure their speed.
#define _POSIX_C_SOURCE 200809L
#include "perft.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t count_moves(Board *board, int depth) {
    if (depth == 0) return 1;
    Move moves[MOST_MOVES];
    uint64_t nodes = 0;
    int found = generate(board, moves);
    for (int i = 0; i < found; i++) {
        Undo undo;
        make(board, moves[i], &undo);
        nodes += count_moves(board, depth - 1);
        unmake(board, moves[i], &undo);
    }
    if (found || !can_move(board, board->side ^ 1)) return nodes;
    make_pass(board);
    nodes = count_moves(board, depth - 1);
    make_pass(board);
    return nodes;
}

uint64_t perft(Position *position, int depth) {
    if (!position->placement) return count_moves(&position->board, depth);
    if (depth == 0) return 1;
    Move plies[MOST_MOVES];
    uint64_t nodes = 0;
    int found = position_plies(position, plies);
    for (int i = 0; i < found; i++) {
        Position next = *position;
        position_place(&next, FROM(plies[i]));
        nodes += perft(&next, depth - 1);
    }
    return nodes;
}

static void print_divided(const Position *position, int depth) {
    Move plies[MOST_MOVES];
    int found = position_plies(position, plies);
    for (int i = 0; i < found; i++) {
        Position next = *position;
        char name[8];
        ply_name(plies[i], name);
        position_play(&next, name);
        printf("%s %" PRIu64 "\n", name, perft(&next, depth - 1));
    }
}

int perft_command(const char *dpos, int depth, bool divide) {
    Position position;
    position_start(&position, false);
    const char *fault = strcmp(dpos, "start") ? position_parse(&position, dpos) : NULL;
    if (fault) {
        fprintf(stderr, "champion: %s: %s\n", dpos, fault);
        return 2;
    }
    struct timespec begin, end;
    if (divide && depth > 0) print_divided(&position, depth);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    uint64_t nodes = perft(&position, depth);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    fprintf(stderr, "%.3f s, %.1f M nodes/s\n", seconds, 1e-6 * (double)nodes / (seconds + 1e-9));
    printf("%" PRIu64 "\n", nodes);
    return 0;
}
