{#- Parts of sums, in arrays of a power of 2, combined pairwise and into the sums: always in the same tree.
    sums    list: pair (one part and another one), whole (the sum and the first part), as statements
-#}
{% macro combined(sums, count) %}
{% for sum in sums %}
{% for half in [256, 128, 64, 32, 16, 8, 4, 2, 1] if half <= count // 2 %}
  for (int n = 0, half = {{ half }}; n < {{ half }}; n++) { {{ sum.pair }} }
{% endfor %}
  {{ sum.whole }}
{% endfor %}
{% endmacro %}
