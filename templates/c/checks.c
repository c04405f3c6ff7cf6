{#- Functions that check the index arrays of a program's launchers, behind them.
    guard      a macro that is not defined where there is no host, or ""
    functions  list: name, exported (what stands before its type), parameters (text), unused (names), derived (definitions of
               sizes that follow from others), and
               searches  list: name, parameters (text), body (lines of C): functions that return a position, or -1
               checks    list: number, about (text), found (list of calls of searches)
-#}

{% if guard %}
#ifndef {{ guard }}
{% endif %}
{% include "c/integers.c" %}

#ifndef TADC_OUT_OF_RANGE
#define TADC_OUT_OF_RANGE 2
static inline long long smaller_position(long long a, long long b) { return a < 0 || (b >= 0 && b < a) ? b : a; }
#endif
{% for function in functions %}
{% for search in function.searches %}

static long long {{ search.name }}({{ search.parameters }}) {
  long long found = -1;
{{ search.body }}
  return found;
}
{% endfor %}

// Whether no element leads out of a tensor: 0, or TADC_OUT_OF_RANGE with the number of the check, and the smallest position in its tensor.
{{ function.exported }}int {{ function.name }}({{ function.parameters }}) {
{% for name in function.unused %}
  (void){{ name }};
{% endfor %}
  (void)where;
{% for line in function.derived %}
  {{ line }}
{% endfor %}
{% for check in function.checks %}
  {  // {{ check.about }}
    long long found = -1;
{% for call in check.found %}
    found = smaller_position(found, {{ call }});
{% endfor %}
    if (found >= 0) {
      where[0] = {{ check.number }};
      where[1] = found;
      return TADC_OUT_OF_RANGE;
    }
  }
{% endfor %}
  return 0;
}
{% endfor %}
{% if guard %}
#endif
{% endif %}
