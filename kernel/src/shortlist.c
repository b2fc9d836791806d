#include "shortlist.h"

/* Whether the lists of a file can be used: it came from somewhere. */
static int are_lists(const uint64_t *offsets, const uint32_t *targets, size_t count, int sources, int vocabulary) {
    if (sources < 1 || offsets[0] != 0 || offsets[sources] != count) return 0;
    for (int source = 0; source < sources; source++)
        if (offsets[source] > offsets[source + 1]) return 0;
    for (size_t i = 0; i < count; i++)
        if (targets[i] >= (uint32_t)vocabulary) return 0;
    return 1;
}

/* offsets [S + 1] and targets [count] are kept where they are. copies [S]: the target's piece with the text of a
 * source piece, or -1; 0 where the sides share their pieces. Returns 0 when they are damaged. */
EXPORT(model_lists)
int model_lists(Model *model, const uint64_t *offsets, const uint32_t *targets, size_t count, const int32_t *copies,
                int sources, int first, int least) {
    const int vocabulary = model->sizes.vocabulary;
    if (!are_lists(offsets, targets, count, sources, vocabulary)) return 0;
    if (first > vocabulary) first = vocabulary;
    model->lists = (Lists){.offsets = offsets, .targets = targets, .copies = copies, .sources = sources, .first = first, .least = least};
    return 1;
}

/* --- packing --------------------------------------------------------------------------------- */

static int filled(int count, int to) { return (count + to - 1) / to * to; }

/* Products have a multiple of 8 columns, in whole vectors. */
enum { OUTPUTS = 8, COLUMNS = LANES > OUTPUTS ? LANES : OUTPUTS };

/* Columns `names` of `all`, as a product of their own. Those that fill it up have the weight 0. */
static int pack(const Dense *all, const int32_t *names, int count, Area *area, Dense *packed) {
    const int K = all->inputs, columns = filled(count, COLUMNS);
    int8_t *weights = area_take(area, (size_t)K * columns);
    int32_t *correction = area_take(area, sizeof(int32_t) * columns);
    float *bias = area_take(area, sizeof(float) * columns);
    if (!weights || !correction || !bias) return 0;
    for (int n = 0; n < columns; n++) {
        const int there = n < count;
        const int8_t *from = all->weights + place_of(0, there ? names[n] : 0, K);
        int8_t *to = weights + place_of(0, n, K);
        correction[n] = there ? all->correction[names[n]] : 0;
        bias[n] = there ? all->bias[names[n]] : 0;
        for (int k = 0; k < K; k += INPUTS, from += INPUTS * LANES, to += INPUTS * LANES) {
            if (there) __builtin_memcpy(to, from, INPUTS);
            else __builtin_memset(to, 0, INPUTS);
        }
    }
    *packed = *all;
    packed->weights = weights;
    packed->correction = correction;
    packed->bias = bias;
    packed->outputs = filled(count, OUTPUTS);
    return !all->narrow.group || narrow_pick(area, &all->narrow, names, count, columns, K, &packed->narrow);
}

/* --- what every row may say ------------------------------------------------------------------ */

static int take(uint8_t *taken, int piece) { return taken[piece] ? 0 : (taken[piece] = 1); }

/* Marks them; how many they are: a multiple of 8, as their products are. */
static int take_common(const Lists *lists, int vocabulary, uint8_t *taken) {
    int count = 0, next = lists->first;
    for (int piece = 0; piece == 0 || piece < lists->first; piece++) count += take(taken, piece); /* the end always */
    for (uint64_t at = lists->offsets[EOS]; at < lists->offsets[EOS + 1]; at++) count += take(taken, lists->targets[at]);
    for (; next < vocabulary && (count < lists->least || count % 8); next++) count += take(taken, next);
    for (next = 0; next < vocabulary && count % 8; next++) count += take(taken, next);
    return count;
}

/* After `model_lists`: packs the columns that every row may choose. Returns 0 when memory is short. */
EXPORT(model_common)
int model_common(Model *model) {
    Lists *lists = &model->lists;
    const int vocabulary = model->sizes.vocabulary;
    lists->is_common = area_take(&model->area, vocabulary);
    if (!lists->is_common) return 0;
    for (int piece = 0; piece < vocabulary; piece++) lists->is_common[piece] = 0;
    const int count = take_common(lists, vocabulary, lists->is_common);
    int32_t *names = area_take(&model->area, sizeof(int32_t) * count);
    if (!names) return 0;
    for (int piece = 0, n = 0; piece < vocabulary; piece++)
        if (lists->is_common[piece]) names[n++] = piece;
    lists->names = names;
    return pack(&model->logits, names, count, &model->area, &lists->common);
}

/* --- what a row may say besides -------------------------------------------------------------- */

/* Goes through them; one that is in several lists comes several times. */
typedef struct {
    const Lists *lists;
    const int32_t *pieces;
    int count;
    int source;  /* of those that `at` is in the list of; -1 before the first */
    uint64_t at, end;
} Walk;

static Walk walk(const Model *model, const int32_t *pieces, int count) {
    return (Walk){&model->lists, pieces, count, -1, 0, 0};
}

/* The next piece that not every row may say anyway; -1 when there is none. */
static int next_own(Walk *walk) {
    const Lists *lists = walk->lists;
    for (;;) {
        while (walk->at < walk->end) {
            const int piece = lists->targets[walk->at++];
            if (!lists->is_common[piece]) return piece;
        }
        if (++walk->source >= walk->count) return -1;
        const int source = walk->pieces[walk->source];
        const int listed = source < lists->sources;
        walk->at = listed ? lists->offsets[source] : 0;
        walk->end = listed ? lists->offsets[source + 1] : 0;
        const int copy = lists->copies ? (listed ? lists->copies[source] : -1) : source;
        if (copy >= 0 && !lists->is_common[copy]) return copy;
    }
}

