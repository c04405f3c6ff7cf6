{#- A loop that adds to sums, in chunks that threads share. Every thread combines the parts, in arrays of its own.
    integer, real  the types of indices and values
    chunks         how many parts there are
    low, end       of the loop
    least          values of a chunk
    sums           list: local, parts (names), neutral (a value), and what `c/combined.c` says
    body           from `block` to before `block_end`
-#}
{% from "c/combined.c" import combined %}
{
  const {{ integer }} start = {{ low }}, end = {{ end }};
  const {{ integer }} size = max({{ least }}, (end - start + {{ chunks - 1 }}) / {{ chunks }});
#pragma omp for schedule(static)
  for (int chunk = 0; chunk < {{ chunks }}; chunk++) {
    if (*ended) continue;
    const {{ integer }} block = start + chunk * size;
    const {{ integer }} block_end = min(block + size, end);
{% for sum in sums %}
    {{ real }} {{ sum.local }} = {{ sum.neutral }};
{% endfor %}
{{ body | join("\n") }}
{% for sum in sums %}
    (({{ real }}*)parts)[{{ loop.index0 * chunks }} + chunk] = {{ sum.local }};
{% endfor %}
  }
{% for sum in sums %}
  {{ real }} {{ sum.parts }}[{{ chunks }}];
  for (int n = 0; n < {{ chunks }}; n++) {{ sum.parts }}[n] = (({{ real }}*)parts)[{{ loop.index0 * chunks }} + n];
{% endfor %}
#pragma omp barrier
{{ combined(sums, chunks, chunks) }}
}
