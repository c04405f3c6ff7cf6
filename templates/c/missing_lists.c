{#- Functions that call launchers with the lists that they were not given.
    gpu        whether the arrays of launchers are on a GPU: index tensors are copied to the host, and lists from there
    functions  list: name of the launcher, parameters (text), arguments (text), derived (list of lines), workspace_bytes (text), lists
    lists      list: missing (condition), counts (list: name of a size, value), read (list: name of an index tensor, number of
               elements), builders
    builders   list: function, first (name of an array, number of elements), others (list of such), count (name of the size that
               it returns), counting (arguments without the others), making (arguments)
-#}
{% set failed = "cudaErrorMemoryAllocation" if gpu else "-1" %}
{% macro made(name, elements) -%}
    int* const new_{{ name }} = (int*)made_array(&made, sizeof(int) * (size_t)({{ elements }}));
    if (!new_{{ name }}) goto end;
{%- endmacro %}

{% if gpu %}
#ifndef __CUDACC_RTC__
{% endif %}
#include <stdlib.h>

// Arrays that a launcher made, to be freed.
typedef struct MadeArray {
  struct MadeArray* next;
  void* array;{% if gpu %} void* on_gpu;{% endif %}

} MadeArray;

static void* made_array(MadeArray** made, size_t bytes) {
  MadeArray* const own = (MadeArray*)malloc(sizeof(MadeArray));
  if (!own) return NULL;
  own->next = *made;
  own->array = malloc(bytes ? bytes : 1);
{% if gpu %}
  own->on_gpu = NULL;
{% endif %}
  *made = own;
  return own->array;
}
{% if gpu %}

static void* made_on_gpu(MadeArray** made, size_t bytes) {
  if (!made_array(made, 0)) return NULL;
  if (cudaMalloc(&(*made)->on_gpu, bytes ? bytes : 1) != cudaSuccess) (*made)->on_gpu = NULL;
  return (*made)->on_gpu;
}

// An array of the host with the elements of one of the GPU.
static int* from_gpu(MadeArray** made, const int* of, size_t elements, cudaStream_t stream) {
  int* const copy = (int*)made_array(made, sizeof(int) * elements);
  if (!copy || cudaMemcpyAsync(copy, of, sizeof(int) * elements, cudaMemcpyDeviceToHost, stream) != cudaSuccess) return NULL;
  return cudaStreamSynchronize(stream) == cudaSuccess ? copy : NULL;
}

// An array of the GPU with the elements of one of the host, which stays as it is until the stream is done.
static int* to_gpu(MadeArray** made, const int* of, size_t elements, cudaStream_t stream) {
  int* const copy = (int*)made_on_gpu(made, sizeof(int) * elements);
  if (!copy || cudaMemcpyAsync(copy, of, sizeof(int) * elements, cudaMemcpyHostToDevice, stream) != cudaSuccess) return NULL;
  return copy;
}
{% endif %}

static void free_arrays(MadeArray* made) {
  while (made) {
    MadeArray* const next = made->next;
{% if gpu %}
    if (made->on_gpu) (void)cudaFree(made->on_gpu);
{% endif %}
    free(made->array);
    free(made);
    made = next;
  }
}
{% for f in functions %}

// {{ f.name }} with the lists that are null, in memory of its own, and a workspace of its own. Their sizes are not read. Returns {{ failed }} without memory.
static int {{ f.name }}_with_lists({{ f.parameters }}) {
  MadeArray* made = NULL;
  int status = {{ failed }};
{% for line in f.derived %}
  {{ line }}
{% endfor %}
{% for list in f.lists %}
  if ({{ list.missing }}) {
{% for name, value in list.counts %}
    {{ name }} = {{ value }};
{% endfor %}
{% for name, elements in list.read if gpu %}
    const int* const new_{{ name }} = from_gpu(&made, {{ name }}, (size_t)({{ elements }}), stream);
    if (!new_{{ name }}) goto end;
{% endfor %}
{% for b in list.builders %}
    {{ made(*b.first) }}
    {{ b.count }} = {{ b.function }}({{ b.counting }});
    if ({{ b.count }} < 0) goto end;
    {{ b.count }} = at_least_one({{ b.count }});
{% for name, elements in b.others %}
    {{ made(name, elements) }}
{% endfor %}
    if ({{ b.function }}({{ b.making }}) < 0) goto end;
{% for name, elements in [b.first] + b.others %}
{% if gpu %}
    {{ name }} = to_gpu(&made, new_{{ name }}, (size_t)({{ elements }}), stream);
    if (!{{ name }}) goto end;
{% else %}
    {{ name }} = new_{{ name }};
{% endif %}
{% endfor %}
{% endfor %}
  }
{% endfor %}
  workspace = {{ "made_on_gpu" if gpu else "made_array" }}(&made, {{ f.workspace_bytes }});
  if (workspace) status = {{ f.name }}({{ f.arguments }});
end:
{% if gpu %}
  if (cudaStreamSynchronize(stream) != cudaSuccess && !status) status = cudaErrorLaunchFailure;
{% endif %}
  free_arrays(made);
  return status;
}
{% endfor %}
{% if gpu %}
#endif
{% endif %}
