{#- Sine, cosine and tangent. Arguments of up to a limit are reduced by multiples of pi/2 in three parts, larger ones are
    left to C's functions: the compiler calls a function for each vector of lanes, which has a branch for these.
    Elsewhere (other compilers, processors without `fma`) all are C's.
-#}
{% macro limited(name, real, lanes, limit) %}
#ifndef FOR_VECTOR
static inline INLINED {{ real }} lane_{{ name }}({{ real }} x) { return {{ name }}(x); }
#else
HIDDEN {{ real }} one_{{ name }}({{ real }} x) __asm__("tadc_{{ name }}");
HIDDEN {{ real }} lane_{{ name }}({{ real }} x) __asm__("tadc_{{ name }}") __attribute__((simd("notinbranch"), const));
{{ real }} one_{{ name }}({{ real }} x) { return x <= {{ limit }} && x >= -{{ limit }} ? near_{{ name }}(x) : {{ name }}(x); }
FOR_VECTOR(_ZGVbN{{ lanes }}v_tadc_{{ name }}, 16, {{ real }}, {{ name }}, {{ limit }})
FOR_VECTOR(_ZGVdN{{ 2 * lanes }}v_tadc_{{ name }}, 32, {{ real }}, {{ name }}, {{ limit }})
#ifdef __AVX512F__
FOR_VECTOR(_ZGVeN{{ 4 * lanes }}v_tadc_{{ name }}, 64, {{ real }}, {{ name }}, {{ limit }})
#endif
#endif
{% endmacro %}
// n*pi/2 + r + low = x: gives r, low, and n + 1.5*2^52 in `shifted`. What the rounding to r took is `lost`, unless t and its
// multiple cancel, where it is nearly nothing and the difference t - r is not exact.
static inline INLINED double quarters(double x, double* low, double* shifted) {
  *shifted = fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52);
  const double n = *shifted - 0x1.8p52, t = fma(-n, 0x1.921fb54442d18p0, x), r = fma(-n, 0x1.1a62633145c07p-54, t);
  const double lost = t - (t - r) == r ? fma(-n, 0x1.1a62633145c07p-54, t - r) : 0;
  *low = fma(-n, -0x1.f1976b7ed8fbcp-110, lost);
  return r;
}

static inline INLINED float quartersf(float x, float* low, float* shifted) {
  *shifted = fmaf(x, 0x1.45f306p-1f, 0x1.8p23f);
  const float n = *shifted - 0x1.8p23f, t = fmaf(-n, 0x1.921fb6p0f, x), r = fmaf(-n, -0x1.777a5cp-25f, t);
  const float lost = t - (t - r) == r ? fmaf(-n, -0x1.777a5cp-25f, t - r) : 0;
  *low = fmaf(-n, -0x1.ee59dap-50f, lost);
  return r;
}

// sin(r + low) for |r| <= pi/4, and the rest that its rounding took
static inline INLINED double first_sin(double r, double low, double* rest) {
  const double z = r * r;
  double p = 0x1.5d7d6b1365f92p-33;
  p = fma(p, z, -0x1.ae5e1c510f493p-26);
  p = fma(p, z, 0x1.71de351a0d36ap-19);
  p = fma(p, z, -0x1.a01a019ba67d9p-13);
  p = fma(p, z, 0x1.111111110f529p-7);
  p = fma(p, z, -0x1.5555555555547p-3);
  const double q = fma(r * z, p, low * fma(-0.5, z, 1)), y = r + q;
  *rest = r - y + q;
  return y;
}

static inline INLINED float first_sinf(float r, float low, float* rest) {
  const float z = r * r, p = fmaf(fmaf(-0x1.9920c2p-13f, z, 0x1.1106d4p-7f), z, -0x1.555544p-3f);
  const float q = fmaf(r * z, p, low * fmaf(-0.5f, z, 1)), y = r + q;
  *rest = r - y + q;
  return y;
}

// cos(r + low), with s = sin(r)
static inline INLINED double first_cos(double r, double low, double s, double* rest) {
  const double z = r * r, h = 0.5 * z, w = 1 - h;
  double p = -0x1.8f90254fd0bbbp-37;
  p = fma(p, z, 0x1.1ee9b0b6bc3c4p-29);
  p = fma(p, z, -0x1.27e4f7b2390b1p-22);
  p = fma(p, z, 0x1.a01a019c37447p-16);
  p = fma(p, z, -0x1.6c16c16c14c8ap-10);
  p = fma(p, z, 0x1.5555555555549p-5);
  const double q = (1 - w - h) + fma(z * z, p, -s * low), y = w + q;
  *rest = w - y + q;
  return y;
}

