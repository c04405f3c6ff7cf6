{#- Powers and roots. -#}
// x^y from `size`, which is |x|^y where these are finite and |x| is not 0: its sign, and what it is elsewhere. Where x
// or y is the same in all lanes, conditions on it alone would keep the compiler from vectors: they are masks.
static inline INLINED double signed_power(double x, double y, double size) {
  const double a = fabs(x), infinite = (double)INFINITY;
  const int whole = rint(y) == y, odd = whole & (rint(0.5 * y) != 0.5 * y);
  const uint64_t down = -(uint64_t)(y < 0), small = -(uint64_t)(a < 1), no_number = -(uint64_t)(y != y) & 0x7ff8000000000000u;
  const double unbounded = from_bits((0x7ff0000000000000u & ~(down ^ small)) | no_number), limit = a == 1 ? 1 : unbounded;
  const double least = from_bits(0x7ff0000000000000u & -(uint64_t)(fabs(y) == infinite)), negative = -from_bits(0x7ff0000000000000u & -(uint64_t)whole);
  const double found = a <= least || a == infinite ? limit : size;
  const uint64_t not_real = -(uint64_t)(x < negative) & -(uint64_t)(a < infinite) & 0x7ff8000000000000u;
  const double real = from_bits((bits_of(found) ^ (bits_of(x) & ((uint64_t)odd << 63))) | not_real);
  const uint64_t from_one = (bits_of(x) ^ 0x3ff0000000000000u) & -(uint64_t)(y != 0);
  return from_one == 0 ? 1 : x != x ? x : real;
}

static inline INLINED float signed_powerf(float x, float y, float size) {
  const float a = fabsf(x), infinite = INFINITY;
  const int whole = rintf(y) == y, odd = whole & (rintf(0.5f * y) != 0.5f * y);
  const uint32_t down = -(uint32_t)(y < 0), small = -(uint32_t)(a < 1), no_number = -(uint32_t)(y != y) & 0x7fc00000u;
  const float unbounded = from_bitsf((0x7f800000u & ~(down ^ small)) | no_number), limit = a == 1 ? 1 : unbounded;
  const float least = from_bitsf(0x7f800000u & -(uint32_t)(fabsf(y) == infinite)), negative = -from_bitsf(0x7f800000u & -(uint32_t)whole);
  const float found = a <= least || a == infinite ? limit : size;
  const uint32_t not_real = -(uint32_t)(x < negative) & -(uint32_t)(a < infinite) & 0x7fc00000u;
  const float real = from_bitsf((bits_off(found) ^ (bits_off(x) & ((uint32_t)odd << 31))) | not_real);
  const uint32_t from_one = (bits_off(x) ^ 0x3f800000u) & -(uint32_t)(y != 0);
  return from_one == 0 ? 1 : x != x ? x : real;
}

#ifdef FP_FAST_FMA
// exp(y * log(x)); the logarithm has a second part, which is what the first one's rounding took, and so has the product
static inline INLINED double lane_pow(double x, double y) {
  const double a = fabs(x);
  double k;
  const double m = mantissa(a, &k), f = m - 1, d = m + 1;
  const double s = f / d, s_low = (fma(-s, d, f) - s * (m - (d - 1))) / d;
  const double z = s * s, z_low = fma(s, s, -z) + 2 * s * s_low;
  const double c = s * z, c_low = fma(s, z, -c) + fma(s, z_low, s_low * z);
  const double t = c * 0x1.5555555555555p-1, t_low = fma(c, 0x1.5555555555555p-1, -t) + fma(c, 0x1.5555555555555p-55, c_low * 0x1.5555555555555p-1);
  double p = 0x1.0ee3f5cddc243p-3;
  p = fma(p, z, 0x1.0f6ee396614e8p-3);
  p = fma(p, z, 0x1.3b1fa2cd4c2dp-3);
  p = fma(p, z, 0x1.745ce6074e386p-3);
  p = fma(p, z, 0x1.c71c723855a43p-3);
  p = fma(p, z, 0x1.249249245048dp-2);
  p = fma(p, z, 0x1.9999999999b6ep-2);
  const double whole = k * 0x1.62e42fefa38p-1, near = whole + 2 * s, high = near + t;
  const double rest = (whole - near) + 2 * s + ((near - high) + t) + fma(c * z, p, t_low + fma(k, 0x1.ef35793c7673p-45, 2 * s_low));
  const double log_x = high + rest, low = (high - log_x) + rest;
  const double product = y * log_x, e = product > 800 ? 800 : product < -800 ? -800 : product;
  const double e_low = fabs(product) < 800 ? fma(y, log_x, -product) + y * low : 0;
  const double shifted = fma(e, 0x1.71547652b82fep0, 0x1.8p52), n = shifted - 0x1.8p52;
  const double r = fma(-n, 0x1.a39ef35793c76p-33, fma(-n, 0x1.62e42feep-1, e)) + e_low;
  const double half = rint(0.5 * n), q = near_exp(r) * power_of_2(half) * power_of_2(n - half);
  return signed_power(x, y, q);
}
#else
static inline INLINED double lane_pow(double x, double y) { return pow(x, y); }
#endif

static inline INLINED float lane_powf(float x, float y) {
  const double product = y * short_log(fabsf(x));
  return signed_powerf(x, y, (float)short_exp(product > 700 ? 700 : product < -700 ? -700 : product));
}

// 1/cbrt(m) for m from 0.35 to 2.83, to 8 bits
static inline INLINED double rough_rcbrt(double m) {
  double p = -0x1.285366p-5;
  p = fma(p, m, 0x1.5ae03ap-2);
  p = fma(p, m, -0x1.3fd540p0);
  p = fma(p, m, 0x1.29d822p1);
  p = fma(p, m, -0x1.33553ap1);
  p = fma(p, m, 0x1.0261d2p1);
  return p;
}

static inline INLINED double lane_cbrt(double x) {
  double k;
  const double m = mantissa(fabs(x), &k), q = rint(k * (1 / 3.0)), left = fma(-3, q, k);
  const double w = m * (left < 0 ? 0.5 : left > 0 ? 2 : 1);
  double y = rough_rcbrt(w);
  double e = fma(-w * y, y * y, 1);
  y = fma(y * e, fma(e, fma(e, 14 / 81.0, 2 / 9.0), 1 / 3.0), y);
  e = fma(-w * y, y * y, 1);
  y = fma(y * e, 1 / 3.0, y);
  const double c = w * y * y, root = fma(fma(-c, c * c, w) * (1 / 3.0), y * y, c) * power_of_2(q);
  return x - x == 0 && x != 0 ? copysign(root, x) : x + x;
}

static inline INLINED float lane_cbrtf(float x) {
  double k;
  const double a = fabsf(x), m = mantissa(a, &k), q = rint(k * (1 / 3.0)), left = fma(-3, q, k);
  const double w = m * (left < 0 ? 0.5 : left > 0 ? 2 : 1), y = rough_rcbrt(w), e = fma(-w * y, y * y, 1);
  const double z = fma(y * e, fma(e, fma(e, 14 / 81.0, 2 / 9.0), 1 / 3.0), y);
  return x - x == 0 && x != 0 ? copysignf((float)(w * z * z * power_of_2(q)), x) : x + x;
}

// scaled by a power of two where squares would overflow or lose digits
static inline INLINED double lane_hypot(double x, double y) {
  const double u = fabs(x), v = fabs(y), large = u > v ? u : v, small = u > v ? v : u;
  const double up = large > 0x1p500 ? 0x1p-600 : large < 0x1p-400 ? 0x1p600 : 1;
  const double down = large > 0x1p500 ? 0x1p600 : large < 0x1p-400 ? 0x1p-600 : 1;
  const double a = large * up, b = small * up, root = sqrt(fma(a, a, b * b)) * down;
  return large == (double)INFINITY || small == (double)INFINITY ? (double)INFINITY : root;
}

static inline INLINED float lane_hypotf(float x, float y) {
  const double u = fabsf(x), v = fabsf(y), large = u > v ? u : v, small = u > v ? v : u;
  const float root = (float)sqrt(large * large + small * small);
  return large == (double)INFINITY || small == (double)INFINITY ? INFINITY : root;
}
