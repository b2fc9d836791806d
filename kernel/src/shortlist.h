/* The lexical shortlist: the columns of the output layer that a mini-batch is worth.
 *
 *     model_lists (once) --> batch_make --> batch_shorten, with the pieces of the whole mini-batch -->
 *     batch_decode chooses among the columns that were taken
 *
 * Taken are: the pieces below `first`, the lists of all source pieces, the source pieces themselves (names
 * are copied), and the next most frequent ones until there are `least`. The columns lie packed in the
 * mini-batch's memory, in the order of their numbers: of equal logits the first one still wins.
 *
 * Shape letters: S source pieces, V target pieces, K inputs of the output layer.
 */
#ifndef DRAGOMAN_SHORTLIST_H
#define DRAGOMAN_SHORTLIST_H

#include "batch.h"

/* Enough for `batch_shorten`. */
OWN size_t shortlist_bytes(const Model *model);

#endif
