#include "dense.h"

/* --- quantization ---------------------------------------------------------------------------- */

/* Four values as int32 in storage form. */
INLINE i32x4 quantized(const Dense *dense, f32x4 x) {
    /* A division, as in the graph: a product with the reciprocal rounds differently at ties. */
    f32x4 q = wasm_f32x4_nearest(wasm_f32x4_div(x, wasm_f32x4_splat(dense->input_scale)));
    float least = dense->after_relu ? 0.0f : -128.0f;
    q = wasm_f32x4_pmin(wasm_f32x4_pmax(q, wasm_f32x4_splat(least)), wasm_f32x4_splat(least + 255.0f));
    return wasm_i32x4_add(wasm_i32x4_trunc_sat_f32x4(q), wasm_i32x4_splat(dense->offset));
}

INLINE void store_quantized(activation *to, i32x4 low, i32x4 high) {
    v128_t words = wasm_i16x8_narrow_i32x4(low, high);
#ifdef RELAXED
    /* Keeps the low bytes, whatever their sign. */
    v128_t bytes = wasm_i8x16_shuffle(words, words, 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14);
    wasm_v128_store64_lane(to, bytes, 0);
#else
    wasm_v128_store(to, words);
#endif
}

void quantize(const Dense *dense, const float *x, int rows, activation *to) {
    int count = rows * dense->inputs;
    for (int i = 0; i < count; i += 8)
        store_quantized(to + i, quantized(dense, load4(x + i)), quantized(dense, load4(x + i + 4)));
}

/* --- products -------------------------------------------------------------------------------- */

/* A tile is R rows by C blocks of four columns; `sums[r][c]` ends as the four int32 sums. */

#ifdef RELAXED

#define TILE(R, C)                                                                                          \
    INLINE void tile_##R##x##C(const Dense *dense, const activation *x, int column, i32x4 sums[R][C]) {     \
        const int K = dense->inputs;                                                                        \
        const int8_t *weights = dense->weights + column * K;                                                \
        UNROLLED for (int c = 0; c < C; c++) {                                                              \
            i32x4 start = wasm_v128_load(dense->correction + column + 4 * c);                               \
            UNROLLED for (int r = 0; r < R; r++) sums[r][c] = start;                                        \
        }                                                                                                   \
        for (int k = 0; k < K; k += 4) {                                                                    \
            v128_t w[C];                                                                                    \
            UNROLLED for (int c = 0; c < C; c++) w[c] = wasm_v128_load(weights + c * 4 * K + 4 * k);        \
            UNROLLED for (int r = 0; r < R; r++) {                                                          \
                v128_t a = wasm_v128_load32_splat(x + r * K + k);                                           \
                UNROLLED for (int c = 0; c < C; c++)                                                        \
                    sums[r][c] = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(w[c], a, sums[r][c]);               \
            }                                                                                               \
        }                                                                                                   \
    }

#else

/* Two vectors of half sums a block: [c0 k01, c0 k23, c1 k01, c1 k23] and the same of c2 and c3. */
#define TILE(R, C)                                                                                          \
    INLINE void tile_##R##x##C(const Dense *dense, const activation *x, int column, i32x4 sums[R][C]) {     \
        const int K = dense->inputs;                                                                        \
        const int8_t *weights = dense->weights + column * K;                                                \
        i32x4 low[R][C], high[R][C];                                                                        \
        UNROLLED for (int r = 0; r < R; r++) UNROLLED for (int c = 0; c < C; c++)                           \
            low[r][c] = high[r][c] = wasm_i32x4_const_splat(0);                                             \
        for (int k = 0; k < K; k += 4) {                                                                    \
            v128_t w0[C], w1[C];                                                                            \
            UNROLLED for (int c = 0; c < C; c++) {                                                          \
                w0[c] = wasm_i16x8_load8x8(weights + c * 4 * K + 4 * k);                                    \
                w1[c] = wasm_i16x8_load8x8(weights + c * 4 * K + 4 * k + 8);                                \
            }                                                                                               \
            UNROLLED for (int r = 0; r < R; r++) {                                                          \
                v128_t a = wasm_v128_load64_splat(x + r * K + k);                                           \
                UNROLLED for (int c = 0; c < C; c++) {                                                      \
                    low[r][c] = wasm_i32x4_add(low[r][c], wasm_i32x4_dot_i16x8(w0[c], a));                  \
                    high[r][c] = wasm_i32x4_add(high[r][c], wasm_i32x4_dot_i16x8(w1[c], a));                \
                }                                                                                           \
            }                                                                                               \
        }                                                                                                   \
        UNROLLED for (int r = 0; r < R; r++) UNROLLED for (int c = 0; c < C; c++)                           \
            sums[r][c] = wasm_i32x4_add(wasm_i32x4_shuffle(low[r][c], high[r][c], 0, 2, 4, 6),              \
                                        wasm_i32x4_shuffle(low[r][c], high[r][c], 1, 3, 5, 7));             \
    }

#endif

/* What becomes of a pair of blocks (eight columns) of one row: floats, or the input of `next`. The
 * first column of a row is `column`, the next row is `stride` further. */
typedef struct {
    float *floats;
    activation *quantized;
    const Dense *next;
    int column, stride;
} Sink;

