{#- What every C file begins with. -#}
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if (defined __FMA__ || defined __aarch64__) && !defined FP_FAST_FMA  // clang does not say so
#define FP_FAST_FMA 1
#endif
#ifndef FP_FAST_FMA  // C's own function would be slow
#define fma(a, b, c) ((a) * (b) + (c))
#define fmaf(a, b, c) ((a) * (b) + (c))
#endif

// Fetches an element into the cache, if there is one at that offset.
#ifdef __GNUC__
#define fetch_ahead(tensor, offset) __builtin_prefetch((const void*)((uintptr_t)(tensor) + (uintptr_t)(offset) * sizeof *(tensor)))
#else
#define fetch_ahead(tensor, offset) ((void)(offset))
#endif

// What never happens: behind a loop that always has a value, compilers keep sums in registers.
#ifdef __GNUC__
#define never() __builtin_unreachable()
#else
#define never() ((void)0)
#endif
