/* Sums of 16 bits that are exact.
 *
 * PMADDUBSW adds the products of two neighbouring inputs in 16 bits, and saturates. Weights are packed so that it
 * never does, whatever the activations are (0 to `most`): of a pair, those of one sign add up to at most
 * 32767 / most. `group` such sums are added in 16 bits before they are widened. There they may wrap: of 2 `group`
 * weights P is the sum of the positive ones and -N of the others, so that the sum S is in [-N most, P most]. If
 * N + P <= 65535 / most, there is a bias with which S + bias is in [-32768, 32767], and the wrapped sum is just that;
 * the column's correction takes the biases off again.
 *
 * Few weights do not fit. What is too much of them is taken off and lies in extra blocks, each of which is widened by
 * itself, at the end. So a product is the same integer as ever.
 */
#ifndef DRAGOMAN_NARROW_H
#define DRAGOMAN_NARROW_H

#include "dots.h"
#include "memory.h"

typedef struct {
    int32_t group;          /* 4 or 2 blocks of inputs; 0: sums have 32 bits */
    int32_t most;           /* greatest number of extra blocks of one vector of columns */
    const int16_t *biases;  /* [vectors][whole groups][LANES][2] */
    const int32_t *starts;  /* [vectors + 1]: the extra blocks of each */
    const int32_t *inputs;  /* [extra blocks]: the first of four inputs */
    const int8_t *weights;  /* [extra blocks][LANES][4] */
} Narrow;

/* Makes packed weights (dense.h), K inputs by so many vectors of columns, fit; `correction` is that of 32 bits before.
 * Returns 0 when memory is short. */
OWN int narrow_take(Area *area, int8_t *weights, int32_t *correction, int K, int vectors, int most_activation, Narrow *narrow);

/* Most bytes that `narrow_pick` takes for so many columns. */
OWN size_t narrow_bytes(const Narrow *all, int K, int columns);

/* Columns `names` [count], side by side, filled up to `columns`, which are whole vectors; their weights and corrections are
 * the caller's. Returns 0 when memory is short. */
OWN int narrow_pick(Area *area, const Narrow *all, const int32_t *names, int count, int columns, int K, Narrow *picked);

/* What a column has in extra blocks: of one, at the inputs from `*input` on. `at` counts the vector's blocks; returns 0
 * when there are no more. */
INLINE const int8_t *narrow_next(const Narrow *narrow, int column, int *at, int *input) {
    const int vector = column / LANES;
    if (!narrow->group || narrow->starts[vector] + *at >= narrow->starts[vector + 1]) return 0;
    const int block = narrow->starts[vector] + (*at)++;
    *input = narrow->inputs[block];
    return narrow->weights + (size_t)block * LANES * 4 + column % LANES * 4;
}

#endif
