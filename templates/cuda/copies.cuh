{#- Copies to shared memory that go on while their threads do, where the hardware has them; elsewhere they are done at once.
    Blank lines separate functions; a file gets those that its text calls.
    real      float or double
    f         "f" or "": the end of a function's name
    bytes     of an element
    device    what stands before a function of a kernel
-#}
{{ device }} void copy_ahead{{ f }}({{ real }}* to, const {{ real }}* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], {{ bytes }};" :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
#else
  *to = *from;
#endif
}

// the element, or 0
{{ device }} void copy_ahead_or_zero{{ f }}({{ real }}* to, const {{ real }}* from, bool inside) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], {{ bytes }}, %2;" :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(inside ? {{ bytes }} : 0) : "memory");
#else
  *to = inside ? *from : 0;
#endif
}
{% if f %}

// four neighbours, which begin at multiples of 16 bytes
{{ device }} void copy_four_ahead(float* to, const float* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
#else
  *(float4*)to = *(const float4*)from;
#endif
}

// waits for the copies that this thread has begun
{{ device }} void copies_done() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
{% endif %}
