{#- Sums of which each lane has a part, combined in the end.
    real    the type of values
    width   lanes
    arrays  with a value per lane: names with their lengths, as text
    body    loops that add to the lanes' parts
    sums    list: neutral, and what `c/combined.c` says
-#}
{% from "c/combined.c" import combined %}
{
  {{ real }} {{ arrays }};
{% for sum in sums %}
  for (int lane = 0; lane < {{ width }}; lane++) { {{ sum.parts }}[lane] = {{ sum.neutral }}; }
{% endfor %}
{{ body | join("\n") }}
{{ combined(sums, width) }}
}
