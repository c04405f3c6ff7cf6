{#- A loop whose values lanes have among them, strip by strip. What fills no strip is left to the first lanes.
    integer   the type of indices
    index     its name
    low, end  of the loop
    width     lanes of a strip
    body      for a strip, from `first`
    rest, single   what `c/rest.c` says
-#}
{% from "c/rest.c" import remaining %}
{
  {{ integer }} first = {{ low }};
  const {{ integer }} end = {{ end }};
  for (; first + {{ width }} <= end; first += {{ width }}) {
{{ body | join("\n") }}
  }
{{ remaining(real, integer, index, width, groups, rest, single) }}
}
