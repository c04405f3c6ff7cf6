// Rows of `cpu_rows.py` as one tunes them in C: `name` is the value, `name_both` the value and all gradients. `REAL` is the
// element type. Arguments are inputs, the cotangent (of `both`), results, sizes in their order in the formula, threads.
//
// A tile of sums stays in registers, operands are packed where they are used often, and what is recomputed is cheaper than
// what is stored. Extents are multiples of what the tiles are made of; see the assertions.
#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define LANES (64 / (long)sizeof(REAL))
#define WIDE (2 * LANES)  // of a row of a tile
#define UNROLLED _Pragma("GCC unroll 16")
#define LOAD(p) (*(const V*)(p))
#define STORE(p, v) (*(V*)(p) = (v))
#define SIZES const int64_t* n, int threads
#define SHARED _Pragma("omp for schedule(static)")

typedef REAL V __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));
typedef __typeof__((V){0} > (V){0}) I;  // integers of the same size

// Memory that is kept from call to call, one place for each number.
static REAL* scratch(int place, size_t count) {
  static REAL* places[8];
  static size_t counts[8];
  if (counts[place] < count) {
    free(places[place]);
    places[place] = aligned_alloc(64, (count * sizeof(REAL) + 127) / 64 * 64);
    counts[place] = count;
  }
  return places[place];
}

static inline REAL folded(V v) {
  REAL s = 0;
  for (int l = 0; l < LANES; l++) s += v[l];
  return s;
}

static inline V larger(V a, V b) {
  const I first = a > b;
  return (V)((first & (I)a) | (~first & (I)b));
}

static inline void streamed(REAL* to, const REAL* from, long count) {
#if defined(__SSE2__)
  if ((uintptr_t)to % 16 == 0) {
    const long whole = count * (long)sizeof(REAL) / 16, step = 16 / (long)sizeof(REAL);
    for (long i = 0; i < whole; i++) _mm_stream_si128((__m128i*)to + i, _mm_loadu_si128((const __m128i*)from + i));
    from += whole * step;
    to += whole * step;
    count -= whole * step;
  }
#endif
  memcpy(to, from, count * sizeof(REAL));
}

// The exponential of each lane, by a polynomial and the bits of an exponent; 0 far below.
#define HORNER(c) p = p * r + (REAL)(c);
static inline V vexp(V x) {
  const int narrow = sizeof(REAL) == 4;
  const REAL magic = narrow ? (REAL)12582912.0 : (REAL)6755399441055744.0, low = narrow ? -87 : -708, high = narrow ? 88 : 709;
  x = -larger(-larger(x, (V){0} + low), (V){0} - high);
  const V shifted = x * (REAL)1.4426950408889634 + magic, k = shifted - magic;
  const V r = (x - k * (REAL)0.693145751953125) - k * (REAL)1.42860682030941723212e-6;
  V p = {0};
  if (narrow) {
    p += (REAL)(1.0 / 720);
  } else {
    p += (REAL)(1.0 / 479001600);
    HORNER(1.0 / 39916800) HORNER(1.0 / 3628800) HORNER(1.0 / 362880) HORNER(1.0 / 40320) HORNER(1.0 / 5040) HORNER(1.0 / 720)
  }
  HORNER(1.0 / 120) HORNER(1.0 / 24) HORNER(1.0 / 6) HORNER(0.5) HORNER(1) HORNER(1)
  return (V)((I)p + ((I)shifted << (narrow ? 23 : 52)));
}

// ---- the paper's formula: f[i,j] = exp(-sum{k} ((a[i,k] + b[j,k])**2*c[i,i] + d[i+k]**3))

