// Weights that depend on the number of stacks left: a straight line between two knots.
#ifndef BLEND_H
#define BLEND_H

#include "weights.h"

typedef struct {
    int lower, part, whole; // between the knots `lower` and `lower + 1`, `part` of `whole` on the way
} Blend;

static inline Blend blend_at(int stacks) {
    int upper = 1;
    while (upper < WEIGHT_KNOTS - 1 && weight_knots[upper] < stacks) upper++;
    int from = weight_knots[upper - 1], to = weight_knots[upper];
    int at = stacks < from ? from : stacks > to ? to : stacks;
    return (Blend){upper - 1, at - from, to - from};
}

// The value for a blend of a column in a table of knots, `width` apart.
static inline int16_t blend_of(const Blend *blend, const int16_t *column, int width) {
    int low = column[blend->lower * width], high = column[(blend->lower + 1) * width];
    return (int16_t)((low * (blend->whole - blend->part) + high * blend->part) / blend->whole);
}

#endif
