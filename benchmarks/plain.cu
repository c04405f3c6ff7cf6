// Three of the formulas as one writes them in CUDA by hand, in float32: the value, and all gradients by gathering, but
// for the nine sums of the filter's weights, which blocks add to with atomics. A block has 256 threads.
// `peak` does nothing but multiply and add, `nothing` not even that.

#define THREADS 256
#define AT(a, n, i, j, k) a[((i) * (n) + (j)) * (n) + (k)]
#define EACH(p, count) int p = blockIdx.x * blockDim.x + threadIdx.x; p < (count); p += gridDim.x * blockDim.x

extern "C" __global__ void __launch_bounds__(256)
wave(const float* __restrict__ u, const float* __restrict__ p, const float* __restrict__ c, float* __restrict__ v, int n) {
  const int m = n - 2;
  for (EACH(at, m * m * m)) {
    const int i = at / (m * m) + 1, j = at / m % m + 1, k = at % m + 1;
    const float here = AT(u, n, i, j, k);
    const float near = AT(u, n, i - 1, j, k) + AT(u, n, i + 1, j, k) + AT(u, n, i, j - 1, k) + AT(u, n, i, j + 1, k)
                       + AT(u, n, i, j, k - 1) + AT(u, n, i, j, k + 1);
    v[at] = 2 * here - AT(p, n, i, j, k) + AT(c, n, i, j, k) * (near - 6 * here);
  }
}

static __device__ float weighted(const float* c, const float* dv, int n, int i, int j, int k) {
  const int m = n - 2;
  const bool inside = i >= 1 && i <= m && j >= 1 && j <= m && k >= 1 && k <= m;
  return inside ? AT(c, n, i, j, k) * AT(dv, m, i - 1, j - 1, k - 1) : 0;
}

extern "C" __global__ void __launch_bounds__(256)
wave_gradients(const float* __restrict__ u, const float* __restrict__ c, const float* __restrict__ dv,
               float* __restrict__ du, float* __restrict__ dp, float* __restrict__ dc, int n) {
  const int m = n - 2;
  for (EACH(at, n * n * n)) {
    const int i = at / (n * n), j = at / n % n, k = at % n;
    const bool inside = i >= 1 && i <= m && j >= 1 && j <= m && k >= 1 && k <= m;
    const float g = inside ? AT(dv, m, i - 1, j - 1, k - 1) : 0;
    dp[at] = -g;
    dc[at] = !inside ? 0 : g * (AT(u, n, i - 1, j, k) + AT(u, n, i + 1, j, k) + AT(u, n, i, j - 1, k)
        + AT(u, n, i, j + 1, k) + AT(u, n, i, j, k - 1) + AT(u, n, i, j, k + 1) - 6 * u[at]);
    du[at] = 2 * g - 6 * weighted(c, dv, n, i, j, k) + weighted(c, dv, n, i - 1, j, k) + weighted(c, dv, n, i + 1, j, k)
        + weighted(c, dv, n, i, j - 1, k) + weighted(c, dv, n, i, j + 1, k) + weighted(c, dv, n, i, j, k - 1)
        + weighted(c, dv, n, i, j, k + 1);
  }
}

// The sum over a block, for its first thread; all threads come here.
static __device__ float block_sum(float s) {
  __shared__ float parts[THREADS / 32];
  for (int distance = 16; distance; distance /= 2) s += __shfl_xor_sync(0xffffffffu, s, distance);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = s;
  __syncthreads();
  float total = 0;
  if (threadIdx.x == 0)
    for (int w = 0; w < THREADS / 32; w++) total += parts[w];
  return total;
}

// A block a row: f_i = sum_j e_ij w_j with e_ij = exp(-|x_i - y_j|^2).
extern "C" __global__ void __launch_bounds__(256)
gaussians(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ w, float* __restrict__ f,
          int n) {
  for (int i = blockIdx.x; i < n; i += gridDim.x) {
    const float p = x[3 * i], q = x[3 * i + 1], r = x[3 * i + 2];
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
      const float a = p - y[3 * j], b = q - y[3 * j + 1], c = r - y[3 * j + 2];
      s += expf(-(a * a + b * b + c * c)) * w[j];
    }
    s = block_sum(s);
    if (threadIdx.x == 0) f[i] = s;
  }
}

// A block a row of x or of y. By y: weights are df, the factor of a row w. `sums` is dw, or null.
extern "C" __global__ void __launch_bounds__(256)
gaussians_gradient(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ weights,
                   const float* __restrict__ factors, float* __restrict__ dx, float* sums, int n) {
  for (int i = blockIdx.x; i < n; i += gridDim.x) {
    const float p = x[3 * i], q = x[3 * i + 1], r = x[3 * i + 2];
    float s = 0, da = 0, db = 0, dc = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
      const float a = p - y[3 * j], b = q - y[3 * j + 1], c = r - y[3 * j + 2];
      const float e = expf(-(a * a + b * b + c * c)) * weights[j];
      s += e;
      da += e * a;
      db += e * b;
      dc += e * c;
    }
    s = block_sum(s), da = block_sum(da), db = block_sum(db), dc = block_sum(dc);
    if (threadIdx.x == 0) {
      dx[3 * i] = -2 * factors[i] * da;
      dx[3 * i + 1] = -2 * factors[i] * db;
      dx[3 * i + 2] = -2 * factors[i] * dc;
      if (sums) sums[i] = s;
    }
  }
}

// `flip` is 0 for the value, and 8 for the gradient by x, whose weights are w from the last to the first.
extern "C" __global__ void __launch_bounds__(256)
filter(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int flip, int n) {
  for (EACH(at, n * n)) {
    const int i = at / n, j = at % n;
    float s = 0;
    for (int r = 0; r < 3; r++)
      for (int t = 0; t < 3; t++) {
        const int a = i + r - 1, b = j + t - 1;
        if (a >= 0 && a < n && b >= 0 && b < n) s += x[a * n + b] * w[flip ? flip - 3 * r - t : 3 * r + t];
      }
    y[at] = s;
  }
}

extern "C" __global__ void __launch_bounds__(256)
zeros(float* __restrict__ x, int n) {
  for (EACH(at, n)) x[at] = 0;
}

// dw is zeros before.
extern "C" __global__ void __launch_bounds__(256)
filter_weights(const float* __restrict__ x, const float* __restrict__ dy, float* __restrict__ dw, int n) {
  float sums[9] = {0};
  for (EACH(at, n * n)) {
    const int i = at / n, j = at % n;
    for (int r = 0; r < 3; r++)
      for (int t = 0; t < 3; t++) {
        const int a = i + r - 1, b = j + t - 1;
        if (a >= 0 && a < n && b >= 0 && b < n) sums[3 * r + t] += dy[at] * x[a * n + b];
      }
  }
  for (int k = 0; k < 9; k++) {
    const float s = block_sum(sums[k]);
    if (threadIdx.x == 0) atomicAdd(&dw[k], s);
  }
}

extern "C" __global__ void __launch_bounds__(256)
peak(float* x, int times) {
  float s[8], a = x[0], b = x[1];
  for (int l = 0; l < 8; l++) s[l] = threadIdx.x + l;
  for (int t = 0; t < times; t++)
    for (int l = 0; l < 8; l++) s[l] = fmaf(s[l], a, b);
  float total = 0;
  for (int l = 0; l < 8; l++) total += s[l];
  if (total == -1) x[2] = total;
}

extern "C" __global__ void __launch_bounds__(256)
nothing(float* x) {
  (void)x;
}
