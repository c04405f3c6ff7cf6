r"""Inputs that begin at 0 in a document that counts from 1.

    \hat{y}_i = \beta_0 + \sum_{j=1}^{p} \beta_j x_{ij}     `beta` has p + 1 elements from 0 on, `x` has p columns
    S = \sum_{t=1}^{T} w_t (x_t - x_{t-1})^2                `x` has T + 1 elements, `w` has T

All ranges start at 1, and some subscript is 0. So each dimension begins at the lowest subscript that the document reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeAlias

from tadc.errors import Span
from tadc.syntax import ast
from tadc.syntax.ast import Binary, Definition, Element, Expression, Name, Number
from tadc.syntax.nodes import Node, all_ranges, nodes, parts, rewritten
from tadc.syntax.tex.index_values import lasts_of, lowest, lows_of, with_lasts
from tadc.syntax.tex.linear import Linear, linear

__all__ = [
    "Dimension",
    "beginning_at_one",
    "beginning_at_zero",
    "elements_read",
    "open_indices",
    "printed_from_zero",
    "with_starts_at_one",
    "zeros_beside_all",
]

Dimension: TypeAlias = "tuple[str, int]"  # of the tensor of that name


def beginning_at_zero(
    definitions: Sequence[Definition], *, is_declared: bool = False
) -> set[Dimension] | None:
    r"""The dimensions of inputs whose lowest subscript is 0 for sure; where a line declares that indices begin at 1, those alone at which a
    0 is printed, as a subscript or in `\sum_{i=0}^{N}`.

    None where some subscript is negative, where a result is read at 0 that is not printed from 0 on, or where an index without a printed
    range is read as a number, so that its first value counts.
    """
    printed = printed_from_zero(definitions)
    targets = {d.target.name for d in definitions}
    found: set[Dimension] = set()
    whole: set[Dimension] = set()  # those that an index of no printed range runs along
    for definition in definitions:
        if _has_open_value(definition):
            return None
        open_ = open_indices(definition)
        indices = _indices(definition)
        for element, firsts, lows, lasts in elements_read(definition):
            for n, subscript in enumerate(element.subscripts):
                falling = with_lasts(subscript, lasts)
                least = lowest(falling, firsts)
                if least is None:
                    is_input = element.name.name not in targets
                    least = _least_in_letters(falling, lows, indices if is_input else None)
                if least is None and element.name.name not in targets:
                    least = _least_by_left(falling, definition, indices)
                if least == 0 and (element.name.name, n) in printed:
                    continue  # it is moved to where it is printed
                if least is not None and (
                    least < 0 or (least == 0 and element.name.name in targets)
                ):
                    return None
                is_printed = isinstance(subscript, (Name, Number))
                if least == 0 and (is_printed or not is_declared):
                    found.add((element.name.name, n))
                if isinstance(subscript, Name) and subscript.name in open_ - firsts.keys():
                    whole.add((element.name.name, n))
    return found - whole


def beginning_at_one(definitions: Sequence[Definition]) -> Iterator[Span]:
    """Places of tensors whose lowest subscript of some dimension is 1, as far as these are told; the others are indices that have no range."""
    printed = {d.target.name for d in definitions if any(r.low is not None for r in d.lefts)}
    found: dict[Dimension, list[int | None]] = {}
    unclear: set[Dimension] = set()
    places: dict[Dimension, Span] = {}
    for definition in definitions:
        open_ = open_indices(definition)
        for element, firsts, _, lasts in elements_read(definition):
            for n, subscript in enumerate(element.subscripts):
                dimension = (element.name.name, n)
                least = lowest(with_lasts(subscript, lasts), firsts)
                is_open = isinstance(subscript, Name) and subscript.name in open_
                if least is None and not is_open:
                    unclear.add(dimension)
                found.setdefault(dimension, []).append(least)
                if least == 1:
                    places.setdefault(dimension, element.span)
    for dimension, leasts in found.items():
        told = [least for least in leasts if least is not None]
        if told and min(told) == 1 and dimension not in unclear and dimension[0] not in printed:
            yield places[dimension]


def printed_from_zero(definitions: Sequence[Definition]) -> set[Dimension]:
    r"""The dimensions of results that are defined `l = 0, \dots, L`."""
    return {
        (d.target.name, n)
        for d in definitions
        for n, r in enumerate(d.lefts)
        if isinstance(r.low, Number) and r.low.text == "0"
    }


def open_indices(definition: Definition) -> set[str]:
    """The indices that have no printed range somewhere."""
    ranges = all_ranges(definition)
    return {r.name.name for r in ranges if r.low is None and r.extent is None}


def _indices(definition: Definition) -> set[str]:
    return {r.name.name for r in all_ranges(definition)}


def zeros_beside_all(definitions: Sequence[Definition], name: str) -> Iterator[Element]:
    r"""The `r_0` of `\sum_{i=1}^{N} (r_i - r_0)^2`: a sum over all elements reads the one at 0 beside each."""
    for node in nodes([d.body for d in definitions]):
        if not isinstance(node, ast.Reduction):
            continue
        own = {r.name.name for r in node.ranges}
        reads = [n for n in nodes((node.body,)) if isinstance(n, Element) and n.name.name == name]
        runs = any(isinstance(s, Name) and s.name in own for n in reads for s in n.subscripts)
        if runs and all(len(n.subscripts) == 1 for n in reads):
            yield from (n for n in reads if isinstance(n.subscripts[0], Number))


def with_starts_at_one(definition: Definition, dimensions: Set[Dimension]) -> Definition:
    """The definition with the subscripts of these dimensions one higher."""

    def rule(node: Node) -> Node:
        if not isinstance(node, Element):
            return node
        name = node.name.name
        subscripts = tuple(
            _one_more(s) if (name, n) in dimensions else s for n, s in enumerate(node.subscripts)
        )
        return replace(node, subscripts=subscripts)

    return replace(definition, body=rewritten(definition.body, rule))


def _one_more(subscript: Expression) -> Expression:
    match subscript:
        case Number(text):
            return replace(subscript, text=str(int(text) + 1))
        case Binary("-", left, Number("1")):
            return left
        case _:
            return Binary("+", subscript, Number("1", subscript.span), subscript.span)


def _first(r: ast.Range) -> int | None:
    if r.low is None:
        return None if r.extent is None else 1
    return int(r.low.text) if isinstance(r.low, Number) and r.low.text.isdigit() else None


def _least_in_letters(
    subscript: Expression, lows: Mapping[str, Linear], indices: Set[str] | None
) -> int | None:
    r"""The lowest value of the `n - p` below `\sum_{n=p}^{N-1}`, if it is the same for all sizes; with the `indices` of a definition, for which
    others are sizes, also the 0 of `x_t` with `t = K-1, \dots`, where `K` may be 1.
    """
    form = linear(subscript)
    for name in [n for n, _ in form.terms] if form is not None else ():
        if form is not None and name in lows:
            form = form.with_value(name, lows[name])
    if form is None or not form.terms:
        return None if form is None else form.constant
    if indices is None or any(name in indices or factor < 0 for name, factor in form.terms):
        return None
    least = form.constant + sum(factor for _, factor in form.terms)
    return least if least == 0 else None


def _least_by_left(subscript: Expression, definition: Definition, indices: Set[str]) -> int | None:
    r"""The 0 of `V_{t+n}` in a definition with `t = 0, \dots, T`, where `n` is a size: what is read at an index that begins at 0 does, too."""
    form = linear(subscript)
    zeros = {r.name.name for r in definition.lefts if _first(r) == 0}
    terms = dict(form.terms) if form is not None and form.constant == 0 else {}
    are_added = all(factor == 1 for factor in terms.values())
    is_moved = len(terms) > 1 and len({*terms} & indices) == 1
    return 0 if are_added and is_moved and {*terms} & zeros else None


_Firsts: TypeAlias = "dict[str, int]"
_Ends: TypeAlias = "dict[str, Linear]"


def elements_read(definition: Definition) -> Iterator[tuple[Element, _Firsts, _Ends, _Ends]]:
    """The elements that a definition reads, with the first values of the indices around them where these are numbers, the first ones in
    letters, and the last ones.
    """
    lefts = {r.name.name: low for r in definition.lefts if (low := _first(r)) is not None}
    outer = lows_of(definition.lefts), lasts_of(definition.lefts)
    todo: list[tuple[Node, _Firsts, _Ends, _Ends]] = [(definition.body, lefts, *outer)]
    while todo:
        node, firsts, lows, lasts = todo.pop()
        if isinstance(node, Element):
            yield node, firsts, lows, lasts
        if isinstance(node, ast.Reduction):
            own = {r.name.name for r in node.ranges}
            told = {r.name.name: low for r in node.ranges if (low := _first(r)) is not None}
            firsts = {n: v for n, v in firsts.items() if n not in own} | told
            lows = {n: v for n, v in lows.items() if n not in own} | lows_of(node.ranges)
            lasts = {n: v for n, v in lasts.items() if n not in own} | lasts_of(node.ranges)
        todo += [(part, firsts, lows, lasts) for part in parts(node)]


def _has_open_value(definition: Definition) -> bool:
    """Whether an index without a printed range stands anywhere but alone in a subscript."""
    open_ = {r.name.name for r in definition.lefts if r.low is None and r.extent is None}
    todo: list[tuple[Node, Set[str]]] = [(definition.body, open_)]
    while todo:
        node, inner = todo.pop()
        if isinstance(node, Name) and node.name in inner:
            return True
        if isinstance(node, ast.Reduction):
            inner = inner - {r.name.name for r in node.ranges}
            inner |= {r.name.name for r in node.ranges if r.low is None and r.extent is None}
        is_element = isinstance(node, Element)
        todo += [(p, inner) for p in parts(node) if not (is_element and isinstance(p, Name))]
    return False