static void paper_forward(const REAL* a, const REAL* b, const REAL* c, const REAL* d, REAL* f, REAL* s_kept, REAL* packed,
                          long N, long M, long K) {
  assert(N % 8 == 0 && M % WIDE == 0 && K % WIDE == 0);
  SHARED for (long j = 0; j < M; j += WIDE)
    for (long k = 0; k < K; k++)
      for (long l = 0; l < WIDE; l++) packed[j * K + k * WIDE + l] = b[(j + l) * K + k];
  SHARED for (long i = 0; i < N; i += 8) {
    REAL cubes[8];
    for (int q = 0; q < 8; q++) {
      cubes[q] = 0;
      for (long k = 0; k < K; k++) cubes[q] += d[i + q + k] * d[i + q + k] * d[i + q + k];
    }
    for (long j = 0; j < M; j += WIDE) {
      V s[8][2] = {{{0}}};
      for (long k = 0; k < K; k++) {
        const V b0 = LOAD(packed + j * K + k * WIDE), b1 = LOAD(packed + j * K + k * WIDE + LANES);
        UNROLLED for (int q = 0; q < 8; q++) {
          const V t0 = a[(i + q) * K + k] + b0, t1 = a[(i + q) * K + k] + b1;
          s[q][0] += t0 * t0;
          s[q][1] += t1 * t1;
        }
      }
      UNROLLED for (int q = 0; q < 8; q++)
        UNROLLED for (int v = 0; v < 2; v++) {
          const long at = (i + q) * M + j + v * LANES;
          if (s_kept) STORE(s_kept + at, s[q][v]);
          STORE(f + at, vexp(-(s[q][v] * c[(i + q) * N + i + q] + cubes[q])));
        }
    }
  }
}

void paper(const REAL* a, const REAL* b, const REAL* c, const REAL* d, REAL* f, SIZES) {
  REAL* packed = scratch(0, n[1] * n[2]);
#pragma omp parallel num_threads(threads)
  paper_forward(a, b, c, d, f, NULL, packed, n[0], n[1], n[2]);
}

void paper_both(const REAL* a, const REAL* b, const REAL* c, const REAL* d, const REAL* df, REAL* f, REAL* da, REAL* db,
                REAL* dc, REAL* dd, SIZES) {
  const long N = n[0], M = n[1], K = n[2];
  REAL *packed = scratch(0, M * K), *s_kept = scratch(1, N * M), *w = scratch(2, N * M), *row = scratch(3, N);
#pragma omp parallel num_threads(threads)
  {
    paper_forward(a, b, c, d, f, s_kept, packed, N, M, K);
    SHARED for (long i = 0; i < N; i++) {
      V sum = {0}, square = {0};
      for (long j = 0; j < M; j += LANES) {
        const V t = -LOAD(df + i * M + j) * LOAD(f + i * M + j);
        STORE(w + i * M + j, t);
        sum += t;
        square += t * LOAD(s_kept + i * M + j);
      }
      row[i] = folded(sum);
      memset(dc + i * N, 0, N * sizeof(REAL));
      dc[i * N + i] = folded(square);
    }
    SHARED for (long i = 0; i < N; i += 8)
      for (long k = 0; k < K; k += WIDE) {
        V s[8][2] = {{{0}}};
        for (long j = 0; j < M; j++) {
          const V b0 = LOAD(b + j * K + k), b1 = LOAD(b + j * K + k + LANES);
          UNROLLED for (int q = 0; q < 8; q++) {
            s[q][0] += w[(i + q) * M + j] * b0;
            s[q][1] += w[(i + q) * M + j] * b1;
          }
        }
        UNROLLED for (int q = 0; q < 8; q++)
          UNROLLED for (int v = 0; v < 2; v++) {
            const long at = (i + q) * K + k + v * LANES;
            STORE(da + at, (s[q][v] + LOAD(a + at) * row[i + q]) * (2 * c[(i + q) * N + i + q]));
          }
      }
    SHARED for (long j = 0; j < M; j += 8) {
      REAL column[8] = {0}, staged[8 * 1024];
      assert(N <= 1024);
      for (long i = 0; i < N; i++)
        for (int q = 0; q < 8; q++) {
          staged[8 * i + q] = w[i * M + j + q] * c[i * N + i];
          column[q] += staged[8 * i + q];
        }
      for (long k = 0; k < K; k += WIDE) {
        V s[8][2] = {{{0}}};
        for (long i = 0; i < N; i++) {
          const V a0 = LOAD(a + i * K + k), a1 = LOAD(a + i * K + k + LANES);
          UNROLLED for (int q = 0; q < 8; q++) {
            s[q][0] += staged[8 * i + q] * a0;
            s[q][1] += staged[8 * i + q] * a1;
          }
        }
        UNROLLED for (int q = 0; q < 8; q++)
          UNROLLED for (int v = 0; v < 2; v++) {
            const long at = (j + q) * K + k + v * LANES;
            STORE(db + at, (s[q][v] + LOAD(b + at) * column[q]) * 2);
          }
      }
    }
    SHARED for (long m = 0; m < N + K - 1; m++) {
      REAL s = 0;
      for (long k = m < N ? 0 : m - N + 1; k < K && k <= m; k++) s += row[m - k];
      dd[m] = s * 3 * d[m] * d[m];
    }
  }
}

