/* The kernel as a library of the processor's own code: what a host sees of it.
 *
 *     kernel_path --> model_make, model_* (once) --> for each mini-batch: batch_bytes, batch_make,
 *     host writes pieces, lengths, limits --> (batch_shorten,) batch_run --> host reads target, log_probabilities, attention
 *
 * The library takes no memory, starts no thread and calls nothing: all of it is the host's. Several
 * threads may run mini-batches of one model at a time, each in a buffer of its own.
 */
#ifndef DRAGOMAN_NATIVE_H
#define DRAGOMAN_NATIVE_H

#include "../shortlist.h"

/* A path: the kernel compiled for a kind of processor. All give the same results, to the byte. */
typedef struct Kernel {
    const char *name;
    /* A model in `bytes` of `memory`, that it keeps; 0 when they are too few. */
    Model *(*model_make)(void *memory, size_t bytes, const Sizes *sizes);
    void *(*model_take)(Model *model, size_t bytes);
    void (*model_positions)(Model *model, const float *table, float factor);
    int (*model_sinusoids)(Model *model, float factor);
    void (*model_source)(Model *model, const int8_t *rows, float factor);
    void (*model_never)(Model *model, int piece);
    void (*model_norm)(Model *model, int part, int layer, const float *scale, const float *bias);
    int (*model_dense)(Model *model, int part, int layer, const int8_t *from, int step_k, int step_n, int K, int N,
                       const float *bias, float input, float scale, int kind);
    /* What `batch_make` needs. */
    size_t (*batch_bytes)(const Model *model, int rows, int total, int width, int most_steps, int attention, int beam, int kept, int prefixed);
    /* 0 when `bytes` are too few. */
    Batch *(*batch_make)(const Model *model, void *memory, size_t bytes, int rows, int total, int width,
                         int most_steps, int attention, int beam, int kept, int prefixed);
    /* Encodes and decodes; 0 if `stop` is found set, which is looked at between layers and steps. */
    int (*batch_run)(const Model *model, Batch *batch, const volatile int32_t *stop);
    /* Of shortlist.h; 0 when the lists are damaged. */
    int (*model_lists)(Model *model, const uint64_t *offsets, const uint32_t *targets, size_t count,
                       const int32_t *copies, int sources, int first, int least);
    /* After `model_lists`, in the model's memory; 0 when that is too small. */
    int (*model_common)(Model *model);
    /* What `batch_shorten` needs for so many rows. */
    size_t (*shortlist_bytes)(const Model *model, int rows);
    /* Before `batch_run`, in memory that is there until that has ended; 0 when `bytes` are too few. */
    int (*batch_shorten)(const Model *model, Batch *batch, void *memory, size_t bytes);
} Kernel;

#endif
