{#- Functions that make the lists of a program's launchers, behind them.
    lists     the functions that they call, as text
    exported  what stands before their types
    guard     a macro that is not defined where there is no host, or ""
    builders  list: name, about (text), parameters (text), body (list of lines)
-#}

{% if guard %}
#ifndef {{ guard }}
{% endif %}
#include <stdlib.h>
#include <string.h>

{{ lists }}
static inline long long at_least_zero(long long n) { return n < 0 ? 0 : n; }
static inline long long at_least_one(long long n) { return n < 1 ? 1 : n; }
static inline long long within(long long i, long long n) { return i < 0 || n < 1 ? 0 : i < n ? i : n - 1; }
{% include "c/integers.c" %}

{% for builder in builders %}

// {{ builder.about }}
{{ exported }}long long {{ builder.name }}({{ builder.parameters }}) {
{% for line in builder.body %}
  {{ line }}
{% endfor %}
}
{% endfor %}
{% if guard %}
#endif
{% endif %}