// ---- a sum of Gaussians: f[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j], of three dimensions

enum { BLOCKS = 32 };  // of rows, whose parts of the gradients by y and w are added

static void gaussians(const REAL* x, const REAL* y, const REAL* w, const REAL* df, REAL* f, REAL* dx, REAL* dy, REAL* dw,
                      const int64_t* n, int threads) {
  const long N = n[0], M = n[1];
  assert(n[2] == 3 && M % LANES == 0);
  REAL *planes = scratch(0, 3 * M), *parts = scratch(1, BLOCKS * 4 * M);
  for (long j = 0; j < M; j++)
    for (int d = 0; d < 3; d++) planes[d * M + j] = y[3 * j + d];
#pragma omp parallel num_threads(threads)
  {
    SHARED for (int block = 0; block < BLOCKS; block++) {
      REAL* part = parts + block * 4 * M;
      if (df) memset(part, 0, 4 * M * sizeof(REAL));
      for (long i = block * N / BLOCKS; i < (block + 1) * N / BLOCKS; i++) {
        const REAL x0 = x[3 * i], x1 = x[3 * i + 1], x2 = x[3 * i + 2], c = df ? df[i] : 0;
        V s = {0}, s0 = {0}, s1 = {0}, s2 = {0};
        for (long j = 0; j < M; j += LANES) {
          const V e0 = x0 - LOAD(planes + j), e1 = x1 - LOAD(planes + M + j), e2 = x2 - LOAD(planes + 2 * M + j);
          const V e = vexp(-(e0 * e0 + e1 * e1 + e2 * e2)), u = e * LOAD(w + j);
          s += u;
          if (df) {
            const V v = e * c;
            s0 += u * e0;
            s1 += u * e1;
            s2 += u * e2;
            STORE(part + j, LOAD(part + j) + v);
            STORE(part + M + j, LOAD(part + M + j) + v * e0);
            STORE(part + 2 * M + j, LOAD(part + 2 * M + j) + v * e1);
            STORE(part + 3 * M + j, LOAD(part + 3 * M + j) + v * e2);
          }
        }
        f[i] = folded(s);
        if (df) {
          dx[3 * i] = -2 * c * folded(s0);
          dx[3 * i + 1] = -2 * c * folded(s1);
          dx[3 * i + 2] = -2 * c * folded(s2);
        }
      }
    }
    if (df) {
      SHARED for (long j = 0; j < M; j++) {
        REAL s[4] = {0};
        for (int block = 0; block < BLOCKS; block++)
          for (int d = 0; d < 4; d++) s[d] += parts[(block * 4 + d) * M + j];
        dw[j] = s[0];
        for (int d = 0; d < 3; d++) dy[3 * j + d] = 2 * w[j] * s[1 + d];
      }
    }
  }
}

void rbf(const REAL* x, const REAL* y, const REAL* w, REAL* f, SIZES) {
  gaussians(x, y, w, NULL, f, NULL, NULL, NULL, n, threads);
}

void rbf_both(const REAL* x, const REAL* y, const REAL* w, const REAL* df, REAL* f, REAL* dx, REAL* dy, REAL* dw, SIZES) {
  gaussians(x, y, w, df, f, dx, dy, dw, n, threads);
}

// ---- conv1d: y[n,o,p] = sum{c, r} x[n,c,p+r]*w[o,c,r], with 5 taps

enum { TAPS = 5 };

// y[o,p] = sum{c, r} x[c,p+r]*w[o/8][c][r][o%8] for one n; rows of x are `stride` long, and p may go past `length` in them.
static void conv_row(const REAL* x, long stride, const REAL* w, REAL* y, long channels, long outputs, long length) {
  for (long o = 0; o < outputs; o += 8)
    for (long p = 0; p < length; p += WIDE) {
      V s[8][2] = {{{0}}};
      const REAL* taps = w + o * channels * TAPS;
      for (long c = 0; c < channels; c++)
        UNROLLED for (int r = 0; r < TAPS; r++) {
          const V x0 = LOAD(x + c * stride + p + r), x1 = LOAD(x + c * stride + p + r + LANES);
          UNROLLED for (int q = 0; q < 8; q++) {
            s[q][0] += taps[(c * TAPS + r) * 8 + q] * x0;
            s[q][1] += taps[(c * TAPS + r) * 8 + q] * x1;
          }
        }
      const long rest = length - p;
      for (int q = 0; q < 8; q++) {
        REAL* to = y + (o + q) * length + p;
        if (rest >= WIDE) {
          STORE(to, s[q][0]);
          STORE(to + LANES, s[q][1]);
        } else {
          memcpy(to, s[q], rest * sizeof(REAL));
        }
      }
    }
}

