/* The table of positions that published files leave out: each engine computes it.
 *
 * Sines and cosines of hosts differ in their last bits; these do not: doubles, and operations that
 * IEEE 754 has to the bit, rounded to float32 at the places where marian-dev's
 * SinusoidalPositionEmbeddings has float32 values.
 */
#include "model.h"

/* e^x for x in [-700, 0]; relative error below 1e-15. */
static double exponential(double x) {
    const double n = __builtin_floor(x * 1.44269504088896340736 + 0.5);
    const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    double sum = 1;
    for (int k = 16; k > 0; k--) sum = 1 + sum * r / k;
    const uint64_t bits = (uint64_t)((int64_t)n + 1023) << 52;
    double power;
    __builtin_memcpy(&power, &bits, sizeof(power));
    return sum * power;
}

/* Of |r| <= pi / 4, by Taylor's series. */
static double sine(double r) {
    double sum = 1;
    for (int k = 18; k > 0; k -= 2) sum = 1 - sum * r * r / (k * (k + 1));
    return sum * r;
}

static double cosine(double r) {
    double sum = 1;
    for (int k = 18; k > 0; k -= 2) sum = 1 - sum * r * r / (k * (k - 1));
    return sum;
}

/* sin(angle + quarter pi / 2) for angle in [0, 2^16]. */
static float wave(float angle, int quarter) {
    const double quarters = __builtin_floor(angle * 6.36619772367581382433e-01 + 0.5);
    /* pi / 2 in two parts: the first has few bits, so that `quarters` times it is exact. */
    const double r = (angle - quarters * 1.57079632673412561417e+00) - quarters * 6.07710050650619224932e-11;
    quarter += (int)quarters;
    const double value = quarter & 1 ? cosine(r) : sine(r);
    return (float)(quarter & 2 ? -value : value);
}

/* Sets what `model_positions` does: first half sines, second half cosines, rates from 1 to 1 / 10000.
 * Returns 0 when memory is short. */
EXPORT(model_sinusoids)
int model_sinusoids(Model *model, float factor) {
    const int D = model->sizes.dimension, half = D / 2;
    float *table = area_take(&model->area, sizeof(float) * D * model->sizes.positions);
    if (!table) return 0;
    const float fall = 9.21034037f / (half - 1.0f); /* ln 10000 */
    for (int i = 0; i < half; i++) {
        const float rate = (float)exponential(i * -fall);
        for (int position = 0; position < model->sizes.positions; position++) {
            table[(size_t)position * D + i] = wave(position * rate, 0);
            table[(size_t)position * D + half + i] = wave(position * rate, 1);
        }
    }
    model->position_table = table;
    model->embedding_factor = factor;
    return 1;
}