/* More than half of all columns are not worth being packed: then they are those of the output layer. */
static int most_packed(const Model *model) { return model->sizes.vocabulary / 2; }

OWN size_t shortlist_bytes(const Model *model, int rows) {
    const size_t columns = most_packed(model) + COLUMNS, vocabulary = filled(model->sizes.vocabulary, OUTPUTS);
    return sizeof(Own) + vocabulary * sizeof(int32_t) + (size_t)rows * vocabulary / 8 + vocabulary * sizeof(float) * (OWN_AT_ONCE + 1) +
           columns * (sizeof(int32_t) + (size_t)model->logits.inputs + sizeof(int32_t) + sizeof(float)) + 1024 +
           narrow_bytes(&model->logits.narrow, model->logits.inputs, columns);
}

/* place [V]: 0 for what some row may say besides, else -1; returns how many these are. */
static int find(const Model *model, const Batch *batch, int32_t *place) {
    int count = 0;
    for (int piece = 0; piece < model->sizes.vocabulary; piece++) place[piece] = -1;
    Walk rest = walk(model, batch->pieces, batch->total);
    for (int piece; (piece = next_own(&rest)) >= 0; place[piece] = 0) count += place[piece] < 0;
    return count;
}

/* The columns, and in `place` the number of each piece among them; 0 when memory is short. */
static int take_columns(const Model *model, Area *area, Own *own, int32_t *place, int count) {
    const int vocabulary = model->sizes.vocabulary;
    *own = (Own){.columns = model->logits};
    if (count > most_packed(model)) {
        for (int piece = 0; piece < vocabulary; piece++) place[piece] = piece;
        return 1;
    }
    int32_t *names = area_take(area, sizeof(int32_t) * count);
    if (!names) return 0;
    for (int piece = 0, n = 0; piece < vocabulary; piece++) {
        if (place[piece] < 0) continue;
        place[piece] = n;
        names[n++] = piece;
    }
    own->names = names;
    return pack(&model->logits, names, count, area, &own->columns);
}

static int take_masks(const Model *model, Area *area, const Batch *batch, Own *own, const int32_t *place) {
    const size_t bytes = own->columns.outputs / 8;
    own->masks = area_take(area, batch->rows * bytes);
    if (!own->masks) return 0;
    for (size_t i = 0; i < batch->rows * bytes; i++) own->masks[i] = 0;
    const int32_t *pieces = batch->pieces;
    for (int row = 0; row < batch->rows; pieces += batch->lengths[row++]) {
        Walk rest = walk(model, pieces, batch->lengths[row]);
        for (int piece; (piece = next_own(&rest)) >= 0;) own->masks[row * bytes + place[piece] / 8] |= 1 << place[piece] % 8;
    }
    return 1;
}

/* After the host has written pieces, each below S, and lengths. Returns 0 when memory is short. */
EXPORT(batch_shorten)
int batch_shorten(const Model *model, Area *area, Batch *batch) {
    if (!model->lists.names || batch->prefixed) return 1; /* a prefix may be of any pieces */
    batch->output = &model->lists.common;
    batch->names = model->lists.names;
    int32_t *place = area_take(area, sizeof(int32_t) * model->sizes.vocabulary);
    Own *own = area_take(area, sizeof(Own));
    if (!place || !own) return 0;
    const int count = find(model, batch, place);
    if (!count) return 1;
    if (!take_columns(model, area, own, place, count) || !take_masks(model, area, batch, own, place)) return 0;
    own->logits = area_take(area, sizeof(float) * OWN_AT_ONCE * own->columns.outputs);
    own->of_slot = area_take(area, sizeof(float) * (own->columns.outputs + 8));
    if (!own->logits || !own->of_slot) return 0;
    batch->own = own;
    return 1;
}

/* --- choosing among them --------------------------------------------------------------------- */

OWN void own_products(Batch *batch, int from, int to) {
    Own *own = batch->own;
    const activation *x = batch->quantized + (size_t)from * own->columns.inputs;
    dense_floats(&own->columns, x, to - from, own->columns.outputs, own->logits);
}

static const uint8_t *mask_of(const Own *own, int row) { return own->masks + (size_t)row * (own->columns.outputs / 8); }

OWN int own_logits(Batch *batch, int slot, int from) {
    Own *own = batch->own;
    const uint8_t *mask = mask_of(own, batch->row_of[slot]);
    const float *logits = own->logits + (size_t)(slot - from) * own->columns.outputs;
    int count = 0;
    for (int byte = 0; byte < own->columns.outputs / 8; byte++)
        for (int bits = mask[byte]; bits; bits &= bits - 1) own->of_slot[count++] = logits[8 * byte + __builtin_ctz(bits)];
    for (; count % 8; count++) own->of_slot[count] = NO_LOGIT;
    return count;
}

/* The piece of a row's own column number `rank`. */
static int32_t own_piece(const Own *own, int row, int rank) {
    const uint8_t *mask = mask_of(own, row);
    int byte = 0, bits;
    for (; rank >= __builtin_popcount(mask[byte]); byte++) rank -= __builtin_popcount(mask[byte]);
    for (bits = mask[byte]; rank; rank--) bits &= bits - 1;
    const int column = 8 * byte + __builtin_ctz(bits);
    return own->names ? own->names[column] : column;
}

OWN int32_t piece_of(const Batch *batch, int row, int32_t number) {
    if (number >= batch->output->outputs) return own_piece(batch->own, row, number - batch->output->outputs);
    return batch->names ? batch->names[number] : number;
}
