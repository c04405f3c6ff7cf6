{#- A line of elements, or the last few of a row. -#}
// copies so many bytes, most often `whole`
static inline INLINED void copy_row(void* to, const void* from, size_t bytes, size_t whole) {
  if (bytes == whole) memcpy(to, from, whole);
  else memcpy(to, from, bytes);
}
