#include "narrow.h"

enum { BLOCK_BYTES = LANES * 4, PAIRS_OF_BLOCK = LANES * 2, MOST_GROUP = 4 };

/* What sums hold: of weights of one sign in a pair, and of all weights of a group. */
typedef struct {
    int pair, all;
} Room;

/* --- of a group ------------------------------------------------------------------------------ */

/* Moves of a pair of each block as much to `to` as fits; the rest stays. */
static void move_fitting(int16_t *rest, int8_t *to, int blocks, Room room) {
    for (int i = 0; i < blocks; i++) {
        int left[2] = {room.pair, room.pair};
        for (int k = i * BLOCK_BYTES; k < i * BLOCK_BYTES + 2; k++) {
            const int negative = rest[k] < 0;
            int fits = rest[k] < 0 ? -rest[k] : rest[k];
            if (fits > left[negative]) fits = left[negative];
            if (fits > room.all) fits = room.all;
            left[negative] -= fits;
            room.all -= fits;
            to[k] = negative ? -fits : fits;
            rest[k] -= to[k];
        }
    }
}

/* Of the pairs of a group, lane by lane: sums of sizes, of weights, and whether all of it fits. */
typedef struct {
    halves sizes, net;
    int fits;
} Weighed;

INLINE halves larger_half(halves a, halves b) { return a < b ? b : a; }

static Weighed weigh(const int8_t *group, int blocks, Room room) {
    Weighed weighed = {};
    halves most_of_pair = {};
    for (int i = 0; i < blocks; i++) {
        const halves both = load_halves(group + i * BLOCK_BYTES), low = both << 8 >> 8, high = both >> 8;
        const halves sizes = larger_half(low, -low) + larger_half(high, -high), net = low + high;
        /* Twice the sum of the positive ones is sizes + net, of the others sizes - net. */
        most_of_pair = larger_half(most_of_pair, sizes + larger_half(net, -net));
        weighed.sizes += sizes;
        weighed.net += net;
    }
    halves beyond = larger_half(most_of_pair - (int16_t)(2 * room.pair + 1), weighed.sizes - (int16_t)room.all);
    weighed.fits = 1;
    for (int pair = 0; pair < PAIRS_OF_BLOCK; pair++) weighed.fits &= beyond[pair] <= 0;
    return weighed;
}

static int anything(const int16_t *rest) {
    for (int i = 0; i < BLOCK_BYTES; i++)
        if (rest[i]) return 1;
    return 0;
}

/* Where extra blocks go; with no `weights` they are counted only. */
typedef struct {
    int8_t *weights;
    int32_t *inputs;
    int count;
} Extra;

static void split_group(int8_t *group, int blocks, int first_input, Room room, Extra *extra) {
    int16_t rest[MOST_GROUP * BLOCK_BYTES];
    int8_t fitting[MOST_GROUP * BLOCK_BYTES];
    if (weigh(group, blocks, room).fits) return;
    for (int i = 0; i < blocks * BLOCK_BYTES; i++) rest[i] = group[i];
    for (int pair = 0; pair < BLOCK_BYTES; pair += 2) move_fitting(rest + pair, fitting + pair, blocks, room);
    if (extra->weights) __builtin_memcpy(group, fitting, blocks * BLOCK_BYTES);
    for (int i = 0; i < blocks; i++) {
        for (int16_t *block = rest + i * BLOCK_BYTES; anything(block); extra->count++) {
            for (int pair = 0; pair < BLOCK_BYTES; pair += 2) move_fitting(block + pair, fitting + pair, 1, room);
            if (!extra->weights) continue;
            __builtin_memcpy(extra->weights + (size_t)extra->count * BLOCK_BYTES, fitting, BLOCK_BYTES);
            extra->inputs[extra->count] = first_input + i * INPUTS;
        }
    }
}

/* --- of all columns -------------------------------------------------------------------------- */

static int whole_groups(int K, int group) { return K / (group * INPUTS); }

/* What is left behind the last whole group is widened block by block. */
static void split_vector(int8_t *vector, int K, int group, Room room, Extra *extra) {
    const int end = whole_groups(K, group) * group * INPUTS;
    for (int k = 0; k < end; k += group * INPUTS) split_group(vector + (size_t)k * LANES, group, k, room, extra);
    for (int k = end; k < K; k += INPUTS) split_group(vector + (size_t)k * LANES, 1, k, room, extra);
}

static int count_extra(int8_t *weights, int K, int vectors, int group, Room room) {
    Extra extra = {};
    for (int v = 0; v < vectors; v++) split_vector(weights + (size_t)v * LANES * K, K, group, room, &extra);
    return extra.count;
}

/* What brings the sums of a group that fits into 16 bits: computed in 16 bits that wrap, to a number that they hold. */
static halves biases_of(const int8_t *group, int blocks, Room room, int most) {
    const Weighed weighed = weigh(group, blocks, room);
    const halves positive = (weighed.sizes + weighed.net) >> 1, negative = (weighed.sizes - weighed.net) >> 1, none = {};
    const halves down = (int16_t)32767 - positive * (int16_t)most, up = negative * (int16_t)most - (int16_t)-32768;
    return positive > (int16_t)room.pair ? down : negative > (int16_t)room.pair ? up : none;
}

