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

/* Of several queries whatever is read of keys and values is read once. */
enum { QUERIES = 2 };

/* Products of `many` queries' heads and four keys. Up to three keys beyond the last may be read. */
INLINE void scores4(int many, const float *query, int apart, const float *key, int step, int size, f32x4 *scores) {
    f32x4 sums[QUERIES][4];
    UNROLLED for (int q = 0; q < many; q++) UNROLLED for (int i = 0; i < 4; i++) sums[q][i] = splat4(0);
    for (int d = 0; d < size; d += 4) {
        f32x4 of_query[QUERIES];
        UNROLLED for (int q = 0; q < many; q++) of_query[q] = load4(query + q * apart + d);
        UNROLLED for (int i = 0; i < 4; i++) {
            f32x4 of_key = load4(key + i * step + d);
            UNROLLED for (int q = 0; q < many; q++) sums[q][i] = sums[q][i] + of_query[q] * of_key;
        }
    }
    UNROLLED for (int q = 0; q < many; q++) scores[q] = sums4(sums[q][0], sums[q][1], sums[q][2], sums[q][3]);
}

INLINE void soften(float *weights, int columns, f32x4 largest) {
    f32x4 top = splat4(max4(largest)), total = splat4(0);
    for (int column = 0; column < columns; column += 4) {
        f32x4 power = exp4(load4(weights + column) - top);
        store4(weights + column, power);
        total = total + power;
    }
    f32x4 inverse = splat4(1.0f / sum4(total));
    for (int column = 0; column < columns; column += 4) store4(weights + column, load4(weights + column) * inverse);
}

/* The last block of four may reach beyond the keys: what it reads there is masked. */
INLINE void look_by(int many, const float *query, int apart, const float *keys, int columns, int step, int size, float *weights,
                    int stride) {
    const i32x4 numbers = {0, 1, 2, 3};
    f32x4 factor = splat4(1.0f / __builtin_sqrtf((float)size)), far = splat4(-1e30f), largest[QUERIES] = {far, far};
    for (int column = 0; column < columns; column += 4) {
        f32x4 scores[QUERIES];
        scores4(many, query, apart, keys + column * step, step, size, scores);
        UNROLLED for (int q = 0; q < many; q++) {
            f32x4 here = scores[q] * factor;
            here = numbers + column < columns ? here : far;
            largest[q] = larger4(largest[q], here);
            store4(weights + q * stride + column, here);
        }
    }
    UNROLLED for (int q = 0; q < many; q++) soften(weights + q * stride, columns, largest[q]);
}

OWN void look(const float *query, const float *keys, int columns, int step, int size, float *weights) {
    look_by(1, query, 0, keys, columns, step, size, weights, 0);
}

INLINE void mix(int many, const float *weights, int stride, const float *values, int columns, int step, float *y, int apart) {
    f32x8 mixed[QUERIES] = {};
    for (int column = 0; column < columns; column++) {
        f32x8 value = load8(values + column * step);
        UNROLLED for (int q = 0; q < many; q++) mixed[q] = mixed[q] + weights[q * stride + column] * value;
    }
    UNROLLED for (int q = 0; q < many; q++) store8(y + q * apart, mixed[q]);
}

OWN void attend(const float *query, const float *keys, const float *values, int columns, int step, int heads,
                int dimension, float *weights, float *y) {
    const int size = dimension / heads, stride = (columns + 3) & ~3;
    for (int head = 0; head < heads; head++, weights += stride) {
        const int from = head * size;
        look_by(1, query + from, 0, keys + from, columns, step, size, weights, 0);
        for (int d = from; d < from + size; d += 8) mix(1, weights, 0, values + d, columns, step, y + d, 0);
    }
}

OWN void attend_twice(const float *query, int apart, const float *keys, const float *values, int columns, int step, int heads,
                      int dimension, float *weights, float *y) {
    const int size = dimension / heads, stride = (columns + 3) & ~3;
    for (int from = 0; from < dimension; from += size) {
        look_by(2, query + from, apart, keys + from, columns, step, size, weights, stride);
        for (int d = from; d < from + size; d += 8) mix(2, weights, stride, values + d, columns, step, y + d, dimension);
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
