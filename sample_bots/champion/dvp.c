// The conversation in DVP/1: options, positions, and the answer to `go`.
#include "dvp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "eval.h"
#include "filling.h"
#include "input.h"
#include "placement.h"
#include "search.h"
#include "table.h"

enum { FULL_STRENGTH = 10, DEFAULT_HASH = 32, PLACEMENT_NOISE = 4, PONDER_SECONDS = 600 };
static const char BLANKS[] = " \t\r";

static struct {
    Position position;
    uint64_t seed;
    int level, hash;
    bool ponder;
} game = {.level = FULL_STRENGTH, .hash = DEFAULT_HASH};

// The lower levels look less far, and the lowest now and then play anything.
static const struct {
    int depth, blunders; // blunders in a hundred
} levels[FULL_STRENGTH + 1] = {{0, 0}, {1, 40}, {1, 15}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {8, 0}, {0, 0}};

static void greet(void) {
    printf("id name champion\nid author the DVONN arbiter\n"
           "option Hash spin %d 1 4096\noption Seed spin 0 0 2147483647\noption Level spin %d 1 %d\n"
           "feature reuse ready stop nolegal\ndvpok\n",
           DEFAULT_HASH, FULL_STRENGTH, FULL_STRENGTH);
}

static void set_option(void) {
    const char *name = strtok(NULL, BLANKS), *text = strtok(NULL, BLANKS);
    if (!name || !text) return;
    char *end;
    long long value = strtoll(text, &end, 10);
    if (*end) return;
    if (!strcmp(name, "Seed") && value >= 0) game.seed = (uint64_t)value;
    if (!strcmp(name, "Level") && value >= 1 && value <= FULL_STRENGTH) game.level = (int)value;
    if (!strcmp(name, "Hash") && value >= 1 && value <= 4096) {
        if (table_resize((int)value)) game.hash = (int)value;
        else printf("info string no memory for a table of %lld MB\n", value);
    }
}

static void new_game(void) {
    bool black_first = false;
    const char *key, *value;
    strtok(NULL, BLANKS); // the side; each `go` tells it anew
    game.ponder = false;
    while ((key = strtok(NULL, BLANKS)) && strcmp(key, "opponent") && (value = strtok(NULL, BLANKS))) {
        if (!strcmp(key, "rules")) black_first = !strcmp(value, "black-first");
        if (!strcmp(key, "ponder")) game.ponder = !strcmp(value, "on");
    }
    position_start(&game.position, black_first);
    search_reset();
}

static void complain(const char *what, const char *why) { printf("info string %s: %s\n", what, why); }

static bool set_board(const char *dpos) {
    const char *fault = position_parse(&game.position, dpos);
    if (fault) complain("board", fault);
    return !fault;
}

// `position start|DPOS [moves PLY...]`: DPOS is three words.
static void set_position(void) {
    char dpos[DPOS_SIZE + 8];
    const char *word = strtok(NULL, BLANKS);
    if (!word) return;
    if (!strcmp(word, "start")) {
        position_start(&game.position, game.position.black_first);
    } else {
        const char *side = strtok(NULL, BLANKS), *phase = side ? strtok(NULL, BLANKS) : NULL;
        if (!phase || strlen(word) + strlen(side) + strlen(phase) + 3 > sizeof dpos) {
            complain("position", "expected ROWS w|b p|m");
            return;
        }
        sprintf(dpos, "%s %s %s", word, side, phase);
        if (!set_board(dpos)) return;
    }
    word = strtok(NULL, BLANKS);
    if (!word || strcmp(word, "moves")) return;
    while ((word = strtok(NULL, BLANKS)))
        if (!position_play(&game.position, word)) {
            complain("position", "a ply that the rules forbid");
            return;
        }
}

static void print_line(const Finding *finding) {
    char name[8];
    printf(" pv");
    for (int i = 0; i < finding->length; i++) {
        ply_name(finding->line[i], name);
        printf(" %s", name);
    }
    printf("\n");
}

static void tell(const Finding *finding) {
    printf("info depth %d score %.2f", finding->depth, shown_score(finding->score) / 100.0);
    if (finding->proved) printf(" exact 1");
    double nps = finding->seconds > 0 ? (double)finding->nodes / finding->seconds : 0;
    printf(" nodes %" PRIu64 " nps %.0f time %.0f hashfull %d", finding->nodes, nps, 1000 * finding->seconds,
           table_fullness());
    print_line(finding);
    fflush(stdout);
}

