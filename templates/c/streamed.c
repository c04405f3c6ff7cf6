{#- Stores past the caches, in whole lines of memory. -#}

#if defined __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define PAST_CACHES(to, line) __builtin_nontemporal_store(line, to)
#endif
#endif
#if !defined PAST_CACHES && defined __GNUC__ && defined __SSE2__
#if defined __AVX512F__
#define PAST_CACHES(to, line) __builtin_ia32_movntdq512(to, line)
#elif defined __AVX__
#define PAST_CACHES(to, line) __builtin_ia32_movntdq256(to, line)
#else
#define PAST_CACHES(to, line) __builtin_ia32_movntdq(to, line)
#endif
#endif
#if defined __AVX512F__
typedef long long Stored __attribute__((vector_size(64)));
#elif defined __AVX__
typedef long long Stored __attribute__((vector_size(32)));
#elif defined PAST_CACHES
typedef long long Stored __attribute__((vector_size(16)));
#endif

// Copies what is not read soon. What it stores is there once it is `drained`.
static inline void streamed(void* to, const void* from, size_t bytes) {
#ifdef PAST_CACHES
  const size_t lead = (size_t)(-(uintptr_t)to % 64), begin = lead < bytes ? lead : bytes;
  memcpy(to, from, begin);
  size_t done = begin;
  for (; done + 64 <= bytes; done += 64) {
    for (size_t n = done; n < done + 64; n += sizeof(Stored)) {
      Stored line;
      memcpy(&line, (const char*)from + n, sizeof line);
      PAST_CACHES((Stored*)((char*)to + n), line);
    }
  }
  memcpy((char*)to + done, (const char*)from + done, bytes - done);
#else
  memcpy(to, from, bytes);
#endif
}

static inline void drained(void) {
#if defined PAST_CACHES && defined __SSE2__
  __builtin_ia32_sfence();
#endif
}

