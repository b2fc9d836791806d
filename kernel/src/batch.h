/* A mini-batch under way: encoder layer by layer, then decoding step by step, so that the host can
 * stop between any two. Sentences lie one after another without padding; rows that have ended are not
 * computed further.
 *
 *     batch_make --> host writes pieces, lengths, limits --> batch_encode (each layer) -->
 *     batch_decode until it returns 0 --> host reads target, log_probabilities, attention
 *
 * Shape letters: R rows, P pieces of all rows, W pieces of the longest, T most steps, D dimension.
 */
#ifndef DRAGOMAN_BATCH_H
#define DRAGOMAN_BATCH_H

#include "model.h"

typedef struct {
    /* The host's. */
    int32_t *pieces;    /* [P] */
    int32_t *lengths;   /* [R], EOS included */
    int32_t *limits;    /* [R], most target pieces, EOS included */
    int32_t *target;    /* [R][T] */
    float *log_probabilities; /* [R][T], natural, of the chosen piece */
    float *attention;   /* [R][T][W], or 0: of the guided head; of the alignment head, a step later */
    int32_t rows, total, width, most_steps;

    int32_t active;     /* rows that go on; they come first in what follows */
    int32_t step;
    int32_t *row_of;    /* [active] */
    int32_t *starts;    /* [R], first piece of a row */
    int32_t *previous;  /* [active] */
    float *x;           /* [P][D], then [active][D] */
    float *memory[MOST_LAYERS]; /* [P][2 D], keys and values of each decoder layer */
    float *aligned;     /* [P][A], keys of the alignment head, or 0 */
    float *states[MOST_LAYERS]; /* [active][D] */
    /* Scratch, for `block` rows of the widest product. */
    int32_t block;
    activation *quantized, *inner;
    float *wide, *y, *mixed, *weights, *logits;
} Batch;

/* What an area must have for a mini-batch. */
OWN size_t batch_bytes(const Model *model, int rows, int total, int width, int most_steps, int attention);

#endif
