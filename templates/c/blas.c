#include <stdatomic.h>

// BLAS, as a caller gives it. Where the number of its threads can be set, it has one, and threads of ours multiply a block each: its own
// would wait for those of OpenMP, which spin for a while behind a loop.
typedef struct {
  void *sgemm, *dgemm;
  int (*threads)(void);  // NULL, as the next, where it is not known how to ask
  void (*set_threads)(int);
  _Atomic int busy;  // while a thread changes the two numbers behind
  int callers, threads_before;
} Blas;

// c = alpha*a*b + beta*c, of columns one behind the other
typedef void (*Gemm)(const char* a_way, const char* b_way, const int* rows, const int* columns, const int* inner,
                     const {{ gemm }}* alpha, const {{ gemm }}* a, const int* a_leading, const {{ gemm }}* b, const int* b_leading,
                     const {{ gemm }}* beta, {{ gemm }}* c, const int* c_leading);

static inline Gemm gemm_of(const Blas* blas) { return (Gemm)blas->{{ "sgemm" if gemm == "float" else "dgemm" }}; }

static void change_callers(Blas* blas, int by) {
  if (!blas->set_threads) return;
  while (atomic_exchange(&blas->busy, 1)) {}
  if (by > 0 && blas->callers == 0) {
    blas->threads_before = blas->threads();
    blas->set_threads(1);
  }
  blas->callers += by;
  if (blas->callers == 0) blas->set_threads(blas->threads_before);
  atomic_store(&blas->busy, 0);
}

// The sides of so many blocks of a product, of which none is much smaller than BLAS needs to be fast.
static inline void block_sides(int rows, int columns, int blocks, int* row_side, int* column_side) {
  const int least = 64;
  *row_side = rows;
  *column_side = columns;
  for (int factor = 2; blocks > 1; factor++) {
    for (; blocks % factor == 0; blocks /= factor) {
      int* side = *column_side >= *row_side ? column_side : row_side;
      if (*side < factor * least) return;
      *side = ((*side - 1) / factor + 16) / 16 * 16;
    }
  }
}
