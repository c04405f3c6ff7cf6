{#- A loop that adds to sums, in strips of lanes: each has its part of them. What fills no strip is left to the first lanes.
    integer, real   the types of indices and values
    index           its name
    low, end        of the loop
    width           lanes of a strip
    groups          the lanes of each loop over them: where it begins and ends
    block           values after which all lanes do `between`
    arrays          with a value per lane: names with their lengths, as text
    started, zeroed assignments to those that hold parts, and to the others, for a lane
    body            for a strip, from `first`
    rest, single    what `c/rest.c` says
    between, after  before a further block, and after the loop where there were several, or ""
    sums            list: what `c/combined.c` says
-#}
{% from "c/rest.c" import remaining %}
{% from "c/combined.c" import combined %}
{
  {{ integer }} first = {{ low }};
  const {{ integer }} end = {{ end }};
  {{ real }} {{ arrays }};
{% for begin, end in groups %}
  for (int lane = {{ begin }}; lane < {{ end }}; lane++) { {{ started }} }
{% endfor %}
{% if between %}
  {{ integer }} stop = first + {{ block }};
  const int many = stop < end;
{% for begin, end in groups %}
  if (many) for (int lane = {{ begin }}; lane < {{ end }}; lane++) { {{ zeroed }} }
{% endfor %}
{% endif %}
  for (; first + {{ width }} <= end; first += {{ width }}) {
{% if between %}
    if (first == stop) {
{{ between | join("\n") }}
      stop += {{ block }};
    }
{% endif %}
{{ body | join("\n") }}
  }
{{ remaining(real, integer, index, width, groups, rest, single) }}
{% if after %}
  if (many) {
{{ after | join("\n") }}
  }
{% endif %}
{{ combined(sums, width, groups[0][1]) }}
}
