// Principal variation search. Every score comes with a mark that tells whether it is proved: whether all
// that it rests on are ends of games. Proofs do not depend on depth, so they outlive it in the table, and
// when the score at the root is proved the search is done: that is the exact solver.
#define _POSIX_C_SOURCE 200809L
#include "search.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "eval.h"
#include "order.h"
#include "table.h"

enum { POLL_NODES = 1024, ASPIRATION_DEPTH = 4, ASPIRATION = 150, WIDE = 4 * ASPIRATION };

// What is not looked at, or looked at less; each figure was settled by matches, see README.md.
enum {
    FEW_MOVERS = 4,      // stacks that can move, of both sides: so short a rest is played out
    FUTILE_DEPTH = 5,    // a side so far ahead at so low a depth will not be caught up with:
    FUTILE_STEP = 150,   // this much for each depth, in hundredths
    LATE_DEPTH = 6,      // at so low a depth the moves that come late in the order are left out:
    LATE_MOVES = 6,      // all but so many for each depth
};
static const double REDUCE_FROM = 0.9, REDUCE_BY = 1.6; // reductions grow with the logs of depth and number

static struct {
    Board board;
    Limits limits;
    double begun;
    uint64_t nodes;
    uint64_t leaves, seed; // boards at which depth ran out, and chance among them
    bool stopped;
    int reductions[DEEPEST + 1][64];
    Move line[MOST_PLIES + 1][MOST_PLIES + 1];
    int length[MOST_PLIES + 1];
} state;

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void init_reductions(void) {
    if (state.reductions[DEEPEST][63]) return;
    for (int depth = 1; depth <= DEEPEST; depth++)
        for (int number = 1; number < 64; number++)
            state.reductions[depth][number] = (int)(REDUCE_FROM + log(depth) * log(number) / REDUCE_BY);
}

static bool must_stop(void) {
    const Limits *limits = &state.limits;
    if (limits->nodes && state.nodes >= limits->nodes) state.stopped = true;
    if (state.nodes % POLL_NODES) return state.stopped;
    if (limits->hard > 0 && now() - state.begun >= limits->hard) state.stopped = true;
    if (limits->interrupt && limits->interrupt()) state.stopped = true;
    return state.stopped;
}

// Whether the table answers for this node already.
static bool known(const Entry *entry, int alpha, int beta, int depth) {
    if (entry->depth < depth && !entry->proved) return false;
    return entry->bound == EXACT || (entry->bound == LOWER && entry->score >= beta) ||
           (entry->bound == UPPER && entry->score <= alpha);
}

static void keep_line(int ply, Move move) {
    state.line[ply][0] = move;
    memcpy(&state.line[ply][1], state.line[ply + 1], (size_t)state.length[ply + 1] * sizeof(Move));
    state.length[ply] = state.length[ply + 1] + 1;
}

// Of so many leaves each is the one that is kept with the same probability.
static void offer_leaf(void) {
    if (chance(&state.seed) % ++state.leaves == 0) *state.limits.leaf = state.board;
}

static int visit(int alpha, int beta, int depth, int ply, bool *proved);

// The side to move has no move: it passes, at no cost of depth, or the game is over.
static int pass(int alpha, int beta, int depth, int ply, bool *proved) {
    Board *board = &state.board;
    if (!can_move(board, board->side ^ 1)) {
        *proved = true;
        return final_of(board);
    }
    make_pass(board);
    int score = -visit(-beta, -alpha, depth, ply + 1, proved);
    make_pass(board);
    if (score > alpha) keep_line(ply, PASS_MOVE);
    return score;
}

// The score of one move, looked at with less effort the later it comes.
static int try_move(Move move, int number, int alpha, int beta, int depth, int ply, bool *proved) {
    Undo undo;
    int score, reduction = depth >= 3 && number >= 2 ? state.reductions[depth][number < 63 ? number : 63] : 0;
    make(&state.board, move, &undo);
    table_prefetch(state.board.key);
    if (number == 0) {
        score = -visit(-beta, -alpha, depth - 1, ply + 1, proved);
    } else {
        score = -visit(-alpha - 1, -alpha, depth - 1 - reduction, ply + 1, proved);
        if (score > alpha && reduction) score = -visit(-alpha - 1, -alpha, depth - 1, ply + 1, proved);
        if (score > alpha && score < beta) score = -visit(-beta, -alpha, depth - 1, ply + 1, proved);
    }
    unmake(&state.board, move, &undo);
    return score;
}

