{#- A loop whose values lanes have among them, strip by strip. What fills no strip is left to the first lanes.
    integer   the type of indices
    index     its name
    low, end  of the loop
    width     lanes of a strip
    body      for a strip, from `first`
    single    for a value
-#}
{
  {{ integer }} first = {{ low }};
  const {{ integer }} end = {{ end }};
  for (; first + {{ width }} <= end; first += {{ width }}) {
{{ body | join("\n") }}
  }
  for (int lane = 0; first + lane < end; lane++) {
    const {{ integer }} {{ index }} = first + lane;
{{ single | join("\n") }}
  }
}