static void set_biases(const int8_t *weights, int K, int vectors, int group, Room room, int most, int16_t *biases,
                       int32_t *correction) {
    for (int v = 0; v < vectors; v++) {
        const int8_t *vector = weights + (size_t)v * LANES * K;
        for (int k = 0; k + group * INPUTS <= K; k += group * INPUTS, biases += PAIRS_OF_BLOCK) {
            const halves of_group = biases_of(vector + (size_t)k * LANES, group, room, most);
            __builtin_memcpy(biases, &of_group, sizeof(of_group));
            for (int pair = 0; pair < PAIRS_OF_BLOCK; pair++) correction[v * LANES + pair / 2] -= of_group[pair];
        }
    }
}

OWN int narrow_take(Area *area, int8_t *weights, int32_t *correction, int K, int vectors, int most_activation, Narrow *narrow) {
    const Room room = {32767 / most_activation, 65535 / most_activation};
    int group = MOST_GROUP, count = count_extra(weights, K, vectors, group, room);
    /* Groups of two have a fifth more to do, an extra block costs about half of a group of four. */
    if (count > whole_groups(K, group) * vectors / 4) {
        group = 2;
        count = count_extra(weights, K, vectors, group, room);
    }
    int16_t *biases = area_take(area, sizeof(int16_t) * PAIRS_OF_BLOCK * whole_groups(K, group) * vectors);
    int32_t *starts = area_take(area, sizeof(int32_t) * (vectors + 1));
    int32_t *inputs = area_take(area, sizeof(int32_t) * (count + 1));
    int8_t *blocks = area_take(area, (size_t)BLOCK_BYTES * (count + 1));
    if (!biases || !starts || !inputs || !blocks) return 0;
    Extra extra = {blocks, inputs, 0};
    int most = 0;
    for (int v = 0; v < vectors; v++) {
        starts[v] = extra.count;
        split_vector(weights + (size_t)v * LANES * K, K, group, room, &extra);
        if (extra.count - starts[v] > most) most = extra.count - starts[v];
    }
    starts[vectors] = extra.count;
    set_biases(weights, K, vectors, group, room, most_activation, biases, correction);
    *narrow = (Narrow){group, most, biases, starts, inputs, blocks};
    return 1;
}

/* --- of some of the columns ------------------------------------------------------------------ */

static size_t blocks_of(const Narrow *all, int columns) { return (size_t)columns * all->most + 1; }

OWN size_t narrow_bytes(const Narrow *all, int K, int columns) {
    if (!all->group) return 0;
    return sizeof(int32_t) * (columns + 2) + sizeof(int16_t) * 2 * (columns + LANES) * whole_groups(K, all->group) +
           blocks_of(all, columns) * (sizeof(int32_t) + BLOCK_BYTES) + 256;
}

static void pick_biases(const Narrow *all, int column, int to_column, int groups, int16_t *biases) {
    for (int g = 0; g < groups; g++)
        for (int half = 0; half < 2; half++)
            biases[((size_t)to_column / LANES * groups + g) * PAIRS_OF_BLOCK + to_column % LANES * 2 + half] =
                column < 0 ? 0 : all->biases[((size_t)column / LANES * groups + g) * PAIRS_OF_BLOCK + column % LANES * 2 + half];
}

static int is_zero(const int8_t *four) { return !(four[0] | four[1] | four[2] | four[3]); }

/* A block of `input` among those from `first` to `end` where the lane is free, else a new one at the end. */
static int block_for(int32_t *inputs, int8_t *weights, int first, int end, int lane, int input) {
    for (int block = first; block < end; block++)
        if (inputs[block] == input && is_zero(weights + (size_t)block * BLOCK_BYTES + lane * 4)) return block;
    inputs[end] = input;
    for (int i = 0; i < BLOCK_BYTES; i++) weights[(size_t)end * BLOCK_BYTES + i] = 0;
    return end;
}

OWN int narrow_pick(Area *area, const Narrow *all, const int32_t *names, int count, int columns, int K, Narrow *picked) {
    const int vectors = columns / LANES, groups = whole_groups(K, all->group);
    int16_t *biases = area_take(area, sizeof(int16_t) * PAIRS_OF_BLOCK * groups * vectors);
    int32_t *starts = area_take(area, sizeof(int32_t) * (vectors + 1));
    int32_t *inputs = area_take(area, sizeof(int32_t) * blocks_of(all, count));
    int8_t *weights = area_take(area, blocks_of(all, count) * BLOCK_BYTES);
    if (!biases || !starts || !inputs || !weights) return 0;
    int end = 0;
    for (int n = 0; n < vectors * LANES; n++) {
        if (n % LANES == 0) starts[n / LANES] = end;
        pick_biases(all, n < count ? names[n] : -1, n, groups, biases);
        if (n >= count) continue;
        const int8_t *more;
        for (int at = 0, input; (more = narrow_next(all, names[n], &at, &input));) {
            if (is_zero(more)) continue;
            const int block = block_for(inputs, weights, starts[n / LANES], end, n % LANES, input);
            if (block == end) end++;
            __builtin_memcpy(weights + (size_t)block * BLOCK_BYTES + n % LANES * 4, more, 4);
        }
    }
    starts[vectors] = end;
    *picked = (Narrow){all->group, all->most, biases, starts, inputs, weights};
    return 1;
}
