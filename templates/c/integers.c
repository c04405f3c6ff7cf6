{#- Functions of integers that host functions behind a program call; there may be several such pages in a file. -#}
#ifndef TADC_INTEGERS
#define TADC_INTEGERS
static inline long long floored(long long a, long long m) { return a / m - (a % m < 0); }
static inline long long greater(long long a, long long b) { return a > b ? a : b; }
static inline long long lesser(long long a, long long b) { return a < b ? a : b; }
#endif
