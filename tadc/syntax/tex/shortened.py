r"""Inputs that are read up to the last element but one, and nothing else that tells how many there are.

\hat{y}_t = c + \sum_{i=1}^{p} \phi_i y_{t-i}, \quad t = p + 1, \dots, T     `y` may have `T - 1` elements, or `T`
\sum_{i=1}^{n-1} |l_i - r_i|                                                 so may `l` and `r`: the value of `n` differs
\sum_{i=1}^{N} s_i s_{i+1}                                                   `s` may have `N + 1` elements, or be a ring of `N`
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import chain

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.linear import Linear, linear

__all__ = ["refuse_shortened"]


def refuse_shortened(
    inputs: Sequence[ast.Item],
    declared: Iterable[ast.Item],
    sizes: Set[str],
    longer: Set[tuple[str, int]] | None,
) -> None:
    """Raise where all extents with one of `sizes`, which no line declares, are that size less a number, or more; `declared` are lines and
    shapes. `longer` are the dimensions that begin at 0 where others begin at 1; None where all begin at 0.
    """
    told = {n for i in _tensors(declared) for n in chain(*map(_names, _forms(i)))}
    places = [(i, n, f) for i in _tensors(inputs) for n, f in enumerate(_forms(i))]
    for size in sorted(sizes - told):
        own = [(i, n, f.constant) for i, n, f in places if f and dict(f.terms).get(size)]
        alone = all(f.terms == ((size, 1),) for _, _, f in places if f and size in _names(f))
        if not own or not alone:
            continue
        item, place, number = own[0]
        is_more = longer is not None and all(
            c > 0 and (i.name.name, n) not in longer for i, n, c in own
        )
        if not is_more and not all(c < 0 for _, _, c in own):
            continue
        name = item.name.name
        rest = [_printed(f) for f in _forms(item)]
        whole = [size if n == place else e for n, e in enumerate(rest)]
        one, other = (f"`%!tadc input {name}[{', '.join(e)}]`" for e in (rest, whole))
        if "" in rest:
            continue
        if is_more:
            fact = f"`{name}` may have `{size}{number:+d}` elements, or be a ring of `{size}`, and nothing else tells `{size}`"
            fix = f"write {one}, or say where the ring closes, `{as_printed(name, f'{size}+1')} = {as_printed(name, '1')}`"
        else:
            fact = f"`{name}` may end at the last element that is read, or have `{size}` elements, and nothing else tells `{size}`"
            fix = f"write {one} or {other}"
        raise SyntaxError(item.span, fact, fix=fix)


def _tensors(items: Iterable[ast.Item]) -> list[ast.TensorDeclaration]:
    return [i for i in items if isinstance(i, ast.TensorDeclaration) and i.extents]


def _forms(item: ast.TensorDeclaration) -> list[Linear | None]:
    return [linear(e) for e in item.extents or ()]


def _names(form: Linear | None) -> set[str]:
    return set() if form is None else {n for n, _ in form.terms}


def _printed(form: Linear | None) -> str:
    if form is None:
        return ""
    terms = [f"{c}*{n}" if c != 1 else n for n, c in form.terms]
    text = "+".join(terms) + (f"{form.constant:+d}" if form.constant or not terms else "")
    return text.replace("+-", "-")
