// A small neural net over the stacks: what the linear evaluation misses.
#ifndef NET_H
#define NET_H

#include "features.h"
#include "weights.h"

enum { HIDDEN = 16, NET_ONE = 256, NET_UNIT = 16 };

extern const _Alignas(16) int16_t net_rows[ROWS][HIDDEN], net_bias[HIDDEN]; // NET_ONE is 1
extern const int16_t net_output[WEIGHT_KNOTS][HIDDEN], net_constant[WEIGHT_KNOTS]; // NET_UNIT is a hundredth of a piece

void net_init(void);
int net_score(const View *view, int stacks); // in hundredths, from the side to move

#endif
