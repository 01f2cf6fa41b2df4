// Written by benchmarks/champion/fit_placement.py.
#include "placement.h"

const int16_t placement_weights[PLACEMENT_WEIGHTS] = {
    3, 4, 8, 8, 0, -10, -4, -1, 2, 6, 1, -6, 0, -4, -4, 1,
    36, 22, -1, -19, -34, -33, 82, 54, 6, -27, -38, -27, 4, 22, 2, -8,
    -13, -4, 5, 6, 18, 9, 13, 19, 8, 6, 8, 3, 4, 4, 2, 4,
    3, 2, -4, -2, -9, -2, -2, 10, -10, 12, -9, 8, 11, 11, 4, 2,
    -4, 0, -2, 0, -4, 10, -4,
};