static void conv1d_forward(const REAL* x, const REAL* w, REAL* y, const int64_t* n, REAL* packed) {
  const long N = n[0], C = n[1], O = n[2], L = n[3], P = L - TAPS + 1;
  assert(n[4] == TAPS && C % 8 == 0 && O % 8 == 0 && P % WIDE == 0);
  SHARED for (long o = 0; o < O; o++)
    for (long k = 0; k < C * TAPS; k++) packed[((o / 8 * C * TAPS) + k) * 8 + o % 8] = w[o * C * TAPS + k];
  SHARED for (long m = 0; m < N; m++) conv_row(x + m * C * L, L, packed, y + m * O * P, C, O, P);
}

void conv1d(const REAL* x, const REAL* w, REAL* y, SIZES) {
  REAL* packed = scratch(0, n[1] * n[2] * TAPS);
#pragma omp parallel num_threads(threads)
  conv1d_forward(x, w, y, n, packed);
}

void conv1d_both(const REAL* x, const REAL* w, const REAL* dy, REAL* y, REAL* dx, REAL* dw, SIZES) {
  const long N = n[0], C = n[1], O = n[2], L = n[3], P = L - TAPS + 1, padded = L + TAPS + WIDE;
  REAL *packed = scratch(0, O * C * TAPS), *flipped = scratch(1, O * C * TAPS), *rows = scratch(2, threads * O * padded);
#pragma omp parallel num_threads(threads)
  {
    conv1d_forward(x, w, y, n, packed);
    SHARED for (long c = 0; c < C; c++)
      for (long o = 0; o < O; o++)
        for (int r = 0; r < TAPS; r++)
          flipped[((c / 8 * O + o) * TAPS + TAPS - 1 - r) * 8 + c % 8] = w[(o * C + c) * TAPS + r];
    REAL* border = rows + omp_get_thread_num() * O * padded;
    memset(border, 0, O * padded * sizeof(REAL));
    SHARED for (long m = 0; m < N; m++) {
      for (long o = 0; o < O; o++) memcpy(border + o * padded + TAPS - 1, dy + (m * O + o) * P, P * sizeof(REAL));
      conv_row(border, padded, flipped, dx + m * C * L, O, C, L);
    }
    SHARED for (long task = 0; task < O / 4 * C; task++) {
      const long o = task / C * 4, c = task % C;
      V s[4][TAPS] = {{{0}}};
      for (long m = 0; m < N; m++)
        for (long p = 0; p < P; p += LANES) {
          V t[TAPS];
          UNROLLED for (int r = 0; r < TAPS; r++) t[r] = LOAD(x + (m * C + c) * L + p + r);
          UNROLLED for (int q = 0; q < 4; q++) {
            const V g = LOAD(dy + (m * O + o + q) * P + p);
            UNROLLED for (int r = 0; r < TAPS; r++) s[q][r] += g * t[r];
          }
        }
      for (int q = 0; q < 4; q++)
        for (int r = 0; r < TAPS; r++) dw[((o + q) * C + c) * TAPS + r] = folded(s[q][r]);
    }
  }
}

// ---- Hankel: y[i] = sum{j} x[i+j]*v[j]

// y[i] = sum{j = low..high-1} x[i+j]*v[j] for `BAND` neighbours of i, of which `count` are stored.
enum { BAND = 8 };
static void correlated(const REAL* x, const REAL* v, REAL* y, long i, long low, long high, long count) {
  V s[BAND] = {{0}};
  for (long j = low; j < high; j++)
    UNROLLED for (int k = 0; k < BAND; k++) s[k] += LOAD(x + i + j + k * LANES) * v[j];
  memcpy(y + i, s, (count < BAND * LANES ? count : BAND * LANES) * sizeof(REAL));
}

// Behind its end x may be read, which is for `padded` to see to.
static REAL* padded(int place, const REAL* x, long before, long count, long after) {
  REAL* copy = scratch(place, before + count + after);
  memset(copy, 0, before * sizeof(REAL));
  memcpy(copy + before, x, count * sizeof(REAL));
  memset(copy + before + count, 0, after * sizeof(REAL));
  return copy;
}

