#include "layers.h"

static const float EPSILON = 1e-6f;

void normalize(const Norm *norm, float *x, const float *y, int rows, int dimension) {
    for (int row = 0; row < rows; row++, x += dimension, y += dimension) {
        f32x4 total = wasm_f32x4_const_splat(0);
        for (int d = 0; d < dimension; d += 4) {
            f32x4 sum = wasm_f32x4_add(load4(x + d), load4(y + d));
            store4(x + d, sum);
            total = wasm_f32x4_add(total, sum);
        }
        f32x4 mean = wasm_f32x4_splat(sum4(total) / dimension);
        f32x4 squares = wasm_f32x4_const_splat(0);
        for (int d = 0; d < dimension; d += 4) {
            f32x4 centred = wasm_f32x4_sub(load4(x + d), mean);
            squares = wasm_f32x4_add(squares, wasm_f32x4_mul(centred, centred));
        }
        f32x4 inverse = wasm_f32x4_splat(1.0f / __builtin_sqrtf(sum4(squares) / dimension + EPSILON));
        for (int d = 0; d < dimension; d += 4) {
            f32x4 unit = wasm_f32x4_mul(wasm_f32x4_sub(load4(x + d), mean), inverse);
            store4(x + d, wasm_f32x4_add(wasm_f32x4_mul(unit, load4(norm->scale + d)), load4(norm->bias + d)));
        }
    }
}

/* Products of a query's head and four keys. */
INLINE f32x4 scores4(const float *query, const float *key, int step, int size) {
    f32x4 sums[4];
    UNROLLED for (int i = 0; i < 4; i++) sums[i] = wasm_f32x4_const_splat(0);
    for (int d = 0; d < size; d += 4) {
        f32x4 q = load4(query + d);
        UNROLLED for (int i = 0; i < 4; i++) sums[i] = wasm_f32x4_add(sums[i], wasm_f32x4_mul(q, load4(key + i * step + d)));
    }
    return sums4(sums[0], sums[1], sums[2], sums[3]);
}

/* The last block of four may reach beyond the keys: what it reads there is masked. */
void look(const float *query, const float *keys, int columns, int step, int size, float *weights) {
    const i32x4 numbers = wasm_i32x4_const(0, 1, 2, 3);
    f32x4 factor = wasm_f32x4_splat(1.0f / __builtin_sqrtf((float)size));
    f32x4 largest = wasm_f32x4_const_splat(-1e30f);
    for (int column = 0; column < columns; column += 4) {
        f32x4 scores = wasm_f32x4_mul(scores4(query, keys + column * step, step, size), factor);
        v128_t inside = wasm_i32x4_lt(wasm_i32x4_add(numbers, wasm_i32x4_splat(column)), wasm_i32x4_splat(columns));
        scores = wasm_v128_bitselect(scores, wasm_f32x4_const_splat(-1e30f), inside);
        largest = wasm_f32x4_pmax(largest, scores);
        store4(weights + column, scores);
    }
    f32x4 top = wasm_f32x4_splat(max4(largest)), total = wasm_f32x4_const_splat(0);
    for (int column = 0; column < columns; column += 4) {
        f32x4 power = exp4(wasm_f32x4_sub(load4(weights + column), top));
        store4(weights + column, power);
        total = wasm_f32x4_add(total, power);
    }
    f32x4 inverse = wasm_f32x4_splat(1.0f / sum4(total));
    for (int column = 0; column < columns; column += 4)
        store4(weights + column, wasm_f32x4_mul(load4(weights + column), inverse));
}

void attend(const float *query, const float *keys, const float *values, int columns, int step, int heads,
            int dimension, float *weights, float *y) {
    const int size = dimension / heads, stride = (columns + 3) & ~3;
    for (int head = 0; head < heads; head++, weights += stride) {
        const int from = head * size;
        look(query + from, keys + from, columns, step, size, weights);
        for (int d = from; d < from + size; d += 8) {
            f32x4 low = wasm_f32x4_const_splat(0), high = low;
            for (int column = 0; column < columns; column++) {
                f32x4 weight = wasm_v128_load32_splat(weights + column);
                const float *value = values + column * step + d;
                low = wasm_f32x4_add(low, wasm_f32x4_mul(weight, load4(value)));
                high = wasm_f32x4_add(high, wasm_f32x4_mul(weight, load4(value + 4)));
            }
            store4(y + d, low);
            store4(y + d + 4, high);
        }
    }
}

void recur(const float *both, float *state, float *h, int rows, int dimension) {
    const f32x4 one = wasm_f32x4_const_splat(1), zero = wasm_f32x4_const_splat(0);
    for (int row = 0; row < rows; row++, both += 2 * dimension, state += dimension, h += dimension) {
        for (int d = 0; d < dimension; d += 4) {
            f32x4 candidate = load4(both + d);
            f32x4 forget = wasm_f32x4_div(one, wasm_f32x4_add(one, exp4(wasm_f32x4_neg(load4(both + dimension + d)))));
            f32x4 kept = wasm_f32x4_mul(forget, wasm_f32x4_sub(load4(state + d), candidate));
            f32x4 next = wasm_f32x4_add(candidate, kept);
            store4(state + d, next);
            store4(h + d, wasm_f32x4_pmax(next, zero));
        }
    }
}
