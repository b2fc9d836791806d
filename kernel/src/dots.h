/* How bytes are multiplied and summed on this processor: one function, `dot`, for each path.
 *
 * A block of weights is LANES columns by INPUTS inputs, column 0's inputs first; `dot` adds to each
 * column's int32 sum the products of its weights with the same INPUTS activations. Every path is exact:
 *
 *     BYTES  four inputs: VPDPBUSD (activations unsigned), SDOT (signed), relaxed SIMD (whichever of
 *            the two the processor has; `probe` asks). Activations are bytes, stored with an offset of
 *            `+128` where they are unsigned, of `-128` after a relu where they are signed, and the
 *            accumulators start at the correction for it.
 *     PAIRS  four inputs: PMADDUBSW sums the products of pairs of bytes in 16 bits, several of which are added
 *            before they are widened (narrow.h); activations are unsigned. In WebAssembly the relaxed product
 *            of pairs, where there is no better one and `probe` finds that it is PMADDUBSW.
 *     words  two inputs: weights are widened to 16 bits, as activations are; PMADDWD sums two products in
 *            32 bits.
 */
#ifndef DRAGOMAN_DOTS_H
#define DRAGOMAN_DOTS_H

#include "simd.h"

#if defined(__wasm__)
#include <wasm_simd128.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#else
#include <immintrin.h>
#endif

#if defined(RELAXED) || defined(PATH_AVX2) || defined(PATH_SSE41)
#define PAIRS
#endif
#if defined(RELAXED) || defined(PATH_AVXVNNI) || defined(PATH_AVX512VNNI) || defined(__aarch64__)
#define BYTES
#endif

#if defined(BYTES) || defined(PAIRS)
enum { INPUTS = 4 };
typedef uint8_t activation;
#else
enum { INPUTS = 2 };
typedef int16_t activation;
#endif

/* A block of weights, and INPUTS activations in every lane. */
INLINE integers four_bytes(const void *from) {
    int32_t bits;
    __builtin_memcpy(&bits, from, 4);
    return splat_integer(bits);
}

INLINE integers load_activations(const activation *from) { return four_bytes(from); }

#ifdef __wasm__
/* The compiler is not to put a pointer together anew at each use: browsers fold an offset that is constant into the load. */
#define AS_IT_IS(pointer) __asm__("" : "+r"(pointer))
#else
#define AS_IT_IS(pointer) (void)(pointer)
#endif

/* A one in every 16 bits; browsers make a constant anew in each turn of a loop. */
INLINE integers ones(void) {
#ifdef __wasm__
    static const volatile int32_t both = 0x10001;
    return splat_integer(both);
#else
    return splat_integer(0x10001);
#endif
}

/* Sums of two products each, in 16 bits; they wrap. */
typedef int16_t halves __attribute__((ext_vector_type(2 * LANES)));
typedef halves loose_halves __attribute__((aligned(1), may_alias));
INLINE halves load_halves(const void *from) { return *(const loose_halves *)from; }

#if defined(RELAXED)

INLINE integers load_weights(const int8_t *from) { return (integers)wasm_v128_load(from); }
INLINE integers dot(integers sums, integers activations, integers weights) {
    return (integers)wasm_i32x4_relaxed_dot_i8x16_i7x16_add((v128_t)weights, (v128_t)activations, (v128_t)sums);
}
INLINE halves pairs(integers activations, integers weights) {
    return (halves)wasm_i16x8_relaxed_dot_i8x16_i7x16((v128_t)weights, (v128_t)activations);
}
INLINE integers widened(halves sums, integers one) { return (integers)wasm_i32x4_dot_i16x8((v128_t)sums, (v128_t)one); }

#elif defined(__wasm__)

INLINE integers load_weights(const int8_t *from) { return (integers)wasm_i16x8_load8x8(from); }
INLINE integers dot(integers sums, integers activations, integers weights) {
    return sums + (integers)wasm_i32x4_dot_i16x8((v128_t)weights, (v128_t)activations);
}

#elif defined(PATH_AVX512VNNI)

INLINE integers load_weights(const int8_t *from) { return (integers)_mm512_loadu_si512(from); }
INLINE integers dot(integers sums, integers activations, integers weights) {
    return (integers)_mm512_dpbusd_epi32((__m512i)sums, (__m512i)activations, (__m512i)weights);
}

#elif defined(PATH_AVX512)

INLINE integers load_weights(const int8_t *from) {
    return (integers)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)from));
}
INLINE integers dot(integers sums, integers activations, integers weights) {
    return sums + (integers)_mm512_madd_epi16((__m512i)activations, (__m512i)weights);
}

#elif defined(PATH_AVXVNNI)

INLINE integers load_weights(const int8_t *from) { return (integers)_mm256_loadu_si256((const __m256i *)from); }
INLINE integers dot(integers sums, integers activations, integers weights) {
    return (integers)_mm256_dpbusd_avx_epi32((__m256i)sums, (__m256i)activations, (__m256i)weights);
}

#elif defined(PATH_AVX2)

INLINE integers load_weights(const int8_t *from) { return (integers)_mm256_loadu_si256((const __m256i *)from); }
INLINE halves pairs(integers activations, integers weights) {
    return (halves)_mm256_maddubs_epi16((__m256i)activations, (__m256i)weights);
}
INLINE integers widened(halves sums, integers one) { return (integers)_mm256_madd_epi16((__m256i)sums, (__m256i)one); }

#elif defined(PATH_SSE41)

INLINE integers load_weights(const int8_t *from) { return (integers)_mm_loadu_si128((const __m128i *)from); }
INLINE halves pairs(integers activations, integers weights) {
    return (halves)_mm_maddubs_epi16((__m128i)activations, (__m128i)weights);
}
INLINE integers widened(halves sums, integers one) { return (integers)_mm_madd_epi16((__m128i)sums, (__m128i)one); }

#elif defined(PATH_DOTPROD)

INLINE integers load_weights(const int8_t *from) { return (integers)vld1q_s8(from); }
INLINE integers dot(integers sums, integers activations, integers weights) {
    return (integers)vdotq_s32((int32x4_t)sums, (int8x16_t)activations, (int8x16_t)weights);
}

#elif defined(PATH_NEON)

INLINE integers load_weights(const int8_t *from) { return (integers)vld1q_s8(from); }
/* A product of two bytes fits in 16 bits; the sum of two may not. */
INLINE integers dot(integers sums, integers activations, integers weights) {
    int8x16_t a = (int8x16_t)activations, w = (int8x16_t)weights;
    int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(w)));
    int32x4_t high = vpaddlq_s16(vmull_high_s8(a, w));
    return sums + (integers)vpaddq_s32(low, high);
}

#else
#error "name the path: -DPATH_..."
#endif

#endif
