// Message passing as it is written by hand for one number of columns: y[i, c] = sum of w[e] x[src[e], c] over the edges e of the list of i.
// `ordered` is `src` in the order of the list. A sum stays in registers; what is read 8 edges later is fetched.

void gather(const int *ptr, const int *perm, const int *ordered, const float *w, const float *x, float *y, long long n) {
  const long long last = ptr[n] - 1;
  for (long long i = 0; i < n; i++) {
    float s[COLUMNS] = {0};
    for (long long p = ptr[i]; p < ptr[i + 1]; p++) {
      const long long ahead = p + 8 < last ? p + 8 : last;
      __builtin_prefetch(&x[(long long)ordered[ahead] * COLUMNS]);
      __builtin_prefetch(&w[perm[ahead]]);
      const float *row = x + (long long)ordered[p] * COLUMNS;
      for (int c = 0; c < COLUMNS; c++) s[c] += w[perm[p]] * row[c];
    }
    for (int c = 0; c < COLUMNS; c++) y[i * COLUMNS + c] = s[c];
  }
}
