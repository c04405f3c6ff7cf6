{#- Lists of positions by the elements of index tensors: a stable counting sort, with one result for any number of threads.
    integer  the type of the elements of index tensors and of lists
    linkage  `static `, or nothing in a library of these functions alone
    sorts    whether there are lists by the elements of tensors; distinct: by their distinct elements; rows: by ranges of rows;
             pieces: whether long ones are cut;
             orders: whether others are put into their order
    piece    positions of a piece
-#}
{% if sorts %}
#ifdef __GNUC__  // with a single key its loops over keys are none
#define FOR_ITS_KEYS __attribute__((always_inline))
#else
#define FOR_ITS_KEYS
#endif

// The number of an element among the keys, in row-major order of several keys; -1 for one that is in no list.
static inline long long key_of(long long position, int keys, const {{ integer }}* const* of, const long long* low,
                               const long long* counts) {
  long long number = 0;
  for (int k = 0; k < keys; k++) {
    const long long value = of[k][position] - low[k];
    if (value < 0 || value >= counts[k]) return -1;
    number = number * counts[k] + value;
  }
  return number;
}

// Whether the positions from `p` to before `end` have one key: where they do, none is to wait for the number of the one before.
static inline int is_one_key(long long p, long long end, int keys, const {{ integer }}* const* of) {
  int same = 1;
  for (int k = 0; k < keys && same; k++) {
    same = of[k][p] == of[k][end - 1];  // mostly they are not
    for (long long q = p; same && q < end; q++) same = of[k][q] == of[k][p];
  }
  return same;
}

// Counts the elements of each key among the positions from `p` to before `end`.
static inline FOR_ITS_KEYS void count_keys(long long p, long long end, int keys, const {{ integer }}* const* of, const long long* low,
                              const long long* counts, {{ integer }}* places) {
  while (p < end) {
    const long long next = end - p < 64 ? end : p + 64;
    if (is_one_key(p, next, keys, of)) {
      const long long key = key_of(p, keys, of, low, counts);
      if (key >= 0) places[key] += ({{ integer }})(next - p);
      p = next;
    }
    for (; p < next; p++) {
      const long long key = key_of(p, keys, of, low, counts);
      if (key >= 0) places[key]++;
    }
  }
}

// Puts these positions at the places of their keys.
static inline FOR_ITS_KEYS void place_keys(long long p, long long end, int keys, const {{ integer }}* const* of, const long long* low,
                              const long long* counts, {{ integer }}* places, {{ integer }}* positions) {
  while (p < end) {
    const long long next = end - p < 64 ? end : p + 64;
    if (is_one_key(p, next, keys, of)) {
      const long long key = key_of(p, keys, of, low, counts);
      if (key >= 0) {
        {{ integer }}* to = positions + places[key];
        for (long long n = 0; n < next - p; n++) to[n] = ({{ integer }})(p + n);
        places[key] += ({{ integer }})(next - p);
      }
      p = next;
    }
    for (; p < next; p++) {
      const long long key = key_of(p, keys, of, low, counts);
      if (key >= 0) positions[places[key]++] = ({{ integer }})p;
    }
  }
}

// The positions of the elements of index tensors, of which there are so many, sorted by their keys, those of one key ascending.
// `begin` has the place of the first of each key, in rows of counts[keys - 1] + 1. There are `chunks` parts of the positions, and
// `places` has so many numbers for each key. Returns the number of positions in lists; without `positions` it only counts.
{{ linkage }}long long sorted_list(int keys, const {{ integer }}* const* of, const long long* low, const long long* counts,
                             long long elements, {{ integer }}* begin, {{ integer }}* positions, {{ integer }}* places, int chunks) {
  long long numbers = 1;
  for (int k = 0; k < keys; k++) numbers *= counts[k];
  const long long width = counts[keys - 1], length = (elements + chunks - 1) / chunks;
  memset(places, 0, sizeof *places * (size_t)numbers * (size_t)chunks);
#pragma omp parallel for num_threads(chunks) schedule(static, 1) if (chunks > 1)
  for (int c = 0; c < chunks; c++) {
    {{ integer }}* own = places + c * numbers;
    const long long end = length * (c + 1) < elements ? length * (c + 1) : elements;
    if (keys == 1) count_keys(length * c, end, 1, of, low, counts, own);
    else count_keys(length * c, end, keys, of, low, counts, own);
  }
  {{ integer }} total = 0;
  for (long long row = 0; row < numbers / width; row++) {
    for (long long n = 0; n < width; n++) {
      begin[row * (width + 1) + n] = total;
      for (int c = 0; c < chunks; c++) {
        {{ integer }}* place = places + c * numbers + row * width + n;
        const {{ integer }} count = *place;
        *place = total;
        total += count;
      }
    }
    begin[row * (width + 1) + width] = total;
  }
  if (!positions) return total;
#pragma omp parallel for num_threads(chunks) schedule(static, 1) if (chunks > 1)
  for (int c = 0; c < chunks; c++) {
    {{ integer }}* own = places + c * numbers;
    const long long end = length * (c + 1) < elements ? length * (c + 1) : elements;
    if (keys == 1) place_keys(length * c, end, 1, of, low, counts, own, positions);
    else place_keys(length * c, end, keys, of, low, counts, own, positions);
  }
  return total;
}

{% endif %}
{% if distinct %}
static int compare_elements(const void* a, const void* b) {
  const {{ integer }} x = *(const {{ integer }}*)a, y = *(const {{ integer }}*)b;
  return (x > y) - (x < y);
}

// The distinct ones of so many elements, ascending. Returns how many there are.
static long long distinct_of(const {{ integer }}* of, long long elements, {{ integer }}* distinct) {
  long long count = 0;
  for (long long p = 0; p < elements; p++) distinct[p] = of[p];
  qsort(distinct, (size_t)elements, sizeof *distinct, compare_elements);
  for (long long p = 0; p < elements; p++)
    if (!count || distinct[p] != distinct[count - 1]) distinct[count++] = distinct[p];
  return count;
}

// The number of a wanted element over the divisor among so many distinct ones; `none` if it is none of them.
static long long number_among(const {{ integer }}* distinct, long long count, long long wanted, long long divisor, long long none) {
  if (wanted % divisor) return none;
  long long low = 0, high = count;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (distinct[middle] < wanted / divisor) low = middle + 1;
    else high = middle;
  }
  return low < count && distinct[low] == wanted / divisor ? low : none;
}

