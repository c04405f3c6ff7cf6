{#- A loop in strips of lanes. The last strip overlaps the one before it.
    integer, real  the types of indices and values
    index          its name
    low, end       of the loop
    width          lanes of a strip
    half           of the last one, if these are enough; or 0
    arrays         with a value per lane: names
    body           for a strip, from `first`
    last           for half a strip
    single         for a value, of a loop that fills no strip
-#}
{% macro values(lanes) %}
{% if arrays %}
    {{ real }} {% for array in arrays %}{{ array }}[{{ lanes }}]{{ ", " if not loop.last }}{% endfor %};
{% endif %}
{% endmacro %}
const {{ integer }} end = {{ end }};
if (end - ({{ low }}) >= {{ width }}) {
{% if half %}
  {{ integer }} first = {{ low }};
  for (; first < end; first += {{ width }}) {
    if (first > end - {{ width }}) {
      if (first >= end - {{ half }}) break;
      first = end - {{ width }};
    }
{% else %}
  for ({{ integer }} first = {{ low }}; first < end; first += {{ width }}) {
    if (first > end - {{ width }}) first = end - {{ width }};
{% endif %}
{{ values(width) | trim("\n") }}
{{ body | join("\n") }}
  }
{% if half %}
  if (first < end) {
    first = end - {{ half }};
{{ values(half) | trim("\n") }}
{{ last | join("\n") }}
  }
{% endif %}
} else {
  for ({{ integer }} {{ index }} = {{ low }}; {{ index }} < end; {{ index }}++) {
{{ single | join("\n") }}
  }
}
