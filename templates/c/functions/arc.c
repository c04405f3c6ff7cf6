{#- Inverse trigonometric functions. pi/2 is in two parts. -#}
// atan(x) - x for |x| <= 1
static inline INLINED double near_atan(double x) {
  const double z = x * x;
  double p = 0x1.bbc2ab48842bep-17;
  p = fma(p, z, -0x1.3f1ad12b4331bp-13);
  p = fma(p, z, 0x1.b3da343f453cp-11);
  p = fma(p, z, -0x1.7a21d83b39e3fp-9);
  p = fma(p, z, 0x1.d7a152e53c421p-8);
  p = fma(p, z, -0x1.c77e5e88c256ep-7);
  p = fma(p, z, 0x1.68332a89d58f9p-6);
  p = fma(p, z, -0x1.e9f1e0ae6d3bfp-6);
  p = fma(p, z, 0x1.2c2ba85418f7ap-5);
  p = fma(p, z, -0x1.59a2988f3bd31p-5);
  p = fma(p, z, 0x1.82da46550847bp-5);
  p = fma(p, z, -0x1.ae5e44f3ecd86p-5);
  p = fma(p, z, 0x1.e1bb9b4dd8dc2p-5);
  p = fma(p, z, -0x1.110e50215a55dp-4);
  p = fma(p, z, 0x1.3b1366769d456p-4);
  p = fma(p, z, -0x1.745d11ab02adcp-4);
  p = fma(p, z, 0x1.c71c717f95988p-4);
  p = fma(p, z, -0x1.249249237e29p-3);
  p = fma(p, z, 0x1.9999999995549p-3);
  p = fma(p, z, -0x1.5555555555526p-2);
  return x * z * p;
}

static inline INLINED float near_atanf(float x) {
  const float z = x * x;
  float p = -0x1.d63p-10f;
  p = fmaf(p, z, 0x1.65a666p-7f);
  p = fmaf(p, z, -0x1.fed168p-6f);
  p = fmaf(p, z, 0x1.dac9e8p-5f);
  p = fmaf(p, z, -0x1.583492p-4f);
  p = fmaf(p, z, 0x1.c099fep-4f);
  p = fmaf(p, z, -0x1.2421b6p-3f);
  p = fmaf(p, z, 0x1.9991fep-3f);
  p = fmaf(p, z, -0x1.55553ep-2f);
  return x * z * p;
}

// pi/2 less that of 1/x where |x| > 1
static inline INLINED double lane_atan(double x) {
  const double a = fabs(x), s = a > 1 ? 1 / a : a, y = near_atan(s);
  return copysign(a > 1 ? 0x1.921fb54442d18p0 - (s + (y - 0x1.1a62633145c07p-54)) : s + y, x);
}

static inline INLINED float lane_atanf(float x) {
  const float a = fabsf(x), s = a > 1 ? 1 / a : a, y = near_atanf(s);
  return copysignf(a > 1 ? 0x1.921fb6p0f - (s + (y + 0x1.777a5cp-25f)) : s + y, x);
}

// of the smaller one's ratio to the larger one, which is added to 0, pi/2 or pi, or taken from it
static inline INLINED double lane_atan2(double y, double x) {
  const double a = fabs(y), b = fabs(x), small = a > b ? b : a, large = a > b ? a : b;
  const double s = large == 0 ? small : small == large ? 1 : small / large;
  const double left = copysign(1, x) < 0, quarters = a > b ? 1 : 2 * left, sign = (1 - 2 * left) * (a > b ? -1 : 1);
  const double angle = sign * near_atan(s) + quarters * 0x1.1a62633145c07p-54;
  return copysign(quarters * 0x1.921fb54442d18p0 + (sign * s + angle), y);
}

static inline INLINED float lane_atan2f(float y, float x) {
  const float a = fabsf(y), b = fabsf(x), small = a > b ? b : a, large = a > b ? a : b;
  const float s = large == 0 ? small : small == large ? 1 : small / large;
  const float left = copysignf(1, x) < 0, quarters = a > b ? 1 : 2 * left, sign = (1 - 2 * left) * (a > b ? -1 : 1);
  const float angle = sign * near_atanf(s) + quarters * -0x1.777a5cp-25f;
  return copysignf(quarters * 0x1.921fb6p0f + (sign * s + angle), y);
}

// asin(s) - s for s^2 = z <= 1/4
static inline INLINED double near_asin(double s, double z) {
  double p = 0x1.0b4b418ee62c8p-5;
  p = fma(p, z, -0x1.580cb2b8046d3p-6);
  p = fma(p, z, 0x1.63a7d1f77c51bp-6);
  p = fma(p, z, 0x1.e5cdc1737f171p-9);
  p = fma(p, z, 0x1.613f5dd9174bep-7);
  p = fma(p, z, 0x1.7584fec8aba59p-7);
  p = fma(p, z, 0x1.ca1f9ff07d4e2p-7);
  p = fma(p, z, 0x1.1c49ef82a2fc2p-6);
  p = fma(p, z, 0x1.6e8bdeede94e3p-6);
  p = fma(p, z, 0x1.f1c71a9463dc7p-6);
  p = fma(p, z, 0x1.6db6db72142fep-5);
  p = fma(p, z, 0x1.333333332e101p-4);
  p = fma(p, z, 0x1.5555555555577p-3);
  return s * z * p;
}

static inline INLINED float near_asinf(float s, float z) {
  float p = 0x1.596d28p-5f;
  p = fmaf(p, z, 0x1.8c283cp-6f);
  p = fmaf(p, z, 0x1.747e4ap-5f);
  p = fmaf(p, z, 0x1.3301e4p-4f);
  p = fmaf(p, z, 0x1.5555c8p-3f);
  return s * z * p;
}

// asin(x) = pi/2 - 2*asin(sqrt((1 - x)/2))
static inline INLINED double lane_asin(double x) {
  const double a = fabs(x), z = a > 0.5 ? 0.5 * (1 - a) : a * a, s = a > 0.5 ? sqrt(z) : a, y = near_asin(s, z);
  return copysign(a > 0.5 ? 0x1.921fb54442d18p0 - (2 * s + (2 * y - 0x1.1a62633145c07p-54)) : s + y, x);
}

static inline INLINED float lane_asinf(float x) {
  const float a = fabsf(x), z = a > 0.5f ? 0.5f * (1 - a) : a * a, s = a > 0.5f ? sqrtf(z) : a, y = near_asinf(s, z);
  return copysignf(a > 0.5f ? 0x1.921fb6p0f - (2 * s + (2 * y + 0x1.777a5cp-25f)) : s + y, x);
}

// pi/2 - asin(x), or 2*asin(sqrt((1 - |x|)/2)), from pi where x is negative
static inline INLINED double lane_acos(double x) {
  const double a = fabs(x), z = a > 0.5 ? 0.5 * (1 - a) : a * a, s = a > 0.5 ? sqrt(z) : x, y = near_asin(s, z);
  const double outer = x > 0 ? 2 * (s + y) : 0x1.921fb54442d18p1 - (2 * s + (2 * y - 0x1.1a62633145c07p-53));
  return a > 0.5 ? outer : 0x1.921fb54442d18p0 - (s + (y - 0x1.1a62633145c07p-54));
}

static inline INLINED float lane_acosf(float x) {
  const float a = fabsf(x), z = a > 0.5f ? 0.5f * (1 - a) : a * a, s = a > 0.5f ? sqrtf(z) : x, y = near_asinf(s, z);
  const float outer = x > 0 ? 2 * (s + y) : 0x1.921fb6p1f - (2 * s + (2 * y + 0x1.777a5cp-24f));
  return a > 0.5f ? outer : 0x1.921fb6p0f - (s + (y + 0x1.777a5cp-25f));
}