void hankel(const REAL* x, const REAL* v, REAL* y, SIZES) {
  const long N = n[0], step = BAND * LANES;
  const REAL* long_x = padded(0, x, 0, 2 * N - 1, step);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (long i = 0; i < N; i += step) correlated(long_x, v, y, i, 0, N, N - i);
}

void hankel_both(const REAL* x, const REAL* v, const REAL* dy, REAL* y, REAL* dx, REAL* dv, SIZES) {
  const long N = n[0], step = BAND * LANES;
  const REAL* long_x = padded(0, x, 0, 2 * N - 1, step);
  const REAL* border = padded(1, dy, N - 1, N, N - 1 + step);
  REAL* flipped = scratch(2, N);
  for (long j = 0; j < N; j++) flipped[j] = v[N - 1 - j];
#pragma omp parallel num_threads(threads)
  {
    SHARED for (long i = 0; i < N; i += step) {
      correlated(long_x, v, y, i, 0, N, N - i);
      correlated(long_x, dy, dv, i, 0, N, N - i);
    }
#pragma omp for schedule(dynamic)
    for (long m = 0; m < 2 * N - 1; m += step) {
      const long low = N - 1 - m - step < 0 ? 0 : N - 1 - m - step, high = 2 * N - 1 - m < N ? 2 * N - 1 - m : N;
      correlated(border, flipped, dx, m, low, high, 2 * N - 1 - m);
    }
  }
}

// ---- MTTKRP: A[i,j] = sum{k, l} B[i,k,l]*C[k,j]*D[l,j]; all of one i stays in the cache

enum { COLUMNS = 4 };  // vectors of j at once

// t[k,j] = sum{l} b[k,l]*d[l,j] for four k, or of the transposed b; `from` and `step` are its strides.
static inline void four_rows(const REAL* b, long row, long step, const REAL* d, long stride, long length, V s[4][COLUMNS]) {
  UNROLLED for (int q = 0; q < 4; q++)
    UNROLLED for (int v = 0; v < COLUMNS; v++) s[q][v] = (V){0};
  for (long l = 0; l < length; l++)
    UNROLLED for (int v = 0; v < COLUMNS; v++) {
      const V t = LOAD(d + l * stride + v * LANES);
      UNROLLED for (int q = 0; q < 4; q++) s[q][v] += b[q * row + l * step] * t;
    }
}

static void factors(const REAL* B, const REAL* C, const REAL* D, const REAL* dA, REAL* A, REAL* dB, REAL* dC, REAL* dD,
                    const int64_t* n, int threads) {
  const long I = n[0], J = n[1], K = n[2], L = n[3], wide = COLUMNS * LANES, part = (K + L) * J;
  assert(J % wide == 0 && K % 4 == 0 && L % wide == 0);
  REAL *flipped = scratch(0, J * L), *parts = scratch(1, threads * part), *rows = scratch(2, threads * K * J);
  for (long l = 0; l < L; l++)
    for (long j = 0; j < J; j++) flipped[j * L + l] = D[l * J + j];
#pragma omp parallel num_threads(threads)
  {
    REAL *c_part = parts + omp_get_thread_num() * part, *d_part = c_part + K * J, *g = rows + omp_get_thread_num() * K * J;
    if (dA) memset(c_part, 0, part * sizeof(REAL));
    V s[4][COLUMNS];
    SHARED for (long i = 0; i < I; i++) {
      const REAL* b = B + i * K * L;
      for (long j = 0; j < J; j += wide) {
        V sums[COLUMNS] = {{0}};
        for (long k = 0; k < K; k += 4) {
          four_rows(b + k * L, L, 1, D + j, J, L, s);
          UNROLLED for (int q = 0; q < 4; q++)
            UNROLLED for (int v = 0; v < COLUMNS; v++) {
              const long at = (k + q) * J + j + v * LANES;
              sums[v] += s[q][v] * LOAD(C + at);
              if (dA) {
                const V t = LOAD(dA + i * J + j + v * LANES);
                STORE(c_part + at, LOAD(c_part + at) + s[q][v] * t);
                STORE(g + at, t * LOAD(C + at));
              }
            }
        }
        UNROLLED for (int v = 0; v < COLUMNS; v++) STORE(A + i * J + j + v * LANES, sums[v]);
      }
      if (!dA) continue;
      for (long k = 0; k < K; k += 4)
        for (long l = 0; l < L; l += wide) {
          four_rows(g + k * J, J, 1, flipped + l, L, J, s);
          UNROLLED for (int q = 0; q < 4; q++)
            UNROLLED for (int v = 0; v < COLUMNS; v++) STORE(dB + (i * K + k + q) * L + l + v * LANES, s[q][v]);
        }
      for (long l = 0; l < L; l += 4)
        for (long j = 0; j < J; j += wide) {
          four_rows(b + l, 1, L, g + j, J, K, s);
          UNROLLED for (int q = 0; q < 4; q++)
            UNROLLED for (int v = 0; v < COLUMNS; v++) {
              const long at = (l + q) * J + j + v * LANES;
              STORE(d_part + at, LOAD(d_part + at) + s[q][v]);
            }
        }
    }
    if (dA) {
      SHARED for (long at = 0; at < part; at += LANES) {
        V sum = {0};
        for (int t = 0; t < threads; t++) sum += LOAD(parts + t * part + at);
        if (at < K * J)
          STORE(dC + at, sum);
        else
          STORE(dD + at - K * J, sum);
      }
    }
  }
}

