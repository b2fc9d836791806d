#include "memory.h"

enum { ALIGNMENT = 64 };

#ifdef __wasm__

enum { PAGE = 65536 };

/* The new area at the end of the memory. Growing is atomic, also when instances share the memory. */
static int area_extend(Area *area, size_t bytes) {
    size_t pages = (bytes + PAGE - 1) / PAGE;
    size_t before = __builtin_wasm_memory_grow(0, pages);
    if (before == SIZE_MAX) return 0;
    uintptr_t start = before * PAGE;
    if (area->end != start) area->start = area->next = start;
    area->end = start + pages * PAGE;
    return 1;
}

/* Where another instance's area lies behind, this one is begun anew, and what it had is lost: twice as large, if there is
 * so much, so that all that is ever lost is no more than what there is. */
static int area_grow(Area *area, size_t bytes) {
    const size_t twice = 2 * (area->end - area->start);
    const int goes_on = area->end == __builtin_wasm_memory_size(0) * PAGE;
    return (!goes_on && twice > bytes && area_extend(area, twice)) || area_extend(area, bytes);
}

#else

static int area_grow(Area *area, size_t bytes) { return (void)area, (void)bytes, 0; }

#endif

OWN void *area_take(Area *area, uint64_t bytes) {
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > PTRDIFF_MAX) return 0;
    if (bytes > area->end - area->next && !area_grow(area, bytes)) return 0;
    void *taken = (void *)area->next;
    area->next += bytes;
    return taken;
}
