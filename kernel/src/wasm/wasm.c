/* The doors that only WebAssembly has: its memory grows, so nobody needs to say how much. */
#include "../batch.h"

/* What bytes mean on this machine (dense.h): BYTES_UNUSABLE is for the host to look elsewhere. */
EXPORT(kernel_bytes)
int kernel_bytes(void) { return probe(); }

/* The area of an instance: what one mini-batch needs, then the next. */
EXPORT(area_make)
Area *area_make(void) {
    Area area = {0};
    Area *kept = area_take(&area, sizeof(Area));
    if (!kept) return 0;
    area.start = area.next;
    *kept = area;
    return kept;
}

/* Room for something that is needed for a moment, before the first mini-batch; 0 when memory is short. */
EXPORT(area_stage)
void *area_stage(Area *area, size_t bytes) {
    area_reset(area);
    return area_take(area, bytes);
}

EXPORT(model_make)
Model *model_make(int32_t vocabulary, int32_t dimension, int32_t inner, int32_t heads, int32_t encoder_layers,
                  int32_t decoder_layers, int32_t positions) {
    Sizes sizes = {vocabulary, dimension, inner, heads, encoder_layers, decoder_layers, positions};
    return model_in((Area){0}, sizes);
}
