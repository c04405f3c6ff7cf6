// LU factors with row pivoting of many matrices of M rows, a constant, with elements of the type REAL.
#include <math.h>
#include <stddef.h>
#include <string.h>

// Solve for one right side: `a` has the factors, L without its ones below U, of the matrix whose row k was exchanged with row
// order[k], the first row first.
static inline void exchange(REAL* x, int i, int j) {
  const REAL other = x[i];
  x[i] = x[j];
  x[j] = other;
}

static inline void solved(const REAL a[M][M], const int* order, REAL* x) {
  for (int k = 0; k < M; k++) exchange(x, k, order[k]);
  for (int k = 0; k < M; k++)
    for (int j = 0; j < k; j++) x[k] -= a[k][j] * x[j];
  for (int k = M - 1; k >= 0; k--) {
    for (int j = k + 1; j < M; j++) x[k] -= a[k][j] * x[j];
    x[k] /= a[k][k];
  }
}

static inline void solved_transposed(const REAL a[M][M], const int* order, REAL* x) {
  for (int k = 0; k < M; k++) {
    for (int j = 0; j < k; j++) x[k] -= a[j][k] * x[j];
    x[k] /= a[k][k];
  }
  for (int k = M - 1; k >= 0; k--)
    for (int i = k + 1; i < M; i++) x[k] -= a[i][k] * x[i];
  for (int k = M - 1; k >= 0; k--) exchange(x, k, order[k]);
}

// The matrices become their factors. `rcond` is 1/(|A| |A⁻¹|) in the 1-norm, 0 or NaN for a matrix without an inverse.
void factor(REAL* restrict matrices, int* restrict orders, REAL* restrict rcond, ptrdiff_t count, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (ptrdiff_t s = 0; s < count; s++) {
    REAL a[M][M], norm = 0, inverse_norm = 0;
    int order[M];
    memcpy(a, matrices + s * M * M, sizeof a);
    for (int j = 0; j < M; j++) {
      REAL sum = 0;
      for (int i = 0; i < M; i++) sum += fabs(a[i][j]);
      norm = sum <= norm ? norm : sum;  // NaN stays
    }
    for (int k = 0; k < M; k++) {
      int p = k;
      for (int i = k + 1; i < M; i++)
        if (fabs(a[i][k]) > fabs(a[p][k])) p = i;
      order[k] = p;
      for (int j = 0; j < M; j++) {
        const REAL pivot = a[p][j];
        a[p][j] = a[k][j];
        a[k][j] = pivot;
      }
      for (int i = k + 1; i < M; i++) {
        const REAL factor = a[k][k] == 0 ? 0 : a[i][k] / a[k][k];
        a[i][k] = factor;
        for (int j = k + 1; j < M; j++) a[i][j] -= factor * a[k][j];
      }
    }
    for (int j = 0; j < M; j++) {
      REAL x[M] = {0}, sum = 0;
      x[j] = 1;
      solved((const REAL(*)[M])a, order, x);
      for (int i = 0; i < M; i++) sum += fabs(x[i]);
      inverse_norm = sum <= inverse_norm ? inverse_norm : sum;
    }
    rcond[s] = 1 / norm / inverse_norm;
    memcpy(matrices + s * M * M, a, sizeof a);
    memcpy(orders + s * M, order, sizeof order);
  }
}

// The right sides become the solutions.
void solve(const REAL* restrict factors, const int* restrict orders, REAL* restrict x, int transposed, ptrdiff_t count, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (ptrdiff_t s = 0; s < count; s++) {
    REAL row[M];
    memcpy(row, x + s * M, sizeof row);
    const REAL(*a)[M] = (const REAL(*)[M])(factors + s * M * M);
    if (transposed)
      solved_transposed(a, orders + s * M, row);
    else
      solved(a, orders + s * M, row);
    memcpy(x + s * M, row, sizeof row);
  }
}
