// champion: a DVONN player. Without arguments it speaks DVP/1; the commands below serve whoever works on it.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvp.h"
#include "eval.h"
#include "perft.h"
#include "placement.h"
#include "search.h"
#include "selfplay.h"
#include "table.h"

enum { MOST_NOISE = 1000, SMALL_TABLE = 1, LARGE_TABLE = 64 }; // megabytes; the small one is quickly cleared

static const char usage[] =
    "usage: champion                          plays: speaks DVP/1 on standard input and output\n"
    "       champion search DPOS [SECONDS]    thinks about a position (5 s, or until it is solved)\n"
    "       champion perft DPOS|start DEPTH [divide]\n"
    "       champion selfplay GAMES NODES SEED [NOISE [boards]]\n"
    "                                         games for the fit: NOISE of the placement, -1 for random boards\n"
    "       champion features < GAMES         what the fit of the weights works on, in binary\n"
    "       champion rows < GAMES             what the fit of the net works on, in binary\n"
    "       champion placements GAMES NODES SEED [SIZE]\n"
    "                                         games between changed weights of the placement, in binary\n";

// A whole number within bounds; anything else ends the program.
static int number(const char *text, int least, int most) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end > text && !*end && value >= least && value <= most) return (int)value;
    fprintf(stderr, "champion: %s: expected a number from %d to %d\n", text, least, most);
    exit(2);
}

static double seconds_of(const char *text) {
    char *end;
    double value = strtod(text, &end);
    if (end > text && !*end && value > 0 && value < 1e9) return value;
    fprintf(stderr, "champion: %s: expected a number of seconds above 0\n", text);
    exit(2);
}

static void tell(const Finding *finding) {
    char name[8];
    printf("depth %2d score %6.2f%s nodes %9llu time %6.3f", finding->depth, shown_score(finding->score) / 100.0,
           finding->proved ? " exact" : "", (unsigned long long)finding->nodes, finding->seconds);
    for (int i = 0; i < finding->length; i++) {
        move_name(finding->line[i], name);
        printf(" %s", name);
    }
    printf("\n");
}

static int search_command(const char *dpos, double seconds) {
    Position position;
    position_start(&position, false);
    const char *fault = position_parse(&position, dpos);
    if (!fault && position.placement) fault = "only stack moves are searched";
    if (fault) {
        fprintf(stderr, "champion: %s: %s\n", dpos, fault);
        return 2;
    }
    Limits limits = {.hard = seconds};
    Finding finding = search(&position.board, &limits, tell);
    char name[8] = "none";
    if (finding.best != NO_MOVE) move_name(finding.best, name);
    printf("best %s score %.2f%s\n", name, shown_score(finding.score) / 100.0, finding.proved ? " exact" : "");
    return 0;
}

static Series series_of(char **argv, int noise, bool boards) {
    return (Series){.games = number(argv[2], 1, INT_MAX), .nodes = number(argv[3], 1, INT_MAX),
                    .seed = (uint64_t)number(argv[4], 0, INT_MAX), .noise = noise, .boards = boards};
}

static int run(int argc, char **argv) {
    const char *command = argc > 1 ? argv[1] : "";
    if (argc == 1) return dvp_run();
    if (!strcmp(command, "perft") && argc >= 4) return perft_command(argv[2], number(argv[3], 0, MOST_PLIES), argc > 4);
    if (!strcmp(command, "features")) return features_command(false);
    if (!strcmp(command, "rows")) return features_command(true);
    if (!table_resize(strcmp(command, "search") ? SMALL_TABLE : LARGE_TABLE)) return 1;
    search_reset();
    if (!strcmp(command, "search") && argc >= 3) return search_command(argv[2], argc > 3 ? seconds_of(argv[3]) : 5);
    if (!strcmp(command, "selfplay") && argc >= 5) {
        Series series = series_of(argv, argc > 5 ? number(argv[5], -1, MOST_NOISE) : -1, argc > 6);
        return selfplay_command(&series);
    }
    if (!strcmp(command, "placements") && argc >= 5) {
        Series series = series_of(argv, argc > 5 ? number(argv[5], 1, MOST_NOISE) : 2, true);
        return placements_command(&series);
    }
    fputs(usage, stderr);
    return 2;
}

int main(int argc, char **argv) {
    board_init();
    eval_init();
    placement_init();
    int status = run(argc, argv);
    table_free();
    return status;
}
