/* A mini-batch under way: encoder layer by layer, then decoding step by step, so that the host can
 * stop between any two. Sentences lie one after another without padding; rows that have ended are not
 * computed further.
 *
 *     batch_make --> host writes pieces, lengths, limits --> (batch_shorten,) batch_embed --> batch_encode (each layer)
 *     --> batch_remember --> batch_decode until it returns 0 --> host reads target, log_probabilities, attention
 *
 * Shape letters: R rows, P pieces of all rows, W pieces of the longest, T most steps, D dimension; K hypotheses of a
 * row that are followed at a time, N that are given back: both 1 in greedy search; S = R K.
 */
#ifndef DRAGOMAN_BATCH_H
#define DRAGOMAN_BATCH_H

#include "model.h"

typedef struct {
    /* The host's. */
    int32_t *pieces;    /* [P] */
    int32_t *lengths;   /* [R], EOS included */
    int32_t *limits;    /* [R], most target pieces, EOS included */
    int32_t *target;    /* [R][N][T] */
    float *log_probabilities; /* [R][N][T], natural, of the chosen piece */
    float *attention;   /* [R][N][T][W], or 0: of the guided head; of the alignment head, a step later */
    int32_t rows, total, width, most_steps;

    int32_t active;     /* hypotheses that go on; they come first in what follows */
    int32_t step;

    /* Of beam search (beam.h). */
    int32_t beam;       /* K; 0: greedy search */
    int32_t kept;       /* N */
    int32_t prefixed;   /* numbers in `prefixes` */
    int32_t branching;  /* whether each hypothesis goes on by itself after the first free choice */
    float normalize, word_penalty;
    int32_t *prefixes;
    float *scores;      /* [R][N], best first; NO_SCORE where there are fewer hypotheses */
    struct Beams *beams;

    int32_t *row_of;    /* [S] */
    int32_t *starts;    /* [R], first piece of a row */
    int32_t *previous;  /* [S] */
    float *x;           /* [P][D], then [S][D] */
    float *memory[MOST_LAYERS]; /* [P][2 D], keys and values of each decoder layer */
    float *aligned;     /* [P][A], keys of the alignment head, or 0 */
    float *states[MOST_LAYERS]; /* [S][D] */
    /* Scratch, for `block` rows of the widest product. */
    int32_t block;
    activation *quantized, *inner;
    float *wide, *y, *mixed, *weights, *logits;
    const Dense *output;  /* the output layer, or the columns of it that every row chooses among */
    const int32_t *names; /* [output->outputs], the pieces of the columns, or 0: all in order */
    struct Own *own;      /* the columns that rows choose among besides (shortlist.h), or 0 */
} Batch;

/* Columns of the output layer at a time. */
enum { LOGITS_AT_ONCE = 512 };
enum { EOS = 0 };

/* What an area must have for a mini-batch. */
OWN size_t batch_bytes(const Model *model, int rows, int total, int width, int most_steps, int attention, int beam,
                       int kept, int prefixed);

INLINE void copy_row(float *to, const float *from, int dimension) {
    for (int d = 0; d < dimension; d += 4) store4(to + d, load4(from + d));
}

#endif
