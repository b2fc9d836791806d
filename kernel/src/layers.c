#include "layers.h"

static const float EPSILON = 1e-6f;

OWN void normalize(const Norm *norm, float *x, const float *y, int rows, int dimension) {
    for (int row = 0; row < rows; row++, x += dimension, y += dimension) {
        f32x4 total = splat4(0);
        for (int d = 0; d < dimension; d += 4) {
            f32x4 sum = load4(x + d) + load4(y + d);
            store4(x + d, sum);
            total = total + sum;
        }
        f32x4 mean = splat4(sum4(total) / dimension), squares = splat4(0);
        for (int d = 0; d < dimension; d += 4) {
            f32x4 centred = load4(x + d) - mean;
            squares = squares + centred * centred;
        }
        f32x4 inverse = splat4(1.0f / __builtin_sqrtf(sum4(squares) / dimension + EPSILON));
        for (int d = 0; d < dimension; d += 4) {
            f32x4 unit = (load4(x + d) - mean) * inverse;
            store4(x + d, unit * load4(norm->scale + d) + load4(norm->bias + d));
        }
    }
}

/* Products of a query's head and four keys. */
INLINE f32x4 scores4(const float *query, const float *key, int step, int size) {
    f32x4 sums[4];
    UNROLLED for (int i = 0; i < 4; i++) sums[i] = splat4(0);
    for (int d = 0; d < size; d += 4) {
        f32x4 q = load4(query + d);
        UNROLLED for (int i = 0; i < 4; i++) sums[i] = sums[i] + q * load4(key + i * step + d);
    }
    return sums4(sums[0], sums[1], sums[2], sums[3]);
}

/* The last block of four may reach beyond the keys: what it reads there is masked. */
OWN void look(const float *query, const float *keys, int columns, int step, int size, float *weights) {
    const i32x4 numbers = {0, 1, 2, 3};
    f32x4 factor = splat4(1.0f / __builtin_sqrtf((float)size)), far = splat4(-1e30f), largest = far;
    for (int column = 0; column < columns; column += 4) {
        f32x4 scores = scores4(query, keys + column * step, step, size) * factor;
        scores = numbers + column < columns ? scores : far;
        largest = larger4(largest, scores);
        store4(weights + column, scores);
    }
    f32x4 top = splat4(max4(largest)), total = splat4(0);
    for (int column = 0; column < columns; column += 4) {
        f32x4 power = exp4(load4(weights + column) - top);
        store4(weights + column, power);
        total = total + power;
    }
    f32x4 inverse = splat4(1.0f / sum4(total));
    for (int column = 0; column < columns; column += 4) store4(weights + column, load4(weights + column) * inverse);
}

OWN void attend(const float *query, const float *keys, const float *values, int columns, int step, int heads,
                int dimension, float *weights, float *y) {
    const int size = dimension / heads, stride = (columns + 3) & ~3;
    for (int head = 0; head < heads; head++, weights += stride) {
        const int from = head * size;
        look(query + from, keys + from, columns, step, size, weights);
        for (int d = from; d < from + size; d += 8) {
            f32x8 mixed = {};
            for (int column = 0; column < columns; column++)
                mixed = mixed + weights[column] * load8(values + column * step + d);
            store8(y + d, mixed);
        }
    }
}

OWN void recur(const float *both, float *state, float *h, int rows, int dimension) {
    const f32x4 one = splat4(1), zero = splat4(0);
    for (int row = 0; row < rows; row++, both += 2 * dimension, state += dimension, h += dimension) {
        for (int d = 0; d < dimension; d += 4) {
            f32x4 candidate = load4(both + d);
            f32x4 forget = one / (one + exp4(-load4(both + dimension + d)));
            f32x4 next = candidate + forget * (load4(state + d) - candidate);
            store4(state + d, next);
            store4(h + d, larger4(next, zero));
        }
    }
}
