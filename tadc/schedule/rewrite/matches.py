"""Lists over the distinct elements of an index tensor: the positions whose elements are equal to one of another index tensor.

    y[i] = sum{e | p[e] = s[i]} f(e)     becomes     y[i] = sum{t = 0 .. ptr[m+1]-ptr[m]-1} f(perm[ptr[m] + t])     with m = match[i]

Keys are the numbers of the distinct elements of `p` in their order, one for each position and one more, which has no
positions: so the memory does not depend on how large elements are. `match` has for each element of `s` the number of the element of
`p` that it is equal to, or the last key.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, Domain, Looked
from tadc.ir.program import Tensor

__all__ = ["ELEMENT", "Match", "Wanted", "wanted_element"]

ELEMENT = "'element"  # the symbol of an element in a form


@dataclass(frozen=True, slots=True)
class Match:
    """The keys of the elements of the tensor `of`: what is looked for is `form`, of `ELEMENT` and sizes, over `divisor`."""

    tensor: Tensor
    of: str
    form: Affine
    divisor: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an element has to be by the condition `by`: `form / divisor`, in which `data` is known."""

    data: Looked
    form: Affine
    divisor: int
    by: Condition

    @property
    def of_element(self) -> Affine:
        """The form of the element alone, whatever it is called."""
        return self.form.substitute({self.data.name: symbol(ELEMENT)})


def wanted_element(
    d: Looked, domain: Domain, loaded: Iterable[Looked], sizes: Set[Symbol]
) -> Wanted | None:
    """What the element has to be, if a condition says that by one of those that are `loaded`, and sizes."""
    known = {one.name: one for one in loaded}
    for c in domain:
        k = c.form.coefficient(d.name)
        if c.relation != "==" or not k:
            continue
        form = (symbol(d.name) * k - c.form) * (1 if k > 0 else -1)
        others = [s for s in form.symbols if s not in sizes]
        if len(others) == 1 and others[0] in known:
            return Wanted(known[others[0]], form, abs(k), c)
    return None
