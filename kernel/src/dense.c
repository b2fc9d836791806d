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

/* With sixteen lanes the last vector may reach eight values beyond the end, on both sides: there is room, as memory is
 * given out by 64 bytes, and `batch->x`, of which parts are read, has some more. */
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

/* Adds up the sums of a tile: R rows of inputs, `weights` of C vectors of columns. */
#define IN_32_BITS(R, C)                                                                                    \
    for (int k = 0; k < K; k += INPUTS) {                                                                   \
        integers w[C];                                                                                      \
        UNROLLED for (int c = 0; c < C; c++) w[c] = load_weights(weights + (size_t)c * LANES * K + k * LANES); \
        UNROLLED for (int r = 0; r < R; r++) {                                                              \
            integers a = load_activations(inputs + (size_t)r * K + k);                                      \
            UNROLLED for (int c = 0; c < C; c++) sums[r][c] = dot(sums[r][c], a, w[c]);                     \
        }                                                                                                   \
    }

/* One block of weights more, for the inputs from `k` on. */
#define ONE_BLOCK(R, from, k)                                                                               \
    do {                                                                                                    \
        const integers block = load_weights(from);                                                          \
        UNROLLED for (int r = 0; r < R; r++)                                                                \
            sums[r][0] += widened(pairs(load_activations(inputs + (size_t)r * K + (k)), block), ones());    \
    } while (0)

/* The same by groups of N blocks, then the blocks that are left, and those that did not fit (narrow.h); of one vector. */
#define IN_16_BITS(R, N)                                                                                    \
    const Narrow *narrow = &dense->narrow;                                                                  \
    const int groups = K / (N * INPUTS), vector = column / LANES;                                           \
    const int16_t *biases = narrow->biases + (size_t)vector * groups * 2 * LANES;                           \
    const activation *from[R];                                                                              \
    UNROLLED for (int r = 0; r < R; r++) from[r] = inputs + (size_t)r * K;                                  \
    const integers one = ones();                                                                            \
    for (int group = 0; group < groups; group++, weights += N * INPUTS * LANES, biases += 2 * LANES) {      \
        const halves bias = load_halves(biases);                                                            \
        integers w[N];                                                                                      \
        UNROLLED for (int i = 0; i < N; i++) w[i] = load_weights(weights + i * INPUTS * LANES);             \
        UNROLLED for (int r = 0; r < R; r++) {                                                              \
            halves sum = bias;                                                                              \
            AS_IT_IS(from[r]);                                                                              \
            UNROLLED for (int i = 0; i < N; i++) sum += pairs(load_activations(from[r] + i * INPUTS), w[i]);\
            sums[r][0] += widened(sum, one);                                                                \
            from[r] += N * INPUTS;                                                                          \
        }                                                                                                   \
    }                                                                                                       \
    for (int i = 0; i < K - groups * N * INPUTS; i += INPUTS)                                               \
        ONE_BLOCK(R, weights + i * LANES, groups * N * INPUTS + i);                                         \
    for (int i = narrow->starts[vector]; i < narrow->starts[vector + 1]; i++)                               \
        ONE_BLOCK(R, narrow->weights + (size_t)i * LANES * INPUTS, narrow->inputs[i]);
#define BY_TWO(R, C) IN_16_BITS(R, 2)
#define BY_FOUR(R, C) IN_16_BITS(R, 4)

/* A tile is R rows by C vectors of columns; as many as fit from `column` to `end`. Returns the first column
 * that is left. */
#define PANEL(name, R, C, SUMS)                                                                             \
    INLINE int name##_##R##x##C(const Dense *dense, const activation *x, Sink sink, int row, int column,    \
                                int end) {                                                                  \
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
            SUMS(R, C)                                                                                      \
            UNROLLED for (int r = 0; r < R; r++) UNROLLED for (int c = 0; c < C; c++)                       \
                put(dense, sink, row + r, column + c * LANES, sums[r][c]);                                  \
        }                                                                                                   \
        return column;                                                                                      \
    }

typedef int Panel(const Dense *dense, const activation *x, Sink sink, int row, int column, int end);

/* Panels of so many rows: of several vectors of columns, and of one, for what is left of them. */
typedef struct {
    int rows;
    Panel *several, *one;
} Shape;

enum { SHAPES = 4 };

/* From the tallest to a single row, whose weights come from memory as they are used. */
typedef struct {
    int columns; /* of the tallest */
    Shape shapes[SHAPES];
} Shapes;

/* The number of vector registers decides the shapes: sums, weights, and activations. Pairs have one vector of
 * columns: a single row waits for weights, and memory brings fastest what lies side by side (docs/adr/0059). */
