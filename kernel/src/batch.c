#include "batch.h"
#include "layers.h"

/* Sentences are encoded in blocks of about so many pieces: what lies between two products stays in the
 * second-level cache. */
enum { BLOCK = 48 };
/* Columns of the output layer at a time. */
enum { LOGITS_AT_ONCE = 512 };
enum { EOS = 0 };

/* --- memory ---------------------------------------------------------------------------------- */

static int larger(int a, int b) { return a > b ? a : b; }

/* Takes what a mini-batch needs; whether there was enough. The widest sentence decides the block. */
static int take_all(const Model *model, Area *area, Batch *batch, int attention) {
    const int D = model->sizes.dimension, rows = batch->rows, total = batch->total, width = batch->width;
    const int block = batch->block = larger(larger(BLOCK, rows), width + 4);
    size_t cells = (size_t)rows * batch->most_steps;
    int complete = 1;
#define TAKE(field, count) complete &= (batch->field = area_take(area, sizeof(*batch->field) * (count))) != 0
    TAKE(pieces, total);
    TAKE(lengths, rows);
    TAKE(limits, rows);
    TAKE(target, cells);
    TAKE(log_probabilities, cells);
    if (attention) TAKE(attention, cells * width + 4);
    TAKE(row_of, rows);
    TAKE(starts, rows);
    TAKE(previous, rows);
    TAKE(x, (size_t)larger(total, rows) * D);
    for (int layer = 0; layer < model->sizes.decoder_layers; layer++) {
        TAKE(memory[layer], ((size_t)total + 4) * 2 * D);
        TAKE(states[layer], (size_t)rows * D);
    }
    if (attention && model->aligned_key.outputs) TAKE(aligned, ((size_t)total + 4) * model->aligned_key.outputs);
    TAKE(quantized, (size_t)block * D);
    TAKE(inner, (size_t)block * model->sizes.inner);
    TAKE(wide, ((size_t)block + 4) * 3 * D);
    TAKE(y, (size_t)block * D);
    TAKE(mixed, (size_t)block * D);
    TAKE(weights, (size_t)model->sizes.heads * (width + 4));
    TAKE(logits, (size_t)rows * LOGITS_AT_ONCE);
#undef TAKE
    return complete;
}

OWN size_t batch_bytes(const Model *model, int rows, int total, int width, int most_steps, int attention) {
    Area counted = {.end = UINTPTR_MAX};
    Batch batch = {.rows = rows, .total = total, .width = width, .most_steps = most_steps};
    area_take(&counted, sizeof(Batch));
    take_all(model, &counted, &batch, attention);
    return counted.next;
}

EXPORT(batch_make)
Batch *batch_make(const Model *model, Area *area, int rows, int total, int width, int most_steps, int attention) {
    area_reset(area);
    Batch *batch = area_take(area, sizeof(Batch));
    if (!batch) return 0;
    *batch = (Batch){.rows = rows, .total = total, .width = width, .most_steps = most_steps};
    return take_all(model, area, batch, attention) ? batch : 0;
}

/* --- encoder --------------------------------------------------------------------------------- */

EXPORT(batch_embed)
void batch_embed(const Model *model, Batch *batch) {
    int piece = 0;
    for (int row = 0; row < batch->rows; row++) {
        batch->starts[row] = piece;
        for (int place = 0; place < batch->lengths[row]; place++, piece++)
            embed_source(model, batch->pieces[piece], place, batch->x + piece * model->sizes.dimension);
    }
}

/* All products of an input, side by side. */
static void project(Batch *batch, const Dense *first, const float *x, int rows, float *y) {
    int columns = 0;
    for (const Dense *dense = first; dense; dense = dense->beside) columns += dense->outputs;
    float input = 0;
    for (const Dense *dense = first; dense; y += dense->outputs, dense = dense->beside) {
        if (dense->input != input) quantize(dense, x, rows, batch->quantized);
        input = dense->input;
        dense_floats(dense, batch->quantized, rows, columns, y);
    }
}

static void feed_forward(Batch *batch, const FeedForward *layer, float *x, int rows, int dimension) {
    quantize(&layer->inner, x, rows, batch->quantized);
    dense_quantized(&layer->inner, batch->quantized, rows, &layer->outer, batch->inner);
    dense_floats(&layer->outer, batch->inner, rows, dimension, batch->y);
    normalize(&layer->norm, x, batch->y, rows, dimension);
}

