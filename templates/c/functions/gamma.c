{#- The error function and the logarithm of the gamma function. -#}
// erf(x) for 0 <= x <= 1: a series
static inline INLINED double near_erf(double x) {
  const double z = x * x;
  double p = -0x1.ac8c51bf4a612p-31;
  p = fma(p, z, 0x1.d76b23a573e4ep-27);
  p = fma(p, z, -0x1.5c13b6513498fp-23);
  p = fma(p, z, 0x1.b98212de6d8bbp-20);
  p = fma(p, z, -0x1.f4ca8e0289184p-17);
  p = fma(p, z, 0x1.f9a2bf635b926p-14);
  p = fma(p, z, -0x1.c02db077e9937p-11);
  p = fma(p, z, 0x1.565bccfaf4e44p-8);
  p = fma(p, z, -0x1.b82ce3120bc37p-6);
  p = fma(p, z, 0x1.ce2f21a0412cbp-4);
  p = fma(p, z, -0x1.812746b0379cap-2);
  return fma(x, fma(p, z, 0x1.06eba8214db69p-3), x);
}

// from 1 on 1 - exp(log(erfc(x))), with a polynomial for the logarithm
static inline INLINED double lane_erf(double x) {
  const double a = fabs(x), b = a > 6 ? 6 : a;
  double log_erfc = 0x1.38749a4c9fe6fp-40;
  log_erfc = fma(log_erfc, b, -0x1.bc5177129da94p-35);
  log_erfc = fma(log_erfc, b, 0x1.27bc61b132018p-30);
  log_erfc = fma(log_erfc, b, -0x1.e92b684140537p-27);
  log_erfc = fma(log_erfc, b, 0x1.18fc1d69a2235p-23);
  log_erfc = fma(log_erfc, b, -0x1.d9c0780ff7915p-21);
  log_erfc = fma(log_erfc, b, 0x1.2c7da7854b2a3p-18);
  log_erfc = fma(log_erfc, b, -0x1.1e5fee3e0d437p-16);
  log_erfc = fma(log_erfc, b, 0x1.8760e925f108ap-15);
  log_erfc = fma(log_erfc, b, -0x1.36e622610b25dp-14);
  log_erfc = fma(log_erfc, b, -0x1.3d93f30ed0fccp-15);
  log_erfc = fma(log_erfc, b, 0x1.4ac4ba2ffebfdp-11);
  log_erfc = fma(log_erfc, b, -0x1.cc9616aa05482p-10);
  log_erfc = fma(log_erfc, b, 0x1.1aa6a31835874p-12);
  log_erfc = fma(log_erfc, b, 0x1.38b37286c564ap-6);
  log_erfc = fma(log_erfc, b, -0x1.a4de611579ddap-4);
  log_erfc = fma(log_erfc, b, -0x1.45f3fd0ad617ap-1);
  log_erfc = fma(log_erfc, b, -0x1.20dd5b44ba6f4p0);
  log_erfc = fma(log_erfc, b, -0x1.3f1591879db8p-23);
  double shifted;
  const double e = exp_of_rest(log_erfc, &shifted), far = 1 - from_bits(bits_of(e) + (bits_of(shifted) << 52));
  return copysign(a > 1 ? far : near_erf(a), x);
}

static inline INLINED float lane_erff(float x) {
  const float a = fabsf(x), z = a * a, b = a > 4 ? 4 : a;
  float p = 0x1.4b4b96p-14f;
  p = fmaf(p, z, -0x1.a4bb4ap-11f);
  p = fmaf(p, z, 0x1.54247ap-8f);
  p = fmaf(p, z, -0x1.b7fdaep-6f);
  p = fmaf(p, z, 0x1.ce2d4cp-4f);
  p = fmaf(p, z, -0x1.81274p-2f);
  float log_erfc = -0x1.6c0696p-16f;
  log_erfc = fmaf(log_erfc, b, 0x1.ceeaf2p-12f);
  log_erfc = fmaf(log_erfc, b, -0x1.1398fcp-8f);
  log_erfc = fmaf(log_erfc, b, 0x1.9d0bd6p-6f);
  log_erfc = fmaf(log_erfc, b, -0x1.bc18dp-4f);
  log_erfc = fmaf(log_erfc, b, -0x1.4434fp-1f);
  log_erfc = fmaf(log_erfc, b, -0x1.212c2cp0f);
  log_erfc = fmaf(log_erfc, b, 0x1.8b3f3ap-13f);
  float shifted;
  const float e = exp_of_restf(log_erfc, &shifted), far = 1 - from_bitsf(bits_off(e) + (bits_off(shifted) << 23));
  return copysignf(a > 1 ? far : fmaf(a, fmaf(p, z, 0x1.06eba8p-3f), a), x);
}

// From 1/2 on (1 + 2x) * exp(x^2) * erfc(x) is a polynomial in (x-4)/(x+4) (Shepherd and Laframboise 1981). x^2 is the
// square of a number of half as many digits, which is exact, and what is left. What roundings take is carried along: a
// place of erfc(x) at 1/2 is half of one of each factor.
static inline INLINED double lane_erfc(double x) {
  const double m = fabs(x), a = m > 28 ? 28 : m, t = (a - 4) / (a + 4);
  double p = -0x1.5a65a9294d8dp-27;
  p = fma(p, t, -0x1.a03b19261e07ep-27);
  p = fma(p, t, 0x1.c0b54826114d5p-24);
  p = fma(p, t, 0x1.1e927e41a99d3p-24);
  p = fma(p, t, -0x1.b8c21f13126c9p-21);
  p = fma(p, t, 0x1.4206012570c88p-22);
  p = fma(p, t, 0x1.7f05bc11b2ebap-18);
  p = fma(p, t, -0x1.78a5a27a94f23p-17);
  p = fma(p, t, -0x1.995694327b65dp-16);
  p = fma(p, t, 0x1.3be0e1e018309p-13);
  p = fma(p, t, -0x1.a1df36d1e2b5dp-13);
  p = fma(p, t, -0x1.8d4aa221eed2cp-11);
  p = fma(p, t, 0x1.49c67298724a4p-8);
  p = fma(p, t, -0x1.0962387ce289dp-6);
  p = fma(p, t, 0x1.3079edf6529f7p-5);
  p = fma(p, t, -0x1.0fb06dfe6f3ap-4);
  p = fma(p, t, 0x1.7fee004e1377dp-4);
  p = fma(p, t, -0x1.9ddb23c3e7a51p-4);
  p = fma(p, t, 0x1.16ecefcfa532ap-4);
  p = fma(p, t, 0x1.f7f5df66fd521p-7);
  p = fma(p, t, -0x1.1df1ad154a28ep-3);
  const double near = t * p, over = near + 0x1.3ba5916e9fd7fp0, over_low = 0x1.3ba5916e9fd7fp0 - over + near;
  const double d = 1 + 2 * a, d_low = 1 - (d - 2 * a), inverse = 1 / d, q = over * inverse;
  const double q_low = (fma(-q, d, over) + fma(-q, d_low, over_low)) * inverse;
  const double high = from_bits(bits_of(a) & 0xfffffffff8000000u), square = high * high;
  const double shifted = fma(-square, 0x1.71547652b82fep0, 0x1.8p52), n = shifted - 0x1.8p52;
  const double u = fma(-n, 0x1.62e42feep-1, -square), v = fma(-n, 0x1.a39ef35793c76p-33, -(a - high) * (a + high));
  const double r = u + v, g = near_expm1(r), e = 1 + g, e_low = 1 - e + g + (u - r + v);
  const double far = scaled(fma(e, q, fma(e, q_low, e_low * q)), shifted), y = a < 0.5 ? 1 - near_erf(a) : far;
  return x < 0 ? 2 - y : y;
}

static inline INLINED float lane_erfcf(float x) {
  const double m = fabsf(x), a = m > 11 ? 11 : m, t = (a - 3) / (a + 3);
  double p = -0x1.105dab7238764p-12;
  p = fma(p, t, -0x1.8c84ab3c2b7fcp-11);
  p = fma(p, t, 0x1.07fce2b529135p-9);
  p = fma(p, t, 0x1.4f6e58093553fp-9);
  p = fma(p, t, -0x1.860ad220bc052p-6);
  p = fma(p, t, 0x1.17bd98bda9868p-4);
  p = fma(p, t, -0x1.e886eed6356ebp-4);
  p = fma(p, t, 0x1.09841ff91723cp-3);
  p = fma(p, t, -0x1.85a1caa23c797p-5);
  p = fma(p, t, -0x1.15c08a09df286p-3);
  p = fma(p, t, 0x1.40c522dfac27cp0);
  const double y = short_exp(-a * a) * p / (1 + 2 * a);
  return (float)(x < 0 ? 2 - y : y);
}

// Stirling's series at x + 8 less log(x*(x+1)*...*(x+7)), or at x from 8 on; for x < 0 by gamma(x)*gamma(1-x) = pi/sin(pi*x)
static inline INLINED float lane_lgammaf(float x) {
  const double a = fabsf(x), b = a < 8 ? a + 8 : a, r = 1 / b, z = r * r, d = a - rint(a), w = d * d;
  const double first = a * (a + 7), product = a < 8 ? first * (first + 6) * (first + 10) * (first + 12) : 1;
  double p = 1 / 156.0;
  p = fma(p, z, -691 / 360360.0);
  p = fma(p, z, 1 / 1188.0);
  p = fma(p, z, -1 / 1680.0);
  p = fma(p, z, 1 / 1260.0);
  p = fma(p, z, -1 / 360.0);
  p = fma(p, z, 1 / 12.0);
  const double stirling = fma(b - 0.5, normal_log(b), fma(p, r, 0x1.d67f1c864beb5p-1 - b));
  double q = 0x1.9d1b869528d78p-21;
  q = fma(q, w, -0x1.6f79770c5457ap-16);
  q = fma(q, w, 0x1.e8f35e9d5983ep-12);
  q = fma(q, w, -0x1.e3074ddd1d6f4p-8);
  q = fma(q, w, 0x1.50783485190cbp-4);
  q = fma(q, w, -0x1.32d2cce627543p-1);
  q = fma(q, w, 0x1.466bc6775aa6ep1);
  q = fma(q, w, -0x1.4abbce625be52p2);
  q = fma(q, w, 0x1.921fb54442d18p1);
  const double sine = fabs(d * q), ratio = x < 0 ? 0x1.921fb54442d18p1 * product / (a * sine) : 1 / product;
  const double y = normal_log(ratio) + (x < 0 ? -stirling : stirling);
  const double finite = x == 1 || x == 2 ? 0 : ratio < (double)INFINITY ? y : ratio;
  return (float)(a < (double)INFINITY ? finite : a);
}

{# Coefficients of Taylor's series of sin(pi*d)/d and cos(pi*d) in d^2, and of the asymptotic one in 1/x^2, the highest power first; of
    the former two a float needs the last ones. #}
{% set SINE = [
    "-0x1.7215f879e1ac9p-37", "0x1.2877020d52cfp-31", "-0x1.8a404211f9547p-26", "0x1.aaec32af93359p-21", "-0x1.6fadb9f155744p-16",
    "0x1.e8f434d018d63p-12", "-0x1.e3074fde8871fp-8", "0x1.50783487ee782p-4", "-0x1.32d2cce62bd86p-1", "0x1.466bc6775aae2p1",
    "-0x1.4abbce625be53p2", "0x1.921fb54442d18p1",
] %}
{% set COSINE = [
    "0x1.838d8f43218p-40", "-0x1.52ae4120fde27p-34", "0x1.ef6e308d6d1c4p-29", "-0x1.2a0c591af8314p-23", "0x1.20c62c2f2d7f5p-18",
    "-0x1.b6e24f44b128fp-14", "0x1.f9d38a3763cc3p-10", "-0x1.a6d1f2a204a8cp-6", "0x1.e1f506891babbp-3", "-0x1.55d3c7e3cbffap0",
    "0x1.03c1f081b5ac4p2", "-0x1.3bd3cc9be45dep2", "0x1p0",
] %}
{% set TAIL = [
    "0x1.5555555555555p-4", "-0x1.5995995995996p-6", "0x1.f07c1f07c1f08p-8", "-0x1.1111111111111p-8", "0x1.041041041041p-8",
    "-0x1.1111111111111p-7", "0x1.5555555555555p-4",
] %}
{% macro polynomial(name, x, coefficients) %}
  double {{ name }} = {{ coefficients[0] }};
{% for c in coefficients[1:] %}
  {{ name }} = fma({{ name }}, {{ x }}, {{ c }});{{ "" if loop.last else "\n" }}
{%- endfor %}
{% endmacro %}
{% for real, suffix, cast, terms in (("double", "", "", 12), ("float", "f", "(float)", 8)) %}
// The derivative of the logarithm of the gamma function: its asymptotic series at x + 10 less 1/x + 1/(x+1) + .. + 1/(x+9), which is
// the derivative of a product over it, or at x from 10 on; for x <= 0 that at 1 - x less pi*cot(pi*x), by Taylor's series
static inline INLINED {{ real }} lane_digamma{{ suffix }}({{ real }} x) {
  const double a = x > 0 ? x : 1 - (double)x, d = x - rint(x), w = d * d;
  // (a + k)(a + 9 - k) is q, q + 8, q + 14, q + 18, q + 20
  const double q = a * (a + 9), product = q * fma(fma(fma(q + 60, q, 1308), q, 12176), q, 40320);
  const double derivative = (2 * a + 9) * fma(fma(fma(fma(5, q, 240), q, 3924), q, 24352), q, 40320);
  const double b = a < 10 ? a + 10 : a, before = a < 10 ? derivative / product : 0, r = 1 / b, z = r * r;
{{ polynomial("tail", "z", TAIL) }}
  const double y = normal_log(b) - fma(tail, z, 0.5 * r) - before;
{{ polynomial("sine", "w", SINE[-terms:]) }}
{{ polynomial("cosine", "w", COSINE[-terms - 1:]) }}
  const double cotangent = 0x1.921fb54442d18p1 * cosine / (d * sine);
  const double finite = x > 0 ? y : y - cotangent, found = x < (double)INFINITY ? finite : x;
  const double real = x < 0 && d == 0 ? (double)NAN : found;
  return {{ cast }}(x == 0 ? copysign((double)INFINITY, -x) : real);
}

{% endfor %}
