{#- A loop along rows, a line of elements at a time, with copies of the rows of all lanes.
    integer      the type of indices
    index        its name
    low, end     of the loop
    first, last  of those at a time
    columns      elements of a line
    lanes        how many there are
    lane         the index that each lane has of its own
    rows         the copies: `buffer`, `type`, the `place` where a row begins, and whether they are `stored`
    body         the loop over those at a time
-#}
{% macro copied(row) %}
  for (int lane = 0; lane < {{ lanes }}; lane++) {
    {{ lane }}
{% set ends = ["&" ~ row.buffer ~ "[" ~ (columns + 1) ~ " * lane]", "&" ~ row.place] %}
    copy_row({{ (ends | reverse if row.stored else ends) | join(", ") }}, ({{ last }} + 1 - {{ first }}) * sizeof({{ row.type }}), {{ columns }} * sizeof({{ row.type }}));
  }
{% endmacro %}
for ({{ integer }} {{ first }} = {{ low }}; {{ first }} < {{ end }}; {{ first }} += {{ columns }}) {
  const {{ integer }} {{ last }} = ({{ end }}) - {{ first }} < {{ columns }} ? ({{ end }}) - 1 : {{ first }} + {{ columns - 1 }};
{% for row in rows %}
  {{ row.type }} {{ row.buffer }}[{{ lanes * (columns + 1) }}];
{% endfor %}
{% for row in rows if not row.stored %}
{{ copied(row) | trim("\n") }}
{% endfor %}
{{ body | join("\n") }}
{% for row in rows if row.stored %}
{{ copied(row) | trim("\n") }}
{% endfor %}
}