/* Rows `from` to `to`, whose pieces fit in a block. */
static void encode_block(const Model *model, Batch *batch, const EncoderLayer *layer, int from, int to) {
    const int D = model->sizes.dimension, start = batch->starts[from];
    const int pieces = batch->starts[to - 1] + batch->lengths[to - 1] - start;
    float *x = batch->x + start * D;
    project(batch, &layer->query_key_value, x, pieces, batch->wide);
    for (int row = from; row < to; row++) {
        const float *query = batch->wide + (batch->starts[row] - start) * 3 * D;
        float *mixed = batch->mixed + (batch->starts[row] - start) * D;
        for (int place = 0; place < batch->lengths[row]; place++)
            attend(query + place * 3 * D, query + D, query + 2 * D, batch->lengths[row], 3 * D, model->sizes.heads, D,
                   batch->weights, mixed + place * D);
    }
    project(batch, &layer->output, batch->mixed, pieces, batch->y);
    normalize(&layer->norm, x, batch->y, pieces, D);
    feed_forward(batch, &layer->feed_forward, x, pieces, D);
}

EXPORT(batch_encode)
void batch_encode(const Model *model, Batch *batch, int layer) {
    for (int from = 0, to = 0; from < batch->rows; from = to) {
        int pieces = 0;
        while (to < batch->rows && (to == from || pieces + batch->lengths[to] <= batch->block)) pieces += batch->lengths[to++];
        encode_block(model, batch, &model->encoder[layer], from, to);
    }
}

/* Keys and values of the decoder's layers, keys of the alignment head, and what decoding starts with. */
EXPORT(batch_remember)
void batch_remember(const Model *model, Batch *batch) {
    const int D = model->sizes.dimension;
    for (int from = 0; from < batch->total; from += batch->block) {
        int pieces = batch->total - from < batch->block ? batch->total - from : batch->block;
        for (int layer = 0; layer < model->sizes.decoder_layers; layer++)
            project(batch, &model->decoder[layer].key_value, batch->x + from * D, pieces, batch->memory[layer] + from * 2 * D);
        if (batch->aligned)
            project(batch, &model->aligned_key, batch->x + from * D, pieces, batch->aligned + from * model->aligned_key.outputs);
    }
    for (int layer = 0; layer < model->sizes.decoder_layers; layer++)
        for (int i = 0; i < batch->rows * D; i += 4) store4(batch->states[layer] + i, splat4(0));
    batch->active = 0;
    for (int row = 0; row < batch->rows; row++)
        if (batch->limits[row] > 0) batch->row_of[batch->active++] = row;
    batch->step = 0;
}

/* --- decoder --------------------------------------------------------------------------------- */

static void copy_row(float *to, const float *from, int dimension) {
    for (int d = 0; d < dimension; d += 4) store4(to + d, load4(from + d));
}

/* The decoder's first input is the position alone. */
static void embed_previous(const Model *model, Batch *batch) {
    const int D = model->sizes.dimension;
    for (int i = 0; i < batch->active; i++) {
        if (batch->step) embed(model, batch->previous[i], batch->step, batch->x + i * D);
        else copy_row(batch->x + i * D, model->position_table, D);
    }
}

/* The first weights in `batch->weights` as the row of a target piece. */
static void keep_attention(Batch *batch, int row, int piece) {
    float *kept = batch->attention + ((size_t)row * batch->most_steps + piece) * batch->width;
    for (int column = 0; column < batch->width; column++) kept[column] = column < batch->lengths[row] ? batch->weights[column] : 0;
}

/* Where the previous piece comes from. The same stands for the piece of this step, until the next one tells. */
static void align(const Model *model, Batch *batch) {
    const int A = model->aligned_query.outputs;
    project(batch, &model->aligned_query, batch->x, batch->active, batch->wide);
    for (int i = 0; i < batch->active; i++) {
        const int row = batch->row_of[i];
        look(batch->wide + i * A, batch->aligned + batch->starts[row] * A, batch->lengths[row], A, A, batch->weights);
        if (batch->step) keep_attention(batch, row, batch->step - 1);
        keep_attention(batch, row, batch->step);
    }
}

static void look_back(const Model *model, Batch *batch, int number) {
    const int D = model->sizes.dimension;
    const int guided = number == model->sizes.decoder_layers - 1 && batch->attention && !batch->aligned;
    const DecoderLayer *layer = &model->decoder[number];
    project(batch, &layer->query, batch->x, batch->active, batch->wide);
    for (int i = 0; i < batch->active; i++) {
        const int row = batch->row_of[i], columns = batch->lengths[row];
        const float *keys = batch->memory[number] + batch->starts[row] * 2 * D;
        attend(batch->wide + i * D, keys, keys + D, columns, 2 * D, model->sizes.heads, D, batch->weights, batch->mixed + i * D);
        if (guided) keep_attention(batch, row, batch->step);
    }
    project(batch, &layer->output, batch->mixed, batch->active, batch->y);
    normalize(&layer->attention_norm, batch->x, batch->y, batch->active, D);
}

/* The best piece so far of one row, and the sum of e^(logit - best logit) over what was seen. */
typedef struct {
    float logit, sum;
    int32_t piece;
} Best;

