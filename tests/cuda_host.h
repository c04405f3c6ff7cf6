// Runs CUDA text on the host, kernels and launchers, for tests: g++ -std=c++17 -include cuda_host.h -x c++ conv.cu
//
// Blocks run one after the other. The threads of a block too, each to its end; or, where a kernel has barriers, as
// fibers that take turns at them. A barrier that not all threads reach is an error of the launch, as it is undefined on
// a GPU. Shared memory is NaN when a block begins, so reading what no thread has written shows, and so does a missing
// barrier when the threads run in the other order.
//
// A line of text after this header must include no standard header: their names meet the macros below.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <setjmp.h>
#include <ucontext.h>

// ---- words of CUDA. Not `__noinline__`: libstdc++ uses the word.

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __constant__ static
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("cuda_shared")))

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };

typedef struct CUstream_st* cudaStream_t;
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorLaunchFailure = 719,
};

// the beginning and the end of all `__shared__` arrays, made by the linker
extern "C" {
extern char __start_cuda_shared[] __attribute__((weak));
extern char __stop_cuda_shared[] __attribute__((weak));
}

namespace cuda_host {

// ---- how the next launches run, and what became of them

inline bool fibers = false;    // needed by barriers and shuffles
inline bool backward = false;  // threads run from the last to the first: results must not depend on it
inline const char* error = "";

inline uint3 thread, block;
inline dim3 threads_per_block, blocks_per_grid;

inline unsigned threads() { return threads_per_block.x * threads_per_block.y * threads_per_block.z; }

inline uint3 position(unsigned long long linear, dim3 extent) {
  const unsigned long long row = linear / extent.x;
  return {unsigned(linear % extent.x), unsigned(row % extent.y), unsigned(row / extent.y)};
}

// ---- fibers

constexpr unsigned MAX_THREADS = 1024, WARP_SIZE = 32;
constexpr std::size_t STACK_BYTES = 64 << 10;

enum Waits { RUNS, AT_BLOCK_BARRIER, AT_WARP_BARRIER, ENDED };

struct Fiber {
  ucontext_t context;  // until its first turn
  jmp_buf place;       // from then on
  char* stack;
  unsigned linear;
  Waits waits;
  int line;  // of the barrier in the CUDA text
  int phase;
  bool is_new;
};

inline std::vector<Fiber> all;
inline Fiber* current = nullptr;
inline jmp_buf scheduler;
inline void (*body)(void*);
inline void* body_argument;

// Jumps are many times faster than `swapcontext`, which calls the system for a mask of signals.
inline void leave() {
  if (!_setjmp(current->place)) _longjmp(scheduler, 1);
}

inline void barrier(Waits kind, int line) {
  if (!current) {
    std::fprintf(stderr, "cuda_host: a barrier in line %d of a kernel launched without fibers\n", line);
    std::abort();
  }
  current->waits = kind;
  current->line = line;
  leave();
}

inline void enter() {
  for (;;) {
    body(body_argument);
    current->waits = ENDED;
    leave();
  }
}

inline void start(Fiber& fiber, unsigned linear) {
  if (fiber.waits != ENDED) fiber.is_new = true;  // never used, or left in the middle by an error
  fiber.linear = linear;
  fiber.waits = RUNS;
  fiber.phase = 0;
}

inline void resume(Fiber& fiber) {
  current = &fiber;
  thread = position(fiber.linear, threads_per_block);
  if (!_setjmp(scheduler)) {
    if (!fiber.is_new) _longjmp(fiber.place, 1);
    fiber.is_new = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack;
    fiber.context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&fiber.context, enter, 0);
    setcontext(&fiber.context);
  }
  current = nullptr;
}

// The fibers of [begin, end) go on if all that live wait at one barrier of this kind; false if they do not.
inline bool release(unsigned begin, unsigned end, Waits kind) {
  unsigned live = 0, waiting = 0;
  int line = 0;
  for (unsigned i = begin; i < end; i++) {
    if (all[i].waits == ENDED) continue;
    live++;
    if (all[i].waits != kind) continue;
    if (waiting++ && line != all[i].line) error = "threads wait at different barriers";
    line = all[i].line;
  }
  if (*error || !live || waiting < live) return false;
  if (kind == AT_BLOCK_BARRIER && live < end - begin) {
    error = "__syncthreads is not reached by every thread";
    return false;
  }
  for (unsigned i = begin; i < end; i++)
    if (all[i].waits == kind) all[i].waits = RUNS;
  return true;
}

inline bool release_warps(unsigned count) {
  bool released = false;
  for (unsigned begin = 0; begin < count; begin += WARP_SIZE)
    released |= release(begin, begin + WARP_SIZE < count ? begin + WARP_SIZE : count, AT_WARP_BARRIER);
  return released;
}

