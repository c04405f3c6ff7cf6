{#- a / b for lanes that share b: one division for all, then four operations for each instead of a division. The correction rounds as a
    division does (Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", theorem 7), but for the last
    bit where a or the result is nearly subnormal. The scale keeps the reciprocal a normal number. -#}
{% for real, suffix, exponent in (("double", "", 512), ("float", "f", 64)) %}
static ONCE {{ real }} scale_of{{ suffix }}({{ real }} b) {
  return fabs{{ suffix }}(b) > 0x1p{{ exponent }}{{ suffix }} ? 0x1p-{{ exponent }}{{ suffix }} : fabs{{ suffix }}(b) < 0x1p-{{ exponent }}{{ suffix }} ? 0x1p{{ exponent }}{{ suffix }} : 1{{ ".0f" if suffix }};
}

static inline INLINED {{ real }} quotient{{ suffix }}({{ real }} a, {{ real }} b) {
#ifdef FP_FAST_FMA
  const {{ real }} scale = scale_of{{ suffix }}(b), scaled = a * scale, divisor = b * scale, reciprocal = 1 / divisor;
  const {{ real }} q = scaled * reciprocal, corrected = fma{{ suffix }}(fma{{ suffix }}(-q, divisor, scaled), reciprocal, q);
  return corrected == corrected ? corrected : q;
#else
  return a / b;
#endif
}

{% endfor %}
