// What this machine does at most: multiplications with additions, exponentials, and bytes to and from memory. `REAL` is the
// element type.
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define LANES (64 / (int)sizeof(REAL))
#define FMA(a, b, c) _Generic((a), float: __builtin_fmaf, default: __builtin_fma)(a, b, c)
#define SUMS 16  // that are independent: enough for two units of a latency of four or five steps

// s = s*a + b for SUMS vectors of 64 bytes, n times; x has LANES numbers for each thread.
void multiply_add(REAL* x, int64_t n, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; t++) {
    typedef REAL V __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));
    REAL* at = x + t * LANES;
    const V a = *(V*)at;
    V s[SUMS];
#pragma GCC unroll 16
    for (int k = 0; k < SUMS; k++) s[k] = a + (REAL)k;
    for (int64_t i = 0; i < n; i++)
#pragma GCC unroll 16
      for (int k = 0; k < SUMS; k++)
        for (int l = 0; l < LANES; l++) s[k][l] = FMA(s[k][l], a[l], a[l]);
#pragma GCC unroll 16
    for (int k = 1; k < SUMS; k++) s[0] += s[k];
    *(V*)at = s[0];
  }
}

// Of numbers of a moderate size, by a polynomial (Taylor's, enough for all digits but the last) and the bits of an exponent.
static inline float exp_float(float x) {
  const float n = x * 1.44269504f + 12582912.0f, k = n - 12582912.0f;
  const float r = __builtin_fmaf(k, -0.69314718f, x);
  float p = 1.0f / 720;
  p = __builtin_fmaf(p, r, 1.0f / 120);
  p = __builtin_fmaf(p, r, 1.0f / 24);
  p = __builtin_fmaf(p, r, 1.0f / 6);
  p = __builtin_fmaf(p, r, 0.5f);
  p = __builtin_fmaf(p, r, 1.0f);
  p = __builtin_fmaf(p, r, 1.0f);
  int32_t bits, shift;
  memcpy(&bits, &p, 4);
  memcpy(&shift, &n, 4);
  bits += (int32_t)((uint32_t)shift << 23);
  memcpy(&p, &bits, 4);
  return p;
}

static inline double exp_double(double x) {
  const double n = x * 1.4426950408889634 + 6755399441055744.0, k = n - 6755399441055744.0;
  const double r = __builtin_fma(k, -0.69314718055994531, x);
  double p = 1.0 / 39916800;
  p = __builtin_fma(p, r, 1.0 / 3628800);
  p = __builtin_fma(p, r, 1.0 / 362880);
  p = __builtin_fma(p, r, 1.0 / 40320);
  p = __builtin_fma(p, r, 1.0 / 5040);
  p = __builtin_fma(p, r, 1.0 / 720);
  p = __builtin_fma(p, r, 1.0 / 120);
  p = __builtin_fma(p, r, 1.0 / 24);
  p = __builtin_fma(p, r, 1.0 / 6);
  p = __builtin_fma(p, r, 0.5);
  p = __builtin_fma(p, r, 1.0);
  p = __builtin_fma(p, r, 1.0);
  int64_t bits, shift;
  memcpy(&bits, &p, 8);
  memcpy(&shift, &n, 8);
  bits += (int64_t)((uint64_t)shift << 52);
  memcpy(&p, &bits, 8);
  return p;
}

#define EXP(x) _Generic((x), float: exp_float, default: exp_double)(x)
#define CACHED 1024  // numbers of a thread, which stay in its innermost cache

// x = exp(-x), n times; x has CACHED numbers for each thread.
void exponentials(REAL* x, int64_t n, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; t++)
    for (int64_t i = 0; i < n; i++)
      for (int l = 0; l < CACHED; l++) x[t * CACHED + l] = EXP(-x[t * CACHED + l]);
}

// The sum of n numbers, a multiple of LANES; which is only there so that they are read.
void read_all(const REAL* x, int64_t n, REAL* sum, int threads) {
  REAL total = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : total)
  for (int64_t i = 0; i < n / 1024; i++) {
    REAL s[64] = {0};
    for (int k = 0; k < 16; k++)
      for (int l = 0; l < 64; l++) s[l] += x[1024 * i + 64 * k + l];
    for (int l = 0; l < 64; l++) total += s[l];
  }
  *sum = total;
}

// y = x, past the caches where the processor can.
void copy_all(const REAL* x, int64_t n, REAL* y, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < n / LANES; i++) {
#if defined(__SSE2__)
    for (int k = 0; k < 4; k++)
      _mm_stream_si128((__m128i*)(y + LANES * i) + k, _mm_loadu_si128((const __m128i*)(x + LANES * i) + k));
#else
    for (int l = 0; l < LANES; l++) y[LANES * i + l] = x[LANES * i + l];
#endif
  }
}
