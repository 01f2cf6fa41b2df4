// Each stack adds its rows to the hidden units; these are cut to [0, 1] and weighed by the number of stacks left.
#include "net.h"

#include "blend.h"

typedef int16_t Units __attribute__((vector_size(16), may_alias)); // eight hidden units: one register

static int16_t output[SPACES + 1][HIDDEN], constant[SPACES + 1];

void net_init(void) {
    for (int stacks = 0; stacks <= SPACES; stacks++) {
        Blend blend = blend_at(stacks);
        for (int i = 0; i < HIDDEN; i++) output[stacks][i] = blend_of(&blend, &net_output[0][i], HIDDEN);
        constant[stacks] = blend_of(&blend, net_constant, 1);
    }
}

int net_score(const View *view, int stacks) {
    const Units *bias = (const Units *)net_bias;
    Units hidden[] = {bias[0], bias[1]};
    for (int i = 0; i < view->rows; i++) {
        const Units *row = (const Units *)net_rows[view->row[i]];
        hidden[0] += row[0], hidden[1] += row[1];
    }
    const int16_t *unit = (const int16_t *)hidden;
    int score = 0;
    for (int i = 0; i < HIDDEN; i++) {
        int16_t cut = unit[i] < 0 ? 0 : unit[i] > NET_ONE ? NET_ONE : unit[i];
        score += cut * output[stacks][i];
    }
    return (score / NET_ONE + constant[stacks]) / NET_UNIT;
}
