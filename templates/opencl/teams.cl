{#- What a work-group computes together, in the trees of `cuda/teams.cuh`: the same bits. Blank lines separate functions.
    real      float or double
    f         "f" or "": the end of a function's name
    device    what stands before a function
    `values` has an element a work-item.
-#}
// i: what is read there need not be read in each turn of a loop
{{ device }} int anew(int i) { return i; }

// the value of another work-item
{{ device }} {{ real }} of_other{{ f }}({{ real }} v, int other, __local {{ real }}* values) {
  values[get_local_id(0)] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  v = values[other];
  barrier(CLK_LOCAL_MEM_FENCE);
  return v;
}

{% for op, before, between, after in (("sum", "", " + ", ""), ("prod", "", " * ", ""), ("max", "maximum" ~ f ~ "(", ", ", ")"), ("min", "minimum" ~ f ~ "(", ", ", ")")) %}
{%- macro combined(a, b) %}{{ before }}{{ a }}{{ between }}{{ b }}{{ after }}{% endmacro %}
// over each 32 neighbours, always in the same tree, at the first of them
{{ device }} void fold_{{ op }}{{ f }}({{ real }} v, __local {{ real }}* values) {
  const int rank = get_local_id(0);
  values[rank] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 16; distance > 0; distance /= 2) {
    if (rank % 32 < distance) {
      const {{ real }} own = values[rank], other = values[rank + distance];
      values[rank] = {{ combined("own", "other") }};
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// over a work-group of 32
{{ device }} {{ real }} warp_{{ op }}{{ f }}({{ real }} v, __local {{ real }}* values) {
  fold_{{ op }}{{ f }}(v, values);
  v = values[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return v;
}

// over a work-group of 256
{{ device }} {{ real }} block_{{ op }}{{ f }}({{ real }} v, __local {{ real }}* values) {
  fold_{{ op }}{{ f }}(v, values);
  v = values[0];
  for (int warp = 1; warp < 8; warp++) {
    const {{ real }} other = values[32 * warp];
    v = {{ combined("v", "other") }};
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return v;
}

// over the work-items of a column: those at one place of the 8 times 32 of a work-group
{{ device }} {{ real }} column_{{ op }}{{ f }}({{ real }} v, __local {{ real }}* values) {
  const int lane = get_local_id(0) % 32;
  values[get_local_id(0)] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  v = values[lane];
  for (int warp = 1; warp < 8; warp++) {
    const {{ real }} other = values[32 * warp + lane];
    v = {{ combined("v", "other") }};
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return v;
}

// v becomes that of the 32 neighbours up to this one; returns that of all
{{ device }} {{ real }} warp_running_{{ op }}{{ f }}({{ real }}* v, __local {{ real }}* values) {
  const int rank = get_local_id(0), lane = rank % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const {{ real }} other = of_other{{ f }}(*v, lane >= distance ? rank - distance : rank, values);
    if (lane >= distance) *v = {{ combined("other", "*v") }};
  }
  return of_other{{ f }}(*v, rank / 32 * 32 + 31, values);
}

// of the 256 work-items
{{ device }} {{ real }} block_running_{{ op }}{{ f }}({{ real }}* v, __local {{ real }}* values) {
  const int rank = get_local_id(0) / 32;
  const {{ real }} own = warp_running_{{ op }}{{ f }}(v, values);
  values[get_local_id(0)] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  {{ real }} all = values[0];
  for (int warp = 1; warp < 8; warp++) {
    if (warp == rank) *v = {{ combined("all", "*v") }};
    all = {{ combined("all", "values[32 * warp]") }};
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}

{% endfor %}
