// Games to fit the evaluation on.
#include "selfplay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval.h"
#include "features.h"
#include "placement.h"
#include "search.h"

enum { UNKNOWN = 99 }; // the margin where nobody has played on from a position
enum { MOST_RANDOM = 8, STRAY = 4 }; // plies at the start, and plies in a hundred later on, left to chance

typedef struct {
    char dpos[DPOS_SIZE];
    int side, score;
    bool leaf;
} Sample;

// A full board: by chance, or as this program places with some noise.
static void set_up(Position *position, int noise, uint64_t *seed) {
    position_start(position, false);
    while (position->placement) {
        Move plies[MOST_MOVES];
        int found = position_plies(position, plies);
        position_place(position, noise < 0 ? FROM(plies[chance(seed) % (uint64_t)found])
                                           : placement_choose(position, placement_weights, noise, seed));
    }
}

static void keep(const Position *position, int score, bool leaf, Sample *sample) {
    position_format(position, sample->dpos);
    sample->side = position->board.side;
    sample->score = score;
    sample->leaf = leaf;
}

// A board that no game reaches but the search looks at; such make up most of what it evaluates.
static void keep_leaf(const Position *leaf, int nodes, Sample *sample) {
    Limits limits = {.nodes = (uint64_t)nodes};
    keep(leaf, search(&leaf->board, &limits, NULL).score, true, sample);
}

// Plays to the end, or until the outcome is proved; White's margin. The first plies, and a few later ones, are
// left to chance: what is known after them says nothing of the position before, which is not kept.
static int play_out(Position *position, const Series *series, uint64_t *seed, Sample *samples, int *kept) {
    Board *board = &position->board;
    int random = series->boards ? 0 : (int)(chance(seed) % (MOST_RANDOM + 1));
    for (int ply = 0;; ply++) {
        Move moves[MOST_MOVES];
        int found = position_plies(position, moves), sign = board->side == WHITE ? 1 : -1;
        if (!found) return board->layers[WHITE] - board->layers[BLACK];
        Move move = moves[chance(seed) % (uint64_t)found];
        bool stray = ply < random || (!series->boards && (int)(chance(seed) % 100) < STRAY);
        if (found > 1 && !stray) {
            Position leaf = *position;
            Limits limits = {.nodes = (uint64_t)series->nodes, .leaf = &leaf.board};
            Finding finding = search(board, &limits, NULL);
            move = finding.best;
            keep(position, finding.score, false, &samples[(*kept)++]);
            bool apart = !series->boards && leaf.board.key != board->key && position_plies(&leaf, moves);
            if (apart) keep_leaf(&leaf, series->nodes, &samples[(*kept)++]);
            if (finding.proved) return sign * shown_score(finding.score) / FINAL_STEP;
        }
        Undo undo;
        if (move == PASS_MOVE) make_pass(board);
        else make(board, move, &undo);
    }
}

int selfplay_command(const Series *series) {
    uint64_t state = series->seed;
    for (int game = 0; game < series->games; game++) {
        Sample samples[2 * MOST_PLIES];
        Position position;
        int kept = 0;
        search_reset();
        set_up(&position, series->noise, &state);
        int margin = play_out(&position, series, &state, samples, &kept);
        for (int i = 0; i < (series->boards ? 1 : kept); i++)
            printf("%s;%d;%d;%d\n", samples[i].dpos, samples[i].score,
                   samples[i].leaf ? UNKNOWN : samples[i].side == WHITE ? margin : -margin, game);
    }
    return 0;
}

// Reads one line of games; false when it is none.
static bool read_sample(const char *line, Position *position, int32_t head[4]) {
    char dpos[DPOS_SIZE];
    size_t length = strcspn(line, ";");
    if (length >= sizeof dpos || sscanf(line + length, ";%d;%d;%d", &head[1], &head[2], &head[3]) != 3) return false;
    memcpy(dpos, line, length);
    dpos[length] = '\0';
    position_start(position, false);
    if (position_parse(position, dpos)) return false;
    head[0] = count(occupied(&position->board));
    return true;
}

// The score without the net, and the rows that the net adds up, filled up to a fixed size.
static void write_rows(View *view, int stacks) {
    int32_t linear = linear_score(view, stacks);
    while (view->rows < STACK_ROWS * SPACES) view->row[view->rows++] = ROWS;
    fwrite(&linear, sizeof linear, 1, stdout);
    fwrite(view->row, sizeof view->row, 1, stdout);
}

int features_command(bool rows) {
    char line[512];
    Position position;
    View view;
    int32_t head[4];
    while (fgets(line, sizeof line, stdin)) {
        if (!read_sample(line, &position, head) || !features_of(&position.board, &view)) continue;
        if (!rows && head[2] == UNKNOWN) continue;
        fwrite(head, sizeof *head, rows ? 4 : 3, stdout);
        if (rows) write_rows(&view, head[0]);
        else fwrite(view.values, sizeof view.values, 1, stdout);
    }
    return 0;
}

enum { SPREAD = 4 }; // of what the weights are changed by, in units of the sum of so many even chances

static void perturb(int16_t *weights, int16_t *change, int size, uint64_t *seed) {
    for (int i = 0; i < PLACEMENT_WEIGHTS; i++) {
        int sum = 0;
        for (int j = 0; j < SPREAD; j++) sum += (int)(chance(seed) % (uint64_t)(2 * size + 1)) - size;
        change[i] = (int16_t)sum;
        weights[i] = (int16_t)(placement_weights[i] + sum);
    }
}

int placements_command(const Series *series) {
    uint64_t state = series->seed;
    for (int game = 0; game < series->games; game++) {
        int16_t weights[2][PLACEMENT_WEIGHTS], changes[2][PLACEMENT_WEIGHTS];
        Sample samples[2 * MOST_PLIES];
        Position position;
        int kept = 0;
        for (int side = 0; side < 2; side++) perturb(weights[side], changes[side], series->noise, &state);
        search_reset();
        position_start(&position, false);
        while (position.placement)
            position_place(&position, placement_choose(&position, weights[position.board.side], 1, &state));
        int16_t margin = (int16_t)play_out(&position, series, &state, samples, &kept);
        fwrite(&margin, sizeof margin, 1, stdout);
        fwrite(changes, sizeof changes, 1, stdout);
    }
    return 0;
}
