{#- Sums of which each lane has a part, combined in the end.
    real    the type of values
    width   lanes
    groups  the lanes of each loop over them: where it begins and ends
    arrays  with a value per lane: names with their lengths, as text
    body    loops that add to the lanes' parts
    sums    list: neutral, and what `c/combined.c` says
-#}
{% from "c/combined.c" import combined %}
{
  {{ real }} {{ arrays }};
{% for sum in sums %}
{% for begin, end in groups %}
  for (int lane = {{ begin }}; lane < {{ end }}; lane++) { {{ sum.parts }}[lane] = {{ sum.neutral }}; }
{% endfor %}
{% endfor %}
{{ body | join("\n") }}
{{ combined(sums, width, groups[0][1]) }}
}
