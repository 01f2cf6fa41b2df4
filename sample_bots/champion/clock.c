// A clock for the whole game is spent where it decides: placements cost little, the first stack
// moves get an even share, and what is left when the rest can be searched to its end is not needed.
#include "clock.h"

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

// Own stack moves until the end is within reach of the search: each side empties one space a move.
static double moves_to_share(const Position *position) {
    int stacks = count(occupied(&position->board));
    return most(3, (stacks - 20) * 0.40 + 2);
}

Allowance clock_allow(const Clock *clock, const Position *position) {
    double most_of_it = 1e9, share = 1e9, all_of_it = 1e9;
    if (clock->time >= 0) {
        double reserve = most(10, least(60, clock->time * 0.06)); // for the pipe and a busy machine
        double usable = most(0, clock->time - reserve), increment = most(0, clock->increment);
        all_of_it = usable;
        share = position->placement ? usable * 0.008 + increment * 0.3
                                    : usable / moves_to_share(position) + increment * 0.8;
        most_of_it = least(usable, position->placement ? share : most(share * 2.5, usable * 0.08));
    }
    if (clock->movetime >= 0) {
        double usable = most(clock->movetime * 0.5, clock->movetime - 6);
        share = least(share, usable);
        most_of_it = least(most_of_it, usable);
        all_of_it = least(all_of_it, usable);
    }
    if (clock->time < 0 && clock->movetime < 0) share = most_of_it = 1000;
    bool saves = clock->time >= 0; // time that is not used now is of use later
    double begin = position->placement ? 0.00012 : 0.0006; // the next depth costs much more than the last
    return (Allowance){.soft = saves ? begin * share : 0, .hard = 0.001 * most(0.5, most_of_it),
                       .last = 0.001 * most(0.5, all_of_it)};
}
