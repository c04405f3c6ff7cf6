{#- Both branches of a choice, where one calls a function: a compiler would put the call into a branch of its own for each lane. -#}
{% for real, suffix, bits in (("double", "", 64), ("float", "f", 32)) %}
{%- set of, to = ("bits_of", "from_bits") if bits == 64 else ("bits_off", "from_bitsf") %}
static inline INLINED {{ real }} chosen_of{{ suffix }}(int condition, {{ real }} then, {{ real }} otherwise) {
  const uint{{ bits }}_t mask = -(uint{{ bits }}_t)(condition != 0);
  return {{ to }}(({{ of }}(then) & mask) | ({{ of }}(otherwise) & ~mask));
}

{% endfor %}
