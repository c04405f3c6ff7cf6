{#- A loop in strips of lanes. The last strip overlaps the one before it.
    integer, real  the types of indices and values
    index          its name
    low, end       of the loop
    width          lanes of a strip
    arrays         with a value per lane: names with their lengths, as text
    body           for a strip, from `first`
    single         for a value, of a loop that fills no strip
-#}
const {{ integer }} end = {{ end }};
if (end - ({{ low }}) >= {{ width }}) {
  for ({{ integer }} first = {{ low }}; first < end; first += {{ width }}) {
    if (first > end - {{ width }}) first = end - {{ width }};
{% if arrays %}
    {{ real }} {{ arrays }};
{% endif %}
{{ body | join("\n") }}
  }
} else {
  for ({{ integer }} {{ index }} = {{ low }}; {{ index }} < end; {{ index }}++) {
{{ single | join("\n") }}
  }
}
