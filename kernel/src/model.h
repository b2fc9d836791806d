/* The tiny student (formats of docs/models.md): Transformer encoder, SSRU decoder, tied embedding.
 *
 * Shape letters: A size of the alignment head, D dimension, F feed-forward, H heads, V pieces.
 */
#ifndef DRAGOMAN_MODEL_H
#define DRAGOMAN_MODEL_H

#include "dense.h"
#include "memory.h"

enum { MOST_LAYERS = 16 };

typedef struct {
    const float *scale, *bias; /* [D] */
} Norm;

typedef struct {
    Dense inner, outer;
    Norm norm;
} FeedForward;

/* Products of one input are one where they share a scale, else `beside` each other. */
typedef struct {
    Dense query_key_value, output; /* N = 3 D and D */
    Norm norm;
    FeedForward feed_forward;
} EncoderLayer;

typedef struct {
    Dense recurrence; /* N = 2 D: candidate, forget gate */
    Norm recurrence_norm;
    Dense key_value, query, output; /* N = 2 D, D, D */
    Norm attention_norm;
    FeedForward feed_forward;
} DecoderLayer;

typedef struct {
    int32_t vocabulary, dimension, inner, heads, encoder_layers, decoder_layers, positions;
} Sizes;

/* The target pieces that each source piece is worth (shortlist.h). */
typedef struct {
    const uint64_t *offsets;  /* [sources + 1] */
    const uint32_t *targets;
    const int32_t *copies;    /* [sources], or 0 */
    int32_t sources, first, least;
    uint8_t *is_common;       /* [V], whether every row may say a piece */
    const int32_t *names;     /* [common.outputs], the pieces that every row may say; 0: there are no lists */
    Dense common;             /* their columns of the output layer */
} Lists;

typedef struct {
    Sizes sizes;
    float embedding_factor;       /* row of the embedding * factor + position */
    const int8_t *source_rows;    /* [source pieces][D], or 0: both sides have one embedding */
    float source_factor;
    const float *position_table;  /* [positions][D] */
    Dense logits;                 /* its weights are the embedding, transposed */
    Dense aligned_key, aligned_query; /* N = A; 0 where there is no alignment head */
    EncoderLayer encoder[MOST_LAYERS];
    DecoderLayer decoder[MOST_LAYERS];
    Lists lists;
    Area area;
} Model;

/* A model without its parts in an area that it keeps. Returns 0 when memory is short. */
OWN Model *model_in(Area area, Sizes sizes);

/* Row `piece` of the target's embedding, as floats, plus `position`: to [D]. */
OWN void embed(const Model *model, int32_t piece, int32_t position, float *to);

/* The same of the source's embedding. */
OWN void embed_source(const Model *model, int32_t piece, int32_t position, float *to);

#endif
