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
#ifndef __GNUC__
#define __builtin_prefetch(address) ((void)(address))
#endif
