#include "batch.h"
#include "beam.h"
#include "best.h"
#include "layers.h"
#include "shortlist.h"

/* Sentences are encoded in blocks of about so many pieces: what lies between two products stays in the
 * second-level cache. */
enum { BLOCK = 48 };

/* --- memory ---------------------------------------------------------------------------------- */

static int larger(int a, int b) { return a > b ? a : b; }

/* Takes what a mini-batch needs; whether there was enough. The widest sentence decides the block. */
static int take_all(const Model *model, Area *area, Batch *batch, int attention) {
    const int D = model->sizes.dimension, rows = batch->rows, total = batch->total, width = batch->width;
    const int slots = rows * larger(batch->beam, 1);
    const int block = batch->block = larger(larger(BLOCK, slots), width + 4);
    const uint64_t cells = (uint64_t)rows * larger(batch->kept, 1) * batch->most_steps;
    int complete = 1;
#define TAKE(field, count) complete &= (batch->field = area_take(area, sizeof(*batch->field) * (uint64_t)(count))) != 0
    TAKE(pieces, total);
    TAKE(lengths, rows);
    TAKE(limits, rows);
    TAKE(target, cells);
    TAKE(log_probabilities, cells);
    if (attention) TAKE(attention, cells * width + 4);
    TAKE(row_of, slots);
    TAKE(starts, rows);
    TAKE(previous, slots);
    TAKE(x, (uint64_t)larger(total, slots) * D + 8); /* `quantize` may reach beyond the last one */
    for (int layer = 0; layer < model->sizes.decoder_layers; layer++) {
        TAKE(memory[layer], ((uint64_t)total + 4) * 2 * D);
        TAKE(states[layer], (uint64_t)slots * D);
    }
    if (attention && model->aligned_key.outputs) TAKE(aligned, ((uint64_t)total + 4) * model->aligned_key.outputs);
    TAKE(quantized, (uint64_t)block * D);
    TAKE(inner, (uint64_t)block * model->sizes.inner);
    TAKE(wide, ((uint64_t)block + 4) * 3 * D);
    TAKE(y, (uint64_t)block * D);
    TAKE(mixed, (uint64_t)block * D);
    TAKE(weights, (uint64_t)larger(model->sizes.heads, 2) * (width + 4));
    TAKE(logits, (uint64_t)slots * LOGITS_AT_ONCE);
#undef TAKE
    return complete && (!batch->beam || beams_take(model, area, batch));
}

OWN size_t batch_bytes(const Model *model, int rows, int total, int width, int most_steps, int attention, int beam,
                       int kept, int prefixed) {
    Area counted = {.end = UINTPTR_MAX};
    Batch batch = {.rows = rows, .total = total, .width = width, .most_steps = most_steps, .beam = beam, .kept = kept,
                   .prefixed = prefixed};
    area_take(&counted, sizeof(Batch));
    take_all(model, &counted, &batch, attention);
    return counted.next;
}

EXPORT(batch_make)
Batch *batch_make(const Model *model, Area *area, int rows, int total, int width, int most_steps, int attention, int beam,
                  int kept, int prefixed) {
    area_reset(area);
    Batch *batch = area_take(area, sizeof(Batch));
    if (!batch) return 0;
    *batch = (Batch){.rows = rows, .total = total, .width = width, .most_steps = most_steps, .beam = beam, .kept = kept,
                     .prefixed = prefixed, .normalize = 1, .output = &model->logits};
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
        int place = 0;
        for (; place + 2 <= batch->lengths[row]; place += 2)
            attend_twice(query + place * 3 * D, 3 * D, query + D, query + 2 * D, batch->lengths[row], 3 * D, model->sizes.heads, D,
                         batch->weights, mixed + place * D);
        if (place < batch->lengths[row])
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
    if (batch->beam) beams_begin(batch);
}

/* --- decoder --------------------------------------------------------------------------------- */

/* The decoder's first input is the position alone. */
static void embed_previous(const Model *model, Batch *batch) {
    const int D = model->sizes.dimension;
    for (int i = 0; i < batch->active; i++) {
        if (batch->step) embed(model, batch->previous[i], batch->step, batch->x + i * D);
        else copy_row(batch->x + i * D, model->position_table, D);
    }
}

/* The first weights in `batch->weights` as those of a piece of a row's hypothesis number i. Greedy search puts them
 * where they belong; of several hypotheses, the end tells which piece was said where (beam.c). */
static void keep_attention(Batch *batch, int i, int piece) {
    const int row = batch->row_of[i];
    float *kept = batch->beam ? beams_attention(batch, i)
                              : batch->attention + ((size_t)row * batch->most_steps + piece) * batch->width;
    for (int column = 0; column < batch->width; column++) kept[column] = column < batch->lengths[row] ? batch->weights[column] : 0;
}

/* Where the previous piece comes from. The same stands for the piece of this step, until the next one tells. */
static void align(const Model *model, Batch *batch) {
    const int A = model->aligned_query.outputs;
    project(batch, &model->aligned_query, batch->x, batch->active, batch->wide);
    for (int i = 0; i < batch->active; i++) {
        const int row = batch->row_of[i];
        look(batch->wide + i * A, batch->aligned + batch->starts[row] * A, batch->lengths[row], A, A, batch->weights);
        if (batch->step && !batch->beam) keep_attention(batch, i, batch->step - 1);
        keep_attention(batch, i, batch->step);
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
        if (guided) keep_attention(batch, i, batch->step);
    }
    project(batch, &layer->output, batch->mixed, batch->active, batch->y);
    normalize(&layer->attention_norm, batch->x, batch->y, batch->active, D);
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

static void see_best(Batch *batch, Best *best, int i, const float *logits, int first, int count) {
    (void)batch;
    improve(&best[i], logits, first, count);
}

static void choose(const Model *model, Batch *batch) {
    Best *best = (Best *)batch->mixed; /* D floats a row are room enough */
    see_logits(batch, best, see_best);
    for (int i = 0; i < batch->active; i++) best[i].piece = piece_of(batch, batch->row_of[i], best[i].piece);
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
    if (batch->beam) beams_choose(model, batch);
    else choose(model, batch);
    batch->step++;
    if (batch->beam && !batch->active) beams_end(batch);
    return batch->active;
}
