{#- Products of matrices that the threads of a warp hold together. Blank lines separate functions; a file gets those that its text calls.
    f         "f": there are none of double
    device    what stands before a function of a kernel
-#}
{% if f %}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
{{ device }} unsigned as_tf32(float x) {
  unsigned bits;
  asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}
#endif

// sums of 16 x 8 elements, and products of 16 x 8 by 8 x 8; a thread has two neighbours of its row, and two of the eighth row after that
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
{{ device }} void add_products_tf32(float& s0, float& s1, float& s2, float& s3, const unsigned* left, const unsigned* right) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 { %0, %1, %2, %3}, { %4, %5, %6, %7}, { %8, %9}, { %0, %1, %2, %3};" : "+f"(s0), "+f"(s1), "+f"(s2), "+f"(s3) : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}
#endif
{% endif %}
