/* Vector types and the few functions on them that everything else is written with. */
#ifndef DRAGOMAN_SIMD_H
#define DRAGOMAN_SIMD_H

#include <stdint.h>
#include <wasm_simd128.h>

typedef v128_t f32x4;
typedef v128_t i32x4;

/* The loops marked with it have constant bounds; their arrays must end up in registers. */
#define UNROLLED _Pragma("clang loop unroll(full)")
#define INLINE static inline __attribute__((always_inline))

INLINE f32x4 load4(const float *from) { return wasm_v128_load(from); }
INLINE void store4(float *to, f32x4 value) { wasm_v128_store(to, value); }

INLINE float sum4(f32x4 v) {
    f32x4 pairs = wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    return wasm_f32x4_extract_lane(wasm_f32x4_add(pairs, wasm_i32x4_shuffle(pairs, pairs, 1, 0, 3, 2)), 0);
}

INLINE float max4(f32x4 v) {
    f32x4 pairs = wasm_f32x4_pmax(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    return wasm_f32x4_extract_lane(wasm_f32x4_pmax(pairs, wasm_i32x4_shuffle(pairs, pairs, 1, 0, 3, 2)), 0);
}

/* Lane i of the result is the sum of the lanes of argument i. */
INLINE f32x4 sums4(f32x4 a, f32x4 b, f32x4 c, f32x4 d) {
    f32x4 ab = wasm_f32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
    f32x4 cd = wasm_f32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
    return wasm_f32x4_add(wasm_i32x4_shuffle(ab, cd, 0, 1, 4, 5), wasm_i32x4_shuffle(ab, cd, 2, 3, 6, 7));
}

/* e^x: 2^n e^r with |r| <= ln 2 / 2 and the Taylor polynomial of e^r to the sixth power; relative
 * error below 2e-7. Beyond +-64 it stays at e^+-64: what comes out, and products with it, are far from
 * the subnormal numbers, which processors are a hundred times slower with. */
INLINE f32x4 exp4(f32x4 x) {
    x = wasm_f32x4_pmin(wasm_f32x4_pmax(x, wasm_f32x4_const_splat(-64.0f)), wasm_f32x4_const_splat(64.0f));
    f32x4 n = wasm_f32x4_nearest(wasm_f32x4_mul(x, wasm_f32x4_const_splat(1.44269504f)));
    /* ln 2 in two parts: the first has few bits, so that n times it is exact. */
    f32x4 r = wasm_f32x4_sub(x, wasm_f32x4_mul(n, wasm_f32x4_const_splat(0.693359375f)));
    r = wasm_f32x4_add(r, wasm_f32x4_mul(n, wasm_f32x4_const_splat(2.12194440e-4f)));
    f32x4 p = wasm_f32x4_const_splat(1.0f / 720);
    p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(1.0f / 120));
    p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(1.0f / 24));
    p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(1.0f / 6));
    p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(0.5f));
    p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(1.0f));
    p = wasm_f32x4_add(wasm_f32x4_mul(p, r), wasm_f32x4_const_splat(1.0f));
    i32x4 power = wasm_i32x4_shl(wasm_i32x4_add(wasm_i32x4_trunc_sat_f32x4(n), wasm_i32x4_const_splat(127)), 23);
    return wasm_f32x4_mul(p, power);
}

#endif
