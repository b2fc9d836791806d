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
    if (!are_lists(offsets, targets, count, sources, model->sizes.vocabulary)) return 0;
    if (first > model->sizes.vocabulary) first = model->sizes.vocabulary;
    model->lists = (Lists){offsets, targets, copies, sources, first, least};
    return 1;
}

/* --- which columns --------------------------------------------------------------------------- */

/* A byte for each target piece: whether it was taken. */
typedef struct {
    uint8_t *taken;
    int count, vocabulary;
} Columns;

static void take(Columns *columns, int piece) {
    if (piece < 0 || piece >= columns->vocabulary || columns->taken[piece]) return;
    columns->taken[piece] = 1;
    columns->count++;
}

static void take_lists(const Lists *lists, Columns *columns, const int32_t *pieces, int count) {
    for (int i = 0; i < count; i++) {
        const int piece = pieces[i];
        take(columns, lists->copies ? piece < lists->sources ? lists->copies[piece] : -1 : piece);
        if (piece >= lists->sources) continue;
        for (uint64_t at = lists->offsets[piece]; at < lists->offsets[piece + 1]; at++) take(columns, lists->targets[at]);
    }
}

static Columns choose_columns(const Model *model, uint8_t *taken, const int32_t *pieces, int count) {
    const Lists *lists = &model->lists;
    Columns columns = {taken, 0, model->sizes.vocabulary};
    for (int piece = 0; piece < columns.vocabulary; piece += 8) __builtin_memset(taken + piece, 0, 8);
    for (int piece = 0; piece == 0 || piece < lists->first; piece++) take(&columns, piece); /* the end always */
    take_lists(lists, &columns, pieces, count);
    for (int piece = lists->first; piece < columns.vocabulary && (columns.count < lists->least || columns.count % 8); piece++)
        take(&columns, piece);
    return columns;
}

/* --- packing --------------------------------------------------------------------------------- */

/* Columns `names` of `all`, as a product of their own. Those that fill up the last vector have the weight 0. */
static int pack(const Dense *all, const int32_t *names, int count, Area *area, Dense *packed) {
    const int K = all->inputs, columns = (count + LANES - 1) / LANES * LANES;
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
    packed->outputs = count;
    return !all->narrow.group || narrow_pick(area, &all->narrow, names, count, K, &packed->narrow);
}

/* More than half of all columns are not worth being packed. */
static int most_columns(const Model *model) { return model->sizes.vocabulary / 2; }

OWN size_t shortlist_bytes(const Model *model) {
    const size_t columns = most_columns(model) + LANES;
    return model->sizes.vocabulary + columns * (sizeof(int32_t) + (size_t)model->logits.inputs + sizeof(int32_t) + sizeof(float)) +
           sizeof(Dense) + 1024 + narrow_bytes(&model->logits.narrow, model->logits.inputs, columns);
}

/* pieces [count]: of the whole mini-batch, of which this one may be a part. Each is below S. Returns 0 when memory is
 * short. */
EXPORT(batch_shorten)
int batch_shorten(const Model *model, Area *area, Batch *batch, const int32_t *pieces, int count) {
    if (!model->lists.offsets) return 1;
    uint8_t *taken = area_take(area, model->sizes.vocabulary);
    if (!taken) return 0;
    const Columns columns = choose_columns(model, taken, pieces, count);
    if (columns.count > most_columns(model)) return 1;
    int32_t *names = area_take(area, sizeof(int32_t) * columns.count);
    Dense *packed = area_take(area, sizeof(Dense));
    if (!names || !packed) return 0;
    for (int piece = 0, n = 0; n < columns.count; piece++)
        if (taken[piece]) names[n++] = piece;
    if (!pack(&model->logits, names, columns.count, area, packed)) return 0;
    batch->output = packed;
    batch->names = names;
    return 1;
}
