// LU factors with row pivoting of many matrices of M rows, a constant, with elements of the type REAL.
#include <stddef.h>

enum { LANES = M <= 8 ? 8 : 1 };  // matrices that are factored side by side

#define EACH_LANE(l) for (int l = 0; l < LANES; l++)

static inline REAL magnitude(REAL x) { return x < 0 ? -x : x; }

// 1/(|A| |A⁻¹|) in the 1-norm, by the factors and |A|. The exchanges of rows are columns of the inverse, and change no norm.
static void conditions(REAL a[M][M][LANES], const REAL norm[LANES], REAL rcond[LANES]) {
  REAL inverse_norm[LANES] = {0};
  for (int j = 0; j < M; j++) {
    REAL x[M][LANES] = {0}, sum[LANES] = {0};
    EACH_LANE(l) x[j][l] = 1;
    for (int k = j + 1; k < M; k++)
      for (int i = j; i < k; i++) EACH_LANE(l) x[k][l] -= a[k][i][l] * x[i][l];
    for (int k = M - 1; k >= 0; k--) {
      for (int i = k + 1; i < M; i++) EACH_LANE(l) x[k][l] -= a[k][i][l] * x[i][l];
      EACH_LANE(l) x[k][l] /= a[k][k][l];
      EACH_LANE(l) sum[l] += magnitude(x[k][l]);
    }
    EACH_LANE(l) inverse_norm[l] = sum[l] <= inverse_norm[l] ? inverse_norm[l] : sum[l];  // NaN stays
  }
  EACH_LANE(l) rcond[l] = 1 / norm[l] / inverse_norm[l];
}

// The first `count` lanes are matrices of memory; the others repeat the first one.
static void factor_lanes(REAL* matrices, int* orders, REAL* rcond, int count) {
  REAL a[M][M][LANES], norm[LANES] = {0}, found[LANES];
  int order[M][LANES];
  EACH_LANE(l)
    for (int i = 0; i < M; i++)
      for (int j = 0; j < M; j++) a[i][j][l] = matrices[(l < count ? l : 0) * M * M + i * M + j];
  for (int j = 0; j < M; j++) {
    REAL sum[LANES] = {0};
    for (int i = 0; i < M; i++) EACH_LANE(l) sum[l] += magnitude(a[i][j][l]);
    EACH_LANE(l) norm[l] = sum[l] <= norm[l] ? norm[l] : sum[l];
  }
  for (int k = 0; k < M; k++) {
    REAL best[LANES];
    EACH_LANE(l) best[l] = magnitude(a[k][k][l]), order[k][l] = k;
    for (int i = k + 1; i < M; i++)
      EACH_LANE(l) {
        const REAL other = magnitude(a[i][k][l]);
        order[k][l] = other > best[l] ? i : order[k][l];
        best[l] = other > best[l] ? other : best[l];
      }
    for (int i = k + 1; i < M; i++)
      for (int j = 0; j < M; j++)
        EACH_LANE(l) {
          const REAL upper = a[k][j][l], lower = a[i][j][l];
          a[k][j][l] = order[k][l] == i ? lower : upper;
          a[i][j][l] = order[k][l] == i ? upper : lower;
        }
    for (int i = k + 1; i < M; i++) {
      EACH_LANE(l) a[i][k][l] = a[k][k][l] == 0 ? 0 : a[i][k][l] / a[k][k][l];
      for (int j = k + 1; j < M; j++) EACH_LANE(l) a[i][j][l] -= a[i][k][l] * a[k][j][l];
    }
  }
  conditions(a, norm, found);
  for (int l = 0; l < count; l++) {
    for (int i = 0; i < M; i++)
      for (int j = 0; j < M; j++) matrices[l * M * M + i * M + j] = a[i][j][l];
    for (int k = 0; k < M; k++) orders[l * M + k] = order[k][l];
    rcond[l] = found[l];
  }
}

// Rows k and order[k], exchanged.
static inline void exchange(REAL x[M][LANES], int k, const int order[LANES]) {
  for (int i = k + 1; i < M; i++)
    EACH_LANE(l) {
      const REAL upper = x[k][l], lower = x[i][l];
      x[k][l] = order[l] == i ? lower : upper;
      x[i][l] = order[l] == i ? upper : lower;
    }
}

// Solve for one right side: `a` has the factors, L without its ones below U, of the matrix whose row k was exchanged with row
// order[k], the first row first.
static inline void solved(REAL a[M][M][LANES], int order[M][LANES], REAL x[M][LANES]) {
  for (int k = 0; k < M; k++) exchange(x, k, order[k]);
  for (int k = 0; k < M; k++)
    for (int j = 0; j < k; j++) EACH_LANE(l) x[k][l] -= a[k][j][l] * x[j][l];
  for (int k = M - 1; k >= 0; k--) {
    for (int j = k + 1; j < M; j++) EACH_LANE(l) x[k][l] -= a[k][j][l] * x[j][l];
    EACH_LANE(l) x[k][l] /= a[k][k][l];
  }
}

static inline void solved_transposed(REAL a[M][M][LANES], int order[M][LANES], REAL x[M][LANES]) {
  for (int k = 0; k < M; k++) {
    for (int j = 0; j < k; j++) EACH_LANE(l) x[k][l] -= a[j][k][l] * x[j][l];
    EACH_LANE(l) x[k][l] /= a[k][k][l];
  }
  for (int k = M - 1; k >= 0; k--)
    for (int i = k + 1; i < M; i++) EACH_LANE(l) x[k][l] -= a[i][k][l] * x[i][l];
  for (int k = M - 1; k >= 0; k--) exchange(x, k, order[k]);
}

static void solve_lanes(const REAL* factors, const int* orders, REAL* rows, int transposed, int count) {
  REAL a[M][M][LANES], x[M][LANES];
  int order[M][LANES];
  EACH_LANE(l) {
    const int of = l < count ? l : 0;
    for (int i = 0; i < M; i++) {
      for (int j = 0; j < M; j++) a[i][j][l] = factors[of * M * M + i * M + j];
      order[i][l] = orders[of * M + i];
      x[i][l] = rows[of * M + i];
    }
  }
  if (transposed)
    solved_transposed(a, order, x);
  else
    solved(a, order, x);
  for (int l = 0; l < count; l++)
    for (int i = 0; i < M; i++) rows[l * M + i] = x[i][l];
}

// The matrices become their factors. `rcond` is 0 or NaN for a matrix without an inverse.
void factor(REAL* restrict matrices, int* restrict orders, REAL* restrict rcond, ptrdiff_t count, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (ptrdiff_t s = 0; s < count; s += LANES)
    factor_lanes(matrices + s * M * M, orders + s * M, rcond + s, count - s < LANES ? (int)(count - s) : LANES);
}

// The right sides become the solutions.
void solve(const REAL* restrict factors, const int* restrict orders, REAL* restrict x, int transposed, ptrdiff_t count, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (ptrdiff_t s = 0; s < count; s += LANES)
    solve_lanes(factors + s * M * M, orders + s * M, x + s * M, transposed, count - s < LANES ? (int)(count - s) : LANES);
}
