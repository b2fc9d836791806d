/* Beam search as marian-dev does it: K hypotheses of a sentence are followed at a time, one less for each that has
 * ended, until none is left. What has ended is ranked by
 *
 *     (sum of log-probabilities - word_penalty * length) / length ^ normalize       length with EOS
 *
 * A slot is a hypothesis that goes on. Slots of a row lie side by side, the better first, rows in order:
 *
 *     step t      slots 0 1 2 | 3 4 | ...        row 0 | row 1 | ...
 *                       |  \.     piece, log-probability, slot it comes from: kept a step, so that the end can
 *     step t + 1  slots 0   1 ...                 go back from what has ended to the start
 *
 * `prefixes` says how translations begin, row by row: a count M of pieces, then for each of them the piece, a count
 * N, and N pieces in ascending order, among them the piece itself. In step m a hypothesis that has said the m pieces
 * before may say one of these N; with another one than the piece itself it has said all of the prefix.
 */
#ifndef DRAGOMAN_BEAM_H
#define DRAGOMAN_BEAM_H

#include "batch.h"

/* Of a hypothesis that there is not. */
#define NO_SCORE -1e30f

typedef struct {
    float logit;
    int32_t piece;
} Choice;

/* A hypothesis that has ended with what `slot` said in `step`. */
typedef struct {
    float score, log_probability;
    int32_t step, slot, piece;
} Ending;

typedef struct Beams {
    int32_t slots;             /* S, the most */
    int32_t *pieces, *parents; /* [T][S] what a slot said before this step, and the slot it was then */
    float *log_probabilities;  /* [T][S] of that piece */
    float *attention;          /* [T][S][W], or 0: of what is said in this step, or a step before (batch.h) */
    float *sums, *next_sums;   /* [S] of the log-probabilities of a slot's pieces */
    int32_t *bound, *next_bound; /* [S] whether a slot is still within its prefix */
    int32_t *next_row_of;      /* [S] */
    float *next_states[MOST_LAYERS]; /* [S][D] */
    Choice *choices;           /* [S][K] the best pieces of a slot, best first */
    int32_t *counts;           /* [S] how many there are */
    Ending *endings;           /* [R][K], best first */
    int32_t *ended;            /* [R] */
    int32_t *branched;         /* [R] whether a row has had its first free choice */
    int32_t **rests;           /* [R] what is left of its prefix */
    int32_t *lefts;            /* [R] in pieces */
} Beams;

OWN int beams_take(const Model *model, Area *area, Batch *batch);
OWN void beams_begin(Batch *batch);
/* Where the attention of a slot goes in this step: [W]. */
OWN float *beams_attention(Batch *batch, int slot);
OWN void beams_choose(const Model *model, Batch *batch);
/* What the host reads. */
OWN void beams_end(Batch *batch);

#endif