// Copies to shared memory that a thread has begun: done as late as they may be, when it waits for them.
struct Copy { unsigned to; const void* from; int bytes, given; };
inline std::vector<Copy> begun[MAX_THREADS];

inline void run_fibers(unsigned count) {
  while (all.size() < MAX_THREADS) all.push_back({{}, {}, (char*)std::malloc(STACK_BYTES), 0, RUNS, 0, 0, true});
  for (unsigned i = 0; i < count; i++) start(all[i], i), begun[i].clear();
  for (;;) {
    for (unsigned i = 0; i < count && !*error; i++) {
      Fiber& fiber = all[backward ? count - 1 - i : i];
      if (fiber.waits == RUNS) resume(fiber);
    }
    unsigned ended = 0;
    for (unsigned i = 0; i < count; i++) {
      ended += all[i].waits == ENDED;
      if (all[i].waits == ENDED && !begun[i].empty()) error = "a thread ends before its copies";
    }
    if (*error || ended == count) return;
    if (release_warps(count) || release(0, count, AT_BLOCK_BARRIER)) continue;
    if (!*error) error = "threads wait at barriers that others do not reach";
    return;
  }
}

inline int lane() { return current->linear % WARP_SIZE; }

// The value that the lane `source` of this thread's warp gives. Two buffers, as a fast thread may be one shuffle ahead.
template <class T>
T shuffled(T value, int source, int line) {
  static unsigned char given[2][MAX_THREADS][sizeof(T)];
  const unsigned phase = current->phase ^= 1;
  std::memcpy(given[phase][current->linear], &value, sizeof(T));
  barrier(AT_WARP_BARRIER, line);
  T result;
  std::memcpy(&result, given[phase][current->linear - lane() + source], sizeof(T));
  return result;
}

// ---- instructions of PTX that texts for an architecture have (`host_run.with_ptx`)

inline void cp_async(unsigned to, const void* from, int bytes, int given) {
  if (to % bytes || (given && (std::size_t)from % bytes)) error = "a copy between other than whole groups of bytes";
  begun[current->linear].push_back({to, from, bytes, given});
}
inline void cp_async_ca_shared_global(unsigned to, const void* from, int bytes) { cp_async(to, from, bytes, bytes); }
inline void cp_async_ca_shared_global(unsigned to, const void* from, int bytes, int given) { cp_async(to, from, bytes, given); }
inline void cp_async_cg_shared_global(unsigned to, const void* from, int bytes) { cp_async(to, from, bytes, bytes); }
inline void cp_async_wait_all() {
  for (const Copy& c : begun[current->linear]) {
    std::memset(__start_cuda_shared + c.to, 0, c.bytes);
    if (c.given) std::memcpy(__start_cuda_shared + c.to, c.from, c.given);
  }
  begun[current->linear].clear();
}

inline void cvt_rna_tf32_f32(unsigned& bits, float x) {
  std::memcpy(&bits, &x, 4);
  const bool finite = (bits & 0x7f800000) != 0x7f800000;
  bits = (bits + (finite ? 0x1000 : 0)) & 0xffffe000;  // to the nearest of 10 bits, ties away from 0
}

// As in the ISA of PTX: with `group` = lane / 4 and `four` = lane % 4, a thread has the elements (group, four), (group + 8, four),
// (group, four + 4), (group + 8, four + 4) of a; (four, group), (four + 4, group) of b; and (group, 2 four), (group, 2 four + 1),
// (group + 8, 2 four), (group + 8, 2 four + 1) of the sums.
inline void mma_sync_aligned_m16n8k8_row_col_f32_tf32_tf32_f32(float& s0, float& s1, float& s2, float& s3, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1, float, float, float, float) {
  struct Given { unsigned a[4], b[2]; };
  static Given given[2][MAX_THREADS];
  Given* warp = given[current->phase ^= 1] + (current->linear - lane());
  warp[lane()] = {{a0, a1, a2, a3}, {b0, b1}};
  barrier(AT_WARP_BARRIER, 0);
  const int group = lane() / 4, four = lane() % 4;
  float* sums[] = {&s0, &s1, &s2, &s3};
  for (int n = 0; n < 4; n++) {
    const int row = n / 2, column = 2 * four + n % 2;
    for (int k = 0; k < 8; k++) {
      float a, b;
      std::memcpy(&a, &warp[group * 4 + k % 4].a[row + k / 4 * 2], 4);
      std::memcpy(&b, &warp[column * 4 + k % 4].b[k / 4], 4);
      *sums[n] += a * b;
    }
  }
}

// ---- launches

