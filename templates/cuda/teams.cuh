{#- What a team of threads computes together. Blank lines separate functions; a file gets those that its text calls.
    real      float or double
    f         "f" or "": the end of a function's name
    device    what stands before a function of a kernel
-#}
// i, of which the compiler knows nothing: what is read there is read in each turn of a loop, and not kept in registers from before it
{{ device }} int anew(int i) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(i));
#endif
  return i;
}

{% for op, before, between, after in (("sum", "", " + ", ""), ("prod", "", " * ", ""), ("max", "maximum" ~ f ~ "(", ", ", ")"), ("min", "minimum" ~ f ~ "(", ", ", ")")) %}
{%- macro combined(a, b) %}{{ before }}{{ a }}{{ between }}{{ b }}{{ after }}{% endmacro %}
// over the threads of a warp, always in the same tree: the same bits for all of them
{{ device }} {{ real }} warp_{{ op }}{{ f }}({{ real }} v) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const {{ real }} other = __shfl_xor_sync(0xffffffffu, v, distance);
    v = {{ combined("v", "other") }};
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
    v = {{ combined("v", "other") }};
  }
  __syncthreads();
  return v;
}

// over the threads of a column: those at one place of the 8 warps of a block
{{ device }} {{ real }} column_{{ op }}{{ f }}({{ real }} v) {
  __shared__ {{ real }} parts[256];
  parts[threadIdx.x] = v;
  __syncthreads();
  v = parts[threadIdx.x % 32];
  for (int warp = 1; warp < 8; warp++) {
    const {{ real }} other = parts[32 * warp + threadIdx.x % 32];
    v = {{ combined("v", "other") }};
  }
  __syncthreads();
  return v;
}

// v becomes that of the warp's threads up to this one; returns that of all
{{ device }} {{ real }} warp_running_{{ op }}{{ f }}({{ real }}& v) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const {{ real }} other = __shfl_up_sync(0xffffffffu, v, distance);
    if (lane >= distance) v = {{ combined("other", "v") }};
  }
  return __shfl_sync(0xffffffffu, v, 31);
}

// of the block's 256 threads
{{ device }} {{ real }} block_running_{{ op }}{{ f }}({{ real }}& v) {
  __shared__ {{ real }} parts[8];
  const int rank = threadIdx.x / 32;
  const {{ real }} own = warp_running_{{ op }}{{ f }}(v);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = own;
  __syncthreads();
  {{ real }} all = parts[0];
  for (int warp = 1; warp < 8; warp++) {
    if (warp == rank) v = {{ combined("all", "v") }};
    all = {{ combined("all", "parts[warp]") }};
  }
  __syncthreads();
  return all;
}

{% endfor %}
