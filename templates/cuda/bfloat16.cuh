// the upper half of a float in memory, as CUDA's `__nv_bfloat16`; a float in arithmetic
struct bfloat16 {
  unsigned short bits;

  __device__ operator float() const { return __uint_as_float((unsigned int)bits << 16); }

  // to the nearest, ties to even
  __device__ void operator=(float x) {
    const unsigned int u = __float_as_uint(x);
    bits = (unsigned short)(x != x ? 0x7fffu : (u + 0x7fffu + (u >> 16 & 1)) >> 16);
  }
};
