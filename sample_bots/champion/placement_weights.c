// Written by benchmarks/champion/fit_placement.py.
#include "placement.h"

const int16_t placement_weights[PLACEMENT_WEIGHTS] = {
    3, 2, 7, 7, -3, -10, -3, -6, 5, 5, 2, -5, -1, -8, -7, 1,
    35, 23, -1, -18, -34, -33, 79, 53, 7, -25, -39, -26, 4, 19, 4, -7,
    -14, -6, -4, 5, 17, 8, 10, 16, 8, 6, 7, 0, -2, 3, 0, 2,
    2, 4, -1, -5, -12, -1, 1, 10, -12, 11, -10, 5, 11, 11, 2, 1,
    -6, -2, -3, -1, -3, 4, -5,
};
