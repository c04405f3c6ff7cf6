{#- What fills no strip, for the first lanes.
    integer  the type of indices
    index    its name
    rest     the lanes of each loop over them, or an empty list where they are one of unknown length
    single   for a value
-#}
{% macro remaining(integer, index, rest, single) %}
{% if rest %}
  if (first < end) {
    const int rest = (int)(end - first);
{% for begin, end in rest %}
    for (int lane = {{ begin }}; lane < {{ end }}; lane++) {
      if (lane >= rest) continue;
      const {{ integer }} {{ index }} = first + lane;
{{ single | join("\n") }}
    }
{% endfor %}
  }
{% else %}
  for (int lane = 0; first + lane < end; lane++) {
    const {{ integer }} {{ index }} = first + lane;
{{ single | join("\n") }}
  }
{% endif %}
{% endmacro %}