typedef struct {
    Clock clock;
    int depth;
    uint64_t nodes;
    bool infinite;
} Request;

static Request read_request(void) {
    Request request = {.clock = {-1, -1, -1}};
    const char *key, *text;
    while ((key = strtok(NULL, BLANKS)) && (text = strtok(NULL, BLANKS))) {
        double value = strtod(text, NULL);
        if (!(value >= 0)) value = 0; // a clock may be told to stand below it
        if (!strcmp(key, "time")) request.clock.time = value;
        if (!strcmp(key, "inc")) request.clock.increment = value;
        if (!strcmp(key, "movetime")) request.clock.movetime = value;
        if (!strcmp(key, "depth")) request.depth = value < 1 ? 1 : value < DEEPEST ? (int)value : DEEPEST;
        if (!strcmp(key, "nodes")) request.nodes = value < 1 ? 1 : value < 1e18 ? (uint64_t)value : (uint64_t)1e18;
        if (!strcmp(key, "infinite")) request.infinite = value == 1;
    }
    return request;
}

// Where depth or nodes bound the search, the clock has no say in the answer unless it is about to run out.
static Limits limits_of(const Request *request) {
    Limits limits = {.depth = request->depth, .nodes = request->nodes, .interrupt = input_interrupts};
    bool bounded = request->depth || request->nodes;
    bool clocked = request->clock.time >= 0 || request->clock.movetime >= 0;
    Allowance allowance = clock_allow(&request->clock, &game.position);
    if (!request->infinite && bounded && clocked) limits.hard = allowance.last;
    if (!request->infinite && !bounded) limits.soft = allowance.soft, limits.hard = allowance.hard;
    int depth = levels[game.level].depth;
    if (depth && (!limits.depth || depth < limits.depth)) limits.depth = depth;
    return limits;
}

// An endless analysis owes its answer when it is told to stop, not when there is nothing more to find.
static void wait_for_stop(void) {
    while (!input_stopped() && !input_interrupts()) input_wait();
}

static Move choose(const Request *request) {
    Move plies[MOST_MOVES];
    int found = position_plies(&game.position, plies);
    if (!found) return PASS_MOVE;
    bool blunder = (int)(chance(&game.seed) % 100) < levels[game.level].blunders;
    if (blunder) return plies[chance(&game.seed) % (uint64_t)found];
    bool only = found == 1 && !request->infinite && !request->depth && !request->nodes;
    if (only) return plies[0]; // no time for what cannot be chosen
    Limits limits = limits_of(request);
    if (game.position.placement)
        return filling_choose(&game.position, &limits, PLACEMENT_NOISE, &game.seed, tell).best;
    return search(&game.position.board, &limits, tell).best;
}

// In the opponent's time: look at the position it has, which fills the table, until it has answered.
static void ponder(const char *own_ply) {
    Position *position = &game.position;
    if (!game.ponder || position->placement || !position_play(position, own_ply)) return;
    Limits limits = {.hard = PONDER_SECONDS, .interrupt = input_waiting};
    search(&position->board, &limits, NULL);
}

static void go(void) {
    Request request = read_request();
    char name[8];
    input_begin();
    ply_name(choose(&request), name);
    if (request.infinite) wait_for_stop();
    printf("move %s\n", name);
    fflush(stdout);
    ponder(name);
}

// The rest of a message after its first word, for what is read as a whole.
static const char *rest_of(const char *word, const char *end) {
    const char *rest = word + strlen(word);
    return rest < end ? rest + 1 : "";
}

int dvp_run(void) {
    char *line;
    if (!table_resize(game.hash)) return 1;
    search_reset();
    position_start(&game.position, false);
    while ((line = input_line())) {
        size_t length = strlen(line);
        char *word = strtok(line, BLANKS);
        if (!word) continue;
        if (!strcmp(word, "dvp")) greet();
        else if (!strcmp(word, "setoption")) set_option();
        else if (!strcmp(word, "newgame")) new_game();
        else if (!strcmp(word, "isready")) printf("readyok\n");
        else if (!strcmp(word, "position")) set_position();
        else if (!strcmp(word, "board")) set_board(rest_of(word, line + length));
        else if (!strcmp(word, "go")) go();
        else if (!strcmp(word, "quit")) break;
        fflush(stdout);
    }
    input_free();
    table_free();
    return 0;
}
