{#- The body of a kernel's function in C.
    shared       how many loops the threads share, the outermost ones
    grouped      whether it is called for the rows that a thread has
    cooperative  whether all threads run the same code, and share the work of its chunks
    outer        list: index, first value, end, how many values of it a tile has; loops
    down         those of these indices whose loops go down
    points       list: definitions of the others of those values
    strip        the extent of a strip's index, or "": a loop in steps of a `block`, the last of them with what is left after
                 it, if that is fewer than `filled`
    streamed     list: type, line, to; tensors whose elements of a block are copied from a line to where the first of them is
    asks         whether it asks for the flag that ends it
    body         text: the steps for a point, or from `block` to `block_end`, indented so that it has a `depth`
    product      the product that BLAS computes, or none: rows, columns, inner, batch (sizes, text), left and right (name,
                 whether it is the other way round), result (name)
-#}
{% macro loops(kernel) %}
{% if kernel.grouped %}
{% elif kernel.shared and not kernel.cooperative %}
#pragma omp for collapse({{ kernel.shared }}) schedule(static){{ " nowait" if kernel.streamed }}
{% elif not kernel.cooperative %}
#pragma omp single
{% endif %}
{% for index, low, end, count in kernel.outer %}
{% if index in kernel.down %}
{{ "  " * loop.index }}for ({{ integer }} {{ index }} = {{ end }} - 1; {{ index }} >= {{ low }}; {{ index }}--) {
{% else %}
{{ "  " * loop.index }}for ({{ integer }} {{ index }} = {{ low }}; {{ index }} < {{ end }}; {{ index }}{{ "++" if count == 1 else " += " ~ count }}) {
{% endif %}
{% endfor %}
{% set pad = "  " * (kernel.depth - 1) %}
{% if kernel.strip %}
{{ pad }}for ({{ integer }} block = 0; block < max({{ kernel.strip }} - {{ kernel.filled - 1 }}, 1); block += {{ kernel.block }}) {
{{ pad }}  const {{ integer }} block_end = {{ kernel.strip }} - block < {{ kernel.block + kernel.filled }} ? {{ kernel.strip }} : block + {{ kernel.block }};
{% elif not kernel.outer %}
  {
{% endif %}
{% if kernel.asks %}
{{ pad }}  if (*ended) continue;
{% endif %}
{% for line in kernel.points %}
{{ pad }}  {{ line }}
{% endfor %}
{% for stream in kernel.streamed %}
{{ pad }}  {{ stream.type }} {{ stream.line }}[{{ kernel.block + kernel.filled }}];
{% endfor %}
{{ kernel.body }}
{% for stream in kernel.streamed %}
{{ pad }}  streamed(&{{ stream.to }}, {{ stream.line }}, (size_t)(block_end - block) * sizeof({{ stream.type }}));
{% endfor %}
{% for depth in range(kernel.depth - 1, 0, -1) %}
{{ "  " * depth }}}
{% endfor %}
{% if kernel.streamed %}
  drained();
{% endif %}
{% if kernel.cooperative or (kernel.streamed and not kernel.grouped) %}
#pragma omp barrier
{% endif %}
{% endmacro %}

{#- BLAS, which has threads of its own, where the matrices are not small. It has columns one behind the other: it is given
    the transposed product. -#}
{% macro by_blas(kernel) %}
{% set rows, columns, inner = kernel.product.rows, kernel.product.columns, kernel.product.inner %}
{% set left, left_flipped = kernel.product.left %}
{% set right, right_flipped = kernel.product.right %}
{% set work = "(" ~ columns ~ ") * (" ~ rows ~ ") * (" ~ inner ~ ")" %}
{% set a, a_way, a_leading = right ~ " + batch * (" ~ columns ~ ") * (" ~ inner ~ ")", "T" if right_flipped else "N", "inner" if right_flipped else "columns" %}
{% set b, b_way, b_leading = left ~ " + batch * (" ~ inner ~ ") * (" ~ rows ~ ")", "T" if left_flipped else "N", "rows" if left_flipped else "inner" %}
{% set c = kernel.product.result ~ " + batch * (" ~ columns ~ ") * (" ~ rows ~ ")" %}
  if ((double){{ work }} >= {{ blas_work }} && {{ work }} / ({{ inner }}) < {{ largest }}) {
    const int columns = {{ columns }}, rows = {{ rows }}, inner = {{ inner }};
    const {{ gemm }} one = 1, zero = 0;
    for (ptrdiff_t batch = 0; batch < {{ kernel.product.batch }}; batch++)
      gemm("{{ a_way }}", "{{ b_way }}", &columns, &rows, &inner, &one, {{ a }}, &{{ a_leading }}, {{ b }}, &{{ b_leading }}, &zero, {{ c }}, &columns);
  } else {
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
{{ loops(kernel) | trim("\n") }}
  }
  }
{% endmacro %}