void mttkrp(const REAL* B, const REAL* C, const REAL* D, REAL* A, SIZES) {
  factors(B, C, D, NULL, A, NULL, NULL, NULL, n, threads);
}

void mttkrp_both(const REAL* B, const REAL* C, const REAL* D, const REAL* dA, REAL* A, REAL* dB, REAL* dC, REAL* dD, SIZES) {
  factors(B, C, D, dA, A, dB, dC, dD, n, threads);
}

// ---- up-sampling: y[n,i,j] = x[n,i//2,j//2]

enum { LONGEST = 4096 };  // row of a result

void upsample(const REAL* x, REAL* y, SIZES) {
  const long rows = n[0] * n[1], W = n[2];
  assert(2 * W <= LONGEST);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (long i = 0; i < rows; i++) {
    REAL twice[LONGEST];
    for (long j = 0; j < W; j++) twice[2 * j] = twice[2 * j + 1] = x[i * W + j];
    streamed(y + 2 * i * 2 * W, twice, 2 * W);
    streamed(y + (2 * i + 1) * 2 * W, twice, 2 * W);
  }
}

void upsample_both(const REAL* x, const REAL* dy, REAL* y, REAL* dx, SIZES) {
  const long rows = n[0] * n[1], W = n[2];
  upsample(x, y, n, threads);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (long i = 0; i < rows; i++) {
    const REAL *one = dy + 2 * i * 2 * W, *other = one + 2 * W;
    for (long j = 0; j < W; j++) dx[i * W + j] = one[2 * j] + one[2 * j + 1] + (other[2 * j] + other[2 * j + 1]);
  }
}

// ---- max pooling: y[n,c,p,q] = max{r: 3, s: 3} x[n,c,2*p+r,2*q+s], without equal neighbours

static void pooled(const REAL* x, const REAL* dy, REAL* y, REAL* dx, const int64_t* n, int threads) {
  const long planes = n[0] * n[1], H = n[2], W = n[3], P = (H - 3) / 2 + 1, Q = (W - 3) / 2 + 1, E = (W + 1) / 2;
  REAL* all = scratch(0, threads * 4 * H * E);
#pragma omp parallel num_threads(threads)
  {
    REAL *even = all + omp_get_thread_num() * 4 * H * E, *odd = even + H * E, *d_even = odd + H * E, *d_odd = d_even + H * E;
    SHARED for (long plane = 0; plane < planes; plane++) {
      const REAL* from = x + plane * H * W;
      for (long i = 0; i < H; i++) {
        for (long j = 0; j < W / 2; j++) {
          even[i * E + j] = from[i * W + 2 * j];
          odd[i * E + j] = from[i * W + 2 * j + 1];
        }
        if (W % 2) even[i * E + W / 2] = from[i * W + W - 1];
      }
      for (long p = 0; p < P; p++)
#pragma omp simd
        for (long q = 0; q < Q; q++) {
          const REAL *e = even + 2 * p * E + q, *o = odd + 2 * p * E + q;
          REAL t = e[0];
          for (int r = 0; r < 3; r++) {
            t = e[r * E] > t ? e[r * E] : t;
            t = o[r * E] > t ? o[r * E] : t;
            t = e[r * E + 1] > t ? e[r * E + 1] : t;
          }
          y[(plane * P + p) * Q + q] = t;
        }
      if (!dy) continue;
      memset(d_even, 0, 2 * H * E * sizeof(REAL));
      for (long p = 0; p < P; p++)
        for (int r = 0; r < 3; r++) {
          const REAL *top = y + (plane * P + p) * Q, *g = dy + (plane * P + p) * Q;
          const long row = (2 * p + r) * E;
#pragma omp simd
          for (long q = 0; q < Q; q++) {
            d_even[row + q] += even[row + q] == top[q] ? g[q] : 0;
            d_odd[row + q] += odd[row + q] == top[q] ? g[q] : 0;
          }
#pragma omp simd
          for (long q = 0; q < Q; q++) d_even[row + q + 1] += even[row + q + 1] == top[q] ? g[q] : 0;
        }
      REAL* to = dx + plane * H * W;
      for (long i = 0; i < H; i++) {
        for (long j = 0; j < W / 2; j++) {
          to[i * W + 2 * j] = d_even[i * E + j];
          to[i * W + 2 * j + 1] = d_odd[i * E + j];
        }
        if (W % 2) to[i * W + W - 1] = d_even[i * E + W / 2];
      }
    }
  }
}

