{#- Functions of C's library in operations that every lane of a vector register can do at once, without a branch. Blank
    lines separate them; a file gets those that its text calls, under the names of C's own.
    Errors, against the exact value: exp and log 1 ulp (2 where the result is subnormal), exp2, expm1, log1p, log2 and
    log10 2 ulp, tanh 3 ulp.
-#}
// 2 to the power n, an integer from -1022 to 1023
static inline INLINED double power_of_2(double n) {
  const double shifted = n + 0x1.8p52;  // its last bits are the integer
  uint64_t bits;
  memcpy(&bits, &shifted, 8);
  bits = (bits + 1023) << 52;
  double result;
  memcpy(&result, &bits, 8);
  return result;
}

static inline INLINED float power_of_2f(float n) {
  const float shifted = n + 0x1.8p23f;
  uint32_t bits;
  memcpy(&bits, &shifted, 4);
  bits = (bits + 127) << 23;
  float result;
  memcpy(&result, &bits, 4);
  return result;
}

// exp(r) - 1 for |r| <= log(2)/2: the series
static inline INLINED double near_expm1(double r) {
  double p = 1 / 6227020800.0;
  p = fma(p, r, 1 / 479001600.0);
  p = fma(p, r, 1 / 39916800.0);
  p = fma(p, r, 1 / 3628800.0);
  p = fma(p, r, 1 / 362880.0);
  p = fma(p, r, 1 / 40320.0);
  p = fma(p, r, 1 / 5040.0);
  p = fma(p, r, 1 / 720.0);
  p = fma(p, r, 1 / 120.0);
  p = fma(p, r, 1 / 24.0);
  p = fma(p, r, 1 / 6.0);
  p = fma(p, r, 0.5);
  return fma(r * r, p, r);
}

static inline INLINED float near_expm1f(float r) {
  float p = 1 / 40320.0f;
  p = fmaf(p, r, 1 / 5040.0f);
  p = fmaf(p, r, 1 / 720.0f);
  p = fmaf(p, r, 1 / 120.0f);
  p = fmaf(p, r, 1 / 24.0f);
  p = fmaf(p, r, 1 / 6.0f);
  p = fmaf(p, r, 0.5f);
  return fmaf(r * r, p, r);
}

// x = n*log(2) + r; log(2) in two parts, the first with so few digits that n times it is exact
static inline INLINED double lane_exp(double x) {
  x = x > 720 ? 720 : x < -760 ? -760 : x;
  const double n = rint(x * 0x1.71547652b82fep0), half = rint(n * 0.5);
  const double r = fma(-n, 0x1.a39ef35793c76p-33, fma(-n, 0x1.62e42feep-1, x));
  return (1 + near_expm1(r)) * power_of_2(half) * power_of_2(n - half);
}

static inline INLINED float lane_expf(float x) {
  x = x > 100 ? 100 : x < -120 ? -120 : x;
  const float n = rintf(x * 0x1.715476p0f), half = rintf(n * 0.5f);
  const float r = fmaf(-n, 0x1.7f7d1cp-20f, fmaf(-n, 0x1.62e4p-1f, x));
  return (1 + near_expm1f(r)) * power_of_2f(half) * power_of_2f(n - half);
}

// (exp(2x) - 1) / (exp(2x) + 1); from |x| = 22 on it is 1
static inline INLINED double lane_tanh(double x) {
  const double a = fabs(x), y = 2 * (a > 22 ? 22 : a);
  const double n = rint(y * 0x1.71547652b82fep0), s = power_of_2(n);
  const double r = fma(-n, 0x1.a39ef35793c76p-33, fma(-n, 0x1.62e42feep-1, y));
  const double e = fma(s, near_expm1(r), s - 1);
  return copysign(e / (e + 2), x);
}

static inline INLINED float lane_tanhf(float x) {
  const float a = fabsf(x), y = 2 * (a > 10 ? 10 : a);
  const float n = rintf(y * 0x1.715476p0f), s = power_of_2f(n);
  const float r = fmaf(-n, 0x1.7f7d1cp-20f, fmaf(-n, 0x1.62e4p-1f, y));
  const float e = fmaf(s, near_expm1f(r), s - 1);
  return copysignf(e / (e + 2), x);
}

// 2^x: x = n + r
static inline INLINED double lane_exp2(double x) {
  x = x > 1100 ? 1100 : x < -1100 ? -1100 : x;
  const double n = rint(x), half = rint(n * 0.5), r = x - n;
  const double low = fma(r, 0x1.62e42fefa39efp-1, -(r * 0x1.62e42fefa39efp-1)) + r * 0x1.abc9e3b39803fp-56;
  return (1 + (near_expm1(r * 0x1.62e42fefa39efp-1) + low)) * power_of_2(half) * power_of_2(n - half);
}

static inline INLINED float lane_exp2f(float x) {
  x = x > 200 ? 200 : x < -200 ? -200 : x;
  const float n = rintf(x), half = rintf(n * 0.5f), r = x - n;
  return (1 + near_expm1f(r * 0x1.62e43p-1f)) * power_of_2f(half) * power_of_2f(n - half);
}

// s*(e + 1) - 1 with s = 2^n; where s is large or small, the 1 is added where exp would be
static inline INLINED double lane_expm1(double x) {
  const double y = x > 720 ? 720 : x < -760 ? -760 : x;
  const double n = rint(y * 0x1.71547652b82fep0), half = rint(n * 0.5);
  const double e = near_expm1(fma(-n, 0x1.a39ef35793c76p-33, fma(-n, 0x1.62e42feep-1, y)));
  const double s = power_of_2(half) * power_of_2(n - half);
  const double large = (1 + e) * power_of_2(half) * power_of_2(n - half) - 1;
  return copysign(n > 1000 ? large : fma(s, e, s - 1), x);
}

static inline INLINED float lane_expm1f(float x) {
  const float y = x > 100 ? 100 : x < -120 ? -120 : x;
  const float n = rintf(y * 0x1.715476p0f), half = rintf(n * 0.5f);
  const float e = near_expm1f(fmaf(-n, 0x1.7f7d1cp-20f, fmaf(-n, 0x1.62e4p-1f, y)));
  const float s = power_of_2f(half) * power_of_2f(n - half);
  const float large = (1 + e) * power_of_2f(half) * power_of_2f(n - half) - 1;
  return copysignf(n > 120 ? large : fmaf(s, e, s - 1), x);
}

// x = 2^k * m with m from sqrt(1/2) to sqrt(2): gives m, and k in `exponent`
static inline INLINED double mantissa(double x, double* exponent) {
  const double scaled = x < 0x1p-1022 ? x * 0x1p54 : x;
  uint64_t bits;
  memcpy(&bits, &scaled, 8);
  const uint64_t moved = bits - 0x3fe6a09e667f3bcdu;
  const uint64_t count = 0x4330000000000000u | ((moved + (uint64_t)1024 * 0x10000000000000u) >> 52);
  bits -= moved & 0xfff0000000000000u;
  double k, m;
  memcpy(&k, &count, 8);
  memcpy(&m, &bits, 8);
  *exponent = k - (0x1p52 + 1024) - (x < 0x1p-1022 ? 54 : 0);
  return m;
}

static inline INLINED float mantissaf(float x, float* exponent) {
  const float scaled = x < 0x1p-126f ? x * 0x1p25f : x;
  uint32_t bits;
  memcpy(&bits, &scaled, 4);
  const uint32_t moved = bits - 0x3f3504f3u;
  const int32_t count = (int32_t)moved >> 23;
  bits -= moved & 0xff800000u;
  float m;
  memcpy(&m, &bits, 4);
  *exponent = (float)(count - (x < 0x1p-126f ? 25 : 0));
  return m;
}

// log(1 + f) + low, from sqrt(1/2) to sqrt(2): the series in f/(2+f) of FreeBSD's e_log.c
static inline INLINED double near_log(double f, double low) {
  const double s = f / (2 + f), z = s * s, w = z * z, h = 0.5 * f * f;
  const double odd = fma(w, fma(w, 1.531383769920937332e-01, 2.222219843214978396e-01), 3.999999999940941908e-01);
  const double even = fma(w, fma(w, fma(w, 1.479819860511658591e-01, 1.818357216161805012e-01),
      2.857142874366239149e-01), 6.666666666666735130e-01);
  return f - (h - fma(s, h + w * odd + z * even, low));
}

static inline INLINED float near_logf(float f, float low) {
  const float s = f / (2 + f), z = s * s, w = z * z, h = 0.5f * f * f;
  const float odd = fmaf(w, 0.24279078841f, 0.40000972152f), even = fmaf(w, 0.28498786688f, 0.66666662693f);
  return f - (h - fmaf(s, h + w * odd + z * even, low));
}

// what a logarithm is where x is no positive number, else y
static inline INLINED double if_positive(double x, double y) {
  return x > 0 ? (x < (double)INFINITY ? y : x) : (x == 0 ? -(double)INFINITY : (double)NAN);
}

static inline INLINED float if_positivef(float x, float y) {
  return x > 0 ? (x < INFINITY ? y : x) : (x == 0 ? -INFINITY : NAN);
}

static inline INLINED double lane_log(double x) {
  double k;
  const double m = mantissa(x, &k);
  return if_positive(x, fma(k, 0x1.62e42feep-1, near_log(m - 1, k * 0x1.a39ef35793c76p-33)));
}

static inline INLINED float lane_logf(float x) {
  float k;
  const float m = mantissaf(x, &k);
  return if_positivef(x, fmaf(k, 0x1.62e3p-1f, near_logf(m - 1, k * 0x1.2fefa2p-17f)));
}

static inline INLINED double lane_log2(double x) {
  double k;
  const double y = near_log(mantissa(x, &k) - 1, 0);
  return if_positive(x, k + fma(y, 0x1.71547652b82fep0, y * 0x1.777d0ffda0d24p-56));
}

static inline INLINED float lane_log2f(float x) {
  float k;
  const float y = near_logf(mantissaf(x, &k) - 1, 0);
  return if_positivef(x, k + fmaf(y, 0x1.715476p0f, y * 0x1.4ae0cp-26f));
}

static inline INLINED double lane_log10(double x) {
  double k;
  const double y = near_log(mantissa(x, &k) - 1, 0);
  return if_positive(x, fma(k, 0x1.34413509f79fep-2, fma(k, 0x1.de6250p-56, y * 0x1.bcb7b1526e50ep-2)));
}

static inline INLINED float lane_log10f(float x) {
  float k;
  const float y = near_logf(mantissaf(x, &k) - 1, 0);
  return if_positivef(x, fmaf(k, 0x1.344p-2f, fmaf(k, 0x1.3509f8p-18f, y * 0x1.bcb7b2p-2f)));
}

// log(u) for u = 1 + x as it is rounded, and what the rounding took
static inline INLINED double lane_log1p(double x) {
  const double u = 1 + x;
  double k;
  const double m = mantissa(u, &k), lost = (fabs(x) < 1 ? x - (u - 1) : 1 - (u - x)) / u;
  const double y = fma(k, 0x1.62e42feep-1, near_log(m - 1, fma(k, 0x1.a39ef35793c76p-33, lost)));
  return copysign(if_positive(u, y), x);
}

static inline INLINED float lane_log1pf(float x) {
  const float u = 1 + x;
  float k;
  const float m = mantissaf(u, &k), lost = (fabsf(x) < 1 ? x - (u - 1) : 1 - (u - x)) / u;
  const float y = fmaf(k, 0x1.62e3p-1f, near_logf(m - 1, fmaf(k, 0x1.2fefa2p-17f, lost)));
  return copysignf(if_positivef(u, y), x);
}