{% endif %}
{% if rows %}
// The rows first[i] .. last[i] that hold each element, ascending; `begin` has the place of the first of each element, and one more.
// Returns how many there are; without `rows` it only counts. `places` has a number for each element.
{{ linkage }}long long rows_of(const {{ integer }}* first, const {{ integer }}* last, long long count, long long elements,
                         {{ integer }}* begin, {{ integer }}* rows, {{ integer }}* places) {
  // How many rows begin at an element, less those that have ended before it.
  memset(begin, 0, sizeof *begin * (size_t)(elements + 1));
  long long total = 0;
  for (long long i = 0; i < count; i++) {
    const long long low = first[i] > 0 ? first[i] : 0, high = last[i] < elements ? last[i] : elements - 1;
    if (low > high) continue;
    begin[low]++;
    begin[high + 1]--;
    total += high - low + 1;
  }
  if (!rows) return total;
  {{ integer }} open = 0, place = 0;
  for (long long e = 0; e < elements; e++) {
    open += begin[e];
    begin[e] = places[e] = place;
    place += open;
  }
  begin[elements] = place;
  for (long long i = 0; i < count; i++) {
    const long long low = first[i] > 0 ? first[i] : 0, high = last[i] < elements ? last[i] : elements - 1;
    for (long long e = low; e <= high; e++) rows[places[e]++] = ({{ integer }})i;
  }
  return total;
}

{% endif %}
{% if pieces %}
// The pieces of {{ piece }} positions of each list that is longer: how many there are before each key, in rows as `begin`, where each of
// them begins, and its keys. Returns how many there are, at least one; without `starts` it only counts.
{{ linkage }}long long pieces_of(int keys, const long long* counts, const {{ integer }}* begin, {{ integer }}* before, {{ integer }}* starts,
                           {{ integer }}* const* numbers) {
  const long long width = counts[keys - 1];
  long long rows = 1, total = 0;
  for (int k = 0; k + 1 < keys; k++) rows *= counts[k];
  for (long long row = 0; row < rows; row++) {
    for (long long n = 0; n < width; n++) {
      const long long place = row * (width + 1) + n;
      before[place] = ({{ integer }})total;
      if (begin[place + 1] - begin[place] <= {{ piece }}) continue;
      for (long long p = begin[place]; p < begin[place + 1]; p += {{ piece }}, total++) {
        if (!starts) continue;
        starts[total] = ({{ integer }})p;
        long long number = row * width + n;
        for (int k = keys - 1; k >= 0; k--) {
          numbers[k][total] = ({{ integer }})(number % counts[k]);
          number /= counts[k];
        }
      }
    }
    before[row * (width + 1) + width] = ({{ integer }})total;
  }
  if (!total) {  // one that is in no list, for arrays have elements
    if (starts) starts[0] = 0;
    for (int k = 0; starts && k < keys; k++) numbers[k][0] = 0;
    total = 1;
  }
  return total;
}
{% endif %}
{% if orders %}
// The elements at so many positions.
{{ linkage }}void in_order(const {{ integer }}* of, const {{ integer }}* positions, long long count, {{ integer }}* ordered, int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (long long p = 0; p < count; p++) ordered[p] = of[positions[p]];
}
{% endif %}