static inline INLINED float first_cosf(float r, float low, float s, float* rest) {
  const float z = r * r, h = 0.5f * z, w = 1 - h, p = fmaf(fmaf(0x1.99cb8p-16f, z, -0x1.6c0bc4p-10f), z, 0x1.55554ap-5f);
  const float q = (1 - w - h) + fmaf(z * z, p, -s * low), y = w + q;
  *rest = w - y + q;
  return y;
}

// sin(x), a quarter of a turn further where `turn` is 1
static inline INLINED double turned(double x, uint64_t turn) {
  double low, shifted, s_rest, c_rest;
  const double r = quarters(x, &low, &shifted), s = first_sin(r, low, &s_rest), c = first_cos(r, low, s, &c_rest);
  const uint64_t n = bits_of(shifted) + turn;
  return from_bits(bits_of(n & 1 ? c : s) ^ ((n & 2) << 62));
}

static inline INLINED float turnedf(float x, uint32_t turn) {
  float low, shifted, s_rest, c_rest;
  const float r = quartersf(x, &low, &shifted), s = first_sinf(r, low, &s_rest), c = first_cosf(r, low, s, &c_rest);
  const uint32_t n = bits_off(shifted) + turn;
  return from_bitsf(bits_off(n & 1 ? c : s) ^ ((n & 2) << 30));
}

static inline INLINED double near_sin(double x) { return x == 0 ? x : turned(x, 0); }

static inline INLINED float near_sinf(float x) { return x == 0 ? x : turnedf(x, 0); }

static inline INLINED double near_cos(double x) { return turned(x, 1); }

static inline INLINED float near_cosf(float x) { return turnedf(x, 1); }

static inline INLINED double near_tan(double x) {
  double low, shifted, s_rest, c_rest;
  const double r = quarters(x, &low, &shifted), s = first_sin(r, low, &s_rest), c = first_cos(r, low, s, &c_rest);
  const uint64_t n = bits_of(shifted);
  const double top = n & 1 ? -c : s, bottom = n & 1 ? s : c, inverse = 1 / bottom, y = top * inverse;
  const double left = fma(-y, bottom, top) + fma(-y, n & 1 ? s_rest : c_rest, n & 1 ? -c_rest : s_rest);
  return x == 0 ? x : fma(left, inverse, y);
}

static inline INLINED float near_tanf(float x) {
  float low, shifted, s_rest, c_rest;
  const float r = quartersf(x, &low, &shifted), s = first_sinf(r, low, &s_rest), c = first_cosf(r, low, s, &c_rest);
  const uint32_t n = bits_off(shifted);
  const float top = n & 1 ? -c : s, bottom = n & 1 ? s : c, inverse = 1 / bottom, y = top * inverse;
  const float left = fmaf(-y, bottom, top) + fmaf(-y, n & 1 ? s_rest : c_rest, n & 1 ? -c_rest : s_rest);
  return x == 0 ? x : fmaf(left, inverse, y);
}

// A function for vectors of `bytes`, which the compiler calls in loops, by the name that it has in the vector ABI of
// x86-64: `near_` of every lane, then the scalar function of those beyond the limit
#if defined FP_FAST_FMA && defined __AVX2__ && defined __x86_64__ && defined __ELF__ && defined __GNUC__ && !defined __clang__
#define HIDDEN __attribute__((visibility("hidden")))
#define FOR_VECTOR(symbol, bytes, real, name, limit) \
  typedef real vector##symbol __attribute__((vector_size(bytes), may_alias)); \
  static __attribute__((noinline, cold)) vector##symbol far##symbol(vector##symbol x) { \
    vector##symbol y; \
    for (int n = 0; n < (int)((bytes) / sizeof(real)); n++) ((real*)&y)[n] = one_##name(((const real*)&x)[n]); \
    return y; \
  } \
  HIDDEN vector##symbol symbol(vector##symbol x) { \
    enum { N = (bytes) / sizeof(real) }; \
    vector##symbol result; \
    const real* a = (const real*)&x; \
    real* y = (real*)&result; \
    int within = 1; \
    for (int n = 0; n < N; n++) within &= a[n] <= limit && a[n] >= -limit; \
    if (!within) return far##symbol(x); \
    for (int n = 0; n < N; n++) y[n] = near_##name(a[n]); \
    return result; \
  }
#endif

{{ limited("sin", "double", 2, "0x1p30") }}
{{ limited("sinf", "float", 4, "1e5f") }}
{{ limited("cos", "double", 2, "0x1p30") }}
{{ limited("cosf", "float", 4, "1e5f") }}
{{ limited("tan", "double", 2, "0x1p30") }}
{{ limited("tanf", "float", 4, "1e5f") }}
