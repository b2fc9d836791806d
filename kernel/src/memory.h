/* Memory: what a model keeps comes first, what a mini-batch needs is given back all at once.
 *
 * The memory is the host's, and may be shared by several instances with one model among them: each
 * instance then has a stack and a batch area of its own (docs/adr/0006). Nothing is freed one by one.
 */
#ifndef DRAGOMAN_MEMORY_H
#define DRAGOMAN_MEMORY_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uintptr_t start, next, end;
} Area;

/* 64-byte aligned. An area that is used up is continued at the end of the memory, or begun anew there.
 * Returns 0 when the host gives no more memory. */
void *area_take(Area *area, size_t bytes);

/* Everything that was taken since the area's start is given back. */
static inline void area_reset(Area *area) { area->next = area->start; }

#endif
