{#- What fills no strip, for the first lanes. It adds to copies of the parts: a loop of unknown length indexes what it adds to,
    and the parts would be in memory in the loop over strips, too.
    real, integer  the types of values and indices
    index          its name
    width, groups  lanes of a strip, and those of each loop over them
    rest           the arrays of the parts
    single         for a value, with `rest` for them
-#}
{% macro remaining(real, integer, index, width, groups, rest, single) %}
  if (first < end) {
    {{ real }} rest[{{ rest | length }}][{{ width }}];
{% for parts in rest %}{% set number = loop.index0 %}
{% for begin, end in groups %}
    for (int lane = {{ begin }}; lane < {{ end }}; lane++) { rest[{{ number }}][lane] = {{ parts }}[lane]; }
{% endfor %}
{% endfor %}
    for (int lane = 0; first + lane < end; lane++) {
      const {{ integer }} {{ index }} = first + lane;
{{ single | join("\n") }}
    }
{% for parts in rest %}{% set number = loop.index0 %}
{% for begin, end in groups %}
    for (int lane = {{ begin }}; lane < {{ end }}; lane++) { {{ parts }}[lane] = rest[{{ number }}][lane]; }
{% endfor %}
{% endfor %}
  }
{% endmacro %}