#if defined(PAIRS)
#define IN_PAIRS(name, SUMS)                                                                                \
    PANEL(name, 6, 1, SUMS)                                                                                 \
    PANEL(name, 4, 1, SUMS)                                                                                 \
    PANEL(name, 2, 1, SUMS)                                                                                 \
    PANEL(name, 1, 1, SUMS)                                                                                 \
    static const Shapes in_##name = {LANES, {{6, name##_6x1, name##_6x1}, {4, name##_4x1, name##_4x1},      \
                                             {2, name##_2x1, name##_2x1}, {1, name##_1x1, name##_1x1}}};
IN_PAIRS(twos, BY_TWO)
IN_PAIRS(fours, BY_FOUR)
#endif
#if defined(BYTES) || !defined(PAIRS)
PANEL(whole, 4, 1, IN_32_BITS)
PANEL(whole, 2, 1, IN_32_BITS)
PANEL(whole, 1, 8, IN_32_BITS)
PANEL(whole, 1, 1, IN_32_BITS)
#if defined(__wasm__) && !defined(RELAXED)
/* One register more for the product, and one that the browser keeps to itself. */
PANEL(whole, 4, 2, IN_32_BITS)
PANEL(whole, 2, 2, IN_32_BITS)
static const Shapes in_whole = {2 * LANES, {{4, whole_4x2, whole_4x1}, {2, whole_2x2, whole_2x1}, {1, whole_1x8, whole_1x1}}};
#elif defined(__wasm__) || (LANES < 16 && !defined(__aarch64__))
PANEL(whole, 6, 2, IN_32_BITS)
PANEL(whole, 6, 1, IN_32_BITS)
PANEL(whole, 4, 2, IN_32_BITS)
PANEL(whole, 2, 4, IN_32_BITS)
static const Shapes in_whole = {2 * LANES, {{6, whole_6x2, whole_6x1}, {4, whole_4x2, whole_4x1},
                                            {2, whole_2x4, whole_2x1}, {1, whole_1x8, whole_1x1}}};
#else
PANEL(whole, 6, 4, IN_32_BITS)
PANEL(whole, 6, 1, IN_32_BITS)
PANEL(whole, 4, 4, IN_32_BITS)
PANEL(whole, 2, 4, IN_32_BITS)
static const Shapes in_whole = {4 * LANES, {{6, whole_6x4, whole_6x1}, {4, whole_4x4, whole_4x1},
                                            {2, whole_2x4, whole_2x1}, {1, whole_1x8, whole_1x1}}};
#endif
#endif

/* Columns come in groups whose weights stay in the first-level cache while all rows pass by. */
enum { GROUP_BYTES = 16 * 1024 };

INLINE int columns_at_once(Shapes by, const Dense *dense, int rows) {
    UNROLLED for (int i = 0; i < SHAPES; i++)
        if (rows == by.shapes[i].rows) return dense->outputs; /* nothing is read again */
    const int group = GROUP_BYTES / dense->inputs / by.columns * by.columns;
    return group < by.columns ? by.columns : group;
}

INLINE void product_by(Shapes by, const Dense *dense, const activation *x, int rows, int first, int last, Sink sink) {
    const int group = columns_at_once(by, dense, rows);
    for (int from = first; from < last; from += group) {
        int to = from + group < last ? from + group : last, row = 0;
        UNROLLED for (int i = 0; i < SHAPES; i++) {
            const Shape shape = by.shapes[i];
            for (; shape.rows && row + shape.rows <= rows; row += shape.rows)
                shape.one(dense, x, sink, row, shape.several(dense, x, sink, row, from, to), to);
        }
    }
}

static void product(const Dense *dense, const activation *x, int rows, int first, int last, Sink sink) {
#if defined(PAIRS)
    if (dense->narrow.group == 4) product_by(in_fours, dense, x, rows, first, last, sink);
    if (dense->narrow.group == 2) product_by(in_twos, dense, x, rows, first, last, sink);
#endif
#if defined(BYTES) || !defined(PAIRS)
    if (dense->narrow.group == 0) product_by(in_whole, dense, x, rows, first, last, sink);
#endif
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

#if defined(RELAXED)

/* Four inputs a lane, with both signs: whether the product is the sum of their products. */
static int means(const int8_t *weights, const uint8_t *inputs, int in_pairs, int with_sign) {
    volatile v128_t hidden_weights = wasm_v128_load(weights), hidden_inputs = wasm_v128_load(inputs);
    const integers w = (integers)hidden_weights, a = (integers)hidden_inputs, three = splat_integer(3);
    const integers found = in_pairs ? three + widened(pairs(a, w), ones()) : dot(three, a, w);
    int equal = 1;
    for (int lane = 0; lane < 4; lane++) {
        int32_t sum = 3;
        for (int i = 4 * lane; i < 4 * lane + 4; i++) sum += weights[i] * (with_sign ? (int8_t)inputs[i] : inputs[i]);
        equal &= found[lane] == sum;
    }
    return equal;
}

OWN int probe(void) {
    /* Pairs that a 16-bit sum could not hold, and such as it can just hold. */
    static const int8_t large[16] = {127, 127, 127, 127, -127, -127, -127, -127, 127, 1, -1, 3, -127, 127, 5, -7};
    static const uint8_t inputs[16] = {255, 255, 255, 255, 255, 255, 200, 200, 128, 129, 254, 7, 128, 255, 1, 0};
    static const int8_t fitting[16] = {64, 64, 127, 1, -64, -64, -127, -1, 127, -128, -1, 3, 0, 127, 5, -7};
    if (means(large, inputs, 0, 0)) return BYTES_UNSIGNED;
    if (means(large, inputs, 0, 1)) return BYTES_SIGNED;
    return means(fitting, inputs, 1, 0) ? BYTES_IN_PAIRS : BYTES_UNUSABLE;
}

#else

OWN int probe(void) {
#if defined(__aarch64__)
    return BYTES_SIGNED;
#elif defined(PAIRS)
    return BYTES_IN_PAIRS;
#elif defined(BYTES)
    return BYTES_UNSIGNED;
#else
    return WORDS;
#endif
}

#endif