INLINE f32x4 affine(const Dense *dense, i32x4 sums, int column) {
    f32x4 y = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sums), wasm_f32x4_splat(dense->scale));
    return wasm_f32x4_add(y, load4(dense->bias + column));
}

INLINE void put(const Dense *dense, Sink sink, int row, int column, i32x4 left, i32x4 right) {
    f32x4 a = affine(dense, left, column), b = affine(dense, right, column + 4);
    int at = row * sink.stride + column - sink.column;
    if (sink.next) {
        store_quantized(sink.quantized + at, quantized(sink.next, a), quantized(sink.next, b));
    } else {
        store4(sink.floats + at, a);
        store4(sink.floats + at + 4, b);
    }
}

#define PANEL(R, C)                                                                                         \
    TILE(R, C)                                                                                              \
    INLINE void panel_##R##x##C(const Dense *dense, const activation *x, Sink sink, int row, int from,      \
                                int to) {                                                                   \
        for (int column = from; column < to; column += 4 * C) {                                             \
            i32x4 sums[R][C];                                                                               \
            tile_##R##x##C(dense, x + row * dense->inputs, column, sums);                                   \
            UNROLLED for (int r = 0; r < R; r++) UNROLLED for (int c = 0; c < C; c += 2)                    \
                put(dense, sink, row + r, column + 4 * c, sums[r][c], sums[r][c + 1]);                      \
        }                                                                                                   \
    }

/* Sixteen vector registers decide the shapes: sums, weights, and one activation. */
#ifdef RELAXED
#define TALL 6
PANEL(6, 2)
PANEL(3, 2)
PANEL(1, 8)
PANEL(1, 2)
#define TALL_PANEL panel_6x2
#else
#define TALL 2
PANEL(2, 2)
PANEL(1, 4)
PANEL(1, 2)
#define TALL_PANEL panel_2x2
#endif

INLINE void rest_of_rows(const Dense *dense, const activation *x, Sink sink, int row, int rows, int from, int to) {
#ifdef RELAXED
    if (row + 3 <= rows) {
        panel_3x2(dense, x, sink, row, from, to);
        row += 3;
    }
    const int wide = from + (to - from) / 32 * 32;
    for (; row < rows; row++) {
        panel_1x8(dense, x, sink, row, from, wide);
        panel_1x2(dense, x, sink, row, wide, to);
    }
#else
    const int wide = from + (to - from) / 16 * 16;
    for (; row < rows; row++) {
        panel_1x4(dense, x, sink, row, from, wide);
        panel_1x2(dense, x, sink, row, wide, to);
    }
#endif
}

/* Columns come in groups whose weights stay in the first-level cache while all rows pass by. */
enum { GROUP_BYTES = 16 * 1024 };

INLINE void product(const Dense *dense, const activation *x, int rows, int first, int last, Sink sink) {
    int group = GROUP_BYTES / dense->inputs / 8 * 8;
    if (group < 8) group = 8;
    if (rows < 2 * TALL) group = last - first;
    for (int from = first; from < last; from += group) {
        int to = from + group < last ? from + group : last, row = 0;
        for (; row + TALL <= rows; row += TALL) TALL_PANEL(dense, x, sink, row, from, to);
        rest_of_rows(dense, x, sink, row, rows, from, to);
    }
}

void dense_columns(const Dense *dense, const activation *x, int rows, int from, int to, float *y) {
    product(dense, x, rows, from, to, (Sink){y, 0, 0, from, to - from});
}

void dense_floats(const Dense *dense, const activation *x, int rows, float *y) {
    dense_columns(dense, x, rows, 0, dense->outputs, y);
}

void dense_quantized(const Dense *dense, const activation *x, int rows, const Dense *next, activation *y) {
    product(dense, x, rows, 0, dense->outputs, (Sink){0, y, next, 0, dense->outputs});
}

/* --- what bytes mean ------------------------------------------------------------------------- */

int probe(void) {
#ifdef RELAXED
    /* Pairs that a 16-bit intermediate sum could not hold, with both signs. */
    static const int8_t weights[16] = {127, 127, 127, 127, -127, -127, -127, -127, 127, 1, -1, 3, -127, 127, 5, -7};
    static const uint8_t inputs[16] = {255, 255, 255, 255, 255, 255, 200, 200, 128, 129, 254, 7, 128, 255, 1, 0};
    volatile v128_t hidden_weights = wasm_v128_load(weights), hidden_inputs = wasm_v128_load(inputs);
    int32_t found[4];
    wasm_v128_store(found, wasm_i32x4_relaxed_dot_i8x16_i7x16_add(hidden_weights, hidden_inputs, wasm_i32x4_const_splat(3)));
    int as_unsigned = 1, as_signed = 1;
    for (int lane = 0; lane < 4; lane++) {
        int32_t with_unsigned = 3, with_signed = 3;
        for (int i = 4 * lane; i < 4 * lane + 4; i++) {
            with_unsigned += weights[i] * inputs[i];
            with_signed += weights[i] * (int8_t)inputs[i];
        }
        as_unsigned &= found[lane] == with_unsigned;
        as_signed &= found[lane] == with_signed;
    }
    return as_unsigned ? BYTES_UNSIGNED : as_signed ? BYTES_SIGNED : BYTES_UNUSABLE;
#else
    return WORDS;
#endif
}
