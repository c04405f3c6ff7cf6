{#- Logarithms and what is made of them. x = 2^k * m: a series in (m-1)/(m+1). -#}
// x = 2^k * m with m from sqrt(1/2) to sqrt(2): gives m, and k in `exponent`
static inline INLINED double normal_mantissa(double x, double* exponent) {
  const uint64_t bits = bits_of(x), moved = bits - 0x3fe6a09e667f3bcdu;
  *exponent = from_bits(0x4330000000000000u | ((moved + (uint64_t)1024 * 0x10000000000000u) >> 52)) - (0x1p52 + 1024);
  return from_bits(bits - (moved & 0xfff0000000000000u));
}

// of x that may be subnormal
static inline INLINED double mantissa(double x, double* exponent) {
  const double m = normal_mantissa(x < 0x1p-1022 ? x * 0x1p54 : x, exponent);
  *exponent -= x < 0x1p-1022 ? 54 : 0;
  return m;
}

static inline INLINED float mantissaf(float x, float* exponent) {
  const uint32_t bits = bits_off(x < 0x1p-126f ? x * 0x1p25f : x);
  const uint32_t moved = bits - 0x3f3504f3u;
  const int32_t count = (int32_t)moved >> 23;
  *exponent = (float)(count - (x < 0x1p-126f ? 25 : 0));
  return from_bitsf(bits - (moved & 0xff800000u));
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

// log(x) for a positive x that is finite and not subnormal
static inline INLINED double normal_log(double x) {
  double k;
  const double m = normal_mantissa(x, &k);
  return fma(k, 0x1.62e42feep-1, near_log(m - 1, k * 0x1.a39ef35793c76p-33));
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
  const double y = near_log(mantissa(x, &k) - 1, 0), low = fma(k, 0x1.fef311f12b358p-46, y * 0x1.95355baaafad3p-57);
  return if_positive(x, fma(k, 0x1.34413509f78p-2, fma(y, 0x1.bcb7b1526e50ep-2, low)));
}

static inline INLINED float lane_log10f(float x) {
  float k;
  const float y = near_logf(mantissaf(x, &k) - 1, 0), low = fmaf(k, 0x1.3509f8p-18f, y * -0x1.5b235ep-27f);
  return if_positivef(x, fmaf(k, 0x1.344p-2f, fmaf(y, 0x1.bcb7b2p-2f, low)));
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

// log(x) for a positive x that is not subnormal, to the digits of a float
static inline INLINED double short_log(double x) {
  double k;
  const double f = normal_mantissa(x, &k) - 1, s = f / (2 + f), z = s * s;
  double p = 0x1.91b0266679dbp-3;
  p = fma(p, z, 0x1.c620fd9bb618ap-3);
  p = fma(p, z, 0x1.24942ea2ab81p-2);
  p = fma(p, z, 0x1.99999669e9e19p-2);
  p = fma(p, z, 0x1.5555555633926p-1);
  return fma(k, 0x1.62e42fefa39efp-1, fma(s * z, p, 2 * s));
}

// log(x + sqrt(x^2 + 1)); where x^2 has no digit of the 1 in it, log(2x)
static inline INLINED double lane_asinh(double x) {
  const double a = fabs(x), z = a * a, f = a + z / (1 + sqrt(1 + z)), g = 1 + f;
  const int large = a > 0x1p28;
  double k;
  const double m = mantissa(large ? a : g, &k), n = k + (large ? 1 : 0);
  const double lost = large ? 0 : (f < 1 ? f - (g - 1) : 1 - (g - f)) / g;
  const double y = fma(n, 0x1.62e42feep-1, near_log(m - 1, fma(n, 0x1.a39ef35793c76p-33, lost)));
  return copysign(a < (double)INFINITY ? y : a, x);
}

static inline INLINED float lane_asinhf(float x) {
  const double a = fabsf(x), z = a * a;
  const double y = a < 0x1p-11 ? a - z * a * (1 / 6.0) : short_log(a + sqrt(1 + z));
  return copysignf((float)(a < (double)INFINITY ? y : a), x);
}

// log(1 + t + sqrt(t^2 + 2t)) with t = x - 1
static inline INLINED double lane_acosh(double x) {
  const double t = x - 1, root = sqrt(fma(t, t, 2 * t)), f = root + t, g = 1 + f;
  const int large = x > 0x1p28;
  double k;
  const double m = mantissa(large ? x : g, &k), n = k + (large ? 1 : 0);
  const double lost = large ? 0 : ((root - f + t) + (f < 1 ? f - (g - 1) : 1 - (g - f))) / g;
  const double y = fma(n, 0x1.62e42feep-1, near_log(m - 1, fma(n, 0x1.a39ef35793c76p-33, lost)));
  return x >= 1 ? (x < (double)INFINITY ? y : x) : (double)NAN;
}

static inline INLINED float lane_acoshf(float x) {
  const double d = x, y = short_log(d + sqrt((d - 1) * (d + 1)));
  return x >= 1 ? (x < INFINITY ? (float)y : x) : NAN;
}

// log1p(2x/(1 - x))/2
static inline INLINED double lane_atanh(double x) {
  const double a = fabs(x), q = a / (1 - a), f = a < 0.5 ? fma(2 * a, q, 2 * a) : 2 * q, g = 1 + f;
  double k;
  const double m = mantissa(g, &k), lost = (f < 1 ? f - (g - 1) : 1 - (g - f)) / g;
  const double y = fma(k, 0x1.62e42feep-1, near_log(m - 1, fma(k, 0x1.a39ef35793c76p-33, lost)));
  return copysign(a < 1 ? 0.5 * y : a == 1 ? (double)INFINITY : (double)NAN, x);
}

static inline INLINED float lane_atanhf(float x) {
  const double a = fabsf(x), y = a < 0x1p-11 ? fma(a * a, a * (1 / 3.0), a) : 0.5 * short_log((1 + a) / (1 - a));
  return copysignf(a < 1 ? (float)y : a == 1 ? INFINITY : NAN, x);
}
