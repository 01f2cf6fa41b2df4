// The features of a board: one walk over the stacks of each side for moves and landings, a second one
// to sort the stacks by status, and bit-parallel counts for the rest.
#include "features.h"

#include <string.h>

typedef struct {
    Mask held, dead, landings; // of the side's own stacks; where it can land
    int movers;
} Reach;

typedef struct {
    Mask stacks, surrounded, edge, bridges;
    Mask away[5];  // by steps to the nearest red
    Mask links[4]; // by neighbours: one, two, three; links[0] is unused
} Terrain;

static int least(int a, int b) { return a < b ? a : b; }

// Spaces with two or more groups of neighbours: a stack there may hold its surroundings together.
static Mask bridges_of(Mask s) {
    Mask ring[6] = {s << 13, s << 12, s >> 1, s >> 13, s >> 12, s << 1}, once = 0, twice = 0;
    for (int i = 0; i < 6; i++) {
        Mask begin = ring[i] & ~ring[(i + 1) % 6];
        twice |= once & begin;
        once |= begin;
    }
    return twice;
}

static void count_links(Mask s, Terrain *terrain) {
    Mask ones = 0, twos = 0, fours = 0;
    Mask ring[6] = {s << 13, s << 12, s >> 1, s >> 13, s >> 12, s << 1};
    for (int i = 0; i < 6; i++) {
        Mask carry = ones & ring[i];
        ones ^= ring[i];
        fours |= twos & carry;
        twos ^= carry;
    }
    terrain->links[1] = ones & ~twos & ~fours;
    terrain->links[2] = ~ones & twos & ~fours;
    terrain->links[3] = ones & twos & ~fours;
}

static Terrain survey(const Board *board) {
    Terrain terrain = {.stacks = occupied(board)};
    terrain.surrounded = surrounded(terrain.stacks);
    terrain.edge = board_mask & ~surrounded(board_mask);
    terrain.bridges = bridges_of(terrain.stacks);
    count_links(terrain.stacks, &terrain);
    Mask reached = terrain.away[0] = board->red;
    for (int steps = 1; steps < 4; steps++) {
        terrain.away[steps] = spread(reached) & terrain.stacks & ~reached;
        reached |= terrain.away[steps];
    }
    terrain.away[4] = terrain.stacks & ~reached;
    return terrain;
}

// The first walk: moves of one side.
static void reach_of(const Board *board, const Terrain *terrain, int side, Reach *reach, int16_t *values) {
    Mask held = 0, dead = 0, landings = 0;
    int movers = 0, moves = 0, captures = 0, on_reds = 0;
    Mask theirs = board->top[side ^ 1], lone = board->red & ~theirs & ~board->top[side];
    for (Mask left = board->top[side]; left; left &= left - 1) {
        int space = lowest(left);
        Mask to = jumps[board->height[space]][space] & terrain->stacks;
        if (!to) {
            dead |= left & -left;
        } else if (terrain->surrounded & left & -left) {
            held |= left & -left;
        } else {
            movers++;
            landings |= to;
            moves += count(to);
            captures += count(to & theirs);
            on_reds += count(to & lone);
        }
    }
    values[MOVES] = (int16_t)moves;
    values[CAPTURES] = (int16_t)captures;
    values[ON_REDS] = (int16_t)on_reds;
    values[STILL] = movers == 0;
    values[LAST_MOVER] = movers == 1;
    *reach = (Reach){held, dead, landings, movers};
}

static int steps_to_red(const Terrain *terrain, int space) {
    Mask far = ~terrain->away[0] & ~terrain->away[1];
    return (int)(terrain->away[1] >> space & 1) + 2 * (int)(far >> space & 1) +
           (int)((far & ~terrain->away[2]) >> space & 1);
}

// The second walk: stacks by what can become of them.
static void sort_stacks(const Board *board, const Terrain *terrain, int side, const Reach reach[2], int16_t *values,
                        View *view) {
    int i = side != board->side;
    const Reach *own = &reach[i], *other = &reach[i ^ 1];
    uint16_t *row = view->row + view->rows;
    for (Mask left = board->top[side]; left; left &= left - 1) {
        int space = lowest(left), height = board->height[space];
        int status = (int)(own->held >> space & 1) + 2 * (int)(own->dead >> space & 1);
        int kind = 4 * status + 2 * (int)(other->landings >> space & 1) + (int)(own->landings >> space & 1);
        int tall = TALLEST_KIND * i + least(height, TALLEST_KIND) - 1;
        *row++ = (uint16_t)((STATUSES * tall + kind) * NEAR + steps_to_red(terrain, space));
        *row++ = (uint16_t)(PLACES + ORBITS * tall + orbit[space]);
        values[STACKS + kind]++;
        values[LAYERS + kind] = (int16_t)(values[LAYERS + kind] + height - 1);
        if (height > 1) values[TALL + least(height, 5) - 2]++;
    }
    view->rows = (int)(row - view->row);
}

static void count_places(const Board *board, const Terrain *terrain, int side, const Reach *own,
                         int16_t *values) {
    Mask mine = board->top[side], with_red = mine & board->red;
    for (int steps = 0; steps < 5; steps++) values[AWAY + steps] = (int16_t)count(mine & terrain->away[steps]);
    for (int i = 0; i < 3; i++) values[LINKS + i] = (int16_t)count(mine & terrain->links[i + 1]);
    values[BRIDGES] = (int16_t)count(mine & terrain->bridges);
    values[EDGE] = (int16_t)count(mine & terrain->edge);
    values[RED_FREE] = (int16_t)count(with_red & ~own->held & ~own->dead);
    for (; with_red; with_red &= with_red - 1)
        values[RED_LAYERS] = (int16_t)(values[RED_LAYERS] + board->height[lowest(with_red)] - 1);
    values[TURN] = 1;
}

bool features_of(const Board *board, View *view) {
    int16_t *values = view->values;
    memset(values, 0, sizeof view->values);
    view->rows = 0;
    Terrain terrain = survey(board);
    int16_t *of_side[2] = {values, values + SIDE_FEATURES};
    Reach reach[2];
    for (int i = 0; i < 2; i++) reach_of(board, &terrain, board->side ^ i, &reach[i], of_side[i]);
    if (!reach[0].movers && !reach[1].movers) return false;
    for (int i = 0; i < 2; i++) {
        sort_stacks(board, &terrain, board->side ^ i, reach, of_side[i], view);
        count_places(board, &terrain, board->side ^ i, &reach[i], of_side[i]);
    }
    return true;
}