static int visit(int alpha, int beta, int depth, int ply, bool *proved) {
    Board *board = &state.board;
    state.length[ply] = 0;
    state.nodes++;
    *proved = false;
    if (must_stop()) return 0;
    const Entry *entry = table_find(board->key);
    if (entry && ply && known(entry, alpha, beta, depth)) {
        *proved = entry->proved;
        return entry->score;
    }
    if (depth <= 0) {
        if (state.limits.leaf) offer_leaf();
        int movers, score = evaluate(board, proved, &movers);
        if (*proved || movers > FEW_MOVERS) return score;
        depth = 1;
    } else if (ply && depth <= FUTILE_DEPTH && beta - alpha == 1 && beta > -EVAL_LIMIT && beta < EVAL_LIMIT) {
        int movers, score = evaluate(board, proved, &movers);
        if (*proved || score - FUTILE_STEP * depth >= beta) return score;
    }

    Move known_best = entry ? entry->move : NO_MOVE, best_move = NO_MOVE;
    Moves moves = {.count = generate(board, moves.move)};
    if (!moves.count) return pass(alpha, beta, depth, ply, proved);
    if (moves.count == 1) depth++; // a forced line costs no depth
    order_score(&moves, board, known_best, ply);

    int best = -INFINITE, floor = alpha;
    bool all_proved = true;
    for (int i = 0; i < moves.count; i++) {
        bool child;
        if (depth <= LATE_DEPTH && ply && i >= LATE_MOVES * depth && best > -EVAL_LIMIT) {
            all_proved = false;
            break;
        }
        Move move = order_next(&moves, i);
        int score = try_move(move, i, alpha, beta, depth, ply, &child);
        if (state.stopped) return 0;
        all_proved &= child;
        if (score > best) best = score;
        if (score <= alpha) continue;
        alpha = score;
        best_move = move;
        keep_line(ply, move);
        if (score < beta) continue;
        order_reward(&moves, i, board, ply, depth);
        *proved = child;
        table_store(board->key, best, move, depth, LOWER, child);
        return best;
    }
    *proved = all_proved;
    table_store(board->key, best, best_move, depth, best > floor ? EXACT : UPPER, all_proved);
    return best;
}

// One depth with a narrow window around the last score, opened where that proves wrong.
static int look(int depth, int last, bool *proved) {
    int alpha = -INFINITE, beta = INFINITE;
    if (depth >= ASPIRATION_DEPTH && last > -EVAL_LIMIT && last < EVAL_LIMIT)
        alpha = last - ASPIRATION, beta = last + ASPIRATION;
    for (;;) {
        int score = visit(alpha, beta, depth, 0, proved);
        if (state.stopped || (score > alpha && score < beta)) return score;
        if (score <= alpha) alpha = score < last - WIDE ? -INFINITE : score - 2 * ASPIRATION;
        else beta = score > last + WIDE ? INFINITE : score + 2 * ASPIRATION;
    }
}

static void note(Finding *finding, int depth) {
    finding->nodes = state.nodes;
    finding->seconds = now() - state.begun;
    finding->depth = depth;
    if (!state.length[0]) return;
    finding->best = state.line[0][0];
    finding->length = state.length[0];
    memcpy(finding->line, state.line[0], (size_t)state.length[0] * sizeof(Move));
}

// A first answer, for a search that is stopped before its first depth is done.
static Finding first_finding(const Board *board) {
    Move moves[MOST_MOVES];
    Finding finding = {.best = NO_MOVE};
    if (generate(board, moves)) finding.best = moves[0];
    else if (can_move(board, board->side ^ 1)) finding.best = PASS_MOVE;
    else finding.proved = true, finding.score = final_of(board);
    finding.line[0] = finding.best;
    finding.length = finding.best != NO_MOVE;
    return finding;
}

void search_reset(void) {
    table_clear();
    order_reset();
}

Finding search(const Board *board, const Limits *limits, Listener *listener) {
    init_reductions();
    state.board = *board, state.limits = *limits;
    state.begun = now(), state.nodes = 0, state.stopped = false;
    state.leaves = 0, state.seed = board->key;
    table_new_search();
    order_age();
    Finding finding = first_finding(board);
    if (finding.best == NO_MOVE) return finding;
    int deepest = limits->depth && limits->depth < DEEPEST ? limits->depth : DEEPEST;
    for (int depth = 1; depth <= deepest; depth++) {
        bool proved;
        int score = look(depth, finding.score, &proved);
        if (state.stopped) {
            note(&finding, finding.depth);
            break;
        }
        finding.score = score, finding.proved = proved;
        note(&finding, depth);
        if (listener) listener(&finding);
        if (proved) break;
        if (limits->soft > 0 && finding.seconds >= limits->soft) break;
    }
    return finding;
}