void maxpool(const REAL* x, REAL* y, SIZES) { pooled(x, NULL, y, NULL, n, threads); }

void maxpool_both(const REAL* x, const REAL* dy, REAL* y, REAL* dx, SIZES) { pooled(x, dy, y, dx, n, threads); }

// ---- layer norm and softmax of rows

static void normed(const REAL* x, const REAL* g, const REAL* b, const REAL* dy, REAL* y, REAL* dx, REAL* dg, REAL* db,
                   const int64_t* n, int threads) {
  const long N = n[0], M = n[1];
  assert(M % LANES == 0 && M <= LONGEST);
  REAL* parts = scratch(0, threads * 2 * M);
#pragma omp parallel num_threads(threads)
  {
    REAL *g_part = parts + omp_get_thread_num() * 2 * M, *b_part = g_part + M;
    REAL h[LONGEST], e[LONGEST];
    if (dy) memset(g_part, 0, 2 * M * sizeof(REAL));
    SHARED for (long i = 0; i < N; i++) {
      const REAL* from = x + i * M;
      V sum = {0}, square = {0}, most = {0}, total = {0};
      for (long j = 0; j < M; j += LANES) sum += LOAD(from + j);
      const REAL mean = folded(sum) / M;
      for (long j = 0; j < M; j += LANES) square += (LOAD(from + j) - mean) * (LOAD(from + j) - mean);
      const REAL scale = 1 / (REAL)sqrt((double)(folded(square) / M + (REAL)1e-5));
      most -= (REAL)INFINITY;
      for (long j = 0; j < M; j += LANES) {
        const V t = (LOAD(from + j) - mean) * scale, s = t * LOAD(g + j) + LOAD(b + j);
        STORE(h + j, t);
        STORE(e + j, s);
        most = larger(most, s);
      }
      REAL top = most[0];
      for (int l = 1; l < LANES; l++) top = most[l] > top ? most[l] : top;
      for (long j = 0; j < M; j += LANES) {
        const V t = vexp(LOAD(e + j) - top);
        STORE(e + j, t);
        total += t;
      }
      const REAL inverse = 1 / folded(total);
      if (!dy) {
        for (long j = 0; j < M; j += LANES) STORE(e + j, LOAD(e + j) * inverse);
        streamed(y + i * M, e, M);
        continue;
      }
      V inner = {0}, first = {0}, second = {0};
      for (long j = 0; j < M; j += LANES) {
        const V t = LOAD(e + j) * inverse;
        STORE(e + j, t);
        inner += t * LOAD(dy + i * M + j);
      }
      streamed(y + i * M, e, M);
      const REAL all = folded(inner);
      for (long j = 0; j < M; j += LANES) {
        const V dh = LOAD(e + j) * (LOAD(dy + i * M + j) - all), t = dh * LOAD(g + j);
        STORE(g_part + j, LOAD(g_part + j) + dh * LOAD(h + j));
        STORE(b_part + j, LOAD(b_part + j) + dh);
        STORE(e + j, t);
        first += t;
        second += t * LOAD(h + j);
      }
      const REAL shift = folded(first) / M, slope = folded(second) / M;
      for (long j = 0; j < M; j += LANES) STORE(e + j, (LOAD(e + j) - shift - LOAD(h + j) * slope) * scale);
      streamed(dx + i * M, e, M);
    }
    if (dy) {
      SHARED for (long j = 0; j < M; j++) {
        REAL s = 0, t = 0;
        for (int k = 0; k < threads; k++) s += parts[k * 2 * M + j], t += parts[k * 2 * M + M + j];
        dg[j] = s;
        db[j] = t;
      }
    }
  }
}

