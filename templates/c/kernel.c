{#- The body of a kernel's function in C.
    shared       how many loops the threads share, the outermost ones
    grouped      whether it is called for the rows that a thread has
    cooperative  whether all threads run the same code, and share the work of its chunks
    outer        list: index, first value, end, how many values of it a tile has; loops
    down         those of these indices whose loops go down
    points       list: definitions of the others of those values
    strip        the extent of a strip's index, or "": a loop in steps of a `block`, the last of them with what is left after
                 it, if that is fewer than `filled`
    around_blocks  how many of the others stand around that loop
    streamed     list: type, line, to; tensors whose elements of a block are copied from a line to where the first of them is
    asks         whether it asks for the flag that ends it
    body         text: the steps for a point, or from `block` to `block_end`, indented so that it has a `depth`
    product      the products that BLAS computes, or none: rows, columns, inner (sizes, text), loops around them, `outer`, and
                 `added`, whose products are added up (lists: index, extent), left, right, result (where the matrix begins,
                 whether it is the other way round, how far its rows or columns are from each other)
-#}
{% macro blocks(kernel) -%}
for ({{ integer }} block = 0; block < max({{ kernel.strip }} - {{ kernel.filled - 1 }}, 1); block += {{ kernel.block }}) {
{%- endmacro %}

{% macro loops(kernel) %}
{% if kernel.grouped %}
{% elif kernel.shared and not kernel.cooperative %}
#pragma omp for collapse({{ kernel.shared }}) schedule(static){{ " nowait" if kernel.streamed }}
{% elif not kernel.cooperative %}
#pragma omp single
{% endif %}
{% for index, low, end, count in kernel.outer %}
{% if kernel.strip and loop.index0 == kernel.around_blocks %}
{{ "  " * loop.index }}{{ blocks(kernel) }}
{% endif %}
{% set around = "  " * (loop.index + (1 if kernel.strip and loop.index0 >= kernel.around_blocks else 0)) %}
{% if index in kernel.down %}
{{ around }}for ({{ integer }} {{ index }} = {{ end }} - 1; {{ index }} >= {{ low }}; {{ index }}--) {
{% else %}
{{ around }}for ({{ integer }} {{ index }} = {{ low }}; {{ index }} < {{ end }}; {{ index }}{{ "++" if count == 1 else " += " ~ count }}) {
{% endif %}
{% endfor %}
{% set pad = "  " * (kernel.depth - 1) %}
{% if kernel.strip and kernel.around_blocks == kernel.outer | length %}
{{ pad }}{{ blocks(kernel) }}
{% elif not kernel.outer %}
  {
{% endif %}
{% if kernel.strip %}
{{ pad }}  const {{ integer }} block_end = {{ kernel.strip }} - block < {{ kernel.block + kernel.filled }} ? {{ kernel.strip }} : block + {{ kernel.block }};
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

{#- BLAS, where the matrices are not small. It has columns one behind the other: it is given the transposed product. -#}
{% macro by_blas(kernel) %}
{% set product = kernel.product %}
{% set left, left_flipped, left_leading = product.left %}
{% set right, right_flipped, right_leading = product.right %}
{% set result, _, result_leading = product.result %}
{% set work = "(double)(" ~ product.columns ~ ") * (" ~ product.rows ~ ") * (" ~ product.inner ~ ")" %}
{% set added = product.added | map("first") | join(" || ") %}
  if ({{ work }} >= {{ blas_work }}{% for n in (product.columns, product.rows, product.inner, left_leading, right_leading, result_leading) | unique %} && (double)({{ n }}) < {{ largest }}{% endfor %}) {
    const int columns = {{ product.columns }}, rows = {{ product.rows }}, inner = {{ product.inner }};
    const int left_leading = {{ left_leading }}, right_leading = {{ right_leading }}, leading = {{ result_leading }};
    const {{ gemm }} one = 1, zero = 0;
    const {{ integer }} products = {% for _, extent in product.outer %}({{ extent }}){{ " * " if not loop.last }}{% else %}1{% endfor %};
    const int workers = blas->set_threads ? threads : 1;
    int row_side, column_side;
    block_sides(rows, columns, (int)((workers + products - 1) / products), &row_side, &column_side);
    change_callers(blas, 1);
#pragma omp parallel for num_threads(workers) collapse({{ product.outer | length + 2 }}) schedule(dynamic) if (workers > 1)
{% for index, extent in product.outer %}
    for ({{ integer }} {{ index }} = 0; {{ index }} < {{ extent }}; {{ index }}++)
{% endfor %}
    for (long long row = 0; row < rows; row += row_side)
    for (long long column = 0; column < columns; column += column_side) {
      if (*ended) continue;
      const int block_rows = rows - row < row_side ? (int)(rows - row) : row_side;
      const int block_columns = columns - column < column_side ? (int)(columns - column) : column_side;
{% for index, extent in product.added %}
      for ({{ integer }} {{ index }} = 0; {{ index }} < {{ extent }}; {{ index }}++)
{% endfor %}
      gemm_of(blas)("{{ "T" if right_flipped else "N" }}", "{{ "T" if left_flipped else "N" }}", &block_columns, &block_rows, &inner, &one,
          {{ right }} + (size_t)column{{ " * right_leading" if right_flipped }}, &right_leading,
          {{ left }} + (size_t)row{{ "" if left_flipped else " * left_leading" }}, &left_leading,
          {{ added ~ " ? &one : &zero" if added else "&zero" }}, {{ result }} + (size_t)row * leading + column, &leading);
    }
    change_callers(blas, -1);
  } else {
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
{{ loops(kernel) | trim("\n") }}
  }
  }
{% endmacro %}
