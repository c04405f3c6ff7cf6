{#- A row in three parts: left and right of the interior the values of an index one by one, with all tests.
    integer           the type of indices
    index             its name
    low, end          of the row
    inner, inner_end  of the interior, in terms of `from` and `to`
    tests             where there is an interior, or ""
    outside           for a value
    interior          from `inner` to before `inner_end`
-#}
{
  const {{ integer }} from = {{ low }}, to = {{ end }};
  {{ integer }} inner = {{ inner }}, inner_end = {{ inner_end }};
  if ({% if tests %}!({{ tests }}) || {% endif %}inner >= inner_end) inner = inner_end = to;
  for (int side = 0; side < 2; side++) {
    for ({{ integer }} {{ index }} = side ? inner_end : from; {{ index }} < (side ? to : inner); {{ index }}++) {
{{ outside | join("\n") }}
    }
  }
  if (inner < inner_end) {
{{ interior | join("\n") }}
  }
}
