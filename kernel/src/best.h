/* The most probable piece of a row, and its probability, as the logits come by. */
#ifndef DRAGOMAN_BEST_H
#define DRAGOMAN_BEST_H

#include "simd.h"

/* The best piece so far of one row, and the sum of e^(logit - best logit) over what was seen. */
typedef struct {
    float logit, sum;
    int32_t piece;
} Best;

/* e^(logit - base), summed in four lanes, in the order of the logits. */
INLINE f32x4 sum_powers(const float *logits, int count, float base) {
    f32x4 sum = splat4(0);
    int i = 0;
    for (; i + LANES <= count; i += LANES) {
        floats powers = exp_of(load_floats(logits + i) - splat(base));
        f32x4 parts[LANES / 4];
        __builtin_memcpy(parts, &powers, sizeof(parts));
        UNROLLED for (int part = 0; part < LANES / 4; part++) sum = sum + parts[part];
    }
    for (; i < count; i += 4) sum = sum + exp4(load4(logits + i) - splat4(base));
    return sum;
}

/* `logits` are those of `count` pieces from number `first` on. The first of equals wins. */
INLINE void improve(Best *best, const float *logits, int first, int count) {
    f32x8 eight = load8(logits);
    for (int i = 8; i < count; i += 8) {
        f32x8 more = load8(logits + i);
        eight = eight < more ? more : eight;
    }
    float top = max4(larger4(__builtin_shufflevector(eight, eight, 0, 1, 2, 3), __builtin_shufflevector(eight, eight, 4, 5, 6, 7)));
    if (top > best->logit) {
        float rescale = exp4(splat4(best->logit - top))[0];
        int i = 0;
        while (!(logits[i] == top) && i < count - 1) i++;
        *best = (Best){top, best->sum * rescale, first + i};
    }
    best->sum += sum4(sum_powers(logits, count, best->logit));
}

/* -ln x of a finite x >= 1, to the last bit of a float but for one in millions. Hosts have logarithms of
 * their own, and these differ; this one does not. x = 2^n m, ln m = 2 artanh((m - 1) / (m + 1)). */
INLINE float minus_log(float x) {
    static const double LN2 = 0.693147180559945309417;
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    int n = (int)(bits >> 23) - 127;
    double m = 1 + (double)(bits & 0x7fffff) / 0x800000;
    if (m > 1.41421356) {
        m = m / 2;
        n++;
    }
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int power = 19; power > 0; power -= 2) sum = sum * square + 2.0 / power;
    return (float)-(n * LN2 + s * sum);
}

#endif
