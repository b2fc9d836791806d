/* One path: everything, compiled for the processors that -DPATH_... names. */
#include "../memory.c"
#include "../narrow.c"
#include "../dense.c"
#include "../layers.c"
#include "../model.c"
#include "../sinusoids.c"
#include "../beam.c"
#include "../batch.c"
#include "../shortlist.c"
#include "native.h"

/* Rounding to nearest, subnormal numbers as they are: another library may have left this thread
 * otherwise. */
#ifdef __aarch64__
typedef uint64_t Rounding;
static Rounding plain_rounding(void) {
    Rounding before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"((Rounding)0));
    return before;
}
static void restore_rounding(Rounding before) { __asm__ volatile("msr fpcr, %0" : : "r"(before)); }
#else
typedef unsigned Rounding;
static Rounding plain_rounding(void) {
    Rounding before = _mm_getcsr();
    _mm_setcsr(0x1f80);
    return before;
}
static void restore_rounding(Rounding before) { _mm_setcsr(before); }
#endif

static Area area_over(void *memory, size_t bytes) {
    uintptr_t start = ((uintptr_t)memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return (Area){start, start, (uintptr_t)memory + bytes};
}

static Model *make(void *memory, size_t bytes, const Sizes *sizes) {
    return bytes < 2 * ALIGNMENT ? 0 : model_in(area_over(memory, bytes), *sizes);
}

static size_t bytes_of(const Model *model, int rows, int total, int width, int most_steps, int attention, int beam, int kept, int prefixed) {
    return batch_bytes(model, rows, total, width, most_steps, attention, beam, kept, prefixed) + 2 * ALIGNMENT;
}

static Batch *make_batch(const Model *model, void *memory, size_t bytes, int rows, int total, int width,
                         int most_steps, int attention, int beam, int kept, int prefixed) {
    if (bytes < 2 * ALIGNMENT) return 0;
    Area area = area_over(memory, bytes);
    return batch_make(model, &area, rows, total, width, most_steps, attention, beam, kept, prefixed);
}

static size_t shortlist_bytes_of(const Model *model, int rows) { return shortlist_bytes(model, rows) + 2 * ALIGNMENT; }

static int shorten(const Model *model, Batch *batch, void *memory, size_t bytes) {
    Area area = area_over(memory, bytes);
    return batch_shorten(model, &area, batch);
}

static int run_all(const Model *model, Batch *batch, const volatile int32_t *stop) {
    batch_embed(model, batch);
    for (int layer = 0; layer < model->sizes.encoder_layers; layer++) {
        if (*stop) return 0;
        batch_encode(model, batch, layer);
    }
    batch_remember(model, batch);
    while (!*stop)
        if (!batch_decode(model, batch)) return 1;
    return 0;
}

static int run(const Model *model, Batch *batch, const volatile int32_t *stop) {
    Rounding before = plain_rounding();
    int ended = run_all(model, batch, stop);
    restore_rounding(before);
    return ended;
}

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

__attribute__((visibility("hidden"))) const Kernel JOIN(kernel_, NAME) = {
    TEXT(NAME), make, model_take, model_positions, model_sinusoids, model_source, model_never, model_norm, model_dense,
    bytes_of, make_batch, run, model_lists, model_common, shortlist_bytes_of, shorten,
};
