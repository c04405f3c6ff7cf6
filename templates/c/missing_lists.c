{#- Functions that call launchers with the lists that they were not given.
    functions  list: name of the launcher, parameters (text), arguments (text), derived (list of lines), arrays (how many are
               made at most), workspace_bytes (text), lists
    lists      list: missing (condition), counts (list: name of a size, value), builders
    builders   list: function, first (name of an array, number of elements), others (list of such), count (name of the size that
               it returns), counting (arguments without the others), making (arguments)
-#}

#include <stdlib.h>

static void* made_array(void** made, int* arrays, size_t bytes) {
  void* array = malloc(bytes ? bytes : 1);
  if (array) made[(*arrays)++] = array;
  return array;
}
{% for f in functions %}

// {{ f.name }} with the lists that are null, in memory of its own, and a workspace of its own. Their sizes are not read. Returns -1 without memory.
static int {{ f.name }}_with_lists({{ f.parameters }}) {
  void* made[{{ f.arrays }}];
  int arrays = 0, status = -1;
{% for line in f.derived %}
  {{ line }}
{% endfor %}
{% for list in f.lists %}
  if ({{ list.missing }}) {
{% for name, value in list.counts %}
    {{ name }} = {{ value }};
{% endfor %}
{% for b in list.builders %}
    int* const new_{{ b.first[0] }} = (int*)made_array(made, &arrays, sizeof(int) * (size_t)({{ b.first[1] }}));
    if (!new_{{ b.first[0] }}) goto end;
    {{ b.count }} = {{ b.function }}({{ b.counting }});
    if ({{ b.count }} < 0) goto end;
    {{ b.count }} = at_least_one({{ b.count }});
{% for name, elements in b.others %}
    int* const new_{{ name }} = (int*)made_array(made, &arrays, sizeof(int) * (size_t)({{ elements }}));
    if (!new_{{ name }}) goto end;
{% endfor %}
    if ({{ b.function }}({{ b.making }}) < 0) goto end;
    {{ b.first[0] }} = new_{{ b.first[0] }};
{% for name, _ in b.others %}
    {{ name }} = new_{{ name }};
{% endfor %}
{% endfor %}
  }
{% endfor %}
  workspace = made_array(made, &arrays, {{ f.workspace_bytes }});
  if (workspace) status = {{ f.name }}({{ f.arguments }});
end:
  while (arrays) free(made[--arrays]);
  return status;
}
{% endfor %}
