#include "dense.h"

/* --- quantization ---------------------------------------------------------------------------- */

/* As integers in storage form, of what the input's scale was applied to. */
INLINE integers rounded(const Dense *dense, floats steps) {
    floats q = __builtin_elementwise_roundeven(steps);
    q = smaller_of(splat(dense->most), larger_of(splat(dense->least), q));
    return __builtin_convertvector(q, integers) + splat_integer(dense->offset);
}

/* A division for our own models, as in their graph: a product with the reciprocal rounds differently at
 * ties. Published ones multiply. */
INLINE integers quantized(const Dense *dense, floats x) {
    return dense->scaled ? rounded(dense, x * splat(dense->input)) : rounded(dense, x / splat(dense->input));
}

/* The low bits, whatever the sign. */
INLINE void store_quantized(activation *to, integers values) {
    typedef activation stored __attribute__((ext_vector_type(LANES)));
    typedef stored loose_stored __attribute__((aligned(1), may_alias));
    *(loose_stored *)to = __builtin_convertvector(values, stored);
}

/* With sixteen lanes the last vector may reach eight values beyond the end, on both sides: there is room,
 * as memory is given out by 64 bytes. */
OWN void quantize(const Dense *dense, const float *x, int rows, activation *to) {
    int count = rows * dense->inputs;
    for (int i = 0; i < count; i += LANES) store_quantized(to + i, quantized(dense, load_floats(x + i)));
}

/* --- products -------------------------------------------------------------------------------- */

/* What becomes of a vector of sums: floats, or the input of `next`. The first column of a row is
 * `column`, the next row is `stride` further; columns from `end` on are not there. */
typedef struct {
    float *floats;
    activation *quantized;
    const Dense *next;
    int column, stride, end;
} Sink;

/* Half a vector of sixteen: N is a multiple of 8. */
INLINE void put_half(Sink sink, size_t at, floats y) {
    floats halves[2];
    activation kept[2 * LANES];
    halves[0] = y;
    if (sink.next) {
        store_quantized(kept, quantized(sink.next, y));
        __builtin_memcpy(sink.quantized + at, kept, sizeof(activation) * LANES / 2);
    } else {
        __builtin_memcpy(sink.floats + at, halves, sizeof(float) * LANES / 2);
    }
}

INLINE void put(const Dense *dense, Sink sink, int row, int column, integers sums) {
    floats y = __builtin_convertvector(sums, floats) * splat(dense->scale) + load_floats(dense->bias + column);
    size_t at = (size_t)row * sink.stride + column - sink.column;
    if (LANES == 16 && column + LANES > sink.end) put_half(sink, at, y);
    else if (sink.next) store_quantized(sink.quantized + at, quantized(sink.next, y));
    else store_floats(sink.floats + at, y);
}

/* A tile is R rows by C vectors of columns; as many as fit from `column` to `end`. Returns the first column
 * that is left. */
#define PANEL(R, C)                                                                                         \
    INLINE int panel_##R##x##C(const Dense *dense, const activation *x, Sink sink, int row, int column,     \
                               int end) {                                                                   \
        const int K = dense->inputs;                                                                        \
        const activation *inputs = x + (size_t)row * K;                                                     \
        for (; column + (C - 1) * LANES < end; column += C * LANES) {                                       \
            const int8_t *weights = dense->weights + (size_t)column * K;                                    \
            integers sums[R][C];                                                                            \
            UNROLLED for (int c = 0; c < C; c++) {                                                          \
                integers start;                                                                             \
                __builtin_memcpy(&start, dense->correction + column + c * LANES, sizeof(start));            \
                UNROLLED for (int r = 0; r < R; r++) sums[r][c] = start;                                    \
            }                                                                                               \
            for (int k = 0; k < K; k += INPUTS) {                                                           \
                integers w[C];                                                                              \
                UNROLLED for (int c = 0; c < C; c++)                                                        \
                    w[c] = load_weights(weights + (size_t)c * LANES * K + k * LANES);                       \
                UNROLLED for (int r = 0; r < R; r++) {                                                      \
                    integers a = load_activations(inputs + (size_t)r * K + k);                              \
                    UNROLLED for (int c = 0; c < C; c++) sums[r][c] = dot(sums[r][c], a, w[c]);             \
                }                                                                                           \
            }                                                                                               \
            UNROLLED for (int r = 0; r < R; r++) UNROLLED for (int c = 0; c < C; c++)                       \
                put(dense, sink, row + r, column + c * LANES, sums[r][c]);                                  \
        }                                                                                                   \
        return column;                                                                                      \
    }

/* The number of vector registers decides the shapes: sums, weights, and one activation. */
PANEL(1, 8)
PANEL(1, 1)
#if defined(__wasm__) && !defined(RELAXED)
/* One register more for the product, and one that the browser keeps to itself. */
enum { TALL = 4, BROAD = 2 };
PANEL(4, 2)
PANEL(4, 1)
PANEL(2, 2)
PANEL(2, 1)
#define tall_panel panel_4x2
#define tall_rest panel_4x1
#define low_panel panel_2x2
#elif defined(__wasm__) || (LANES < 16 && !defined(__aarch64__))
enum { TALL = 6, BROAD = 2 };
PANEL(6, 2)
PANEL(6, 1)
PANEL(2, 4)
PANEL(2, 1)
#define tall_panel panel_6x2
#define tall_rest panel_6x1
#define low_panel panel_2x4
#else
enum { TALL = 6, BROAD = 4 };
PANEL(6, 4)
PANEL(6, 1)
PANEL(2, 4)
PANEL(2, 1)
#define tall_panel panel_6x4
#define tall_rest panel_6x1
#define low_panel panel_2x4
#endif

/* Columns come in groups whose weights stay in the first-level cache while all rows pass by. */
enum { GROUP_BYTES = 16 * 1024, STEP = BROAD * LANES };

INLINE void product(const Dense *dense, const activation *x, int rows, int first, int last, Sink sink) {
    int group = GROUP_BYTES / dense->inputs / STEP * STEP;
    if (group < STEP) group = STEP;
    if (rows < 2 * TALL) group = last - first;
    for (int from = first; from < last; from += group) {
        int to = from + group < last ? from + group : last, row = 0;
        for (; row + TALL <= rows; row += TALL)
            tall_rest(dense, x, sink, row, tall_panel(dense, x, sink, row, from, to), to);
        for (; row + 2 <= rows; row += 2)
            panel_2x1(dense, x, sink, row, low_panel(dense, x, sink, row, from, to), to);
        if (row < rows) panel_1x1(dense, x, sink, row, panel_1x8(dense, x, sink, row, from, to), to);
    }
}

OWN void dense_columns(const Dense *dense, const activation *x, int rows, int from, int to, float *y) {
    product(dense, x, rows, from, to, (Sink){y, 0, 0, from, to - from, to});
}

OWN void dense_floats(const Dense *dense, const activation *x, int rows, int stride, float *y) {
    product(dense, x, rows, 0, dense->outputs, (Sink){y, 0, 0, 0, stride, dense->outputs});
}

OWN void dense_quantized(const Dense *dense, const activation *x, int rows, const Dense *next, activation *y) {
    product(dense, x, rows, 0, dense->outputs, (Sink){0, y, next, 0, dense->outputs, dense->outputs});
}

/* --- what bytes mean ------------------------------------------------------------------------- */

OWN int probe(void) {
#if defined(RELAXED)
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
#elif defined(__aarch64__)
    return BYTES_SIGNED;
#elif defined(BYTES)
    return BYTES_UNSIGNED;
#else
    return WORDS;
#endif
}
