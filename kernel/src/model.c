#include "model.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* The host makes a model part by part: it knows the file, this knows the layout. Pointers are addresses
 * in the memory; 0 means that there was not enough. */

/* What bytes mean on this machine (dense.h): BYTES_UNUSABLE is for the host to look elsewhere. */
EXPORT(kernel_bytes)
int kernel_bytes(void) { return probe(); }

EXPORT(model_make)
Model *model_make(int32_t vocabulary, int32_t dimension, int32_t inner, int32_t heads, int32_t encoder_layers,
                  int32_t decoder_layers, int32_t positions) {
    Area area = {0};
    Model *model = area_take(&area, sizeof(Model));
    if (!model) return 0;
    *model = (Model){.vocabulary = vocabulary, .dimension = dimension, .inner = inner, .heads = heads,
                     .encoder_layers = encoder_layers, .decoder_layers = decoder_layers,
                     .positions = positions, .area = area};
    return model;
}

EXPORT(model_take)
void *model_take(Model *model, size_t bytes) { return area_take(&model->area, bytes); }

EXPORT(model_positions)
void model_positions(Model *model, const float *table, float factor) {
    model->position_table = table;
    model->embedding_factor = factor;
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
    if (bytes == BYTES_UNSIGNED) return after_relu ? 0 : 128;
    if (bytes == BYTES_SIGNED) return after_relu ? -128 : 0;
    return 0;
}

/* Packs the weights w[k][n] = from[k * step_k + n * step_n] and sets a product up.
 * `bias` [N] must stay; `from` is not needed afterwards. Returns 0 when memory is short. */
EXPORT(model_dense)
int model_dense(Model *model, int part, int layer, const int8_t *from, int step_k, int step_n, int K, int N,
                const float *bias, float input_scale, float weight_scale, int after_relu) {
    int8_t *weights = area_take(&model->area, (size_t)K * N);
    int32_t *correction = area_take(&model->area, sizeof(int32_t) * N);
    if (!weights || !correction) return 0;
    int32_t offset = storage_offset(probe(), after_relu);
    for (int n = 0; n < N; n++) {
        int8_t *block = weights + (n & ~3) * K + 4 * (n & 3);
        int32_t sum = 0;
        for (int k = 0; k < K; k++) {
            int8_t weight = from[k * step_k + n * step_n];
            block[(k & ~3) * 4 + (k & 3)] = weight;
            sum += weight;
        }
        correction[n] = -offset * sum;
    }
    *dense_at(model, part, layer) = (Dense){weights, correction, bias, input_scale, input_scale * weight_scale, K, N, after_relu, offset};
    return 1;
}

void embed(const Model *model, int32_t piece, int32_t position, float *to) {
    const int D = model->dimension;
    const int8_t *row = model->logits.weights + (piece & ~3) * D + 4 * (piece & 3);
    const float *places = model->position_table + position * D;
    f32x4 factor = wasm_f32x4_splat(model->embedding_factor);
    for (int d = 0; d < D; d += 4) {
        i32x4 four = wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(wasm_v128_load32_zero(row + 4 * d)));
        store4(to + d, wasm_f32x4_add(wasm_f32x4_mul(wasm_f32x4_convert_i32x4(four), factor), load4(places + d)));
    }
}
