{#- Parts of sums, in arrays of a power of 2, combined pairwise and into the sums: always in the same tree.
    sums    list: pair (one part and another one), whole (the sum and the first part), as statements
-#}
{% macro combined(sums, count) %}
  for (int half = {{ count // 2 }}; half > 0; half /= 2) {
    for (int n = 0; n < half; n++) {
{% for sum in sums %}
      {{ sum.pair }}
{% endfor %}
    }
  }
{% for sum in sums %}
  {{ sum.whole }}
{% endfor %}
{% endmacro %}