inline void run_block() {
  if (__start_cuda_shared) std::memset(__start_cuda_shared, 0xff, __stop_cuda_shared - __start_cuda_shared);
  if (fibers) return run_fibers(threads());
  for (unsigned i = 0; i < threads(); i++) {
    thread = position(backward ? threads() - 1 - i : i, threads_per_block);
    body(body_argument);
  }
}

inline cudaError_t run_grid(dim3 grid, dim3 block_shape) {
  threads_per_block = block_shape;
  blocks_per_grid = grid;
  if (!threads() || threads() > MAX_THREADS || !grid.x || !grid.y || !grid.z || grid.y > 65535 || grid.z > 65535) {
    error = "a grid or block of this shape cannot be launched";
    return cudaErrorInvalidConfiguration;
  }
  const unsigned long long blocks = 1ull * grid.x * grid.y * grid.z;
  for (unsigned long long i = 0; i < blocks && !*error; i++) {
    block = position(backward ? blocks - 1 - i : i, grid);
    run_block();
  }
  return *error ? cudaErrorLaunchFailure : cudaSuccess;
}

template <class... A, std::size_t... I>
void call(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) {
  kernel(*(std::remove_reference_t<A>*)arguments[I]...);
}

}  // namespace cuda_host

template <class... A>
cudaError_t cudaLaunchKernel(void (*kernel)(A...), dim3 grid, dim3 block, void** arguments, std::size_t = 0,
                             cudaStream_t = nullptr) {
  struct Launch { void (*kernel)(A...); void** arguments; } launch{kernel, arguments};
  cuda_host::body_argument = &launch;
  cuda_host::body = [](void* p) {
    const Launch& l = *(Launch*)p;
    cuda_host::call(l.kernel, l.arguments, std::index_sequence_for<A...>{});
  };
  return cuda_host::run_grid(grid, block);
}

inline cudaError_t cudaGetLastError() { return *cuda_host::error ? cudaErrorLaunchFailure : cudaSuccess; }
inline cudaError_t cudaMemsetAsync(void* p, int value, std::size_t bytes, cudaStream_t = nullptr) {
  std::memset(p, value, bytes);
  return cudaSuccess;
}

// ---- memory: that of the host

enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

inline cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  *p = std::malloc(bytes);
  return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFree(void* p) {
  std::free(p);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t = nullptr) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaGetLastError(); }

// For the program that loads this: sets how kernels run, and forgets the last error; tells the last error.
extern "C" inline __attribute__((used)) void cuda_host_prepare(int fibers, int backward) {
  cuda_host::fibers = fibers;
  cuda_host::backward = backward;
  cuda_host::error = "";
}
extern "C" inline __attribute__((used)) const char* cuda_host_error() { return cuda_host::error; }

// ---- what kernels use

#define threadIdx (::cuda_host::thread)
#define blockIdx (::cuda_host::block)
#define blockDim (::cuda_host::threads_per_block)
#define gridDim (::cuda_host::blocks_per_grid)
#define warpSize 32

#define __cvta_generic_to_shared(p) ((std::size_t)((const char*)(p) - __start_cuda_shared))
#define __syncthreads() ::cuda_host::barrier(::cuda_host::AT_BLOCK_BARRIER, __LINE__)
#define __syncwarp(...) ::cuda_host::barrier(::cuda_host::AT_WARP_BARRIER, __LINE__)
#define __shfl_sync(mask, v, source) ::cuda_host::shuffled((v), (source) & 31, __LINE__)
#define __shfl_xor_sync(mask, v, bits) ::cuda_host::shuffled((v), ::cuda_host::lane() ^ (int)(bits), __LINE__)
#define __shfl_down_sync(mask, v, by) \
  ::cuda_host::shuffled((v), ::cuda_host::lane() + ((int)(by) < 32 - ::cuda_host::lane() ? (int)(by) : 0), __LINE__)
#define __shfl_up_sync(mask, v, by) \
  ::cuda_host::shuffled((v), ::cuda_host::lane() - ((int)(by) <= ::cuda_host::lane() ? (int)(by) : 0), __LINE__)

template <class T>
inline T atomicAdd(T* p, T v) { const T old = *p; *p = old + v; return old; }
template <class T>
inline T __ldg(const T* p) { return *p; }

inline float __int_as_float(int bits) { float f; std::memcpy(&f, &bits, sizeof f); return f; }
inline float __uint_as_float(unsigned bits) { float f; std::memcpy(&f, &bits, sizeof f); return f; }
inline unsigned __float_as_uint(float f) { unsigned bits; std::memcpy(&bits, &f, sizeof f); return bits; }
inline double __longlong_as_double(long long bits) { double d; std::memcpy(&d, &bits, sizeof d); return d; }

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a > b ? a : b; }
