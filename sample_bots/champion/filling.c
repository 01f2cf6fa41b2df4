// The likely spaces are those of the greatest worth. After each sequence of them both sides fill the board up
// by worth alone, and a short search judges the full board. Worth also counts for itself, since the more boards
// are compared, the more the best looking one owes to the errors of their judgement.
#include "filling.h"

#include <stddef.h>

#include "eval.h"
#include "placement.h"

enum {
    LIKELY = 6,        // spaces looked at
    PLIES = 2,         // so far ahead
    LAST = 5,          // when no more spaces are left, all of them are looked at, to the end
    FULL_NODES = 1000, // of the search of a full board
    WORTH_UNITS = 2,   // so many units of a ranking are worth a hundredth of a piece in a score
};

static struct {
    const Limits *limits;
    double begun;
    uint64_t nodes;
    bool stopped;
} state;

static bool must_stop(void) {
    const Limits *limits = state.limits;
    if (limits->nodes && state.nodes >= limits->nodes) state.stopped = true;
    if (limits->hard > 0 && now() - state.begun >= limits->hard) state.stopped = true;
    if (limits->interrupt && limits->interrupt()) state.stopped = true;
    return state.stopped;
}

// What becomes of a position when both sides fill it up by worth, from the side to move.
static int filled_up(const Position *position) {
    Position full = *position;
    while (full.placement) position_place(&full, placement_choose(&full, placement_weights, 0, NULL));
    Limits limits = {.nodes = FULL_NODES};
    Finding finding = search(&full.board, &limits, NULL);
    state.nodes += finding.nodes;
    return full.board.side == position->board.side ? finding.score : -finding.score;
}

// The score of a position by the spaces of its ranking, so many plies deep, and the best of them.
static int value(const Position *position, const Ranking *ranking, int depth, int alpha, int beta, int *best) {
    int top = -INFINITE, likely = ranking->count > LAST && ranking->count > LIKELY ? LIKELY : ranking->count;
    for (int i = 0; i < likely && alpha < beta; i++) {
        Position next = *position;
        position_place(&next, ranking->spaces[i]);
        int score, worth = (ranking->worths[i] - ranking->worths[0]) / WORTH_UNITS;
        if (depth > 1 && next.placement) {
            int reply;
            Ranking answers = placement_rank(&next, placement_weights, 0, NULL);
            score = -value(&next, &answers, depth - 1, worth - beta, worth - alpha, &reply) + worth;
        } else {
            score = filled_up(&next);
            score = (next.board.side == position->board.side ? score : -score) + worth;
        }
        if (must_stop()) return top;
        if (score > top) top = score, *best = ranking->spaces[i];
        if (score > alpha) alpha = score;
    }
    return top;
}

static Finding found(const Ranking *ranking) {
    Finding finding = {.best = PLACE(ranking->spaces[0]), .length = 1};
    finding.line[0] = finding.best;
    return finding;
}

Finding filling_choose(const Position *position, const Limits *limits, int noise, uint64_t *seed, Listener *listener) {
    Ranking ranking = placement_rank(position, placement_weights, noise, seed);
    Finding finding = found(&ranking);
    int plies = ranking.count <= LAST ? ranking.count : count(position->board.red) < 3 ? 0 : PLIES;
    if (limits->depth && limits->depth <= plies) plies = limits->depth - 1;
    state.limits = limits, state.begun = now(), state.nodes = 0, state.stopped = false;
    for (int depth = 1; depth <= plies && ranking.count > 1; depth++) {
        int best, score = value(position, &ranking, depth, -INFINITE, INFINITE, &best);
        if (state.stopped) break;
        finding.best = finding.line[0] = PLACE(best);
        finding.score = score, finding.depth = depth + 1, finding.nodes = state.nodes;
        finding.seconds = now() - state.begun;
        if (listener) listener(&finding);
        if (limits->soft > 0 && finding.seconds >= limits->soft) break;
    }
    return finding;
}
