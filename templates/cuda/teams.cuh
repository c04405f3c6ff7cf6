{#- What a team of threads computes together. Blank lines separate functions; a file gets those that its text calls.
    real      float or double
    f         "f" or "": the end of a function's name
    device    what stands before a function of a kernel
-#}
{% for op, combined in (("sum", "v + other"), ("prod", "v * other"), ("max", "maximum" ~ f ~ "(v, other)"), ("min", "minimum" ~ f ~ "(v, other)")) %}
// over the threads of a warp, always in the same tree: the same bits for all of them
{{ device }} {{ real }} warp_{{ op }}{{ f }}({{ real }} v) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const {{ real }} other = __shfl_xor_sync(0xffffffffu, v, distance);
    v = {{ combined }};
  }
  return __shfl_sync(0xffffffffu, v, 0);
}

// over the 256 threads of a block
{{ device }} {{ real }} block_{{ op }}{{ f }}({{ real }} v) {
  __shared__ {{ real }} parts[8];
  v = warp_{{ op }}{{ f }}(v);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  v = parts[0];
  for (int warp = 1; warp < 8; warp++) {
    const {{ real }} other = parts[warp];
    v = {{ combined }};
  }
  __syncthreads();
  return v;
}

{% endfor %}
