// How long to think about one ply.
#ifndef CLOCK_H
#define CLOCK_H

#include "position.h"

// Milliseconds as `go` gives them; negative where it says nothing.
typedef struct {
    double time, increment, movetime;
} Clock;

typedef struct {
    double soft, hard; // seconds: begin nothing new after `soft`, answer at `hard`
    double last;       // when to answer whatever else bounds the search
} Allowance;

Allowance clock_allow(const Clock *clock, const Position *position);

#endif
