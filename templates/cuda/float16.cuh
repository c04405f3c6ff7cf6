// binary16 in memory, as CUDA's `__half`; a float in arithmetic
struct float16 {
  unsigned short bits;

  __device__ operator float() const {
    float x;
#ifdef __CUDA_ARCH__
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
#else
    const unsigned int magnitude = (bits & 0x7fffu) << 13;
    x = __uint_as_float(magnitude) * 5192296858534827628530496329220096.0f;  // 2**112: the exponents' zeros differ
    if (magnitude >= 0x7c00u << 13) x = __uint_as_float(magnitude | 0x7f800000u);  // infinity, NaN
    x = __uint_as_float(__float_as_uint(x) | (bits & 0x8000u) << 16);
#endif
    return x;
  }

  // to the nearest, ties to even
  __device__ void operator=(float x) {
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#else
    const unsigned int sign = __float_as_uint(x) >> 16 & 0x8000u, magnitude = __float_as_uint(x) & 0x7fffffffu;
    unsigned int rounded = (magnitude + 0xfffu + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    if (magnitude < 113u << 23)  // subnormal: beside 0.5 a float has steps of 2**-24
      rounded = __float_as_uint(__uint_as_float(magnitude) + 0.5f) - __float_as_uint(0.5f);
    if (magnitude >= 0x477ff000u) rounded = 0x7c00u;  // from 65520 on
    if (magnitude > 0x7f800000u) rounded = 0x7fffu;  // NaN
    bits = (unsigned short)(sign | rounded);
#endif
  }
};
