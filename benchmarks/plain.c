// Three of the formulas as one writes them in C with OpenMP: the value, and all gradients in gathering loops.
// Compiled with -O3 -march=native -ffast-math; `both` has the value and the gradients.
#include <math.h>
#include <stdint.h>
#include <string.h>

#define AT(a, n, i, j, k) a[((i) * (n) + (j)) * (n) + (k)]

void wave(const double* u, const double* p, const double* c, double* v, int64_t n, int threads) {
  const int64_t m = n - 2;
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < m; j++)
      for (int64_t k = 0; k < m; k++) {
        const double here = AT(u, n, i + 1, j + 1, k + 1);
        const double near = AT(u, n, i, j + 1, k + 1) + AT(u, n, i + 2, j + 1, k + 1) + AT(u, n, i + 1, j, k + 1)
                            + AT(u, n, i + 1, j + 2, k + 1) + AT(u, n, i + 1, j + 1, k) + AT(u, n, i + 1, j + 1, k + 2);
        AT(v, m, i, j, k) = 2 * here - AT(p, n, i + 1, j + 1, k + 1) + AT(c, n, i + 1, j + 1, k + 1) * (near - 6 * here);
      }
}

static double weighted(const double* c, const double* dv, int64_t n, int64_t i, int64_t j, int64_t k) {
  const int64_t m = n - 2;
  const int inside = i >= 0 && i < m && j >= 0 && j < m && k >= 0 && k < m;
  return inside ? AT(c, n, i + 1, j + 1, k + 1) * AT(dv, m, i, j, k) : 0;
}

void wave_both(const double* u, const double* p, const double* c, const double* dv, double* v, double* du, double* dp,
               double* dc, int64_t n, int threads) {
  const int64_t m = n - 2;
  wave(u, p, c, v, n, threads);
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      const int row = i >= 2 && i < n - 2 && j >= 2 && j < n - 2;
      for (int64_t k = 0; k < n; k++) {
        const int border = i == 0 || i == n - 1 || j == 0 || j == n - 1 || k == 0 || k == n - 1;
        const double g = border ? 0 : AT(dv, m, i - 1, j - 1, k - 1);
        AT(dp, n, i, j, k) = -g;
        if (border) {
          AT(dc, n, i, j, k) = 0;
        } else {
          AT(dc, n, i, j, k) = g * (AT(u, n, i - 1, j, k) + AT(u, n, i + 1, j, k) + AT(u, n, i, j - 1, k)
              + AT(u, n, i, j + 1, k) + AT(u, n, i, j, k - 1) + AT(u, n, i, j, k + 1) - 6 * AT(u, n, i, j, k));
        }
        if (!row || k < 2 || k >= n - 2) {
          AT(du, n, i, j, k) = 2 * g - 6 * weighted(c, dv, n, i - 1, j - 1, k - 1)
              + weighted(c, dv, n, i - 2, j - 1, k - 1) + weighted(c, dv, n, i, j - 1, k - 1)
              + weighted(c, dv, n, i - 1, j - 2, k - 1) + weighted(c, dv, n, i - 1, j, k - 1)
              + weighted(c, dv, n, i - 1, j - 1, k - 2) + weighted(c, dv, n, i - 1, j - 1, k);
        }
      }
      if (row)
        for (int64_t k = 2; k < n - 2; k++) {
#define W(a, b, d) AT(c, n, a, b, d) * AT(dv, m, (a) - 1, (b) - 1, (d) - 1)
          AT(du, n, i, j, k) = 2 * AT(dv, m, i - 1, j - 1, k - 1) - 6 * W(i, j, k) + W(i - 1, j, k) + W(i + 1, j, k)
              + W(i, j - 1, k) + W(i, j + 1, k) + W(i, j, k - 1) + W(i, j, k + 1);
        }
    }
}

static double gaussian(const double* x, const double* y, int64_t i, int64_t j) {
  double s = 0;
  for (int d = 0; d < 3; d++) s += (x[3 * i + d] - y[3 * j + d]) * (x[3 * i + d] - y[3 * j + d]);
  return exp(-s);
}

void gaussians(const double* x, const double* y, const double* w, double* f, int64_t n, int threads) {
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; i++) {
    double s = 0;
    for (int64_t j = 0; j < n; j++) s += gaussian(x, y, i, j) * w[j];
    f[i] = s;
  }
}

void gaussians_both(const double* x, const double* y, const double* w, const double* df, double* f, double* dx,
                    double* dy, double* dw, int64_t n, int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp for
    for (int64_t i = 0; i < n; i++) {
      double s = 0, a = 0, b = 0, c = 0;
      for (int64_t j = 0; j < n; j++) {
        const double e = gaussian(x, y, i, j) * w[j];
        s += e;
        a += e * (x[3 * i] - y[3 * j]);
        b += e * (x[3 * i + 1] - y[3 * j + 1]);
        c += e * (x[3 * i + 2] - y[3 * j + 2]);
      }
      f[i] = s;
      dx[3 * i] = -2 * df[i] * a;
      dx[3 * i + 1] = -2 * df[i] * b;
      dx[3 * i + 2] = -2 * df[i] * c;
    }
#pragma omp for
    for (int64_t j = 0; j < n; j++) {
      double s = 0, a = 0, b = 0, c = 0;
      for (int64_t i = 0; i < n; i++) {
        const double e = gaussian(x, y, i, j) * df[i];
        s += e;
        a += e * (x[3 * i] - y[3 * j]);
        b += e * (x[3 * i + 1] - y[3 * j + 1]);
        c += e * (x[3 * i + 2] - y[3 * j + 2]);
      }
      dw[j] = s;
      dy[3 * j] = 2 * w[j] * a;
      dy[3 * j + 1] = 2 * w[j] * b;
      dy[3 * j + 2] = 2 * w[j] * c;
    }
  }
}

void filter(const double* x, const double* w, double* y, int64_t n, int threads) {
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      double s = 0;
      for (int64_t r = i == 0; r < 3 - (i == n - 1); r++)
        for (int64_t t = j == 0; t < 3 - (j == n - 1); t++) s += x[(i + r - 1) * n + j + t - 1] * w[3 * r + t];
      y[i * n + j] = s;
    }
}

void filter_both(const double* x, const double* w, const double* dy, double* y, double* dx, double* dw, int64_t n,
                 int threads) {
  filter(x, w, y, n, threads);
  double flipped[9], sums[9] = {0};
  for (int k = 0; k < 9; k++) flipped[k] = w[8 - k];
  filter(dy, flipped, dx, n, threads);
#pragma omp parallel for num_threads(threads) reduction(+ : sums)
  for (int64_t i = 0; i < n; i++)
    for (int64_t r = i == 0; r < 3 - (i == n - 1); r++)
      for (int64_t t = 0; t < 3; t++)
        for (int64_t j = t == 0; j < n - (t == 2); j++) sums[3 * r + t] += dy[i * n + j] * x[(i + r - 1) * n + j + t - 1];
  memcpy(dw, sums, sizeof sums);
}
