#include "model.h"

/* The host makes a model part by part: it knows the file, this knows the layout. Pointers are addresses
 * in the memory; 0 means that there was not enough. */

OWN Model *model_in(Area area, Sizes sizes) {
    Model *model = area_take(&area, sizeof(Model));
    if (!model) return 0;
    __builtin_memset(model, 0, sizeof(Model)); /* not a copy: Windows would probe the stack for it */
    model->sizes = sizes;
    model->area = area;
    return model;
}

EXPORT(model_take)
void *model_take(Model *model, size_t bytes) { return area_take(&model->area, bytes); }

EXPORT(model_positions)
void model_positions(Model *model, const float *table, float factor) {
    model->position_table = table;
    model->embedding_factor = factor;
}

/* Both sides have an embedding of their own: this is the source's. */
EXPORT(model_source)
void model_source(Model *model, const int8_t *rows, float factor) {
    model->source_rows = rows;
    model->source_factor = factor;
}

/* Which product of which layer; the host counts in the same order. */
enum {
    QUERY_KEY_VALUE, ENCODER_OUTPUT, ENCODER_INNER, ENCODER_OUTER,
    RECURRENCE, KEY_VALUE, QUERY, OUTPUT, INNER, OUTER, LOGITS, ALIGNED_KEY, ALIGNED_QUERY,
};

static Dense *dense_at(Model *model, int part, int layer) {
    EncoderLayer *encoder = &model->encoder[layer];
    DecoderLayer *decoder = &model->decoder[layer];
    Dense *const parts[] = {
        &encoder->query_key_value, &encoder->output, &encoder->feed_forward.inner, &encoder->feed_forward.outer,
        &decoder->recurrence, &decoder->key_value, &decoder->query, &decoder->output,
        &decoder->feed_forward.inner, &decoder->feed_forward.outer, &model->logits,
        &model->aligned_key, &model->aligned_query,
    };
    return parts[part];
}

enum { ENCODER_NORM, ENCODER_FEED_FORWARD_NORM, RECURRENCE_NORM, ATTENTION_NORM, FEED_FORWARD_NORM };

static Norm *norm_at(Model *model, int part, int layer) {
    EncoderLayer *encoder = &model->encoder[layer];
    DecoderLayer *decoder = &model->decoder[layer];
    Norm *const parts[] = {&encoder->norm, &encoder->feed_forward.norm, &decoder->recurrence_norm,
                           &decoder->attention_norm, &decoder->feed_forward.norm};
    return parts[part];
}

EXPORT(model_norm)
void model_norm(Model *model, int part, int layer, const float *scale, const float *bias) {
    *norm_at(model, part, layer) = (Norm){scale, bias};
}

/* Offset of stored activations: see dense.h. */
static int32_t storage_offset(int bytes, int after_relu) {
    if (bytes == BYTES_UNSIGNED || bytes == BYTES_IN_PAIRS) return after_relu ? 0 : 128;
    if (bytes == BYTES_SIGNED) return after_relu ? -128 : 0;
    return 0;
}

/* Where the next product of a part goes: the first one's place, then beside the one before. */
static Dense *vacancy(Model *model, int part, int layer) {
    Dense *dense = dense_at(model, part, layer);
    if (!dense->weights) return dense;
    while (dense->beside) dense = dense->beside;
    return dense->beside = area_take(&model->area, sizeof(Dense));
}

/* Packs the weights w[k][n] = from[k * step_k + n * step_n] and sets a product up; a further one of the
 * same part has the same input, and columns beside it. `from` and `bias` ([N], or 0 for none) are not
 * needed afterwards. Returns 0 when memory is short. */
EXPORT(model_dense)
int model_dense(Model *model, int part, int layer, const int8_t *from, int step_k, int step_n, int K, int N,
                const float *bias, float input, float scale, int kind) {
    const int columns = (N + LANES - 1) / LANES * LANES;
    Dense *dense = vacancy(model, part, layer);
    int8_t *weights = area_take(&model->area, (size_t)K * columns);
    int32_t *correction = area_take(&model->area, sizeof(int32_t) * columns);
    float *biases = area_take(&model->area, sizeof(float) * columns);
    if (!dense || !weights || !correction || !biases) return 0;
    const int after_relu = kind & AFTER_RELU, scaled = kind & SCALED;
    const int bytes = probe();
    const int32_t offset = storage_offset(bytes, after_relu);
    for (int n = 0; n < columns; n++) {
        int32_t sum = 0;
        for (int k = 0; k < K; k++) {
            int8_t weight = n < N ? from[(size_t)k * step_k + (size_t)n * step_n] : 0;
            weights[place_of(k, n, K)] = weight;
            sum += weight;
        }
        correction[n] = -offset * sum;
        biases[n] = n < N && bias ? bias[n] : 0;
    }
    *dense = (Dense){weights, correction, biases, input, 0, 0, scale, K, N, scaled, offset, 0, {}};
    dense->least = after_relu ? 0 : scaled ? -127 : -128;
    dense->most = scaled ? 127 : dense->least + 255;
    if (bytes != BYTES_IN_PAIRS) return 1;
    return narrow_take(&model->area, weights, correction, K, columns / LANES, (int)dense->most + offset, &dense->narrow);
}

/* The piece is never chosen. */
EXPORT(model_never)
void model_never(Model *model, int piece) { ((float *)model->logits.bias)[piece] = -1e9f; }

OWN void embed(const Model *model, int32_t piece, int32_t position, float *to) {
    const int D = model->sizes.dimension;
    const float *places = model->position_table + (size_t)position * D;
    const float factor = model->embedding_factor;
    const int8_t *weights = model->logits.weights, *more;
    for (int d = 0; d < D; d++) to[d] = weights[place_of(d, piece, D)];
    for (int at = 0, d; (more = narrow_next(&model->logits.narrow, piece, &at, &d));)
        for (int i = 0; i < INPUTS; i++) to[d + i] += more[i];
    for (int d = 0; d < D; d++) to[d] = to[d] * factor + places[d];
}

OWN void embed_source(const Model *model, int32_t piece, int32_t position, float *to) {
    const int D = model->sizes.dimension;
    if (!model->source_rows) {
        embed(model, piece, position, to);
        return;
    }
    const float *places = model->position_table + (size_t)position * D;
    const int8_t *row = model->source_rows + (size_t)piece * D;
    for (int d = 0; d < D; d++) to[d] = row[d] * model->source_factor + places[d];
}
