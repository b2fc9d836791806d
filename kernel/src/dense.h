/* int8 matrix products with float32 results: the time of a translation is spent here.
 *
 *     y[m][n] = (sum over k of q(x[m][k]) * w[k][n]) * scale + bias[n]
 *
 * q rounds to the nearest integer (ties to even):
 *
 *     our own models        x / input    in [-128, 127], or in [0, 255] after a relu
 *     published (SCALED)    x * input    in [-127, 127], or in [0, 127] after a relu
 *
 * Sums are exact in int32, so results equal those of the ONNX graph (docs/adr/0003, 0006, 0024).
 *
 * Packed weights: blocks of LANES columns by INPUTS inputs (dots.h). The blocks of a group of columns
 * follow one another along the inputs; K is a multiple of 4, N of 8. Where LANES does not divide N, the
 * columns that are missing have the weight 0.
 */
#ifndef DRAGOMAN_DENSE_H
#define DRAGOMAN_DENSE_H

#include "dots.h"
#include "narrow.h"

/* What the second operand of the byte product is, and which product there is. */
enum { BYTES_UNUSABLE = 0, BYTES_UNSIGNED = 1, BYTES_SIGNED = 2, WORDS = 3, BYTES_IN_PAIRS = 4 };

/* How a product reads its input. */
enum { AFTER_RELU = 1, SCALED = 2 };

typedef struct Dense {
    const int8_t *weights;     /* packed, K * N, N rounded up to LANES */
    const int32_t *correction; /* [N rounded up]: what accumulators start with */
    const float *bias;         /* [N rounded up] */
    float input;               /* a step of the quantized input; SCALED: steps in 1 */
    float least, most;         /* of the quantized input */
    float scale;               /* of a sum */
    int32_t inputs, outputs;   /* K, N */
    int32_t scaled;            /* whether the input is multiplied: SCALED */
    int32_t offset;            /* added to a quantized input for storage */
    struct Dense *beside;      /* the product of the same input whose columns follow, or 0 */
    Narrow narrow;             /* BYTES_IN_PAIRS */
} Dense;

/* x [rows][K] -> what `dense_floats` and `dense_quantized` read. */
OWN void quantize(const Dense *dense, const float *x, int rows, activation *to);

/* y [rows][N], a row `stride` after the one before. */
OWN void dense_floats(const Dense *dense, const activation *x, int rows, int stride, float *y);

/* Columns `from` to `to` only (`from` a multiple of 16, `to` of 8): y [rows][to - from]. */
OWN void dense_columns(const Dense *dense, const activation *x, int rows, int from, int to, float *y);

/* The same as `dense_floats`, quantized at once as the input of `next`. */
OWN void dense_quantized(const Dense *dense, const activation *x, int rows, const Dense *next, activation *y);

/* Where packed weights have w[k][n]. */
INLINE size_t place_of(int k, int n, int inputs) {
    return (size_t)(n / LANES) * LANES * inputs + (k / INPUTS) * INPUTS * LANES + n % LANES * INPUTS + k % INPUTS;
}

OWN int probe(void);

#endif
