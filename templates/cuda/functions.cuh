{#- Functions that CUDA and C do not have. Blank lines separate them; a file gets those that its text calls.
    real      float or double
    f         "f" or "": the end of a function's name and of a literal
    integer   the type of index arithmetic
    infinity  a literal
    device    what stands before a function of a kernel
    anywhere  before a function that kernels and host launchers call
-#}
{{ device }} {{ real }} maximum{{ f }}({{ real }} a, {{ real }} b) {
  const {{ real }} m = a > b ? a : b;
  return a != a ? a : m;
}

{{ device }} {{ real }} minimum{{ f }}({{ real }} a, {{ real }} b) {
  const {{ real }} m = a < b ? a : b;
  return a != a ? a : m;
}

// 0 where a or b is 0, whatever the other is; a test at a time: GCC has no vectors for both where a is the same for all lanes
{{ device }} {{ real }} gate{{ f }}({{ real }} a, {{ real }} b) {
  const {{ real }} product = a * b, gated = b == 0 ? 0 : product;
  return a == 0 ? 0 : gated;
}

// a - b, 0 where they are the same infinity
{{ device }} {{ real }} difference{{ f }}({{ real }} a, {{ real }} b) { return a == b ? 0 : a - b; }

{{ device }} {{ real }} sign{{ f }}({{ real }} x) { return x > 0 ? 1 : (x < 0 ? -1 : (x == 0 ? 0 : x)); }

{{ device }} {{ real }} square{{ f }}({{ real }} x) { return x * x; }

{{ device }} {{ real }} cube{{ f }}({{ real }} x) { return x * x * x; }

// x to the power n, 1 <= n < 32, without a loop: compilers make vectors of it
{{ device }} {{ real }} integer_power{{ f }}({{ real }} x, int n) {
  {{ real }} y = n & 1 && n > 1 ? x : 1;
{% for bit in (2, 4, 8) %}
  if (n >= {{ bit }}) x *= x;
  if (n & {{ bit }} && n >= {{ 2 * bit }}) y *= x;
{% endfor %}
  if (n >= 16) x *= x;
  return y * x;
}

// log(1 - exp(-x)), on each side of log(2) by the form without cancellation
{{ device }} {{ real }} log1mexp{{ f }}({{ real }} x) {
  return x < 0.6931471805599453{{ f }} ? log{{ f }}(-expm1{{ f }}(-x)) : log1p{{ f }}(-exp{{ f }}(-x));
}

// 0 where a is 0 and b a number, else a * log(b)
{{ device }} {{ real }} xlogy{{ f }}({{ real }} a, {{ real }} b) { return a == 0 && b == b ? 0 : a * log{{ f }}(b); }

{{ device }} {{ real }} relu{{ f }}({{ real }} x) { return x < 0 ? 0 : x; }

{{ device }} {{ real }} sigmoid{{ f }}({{ real }} x) {
  const {{ real }} e = exp{{ f }}(-fabs{{ f }}(x));
  return (x < 0 ? e : 1) / (1 + e);
}

{{ device }} {{ real }} softplus{{ f }}({{ real }} x) { return (x < 0 ? 0 : x) + log1p{{ f }}(exp{{ f }}(-fabs{{ f }}(x))); }

{{ device }} {{ real }} silu{{ f }}({{ real }} x) { return x * sigmoid{{ f }}(x); }

{{ device }} {{ real }} gelu{{ f }}({{ real }} x) { return 0.5{{ f }} * x * erfc{{ f }}(-0.7071067811865476{{ f }} * x); }

// the logarithmic derivative of the gamma function
{{ device }} {{ real }} digamma{{ f }}({{ real }} x) {
  {{ real }} y = 0;
  if (x <= 0) {  // digamma(x) = digamma(1 - x) - pi*cot(pi*x)
    const {{ real }} d = x - rint{{ f }}(x);  // exact
    if (x == 0) return copysign{{ f }}({{ infinity }}, -x);
    if (d == 0) return d / d;
    y = -3.141592653589793{{ f }} / tan{{ f }}(3.141592653589793{{ f }} * d);
    x = 1 - x;
  }
  for (; x < 10; x += 1) y -= 1 / x;
  const {{ real }} r = 1 / (x * x);
  const {{ real }} tail = r * (1 / 12.0{{ f }} - r * (1 / 120.0{{ f }} - r * (1 / 252.0{{ f }} - r * (1 / 240.0{{ f }}
      - r * (1 / 132.0{{ f }} - r * (691 / 32760.0{{ f }} - r * (1 / 12.0{{ f }})))))));
  return y + (log{{ f }}(x) - (0.5{{ f }} / x + tail));
}

// n! * sum over k >= 0 of 1/(x+k)^(n+1), n >= 1, x >= 0: terms, then the Euler-Maclaurin formula
{{ device }} {{ real }} hurwitz{{ f }}(int n, {{ real }} x) {
  {{ real }} sum = 0;
  for (; x < n + 10; x += 1) {
    {{ real }} term = 1 / x;
    for (int i = 1; i <= n; i++) term *= i / x;
    sum += term;
  }
  {{ real }} integral = 1 / x;
  for (int i = 1; i < n; i++) integral *= i / x;
  const {{ real }} term = integral * (n / x), r = 1 / x / x;
  {{ real }} series = -3617 / 10670622842880000.0{{ f }};
  series = 1 / 74724249600.0{{ f }} + (n + 14) * (n + 15) * r * series;
  series = -691 / 1307674368000.0{{ f }} + (n + 12) * (n + 13) * r * series;
  series = 1 / 47900160.0{{ f }} + (n + 10) * (n + 11) * r * series;
  series = -1 / 1209600.0{{ f }} + (n + 8) * (n + 9) * r * series;
  series = 1 / 30240.0{{ f }} + (n + 6) * (n + 7) * r * series;
  series = -1 / 720.0{{ f }} + (n + 4) * (n + 5) * r * series;
  series = 1 / 12.0{{ f }} + (n + 2) * (n + 3) * r * series;
  return sum + (integral + term * (0.5{{ f }} + (n + 1) / x * series));
}

// the n-th derivative of digamma, n >= 1
{{ device }} {{ real }} polygamma{{ f }}(int n, {{ real }} x) {
  const {{ real }} parity = n % 2 ? 1 : -1;
  if (!(x <= 0)) return parity * hurwitz{{ f }}(n, x);
  // the sum over all integers, less that over the negative ones
  const {{ real }} d = x - rint{{ f }}(x), near = hurwitz{{ f }}(n, fabs{{ f }}(d)), far = hurwitz{{ f }}(n, 1 - fabs{{ f }}(d));
  return parity * (d < 0 ? far : near) + (d < 0 ? near : far) - hurwitz{{ f }}(n, 1 - x);
}

// a / m rounded down, m > 0
{{ anywhere }} {{ integer }} floor_div({{ integer }} a, {{ integer }} m) { return a / m - (a % m < 0); }

// a modulo m in 0..m-1, m > 0
{{ anywhere }} {{ integer }} floor_mod({{ integer }} a, {{ integer }} m) { return a % m + (a % m < 0 ? m : 0); }
