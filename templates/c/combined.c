{#- Parts of sums, in arrays of a power of 2, combined pairwise and into the sums: always in the same tree. A loop has at most
    `group` of them.
    sums    list: pair (one part and another one), whole (the sum and the first part), as statements
-#}
{% macro combined(sums, count, group) %}
{% for sum in sums %}
{% for half in [256, 128, 64, 32, 16, 8, 4, 2, 1] if half <= count // 2 %}
{% for begin in range(0, half, group) %}
  for (int n = {{ begin }}, half = {{ half }}; n < {{ [begin + group, half] | min }}; n++) { {{ sum.pair }} }
{% endfor %}
{% endfor %}
  {{ sum.whole }}
{% endfor %}
{% endmacro %}
