// Written by benchmarks/champion/fit_placement.py.
#include "placement.h"

const int16_t placement_weights[PLACEMENT_WEIGHTS] = {
    5, 3, 8, 5, 1, -10, -2, 1, 1, 5, 2, -6, -2, -3, 0, 0,
    38, 26, 1, -19, -33, -34, 81, 51, 7, -27, -36, -29, 5, 23, 4, -7,
    -13, -8, -7, 6, 15, 17, 10, 22, 15, 8, 14, 2, 8, 6, 4, 6,
    3, 1, -6, 0, -10, -2, -2, 8, -9, 13, -6, 8, 13, 10, 6, 1,
    -4, 0, -6, 0, -4, 15, -2,
};