void lnsm(const REAL* x, const REAL* g, const REAL* b, REAL* y, SIZES) {
  normed(x, g, b, NULL, y, NULL, NULL, NULL, n, threads);
}

void lnsm_both(const REAL* x, const REAL* g, const REAL* b, const REAL* dy, REAL* y, REAL* dx, REAL* dg, REAL* db, SIZES) {
  normed(x, g, b, dy, y, dx, dg, db, n, threads);
}

// ---- a wave step of 7 points, and its gradients in gathering loops

#define AT(a, N, i, j, k) a[((i) * (N) + (j)) * (N) + (k)]

void wave(const REAL* u, const REAL* p, const REAL* c, REAL* v, SIZES) {
  const int64_t N = n[0], m = N - 2;
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < m; j++)
      for (int64_t k = 0; k < m; k++) {
        const REAL here = AT(u, N, i + 1, j + 1, k + 1);
        const REAL near = AT(u, N, i, j + 1, k + 1) + AT(u, N, i + 2, j + 1, k + 1) + AT(u, N, i + 1, j, k + 1)
                            + AT(u, N, i + 1, j + 2, k + 1) + AT(u, N, i + 1, j + 1, k) + AT(u, N, i + 1, j + 1, k + 2);
        AT(v, m, i, j, k) = 2 * here - AT(p, N, i + 1, j + 1, k + 1) + AT(c, N, i + 1, j + 1, k + 1) * (near - 6 * here);
      }
}

static REAL weighted(const REAL* c, const REAL* dv, int64_t N, int64_t i, int64_t j, int64_t k) {
  const int64_t m = N - 2;
  const int inside = i >= 0 && i < m && j >= 0 && j < m && k >= 0 && k < m;
  return inside ? AT(c, N, i + 1, j + 1, k + 1) * AT(dv, m, i, j, k) : 0;
}

void wave_both(const REAL* u, const REAL* p, const REAL* c, const REAL* dv, REAL* v, REAL* du, REAL* dp,
               REAL* dc, SIZES) {
  const int64_t N = n[0], m = N - 2;
  wave(u, p, c, v, n, threads);
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < N; j++) {
      const int row = i >= 2 && i < N - 2 && j >= 2 && j < N - 2;
      for (int64_t k = 0; k < N; k++) {
        const int border = i == 0 || i == N - 1 || j == 0 || j == N - 1 || k == 0 || k == N - 1;
        const REAL g = border ? 0 : AT(dv, m, i - 1, j - 1, k - 1);
        AT(dp, N, i, j, k) = -g;
        if (border) {
          AT(dc, N, i, j, k) = 0;
        } else {
          AT(dc, N, i, j, k) = g * (AT(u, N, i - 1, j, k) + AT(u, N, i + 1, j, k) + AT(u, N, i, j - 1, k)
              + AT(u, N, i, j + 1, k) + AT(u, N, i, j, k - 1) + AT(u, N, i, j, k + 1) - 6 * AT(u, N, i, j, k));
        }
        if (!row || k < 2 || k >= N - 2) {
          AT(du, N, i, j, k) = 2 * g - 6 * weighted(c, dv, N, i - 1, j - 1, k - 1)
              + weighted(c, dv, N, i - 2, j - 1, k - 1) + weighted(c, dv, N, i, j - 1, k - 1)
              + weighted(c, dv, N, i - 1, j - 2, k - 1) + weighted(c, dv, N, i - 1, j, k - 1)
              + weighted(c, dv, N, i - 1, j - 1, k - 2) + weighted(c, dv, N, i - 1, j - 1, k);
        }
      }
      if (row)
        for (int64_t k = 2; k < N - 2; k++) {
#define W(a, b, d) AT(c, N, a, b, d) * AT(dv, m, (a) - 1, (b) - 1, (d) - 1)
          AT(du, N, i, j, k) = 2 * AT(dv, m, i - 1, j - 1, k - 1) - 6 * W(i, j, k) + W(i - 1, j, k) + W(i + 1, j, k)
              + W(i, j - 1, k) + W(i, j + 1, k) + W(i, j, k - 1) + W(i, j, k + 1);
        }
    }
}