/* e^(logit - base), summed in four lanes, in the order of the logits. */
INLINE f32x4 sum_powers(const float *logits, int count, float base) {
    f32x4 sum = splat4(0);
    int i = 0;
    for (; i + LANES <= count; i += LANES) {
        floats powers = exp_of(load_floats(logits + i) - splat(base));
        f32x4 parts[LANES / 4];
        __builtin_memcpy(parts, &powers, sizeof(parts));
        UNROLLED for (int part = 0; part < LANES / 4; part++) sum = sum + parts[part];
    }
    for (; i < count; i += 4) sum = sum + exp4(load4(logits + i) - splat4(base));
    return sum;
}

/* `logits` are those of `count` pieces from number `first` on. The first of equals wins. */
static void improve(Best *best, const float *logits, int first, int count) {
    f32x8 eight = load8(logits);
    for (int i = 8; i < count; i += 8) {
        f32x8 more = load8(logits + i);
        eight = eight < more ? more : eight;
    }
    float top = max4(larger4(__builtin_shufflevector(eight, eight, 0, 1, 2, 3), __builtin_shufflevector(eight, eight, 4, 5, 6, 7)));
    if (top > best->logit) {
        float rescale = exp4(splat4(best->logit - top))[0];
        int i = 0;
        while (!(logits[i] == top) && i < count - 1) i++;
        *best = (Best){top, best->sum * rescale, first + i};
    }
    best->sum += sum4(sum_powers(logits, count, best->logit));
}

/* -ln x of a finite x >= 1, to the last bit of a float but for one in millions. Hosts have logarithms of
 * their own, and these differ; this one does not. x = 2^n m, ln m = 2 artanh((m - 1) / (m + 1)). */
static float minus_log(float x) {
    static const double LN2 = 0.693147180559945309417;
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    int n = (int)(bits >> 23) - 127;
    double m = 1 + (double)(bits & 0x7fffff) / 0x800000;
    if (m > 1.41421356) {
        m = m / 2;
        n++;
    }
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int power = 19; power > 0; power -= 2) sum = sum * square + 2.0 / power;
    return (float)-(n * LN2 + s * sum);
}

/* Keeps the rows that go on, in order. */
static void drop_ended(const Model *model, Batch *batch, const Best *best) {
    const int D = model->sizes.dimension;
    int kept = 0;
    for (int i = 0; i < batch->active; i++) {
        const int row = batch->row_of[i];
        const size_t cell = (size_t)row * batch->most_steps + batch->step;
        batch->target[cell] = best[i].piece;
        batch->log_probabilities[cell] = minus_log(best[i].sum);
        if (best[i].piece == EOS || batch->step + 1 >= batch->limits[row]) continue;
        if (kept < i)
            for (int layer = 0; layer < model->sizes.decoder_layers; layer++)
                copy_row(batch->states[layer] + kept * D, batch->states[layer] + i * D, D);
        batch->row_of[kept] = row;
        batch->previous[kept++] = best[i].piece;
    }
    batch->active = kept;
}

static void choose(const Model *model, Batch *batch) {
    Best *best = (Best *)batch->mixed; /* D floats a row are room enough */
    quantize(&model->logits, batch->x, batch->active, batch->quantized);
    for (int i = 0; i < batch->active; i++) best[i] = (Best){-1e30f, 0, EOS};
    for (int from = 0; from < model->sizes.vocabulary; from += LOGITS_AT_ONCE) {
        int to = from + LOGITS_AT_ONCE < model->sizes.vocabulary ? from + LOGITS_AT_ONCE : model->sizes.vocabulary;
        dense_columns(&model->logits, batch->quantized, batch->active, from, to, batch->logits);
        for (int i = 0; i < batch->active; i++) improve(&best[i], batch->logits + i * (to - from), from, to - from);
    }
    drop_ended(model, batch, best);
}

/* One step of every row that goes on; returns how many go on after it. */
EXPORT(batch_decode)
int batch_decode(const Model *model, Batch *batch) {
    const int D = model->sizes.dimension;
    if (!batch->active) return 0;
    embed_previous(model, batch);
    for (int number = 0; number < model->sizes.decoder_layers; number++) {
        const DecoderLayer *layer = &model->decoder[number];
        project(batch, &layer->recurrence, batch->x, batch->active, batch->wide);
        recur(batch->wide, batch->states[number], batch->y, batch->active, D);
        normalize(&layer->recurrence_norm, batch->x, batch->y, batch->active, D);
        if (batch->aligned && number == model->sizes.decoder_layers - 1) align(model, batch);
        look_back(model, batch, number);
        feed_forward(batch, &layer->feed_forward, batch->x, batch->active, D);
    }
    choose(model, batch);
    batch->step++;
    return batch->active;
}
