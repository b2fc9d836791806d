/* Memory: what a model keeps comes first, what a mini-batch needs is given back all at once.
 *
 * The memory is the host's. WebAssembly's grows, and may be shared by several instances with one model
 * among them: each instance then has a stack and a batch area of its own (docs/adr/0006). Natively the
 * host hands in a buffer for each area. Nothing is freed one by one.
 */
#ifndef DRAGOMAN_MEMORY_H
#define DRAGOMAN_MEMORY_H

#include "simd.h"

typedef struct {
    uintptr_t start, next, end;
} Area;

/* 64-byte aligned. In WebAssembly an area that is used up is continued at the end of the memory, or begun
 * anew there. Returns 0 when the host gives no more memory, or there cannot be so much. */
OWN void *area_take(Area *area, uint64_t bytes);

/* Everything that was taken since the area's start is given back. */
static inline void area_reset(Area *area) { area->next = area->start; }

#endif
