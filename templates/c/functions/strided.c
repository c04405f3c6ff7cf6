{#- Every second, third or fourth element, for as many lanes as a vector has. Nothing is read behind the last of them: the last
    vector ends there. C alone has no words for it, and compilers take the elements of the last lanes one by one. -#}
{% for real, suffix, item in (("double", "", 8), ("float", "f", 4)) %}
{% for lanes in (2, 4, 8, 16) if 16 <= lanes * item <= 64 %}
{% for stride in (2, 3, 4) %}
// to[n] = from[{{ stride }} n], for {{ lanes }} of them
static inline INLINED void every_{{ stride }}_{{ lanes }}{{ suffix }}({{ real }}* to, const {{ real }}* from) {
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
  typedef {{ real }} Vector __attribute__((vector_size({{ lanes * item }}), aligned({{ item }}), may_alias));
  Vector v = *(const Vector*)from;
{% for part in range(1, stride) %}
{% set start = [part * lanes, (stride - 1) * (lanes - 1)] | min %}
  v = __builtin_shufflevector(v, *(const Vector*)(from + {{ start }})
{%- for n in range(lanes) %}, {{ (n * stride if part == 1 else n) if n * stride < part * lanes else lanes + n * stride - start if n * stride < (part + 1) * lanes or part == stride - 1 else 0 }}{% endfor %});
{% endfor %}
  *(Vector*)to = v;
#else
  for (int n = 0; n < {{ lanes }}; n++) to[n] = from[{{ stride }} * n];
#endif
}

{% endfor %}
{% endfor %}
{% endfor %}
