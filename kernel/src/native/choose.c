/* Which paths this processor can take. */
#include <stddef.h>
#include <stdint.h>

/* Of native.h; here it is only chosen. */
typedef struct Kernel Kernel;

#ifdef _WIN32
#define DOOR __declspec(dllexport)
#else
#define DOOR __attribute__((visibility("default")))
#endif

typedef struct {
    const Kernel *kernel;
    int usable;
} Path;

#define PATH(name, usable) {&kernel_##name, usable}
#define DECLARED(name) extern __attribute__((visibility("hidden"))) const Kernel kernel_##name

#ifdef __aarch64__

DECLARED(dotprod);
DECLARED(neon);

#ifdef __APPLE__
/* Every Apple processor of a computer has it. */
static int has_dotprod(void) { return 1; }
#elif defined(__linux__)
/* The kernel answers for a read of the register where CPUID is among the capabilities, as on arm64 since
 * Linux 4.11. Bits 47 to 44 are the dot product. */
static int has_dotprod(void) {
    uint64_t features;
    __asm__("mrs %0, id_aa64isar0_el1" : "=r"(features));
    return (features >> 44 & 15) != 0;
}
#else
static int has_dotprod(void) { return 0; }
#endif

static int paths(Path *found) {
    found[0] = (Path)PATH(dotprod, has_dotprod());
    found[1] = (Path)PATH(neon, 1);
    return 2;
}

#else

#include <cpuid.h>

DECLARED(avx512vnni);
DECLARED(avxvnni);
DECLARED(avx512);
DECLARED(avx2);
DECLARED(sse41);

typedef struct {
    unsigned a, b, c, d;
} Registers;

static Registers cpuid(unsigned leaf, unsigned part) {
    Registers r = {0};
    if (leaf <= (unsigned)__get_cpuid_max(0, 0)) __cpuid_count(leaf, part, r.a, r.b, r.c, r.d);
    return r;
}

/* The registers that the operating system saves. */
static unsigned saved(Registers first) {
    if (!(first.c >> 27 & 1)) return 0;
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int paths(Path *found) {
    const Registers first = cpuid(1, 0), seventh = cpuid(7, 0), more = cpuid(7, 1);
    const unsigned state = saved(first);
    const int avx = (state & 0x06) == 0x06, wide = (state & 0xe6) == 0xe6;
    const int avx2 = avx && seventh.b >> 5 & 1;
    /* F, DQ, BW, VL */
    const int avx512 = avx2 && wide && (seventh.b & 0xc0030000u) == 0xc0030000u;
    found[0] = (Path)PATH(avx512vnni, avx512 && seventh.c >> 11 & 1);
    found[1] = (Path)PATH(avxvnni, avx2 && more.a >> 4 & 1);
    found[2] = (Path)PATH(avx512, avx512);
    found[3] = (Path)PATH(avx2, avx2);
    found[4] = (Path)PATH(sse41, first.c >> 19 & 1);
    return 5;
}

#endif

/* The paths that this processor can take, best first: number 0, 1 ...; 0 when there are no more. */
DOOR const Kernel *kernel_path(int number) {
    Path found[5];
    const int count = paths(found);
    for (int i = 0; i < count; i++)
        if (found[i].usable && number-- == 0) return found[i].kernel;
    return 0;
}

#ifdef _WIN32
/* Nothing is to be done when the library is loaded. */
int DllMainCRTStartup(void *library, unsigned long reason, void *reserved) {
    return (void)library, (void)reason, (void)reserved, 1;
}
#endif

/* Compilers ask for these, and there is no library to have them from. */
#ifndef __APPLE__
__attribute__((visibility("hidden"))) void *memcpy(void *to, const void *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

__attribute__((visibility("hidden"))) void *memset(void *to, int byte, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) ((volatile char *)to)[i] = (char)byte;
    return to;
}
#endif
