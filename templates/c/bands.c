// LU factors with row pivoting of a band with P diagonals below and Q above the main one, constants, with elements of the type REAL.
#include <stddef.h>

enum { WIDTH = P + Q + 1 };

static inline REAL magnitude(REAL x) { return x < 0 ? -x : x; }

// The band by row, (systems * rows) x WIDTH, from products with WIDTH colours of columns, WIDTH x systems x rows: no row reads two
// columns of one colour. Rows that are `kept` are those of the identity. For each system the largest sum of magnitudes in a row, and
// the least excess of its diagonal over the others in its row.
void assemble(const REAL* restrict products, const unsigned char* restrict kept, REAL* restrict band, REAL* restrict norms,
              REAL* restrict excesses, ptrdiff_t systems, ptrdiff_t rows) {
  for (ptrdiff_t s = 0; s < systems; s++) {
    REAL norm = 0, least = 0;
    int colour = 0;  // of column i - P of row i, for i = 0
    for (int k = 0; k < P; k++) colour = colour == 0 ? WIDTH - 1 : colour - 1;
    for (ptrdiff_t i = 0; i < rows; i++) {
      const ptrdiff_t row = s * rows + i;
      REAL sum = 0;
      int of = colour;
      for (int j = 0; j < WIDTH; j++) {
        const ptrdiff_t column = i + j - P;
        REAL entry = column < 0 || column >= rows ? 0 : products[of * systems * rows + row];
        if (kept && kept[row]) entry = j == P;
        band[row * WIDTH + j] = entry;
        sum += magnitude(entry);
        of = of == WIDTH - 1 ? 0 : of + 1;
      }
      const REAL excess = 2 * magnitude(band[row * WIDTH + P]) - sum;
      norm = norm > sum || norm != norm ? norm : sum;  // NaN stays
      least = i > 0 && least <= excess ? least : excess;
      colour = colour == WIDTH - 1 ? 0 : colour + 1;
    }
    norms[s] = norm;
    excesses[s] = least;
  }
}

// A row from its element number `first` on, with zeros after it.
static inline void load(REAL to[WIDTH], const REAL* row, int first) {
  for (int j = 0; j < WIDTH; j++) to[j] = 0;
  for (int j = first; j < WIDTH; j++) to[j - first] = row[j];
}

// Factors of the band times the scales of its systems, in the place of the band: rows of U, each from its own column on. `lower` are the
// multipliers, n x P, `order` the rows that change places, counted from each. Returns the first row without a pivot, n if all have one.
ptrdiff_t factor(REAL* restrict band, const REAL* restrict scales, REAL* restrict lower, unsigned char* restrict order, ptrdiff_t systems,
                 ptrdiff_t rows) {
  const ptrdiff_t n = systems * rows;
  for (ptrdiff_t s = 0; s < systems; s++)
    for (ptrdiff_t k = s * rows * WIDTH; k < (s + 1) * rows * WIDTH; k++) band[k] *= scales[s];
  const REAL nothing[WIDTH] = {0};
  REAL w[P + 1][WIDTH];  // rows from k on, by their columns from k on: those before are eliminated
  for (int r = 0; r <= P; r++) load(w[r], r < n ? band + r * WIDTH : nothing, P - r);
  for (ptrdiff_t k = 0; k < n; k++) {
    int best = 0;
    for (int r = 1; r <= P; r++)
      if (magnitude(w[r][0]) > magnitude(w[best][0])) best = r;
    for (int r = 1; r <= P; r++)
      for (int j = 0; j < WIDTH; j++) {
        const REAL upper = w[0][j], other = w[r][j];
        w[0][j] = best == r ? other : upper;
        w[r][j] = best == r ? upper : other;
      }
    const REAL pivot = w[0][0];
    for (int j = 0; j < WIDTH; j++) band[k * WIDTH + j] = w[0][j];
    order[k] = (unsigned char)best;
    if (!(magnitude(pivot) > 0)) return k;  // NaN too
    for (int r = 1; r <= P; r++) {
      const REAL multiplier = w[r][0] / pivot;
      lower[k * P + r - 1] = multiplier;
      for (int j = 1; j < WIDTH; j++) w[r - 1][j - 1] = w[r][j] - multiplier * band[k * WIDTH + j];
      w[r - 1][WIDTH - 1] = 0;
    }
    load(w[P], k + P + 1 < n ? band + (k + P + 1) * WIDTH : nothing, 0);
  }
  return n;
}

// The right side becomes the solution. `x` has P + Q elements more, which are 0, after its n.
void solve(const REAL* restrict band, const REAL* restrict lower, const unsigned char* restrict order, REAL* restrict x, int transposed,
           ptrdiff_t n) {
  if (!transposed) {
    for (ptrdiff_t k = 0; k < n; k++) {
      const REAL own = x[k + order[k]];
      x[k + order[k]] = x[k];
      x[k] = own;
      for (int r = 1; r <= P; r++) x[k + r] -= lower[k * P + r - 1] * own;
    }
    for (ptrdiff_t k = n; k < n + P; k++) x[k] = 0;
    for (ptrdiff_t k = n - 1; k >= 0; k--) {
      REAL rest = x[k];
      for (int j = WIDTH - 1; j > 0; j--) rest -= band[k * WIDTH + j] * x[k + j];
      x[k] = rest / band[k * WIDTH];
    }
    return;
  }
  for (ptrdiff_t k = 0; k < n; k++) {
    const REAL own = x[k] / band[k * WIDTH];
    x[k] = own;
    for (int j = 1; j < WIDTH; j++) x[k + j] -= band[k * WIDTH + j] * own;
  }
  for (ptrdiff_t k = n; k < n + P + Q; k++) x[k] = 0;
  for (ptrdiff_t k = n - 1; k >= 0; k--) {
    REAL own = x[k];
    for (int r = 1; r <= P; r++) own -= lower[k * P + r - 1] * x[k + r];
    x[k] = x[k + order[k]];
    x[k + order[k]] = own;
  }
}
