#include <stdatomic.h>

// BLAS, as a caller gives it. Where the number of its threads can be set, it has one: threads of ours each multiply blocks, of sides that
// depend on extents alone, so that results do not depend on their number. Threads of its own would also wait for those of
// OpenMP, which spin for a while behind a loop.
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

// The side of blocks of a side of n: at most so many, and none below the least but the last one.
static inline int block_side(int n, int least, int most) {
  const int blocks = n / least < 1 ? 1 : n / least < most ? n / least : most;
  return ((n + blocks - 1) / blocks + 15) / 16 * 16;
}

// The sides of the blocks of a product: smaller ones where there would be few of them.
static inline void block_sides(const Blas* blas, int rows, int columns, int* row_side, int* column_side) {
  if (!blas->set_threads) {
    *row_side = rows;
    *column_side = columns;
    return;
  }
  int least = 256;
  while (least > 64 && (long long)(rows / least + 1) * (columns / least + 1) <= 8) least /= 2;
  *column_side = block_side(columns, least, 8);
  *row_side = block_side(rows, least, 64 / ((columns - 1) / *column_side + 1));
}
