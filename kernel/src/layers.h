/* What lies between the products: normalization, attention, the recurrence's gate. */
#ifndef DRAGOMAN_LAYERS_H
#define DRAGOMAN_LAYERS_H

#include "model.h"

/* x [rows][D] = LayerNorm(x + y), over D. */
OWN void normalize(const Norm *norm, float *x, const float *y, int rows, int dimension);

/* weights = softmax(q k^T / sqrt(size)) of one query and `columns` keys; key n is at `keys + n * step`.
 * Up to three keys more are read, and count for nothing; as many weights more are written. */
OWN void look(const float *query, const float *keys, int columns, int step, int size, float *weights);

/* y [D] = softmax(q k^T / sqrt(D / H)) v for one query and `columns` keys and values, head by head; a key
 * or value is at `keys + column * step`. `weights` [H][columns rounded up to 4] is scratch, and holds the
 * attention afterwards. */
OWN void attend(const float *query, const float *keys, const float *values, int columns, int step, int heads,
                int dimension, float *weights, float *y);

/* The same for two queries, `apart` from each other, of which nothing is kept: `weights` has room for two heads' at least. */
OWN void attend_twice(const float *query, int apart, const float *keys, const float *values, int columns, int step, int heads,
                      int dimension, float *weights, float *y);

/* SSRU (Kim et al. 2019): state = f * state + (1 - f) * candidate, f = sigmoid(forget); h = relu(state).
 * `both` [rows][2 D] is candidate and forget gate; state, h [rows][D]. */
OWN void recur(const float *both, float *state, float *h, int rows, int dimension);

#endif
