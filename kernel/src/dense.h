/* int8 matrix products with float32 results: the time of a translation is spent here.
 *
 *     y[m][n] = (sum over k of q(x[m][k]) * w[k][n]) * input_scale * weight_scale + bias[n]
 *
 * q rounds x / input_scale to the nearest integer (ties to even) in [-128, 127], or in [0, 255] after a
 * relu. Sums are exact in int32, so results equal those of the ONNX graph (docs/adr/0003, 0006).
 *
 * Packed weights: blocks of 4 columns by 4 inputs, 16 bytes: column 0's four inputs first. The blocks of
 * a column group follow one another along the inputs; K is a multiple of 4, N of 8.
 *
 * Two builds. BASELINE widens weights to 16 bits (i32x4.dot_i16x8_s); activations are int16.
 * RELAXED (-DRELAXED) multiplies bytes four at a time (i32x4.relaxed_dot_i8x16_i7x16_add_s). The standard
 * leaves open what its second operand means when the top bit is set: unsigned where the processor has
 * VPDPBUSD, signed where it has SDOT, and both are exact; `probe` says which. Activations are then stored
 * with an offset of `+128`, or `-128` after a relu, and the accumulators start at the correction for it.
 */
#ifndef DRAGOMAN_DENSE_H
#define DRAGOMAN_DENSE_H

#include "simd.h"

#ifdef RELAXED
typedef uint8_t activation;
#else
typedef int16_t activation;
#endif

/* What the second operand of the byte product is. */
enum { BYTES_UNUSABLE = 0, BYTES_UNSIGNED = 1, BYTES_SIGNED = 2, WORDS = 3 };

typedef struct {
    const int8_t *weights;     /* packed, K * N */
    const int32_t *correction; /* [N]: what accumulators start with */
    const float *bias;         /* [N] */
    float input_scale;         /* a step of the quantized input */
    float scale;               /* input_scale * weight_scale */
    int32_t inputs, outputs;   /* K, N */
    int32_t after_relu;        /* whether the input's negative values are clipped */
    int32_t offset;            /* added to a quantized input for storage */
} Dense;

/* x [rows][K] -> what `dense_floats` and `dense_quantized` read. */
void quantize(const Dense *dense, const float *x, int rows, activation *to);

/* y [rows][N]. */
void dense_floats(const Dense *dense, const activation *x, int rows, float *y);

/* Columns `from` to `to` only (multiples of 8): y [rows][to - from]. */
void dense_columns(const Dense *dense, const activation *x, int rows, int from, int to, float *y);

/* The same, quantized at once as the input of `next`. */
void dense_quantized(const Dense *dense, const activation *x, int rows, const Dense *next, activation *y);

int probe(void);

#endif
