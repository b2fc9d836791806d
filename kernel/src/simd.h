/* Vectors, and the few functions on them that everything else is written with.
 *
 * They are the compiler's own vectors: each operation is the same one of IEEE 754 in WebAssembly, on x86
 * and on ARM, and nothing is contracted or reordered (-ffp-contract=off), so that the same numbers come
 * out everywhere, to the last bit. Reductions have four lanes everywhere; what is computed lane by lane
 * may be as wide as the processor likes.
 */
#ifndef DRAGOMAN_SIMD_H
#define DRAGOMAN_SIMD_H

#include <stddef.h>
#include <stdint.h>

/* Columns of a product in one vector (dots.h). */
#if defined(PATH_AVX512) || defined(PATH_AVX512VNNI)
#define LANES 16
#elif defined(PATH_AVX2) || defined(PATH_AVXVNNI)
#define LANES 8
#else
#define LANES 4
#endif

typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef int32_t i32x4 __attribute__((ext_vector_type(4)));
typedef float floats __attribute__((ext_vector_type(LANES)));
typedef int32_t integers __attribute__((ext_vector_type(LANES)));

/* Eight floats: two registers where they have four lanes. */
typedef float f32x8 __attribute__((ext_vector_type(8)));

/* Natively each path is one translation unit (native/path.c), and its functions are its own. */
#ifdef __wasm__
#define OWN
#define EXPORT(name) __attribute__((export_name(#name)))
#else
#define OWN static
#define EXPORT(name) static
#endif

/* The loops marked with it have constant bounds; their arrays must end up in registers. */
#define UNROLLED _Pragma("clang loop unroll(full)")
#define INLINE static inline __attribute__((always_inline))

typedef f32x4 loose_f32x4 __attribute__((aligned(1), may_alias));
typedef floats loose_floats __attribute__((aligned(1), may_alias));

INLINE f32x4 load4(const float *from) { return *(const loose_f32x4 *)from; }
INLINE void store4(float *to, f32x4 value) { *(loose_f32x4 *)to = value; }
INLINE f32x4 splat4(float value) { return (f32x4){value, value, value, value}; }

typedef f32x8 loose_f32x8 __attribute__((aligned(1), may_alias));
INLINE f32x8 load8(const float *from) { return *(const loose_f32x8 *)from; }
INLINE void store8(float *to, f32x8 value) { *(loose_f32x8 *)to = value; }

INLINE floats load_floats(const float *from) { return *(const loose_floats *)from; }
INLINE void store_floats(float *to, floats value) { *(loose_floats *)to = value; }
INLINE floats splat(float value) { return value - (floats){}; }
INLINE integers splat_integer(int32_t value) { return value - (integers){}; }

/* The larger one; `a` if either is not a number. */
INLINE f32x4 larger4(f32x4 a, f32x4 b) { return a < b ? b : a; }
INLINE floats larger_of(floats a, floats b) { return a < b ? b : a; }
/* The smaller one; `a` if either is not a number. */
INLINE floats smaller_of(floats a, floats b) { return b < a ? b : a; }

INLINE float sum4(f32x4 v) {
    f32x4 pairs = v + __builtin_shufflevector(v, v, 2, 3, 0, 1);
    return (pairs + __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2))[0];
}

INLINE float max4(f32x4 v) {
    f32x4 pairs = larger4(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    return larger4(pairs, __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2))[0];
}

/* Lane i of the result is the sum of the lanes of argument i. */
INLINE f32x4 sums4(f32x4 a, f32x4 b, f32x4 c, f32x4 d) {
    f32x4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    f32x4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/* e^x: 2^n e^r with |r| <= ln 2 / 2 and the Taylor polynomial of e^r to the sixth power; relative
 * error below 2e-7. Beyond +-64 it stays at e^+-64: what comes out, and products with it, are far from
 * the subnormal numbers, which processors are a hundred times slower with. Not a number counts as -64. */
#define EXPONENTIAL(name, reals, whole, SPLAT)                                                              \
    INLINE reals name(reals x) {                                                                            \
        x = SPLAT(-64.0f) < x ? x : SPLAT(-64.0f);                                                          \
        x = x < SPLAT(64.0f) ? x : SPLAT(64.0f);                                                            \
        reals n = __builtin_elementwise_roundeven(x * SPLAT(1.44269504f));                                  \
        /* ln 2 in two parts: the first has few bits, so that n times it is exact. */                       \
        reals r = x - n * SPLAT(0.693359375f);                                                              \
        r = r + n * SPLAT(2.12194440e-4f);                                                                  \
        reals p = SPLAT(1.0f / 720) * r + SPLAT(1.0f / 120);                                                \
        p = p * r + SPLAT(1.0f / 24);                                                                       \
        p = p * r + SPLAT(1.0f / 6);                                                                        \
        p = p * r + SPLAT(0.5f);                                                                            \
        p = p * r + SPLAT(1.0f);                                                                            \
        p = p * r + SPLAT(1.0f);                                                                            \
        whole power = (__builtin_convertvector(n, whole) + 127) << 23;                                      \
        return p * (reals)power;                                                                            \
    }

EXPONENTIAL(exp4, f32x4, i32x4, splat4)
EXPONENTIAL(exp_of, floats, integers, splat)

#endif
