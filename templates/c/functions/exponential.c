{#- Exponentials and what is made of them. x = n*log(2) + r: a polynomial in r, then n is added to the exponent's bits. -#}
static inline INLINED uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return bits;
}

static inline INLINED uint32_t bits_off(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}

static inline INLINED double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, 8);
  return x;
}

static inline INLINED float from_bitsf(uint32_t bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

// 2 to the power n, an integer from -1022 to 1023
static inline INLINED double power_of_2(double n) { return from_bits((bits_of(n + 0x1.8p52) + 1023) << 52); }

static inline INLINED float power_of_2f(float n) { return from_bitsf((bits_off(n + 0x1.8p23f) + 127) << 23); }

// p * 2^n, p from 0.01 to 1.42, where `shifted` is n + 1.5*2^52, whose last bits are n: in two steps where it is subnormal
static inline INLINED double scaled(double p, double shifted) {
  const uint64_t bits = bits_of(p) + (bits_of(shifted) << 52);
  const int small = shifted < 0x1.8p52 - 1000;
  return from_bits(small ? bits + ((uint64_t)200 << 52) : bits) * (small ? 0x1p-200 : 1);
}

static inline INLINED float scaledf(float p, float shifted) {
  const uint32_t bits = bits_off(p) + (bits_off(shifted) << 23);
  const int small = shifted < 0x1.8p23f - 100;
  return from_bitsf(small ? bits + (64u << 23) : bits) * (small ? 0x1p-64f : 1);
}

// exp(r) for |r| <= log(2)/2
static inline INLINED double near_exp(double r) {
  double p = 0x1.ad7effaa2c2a2p-26;
  p = fma(p, r, 0x1.28adce787319fp-22);
  p = fma(p, r, 0x1.71df262e182bdp-19);
  p = fma(p, r, 0x1.a01999adc57d5p-16);
  p = fma(p, r, 0x1.a01a0129b39a4p-13);
  p = fma(p, r, 0x1.6c16c1844b03bp-10);
  p = fma(p, r, 0x1.1111111127e85p-7);
  p = fma(p, r, 0x1.55555555507f1p-5);
  p = fma(p, r, 0x1.55555555554f9p-3);
  p = fma(p, r, 0x1.000000000000ap-1);
  return fma(fma(p, r, 1), r, 1);
}

static inline INLINED float near_expf(float r) {
  float p = 0x1.6a2352p-10f;
  p = fmaf(p, r, 0x1.123a6cp-7f);
  p = fmaf(p, r, 0x1.5558f4p-5f);
  p = fmaf(p, r, 0x1.55549p-3f);
  p = fmaf(p, r, 0x1.fffffcp-2f);
  return fmaf(fmaf(p, r, 1), r, 1);
}

// exp(r) - 1
static inline INLINED double near_expm1(double r) {
  double p = 0x1.1ee887cd0ffc1p-29;
  p = fma(p, r, 0x1.af5ee864f4275p-26);
  p = fma(p, r, 0x1.27e53660d136dp-22);
  p = fma(p, r, 0x1.71ddf841f4fep-19);
  p = fma(p, r, 0x1.a01a017b94dd3p-16);
  p = fma(p, r, 0x1.a01a01afe9aafp-13);
  p = fma(p, r, 0x1.6c16c16c1f16bp-10);
  p = fma(p, r, 0x1.111111110f6aap-7);
  p = fma(p, r, 0x1.555555555553ep-5);
  p = fma(p, r, 0x1.5555555555559p-3);
  p = fma(p, r, 0.5);
  return fma(r * r, p, r);
}

static inline INLINED float near_expm1f(float r) {
  float p = 0x1.a032cap-13f;
  p = fmaf(p, r, 0x1.6d7296p-10f);
  p = fmaf(p, r, 0x1.11118ap-7f);
  p = fmaf(p, r, 0x1.5554bp-5f);
  p = fmaf(p, r, 0x1.555554p-3f);
  p = fmaf(p, r, 0.5f);
  return fmaf(r * r, p, r);
}

// x = n*log(2) + r: gives exp(r), and n + 1.5*2^52 in `shifted`. log(2) is in two parts, n times the first is exact.
static inline INLINED double exp_of_rest(double x, double* shifted) {
  *shifted = fma(x, 0x1.71547652b82fep0, 0x1.8p52);
  const double n = *shifted - 0x1.8p52;
  return near_exp(fma(-n, 0x1.a39ef35793c76p-33, fma(-n, 0x1.62e42feep-1, x)));
}

static inline INLINED float exp_of_restf(float x, float* shifted) {
  *shifted = fmaf(x, 0x1.715476p0f, 0x1.8p23f);
  const float n = *shifted - 0x1.8p23f;
  return near_expf(fmaf(-n, 0x1.7f7d1cp-20f, fmaf(-n, 0x1.62e4p-1f, x)));
}

// Where x is NaN or beyond the largest result, the sum is what is due.
static inline INLINED double lane_exp(double x) {
  double shifted;
  const double p = exp_of_rest(x, &shifted), y = x < -746 ? 0 : scaled(p, shifted);
  return x <= 0x1.62e42fefa39efp9 ? y : x + (double)INFINITY;
}

static inline INLINED float lane_expf(float x) {
  float shifted;
  const float p = exp_of_restf(x, &shifted), y = x < -104 ? 0 : scaledf(p, shifted);
  return x <= 0x1.62e42ep6f ? y : x + INFINITY;
}

// exp(x) for |x| <= 700, to the digits of a float
static inline INLINED double short_exp(double x) {
  const double shifted = fma(x, 0x1.71547652b82fep0, 0x1.8p52), n = shifted - 0x1.8p52;
  const double r = fma(-n, 0x1.a39ef35793c76p-33, fma(-n, 0x1.62e42feep-1, x));
  double p = 0x1.9f08100d965b6p-13;
  p = fma(p, r, 0x1.6d8db0bac8f7bp-10);
  p = fma(p, r, 0x1.111271fc374f8p-7);
  p = fma(p, r, 0x1.55548d104bffep-5);
  p = fma(p, r, 0x1.55555441be59cp-3);
  p = fma(p, r, 0x1.0000003a71815p-1);
  p = fma(fma(p, r, 1), r, 1);
  return from_bits(bits_of(p) + (bits_of(shifted) << 52));
}

// 2^x: x = n + r
static inline INLINED double lane_exp2(double x) {
  const double shifted = x + 0x1.8p52, r = x - (shifted - 0x1.8p52), s = r * 0x1.62e42fefa39efp-1;
  const double low = fma(r, 0x1.62e42fefa39efp-1, -s) + r * 0x1.abc9e3b39803fp-56;
  const double p = 1 + (near_expm1(s) + low), y = x < -1076 ? 0 : scaled(p, shifted);
  return x < 1024 ? y : x + (double)INFINITY;
}

static inline INLINED float lane_exp2f(float x) {
  const float shifted = x + 0x1.8p23f, r = x - (shifted - 0x1.8p23f);
  const float y = x < -151 ? 0 : scaledf(near_expf(r * 0x1.62e43p-1f), shifted);
  return x < 128 ? y : x + INFINITY;
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

// a + b, or less b, for a = exp(|x|)/2 and b = exp(-|x|)/2; a series in x^2 where they would cancel
static inline INLINED double lane_sinh(double x) {
  const double m = fabs(x), z = m * m;
  double shifted;
  const double e = exp_of_rest(m, &shifted), a = from_bits(bits_of(e) + (bits_of(shifted - 1) << 52)), y = a - 0.25 / a;
  double p = 0x1.a120fe5e19188p-49;
  p = fma(p, z, 0x1.ae4d9c7fcb61dp-41);
  p = fma(p, z, 0x1.6124cf92e153bp-33);
  p = fma(p, z, 0x1.ae6455638dbf9p-26);
  p = fma(p, z, 0x1.71de3a5714765p-19);
  p = fma(p, z, 0x1.a01a01a017471p-13);
  p = fma(p, z, 0x1.1111111111134p-7);
  p = fma(p, z, 0x1.5555555555555p-3);
  return copysign(m <= 1.5 ? fma(m * z, p, m) : m <= 0x1.633ce8fb9f87dp9 ? y : m + (double)INFINITY, x);
}

static inline INLINED float lane_sinhf(float x) {
  const float m = fabsf(x), z = m * m;
  float shifted;
  const float e = exp_of_restf(m, &shifted), a = from_bitsf(bits_off(e) + (bits_off(shifted - 1) << 23)), y = a - 0.25f / a;
  float p = 0x1.846c98p-19f;
  p = fmaf(p, z, 0x1.9f8fa8p-13f);
  p = fmaf(p, z, 0x1.1112a4p-7f);
  p = fmaf(p, z, 0x1.55555p-3f);
  return copysignf(m <= 1.5f ? fmaf(m * z, p, m) : m <= 0x1.65a9f8p6f ? y : m + INFINITY, x);
}

static inline INLINED double lane_cosh(double x) {
  const double m = fabs(x);
  double shifted;
  const double e = exp_of_rest(m, &shifted), a = from_bits(bits_of(e) + (bits_of(shifted - 1) << 52));
  return m <= 0x1.633ce8fb9f87dp9 ? a + 0.25 / a : m + (double)INFINITY;
}

static inline INLINED float lane_coshf(float x) {
  const float m = fabsf(x);
  float shifted;
  const float e = exp_of_restf(m, &shifted), a = from_bitsf(bits_off(e) + (bits_off(shifted - 1) << 23));
  return m <= 0x1.65a9f8p6f ? a + 0.25f / a : m + INFINITY;
}

// 1 - 2/(exp(2x) + 1), and x + x^3 * P(x^2)/Q(x^2) up to 1; from 22 on it is 1
static inline INLINED double lane_tanh(double x) {
  const double a = fabs(x), z = a * a;
  double shifted;
  const double e = exp_of_rest(2 * (a > 22 ? 22 : a), &shifted);
  const double p = fma(fma(fma(-0x1.275e79623741ap-26, z, -0x1.fdd45653fc19fp-13), z, -0x1.5eb715aa997a4p-6), z, -0x1.5555555555554p-2);
  const double q = fma(fma(fma(0x1.0a7562bf9b797p-12, z, 0x1.91998719e3d1bp-6), z, 0x1.db5beda9965c1p-2), z, 1);
  const int small = !(a > 1);
  const double denominator = small ? q : from_bits(bits_of(e) + (bits_of(shifted) << 52)) + 1;
  return copysign((small ? a : 1) + (small ? a * z * p : -2) / denominator, x);
}

static inline INLINED float lane_tanhf(float x) {
  const float a = fabsf(x), z = a * a;
  float shifted;
  const float e = exp_of_restf(2 * (a > 10 ? 10 : a), &shifted);
  const float p = fmaf(-0x1.e13fe4p-7f, z, -0x1.555556p-2f), q = fmaf(fmaf(0x1.018d36p-6f, z, 0x1.c6b78ap-2f), z, 1);
  const int small = !(a > 1);
  const float denominator = small ? q : from_bitsf(bits_off(e) + (bits_off(shifted) << 23)) + 1;
  return copysignf((small ? a : 1) + (small ? a * z * p : -2) / denominator, x);
}
