/* The lexical shortlist: the columns of the output layer that a row is worth.
 *
 *     model_lists, model_common (once) --> batch_make --> host writes pieces, lengths --> batch_shorten -->
 *     batch_decode chooses among the columns that were taken
 *
 * Every row may say the pieces below `first`, those in the list of EOS, which each row has, and the next ones by their
 * numbers until there are `least`: these columns lie packed beside the model. Besides, a row may say what is in the
 * lists of its source pieces, and the source pieces themselves (names are copied). These lie packed in the
 * mini-batch's memory, for all of its rows together; a row chooses among its own ones alone, so that what it becomes
 * does not depend on its companions.
 *
 *     number of a column    0 ... common.outputs | + 0, 1, 2 ... the row's own, in the order of their pieces
 *
 * Of equal logits the first in this order wins. Shape letters: R rows, S source pieces, V target pieces, K inputs of the
 * output layer.
 */
#ifndef DRAGOMAN_SHORTLIST_H
#define DRAGOMAN_SHORTLIST_H

#include "batch.h"
#include "best.h"

/* Slots whose products with the rows' own columns are made at a time. */
enum { OWN_AT_ONCE = 12 };

/* Of what a row may not say: no logit is less, so that none is chosen for it, whatever a model computes. */
#define NO_LOGIT (-__builtin_inff())

/* Columns that some rows may choose, and not all. */
typedef struct Own {
    Dense columns;        /* packed, or all of the output layer */
    const int32_t *names; /* [columns.outputs], the pieces; 0: all in order */
    uint8_t *masks;       /* [R][columns.outputs / 8], a bit a column: whether the row may choose it */
    float *logits;        /* [OWN_AT_ONCE][columns.outputs] */
    float *of_slot;       /* [columns.outputs + 8] */
} Own;

/* Enough for `batch_shorten`. */
OWN size_t shortlist_bytes(const Model *model, int rows);

/* Of slots `from` to `to`, at most OWN_AT_ONCE, whose inputs are quantized in `batch->quantized`. */
OWN void own_products(Batch *batch, int from, int to);

/* After the products of the slots from `from` on: the logits of a slot's own columns, to `batch->own->of_slot`, filled up
 * to a multiple of 8 with NO_LOGIT; returns their number. */
OWN int own_logits(Batch *batch, int slot, int from);

/* What a column stands for. */
OWN int32_t piece_of(const Batch *batch, int row, int32_t number);

/* Looks at logits of a slot: `count` columns from number `first` on, a multiple of 8. */
typedef void See(Batch *batch, Best *best, int slot, const float *logits, int first, int count);

/* Has `see` look at all logits of every slot: of the columns that all have, then of its own. */
INLINE void see_logits(Batch *batch, Best *best, See *see) {
    const Dense *output = batch->output;
    quantize(output, batch->x, batch->active, batch->quantized);
    for (int slot = 0; slot < batch->active; slot++) best[slot] = (Best){-1e30f, 0, EOS};
    for (int from = 0; from < output->outputs; from += LOGITS_AT_ONCE) {
        const int to = from + LOGITS_AT_ONCE < output->outputs ? from + LOGITS_AT_ONCE : output->outputs;
        dense_columns(output, batch->quantized, batch->active, from, to, batch->logits);
        for (int slot = 0; slot < batch->active; slot++) see(batch, best, slot, batch->logits + slot * (to - from), from, to - from);
    }
    for (int from = 0, to; batch->own && from < batch->active; from = to) {
        to = from + OWN_AT_ONCE < batch->active ? from + OWN_AT_ONCE : batch->active;
        own_products(batch, from, to);
        for (int slot = from; slot < to; slot++) {
            const int count = own_logits(batch, slot, from);
            if (count) see(batch, best, slot, batch->own->of_slot, output->outputs, count);
        }
    }
}

#endif
