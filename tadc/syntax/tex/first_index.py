r"""The first index of a document, which its printed ranges tell: `\sum_{j=1}^{J} x_j` counts from 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from tadc.errors import Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Definition, Element, Expression, Name, Number, Range
from tadc.syntax.nodes import Node, free_names, key, nodes, parts
from tadc.syntax.tex.base_values import refuse_parameters, refuse_values
from tadc.syntax.tex.index_values import lasts_of, lowest, with_lasts
from tadc.syntax.tex.linear import Linear
from tadc.syntax.tex.periods import wrapped_index
from tadc.syntax.tex.reached_ends import counts_from_one
from tadc.syntax.tex.zero_starts import beginning_at_one, beginning_at_zero, printed_from_zero

__all__ = ["base_of"]

LARGEST_SUBSCRIPT = 50  # nodes of it that are looked at


@dataclass(frozen=True, slots=True)
class Start:
    """A printed range of an index that stands in subscripts: where it starts, if that is a number, and the place."""

    low: int | None
    span: Span
    reaches: int | None = None  # the lowest subscript that can be told from the start alone
    is_lifted: bool = (
        False  # whether other indices, from 1 on, keep all its subscripts from 0: `d_{t+l}`
    )
    is_open: bool = False  # whether it has no end, `i \ge 1`, which leaves something out where the first index is 0

    @property
    def is_one(self) -> bool:
        """Whether it begins, or reads, at 1, as documents do that count from 1."""
        return (
            self.reaches == 1 and self.low != 1 if self.is_open else 1 in (self.low, self.reaches)
        )


def base_of(
    definitions: Sequence[Definition], shapes: Mapping[str, Sequence[Expression] | None]
) -> tuple[int | None, str, Span | None]:
    """The base that the printed ranges tell, or else numbers as subscripts, the reason, and a place.

    `shapes` are the declared extents. Raises SyntaxError where both readings fit, and the values differ.
    """
    refuse_parameters(definitions)
    starts = [s for d in definitions for s in _starts(d)]
    ones = [s for s in starts if s.is_one]
    zeros = [s for s in starts if s.low == 0 and not s.is_lifted]
    reaching = [s for s in starts if s.low is not None and s.reaches is not None and s.reaches < 1]
    reaching += [Start(None, e.span) for d in definitions for e in _at_zero(d)]
    if ones and not zeros and not reaching:
        return 1, f"every range starts at 1: `{_shown(ones[0].span)}`", ones[0].span
    if ones and reaching and not zeros and _has_zeros_apart(definitions):
        return 1, f"every range starts at 1: `{_shown(ones[0].span)}`", ones[0].span
    if ones and reaching and not zeros and beginning_at_zero(definitions) is None:
        raise SyntaxError(
            ones[0].span,
            f"a range starts at 1 here, and a subscript is 0 or less, `{_shown(reaching[0].span)}`: is the first element `x_0` or `x_1`?",
            fix="write `%!tadc base 0` or `%!tadc base 1`, and the ranges of all indices",
        )
    if ones and zeros and _has_own_starts(definitions):
        return (
            1,
            f"`{_shown(ones[0].span)}` and `{_shown(zeros[0].span)}` are of dimensions of their own",
            ones[0].span,
        )
    if ones and zeros and (first := next(beginning_at_one(definitions), None)) is not None:
        raise SyntaxError(
            first,
            f"a range starts at 1 here and another one at 0, `{_shown(zeros[0].span)}`, up to the same size: is the first element `x_0` or `x_1`?",
            fix="write `%!tadc base 0` or `%!tadc base 1`, or another letter for one of the sizes",
        )
    if reaching:
        return 0, f"a subscript is 0: `{_shown(reaching[0].span)}`", reaching[0].span
    if ones and zeros:
        raise SyntaxError(
            ones[0].span,
            f"a range starts at 1 here and another one at 0, `{_shown(zeros[0].span)}`: is the first element `x_0` or `x_1`?",
            fix="write `%!tadc base 0` or `%!tadc base 1`",
        )
    one = counts_from_one(definitions)
    are_others = all(s.reaches is None for s in zeros) or _has_zeros_apart(definitions)
    if one is not None and are_others:
        return 1, f"the first element is that at 1: `{_shown(one)}`", one
    if zeros:
        return 0, f"ranges start at 0: `{_shown(zeros[0].span)}`", zeros[0].span
    listed = _listed(definitions)
    later = [s for s in starts if s.reaches is not None]
    later = [*later, *(s for d in definitions for s in _later(d))]
    if listed is not None and (later or any(True for d in definitions for _ in _numbers(d))):
        return listed, f"the text lists elements from {listed} on", definitions[0].span
    if later:
        raise SyntaxError(
            later[0].span,
            f"the range begins at a later element, and nothing tells whether the first one is `x_0` or `x_1`: `{_shown(later[0].span)}`",
            fix="write `%!tadc base 0` or `%!tadc base 1`",
        )
    return _told_by_numbers(definitions, shapes)


def _has_own_starts(definitions: Sequence[Definition]) -> bool:
    r"""Whether what begins at 1 goes up to a size of its own, as in `\sum_{s=1}^{S} \sum_{t=0}^{T} r_{st}`, and some inputs begin at 0, or some
    results are printed from 0 on: then each dimension begins where its index does. The `x_n` of `\sum_{n=1}^{N-1} x_n` may have an `x_0`.
    """
    ranges = [r for d in definitions for r, _ in _ranges_with_subscripts(d)]
    lows = [(r.low.text if isinstance(r.low, Number) else "", r.high) for r in ranges]
    ones = [high for low, high in lows if low == "1"]
    of_zeros = [high for low, high in lows if low == "0" and high is not None]
    sizes = {n.name for n in nodes(of_zeros) if isinstance(n, Name)}
    are_own = all(
        isinstance(high, Number) or (isinstance(high, Name) and high.name not in sizes)
        for high in ones
    )
    return are_own and _has_zeros_apart(definitions)


def _has_zeros_apart(definitions: Sequence[Definition]) -> bool:
    """Whether some inputs begin at 0 for sure, or results are printed from 0 on, and nothing else is read there."""
    inputs = beginning_at_zero(definitions)
    return inputs is not None and bool(inputs or printed_from_zero(definitions))


_LIST = re.compile(
    r"\\?([A-Za-z]+)\s*\}?\s*_\s*\{?\s*([01])\s*\}?\s*,(?:[^,$]{1,24},){0,2}\s*\\[lc]?dots"
)


def _listed(definitions: Sequence[Definition]) -> int | None:
    r"""The first index of the lists of elements in a document, "the amplitudes $V_1, V_2, \ldots, V_n$"; None where they differ, or
    are of what no formula reads.
    """
    if not definitions:
        return None
    read = {n.name.name for d in definitions for n in nodes((d.body,)) if isinstance(n, Element)}
    text = definitions[0].span.source.text
    found = {int(match[2]) for match in _LIST.finditer(text) if match[1] in read}
    return next(iter(found)) if len(found) == 1 else None


def _told_by_numbers(
    definitions: Sequence[Definition], shapes: Mapping[str, Sequence[Expression] | None]
) -> tuple[int | None, str, Span | None]:
    """The base of `x_1 x_2 x_3`: 1 where `x` is declared with 3 elements. Raises SyntaxError where nothing tells."""
    numbers = [n for d in definitions for n in _numbers(d)]
    for number, extent in ((n, _extent(n, shapes)) for n in numbers):
        if isinstance(extent, Number) and extent.text == number.place.text:
            shown = f"`{_shown(number.element.span)}` is the last element of {extent.text}"
            return 1, f"the shapes fit only then: {shown}", number.element.span
    if numbers:
        raise SyntaxError(
            numbers[0].element.span,
            f"nothing tells whether the first element is `x_0` or `x_1`, and a subscript is a number: `{_shown(numbers[0].element.span)}`",
            fix=f"write `%!tadc base 0` or `%!tadc base 1`; where the number is a label, {_as_label(numbers[0])}",
        )
    refuse_values(definitions)
    for definition in definitions:
        for r in _between_letters(definition):
            high = key(r.high) if r.high is not None else None
            if any(e == high for e in _extents_at(r, definition, shapes)):
                return 1, f"the shapes fit only then: `{_shown(r.span)}` ends at the last", r.span
            raise SyntaxError(
                r.span,
                f"nothing tells whether the first element is `x_0` or `x_1`, and this range has no number: `{_shown(r.span)}`",
                fix="write `%!tadc base 0` or `%!tadc base 1`",
            )
    return None, "", None


def _between_letters(definition: Definition) -> Iterator[Range]:
    r"""The ranges of indices of subscripts from one letter to another, `\sum_{i=d+1}^{D}`; up to `D-1` they count from 0, and from `-k` to `k`
    the subscript 0 has its place.
    """
    for r, subscripts in _ranges_with_subscripts(definition):
        is_letter = isinstance(r.low, (Name, ast.Binary))
        if subscripts and is_letter and isinstance(r.high, Name):
            yield r


def _extents_at(
    r: Range, definition: Definition, shapes: Mapping[str, Sequence[Expression] | None]
) -> Iterator[object]:
    """The declared extents of the dimensions that the index of the range runs along, by key."""
    for node in nodes((definition.body,)):
        if isinstance(node, Element) and (extents := shapes.get(node.name.name)):
            for s, extent in zip(node.subscripts, extents, strict=False):
                if isinstance(s, Name) and s.name == r.name.name:
                    yield key(extent)


class _Numbered(NamedTuple):
    """An element, of a tensor or of a product, and one of its subscripts that is a number from 1 on."""

    element: Element | ast.Application
    dimension: int
    place: Number


def _numbers(definition: Definition) -> Iterator[_Numbered]:
    for node in nodes((definition.body,)):
        for n, s in enumerate(_subscripts(node)):
            if isinstance(s, Number) and s.text.isdigit() and s.text != "0":
                assert isinstance(node, Element | ast.Application), "others have no subscripts"
                yield _Numbered(node, n, s)


def _subscripts(node: Node) -> Sequence[Node]:
    r"""The subscripts of an element, also of that of a product, `(F x)_1`."""
    match node:
        case Element(_, subscripts):
            return subscripts
        case ast.Application(Name(name), (_, *others)) if name == _ELEMENT:
            return others
        case _:
            return ()


_ELEMENT = r"\element"


def _as_label(number: _Numbered) -> str:
    """What declares the element as one of a tensor of its own, with the number in its name."""
    if not isinstance(number.element, Element):
        return "define what it is an element of under a name of its own"
    others = len(number.element.subscripts) - 1
    extents = ", ".join(("N", "M", "K", "L")[:others])
    name = f"{number.element.name.name}_{number.place.text}"
    return f"declare names of their own, `%!tadc input {name}[{extents}]`"


def _extent(
    number: _Numbered, shapes: Mapping[str, Sequence[Expression] | None]
) -> Expression | None:
    if not isinstance(number.element, Element):
        return None
    extents = shapes.get(number.element.name.name) or ()
    return extents[number.dimension] if number.dimension < len(extents) else None


def _at_zero(definition: Definition) -> Iterator[Number]:
    """The subscripts that are 0."""
    for node in nodes((definition.body,)):
        for s in _subscripts(node):
            if isinstance(s, Number) and s.text == "0":
                yield s


def _shown(span: Span) -> str:
    return " ".join(span.text.split())


def _starts(definition: Definition) -> Iterator[Start]:
    """The printed ranges of a definition whose indices stand in subscripts, those of the left side first."""
    ranges = [*_ranges_with_subscripts(definition)]
    firsts = {r.name.name: first for r, _ in ranges if (first := _printed_first(r)) is not None}
    lasts = lasts_of(r for r, _ in ranges)
    for r, subscripts in ranges:
        is_left = any(r is left for left in definition.lefts)
        start = _start(r, subscripts, firsts, lasts) if r.low is not None else None
        if start is not None and (start.reaches is not None if is_left else subscripts):
            yield start
        elif r.low is None and r.extent is not None and subscripts and not is_left:
            yield Start(1, r.span)  # `\sum_i^N`
    yield from _cases_at_zero(definition)


def _cases_at_zero(definition: Definition) -> Iterator[Start]:
    r"""The `t = 0` and `t > 0` of cases: an index of the left side that may be 0 begins there."""
    open_lefts = {r.name.name for r in definition.lefts if r.low is None}
    for node in nodes((definition.body,)):
        match node:
            case ast.Comparison((Name(name), Number("0")), (("==" | "!=" | ">"),), span) if (
                name in open_lefts
            ):
                yield Start(0, span)
            case _:
                pass


def _later(definition: Definition) -> Iterator[Start]:
    r"""The conditions that leave out the first elements, or none if these are counted from 1: `\sum_{i \ge 1}`."""
    for node in nodes((definition.body,)):
        if isinstance(node, ast.Reduction):
            yield from (s for s in _least(node) if s.low)


def _least(node: ast.Reduction) -> Iterator[Start]:
    """The least values of indices that the conditions of a reduction say."""
    own = {r.name.name for r in node.ranges if r.low is None and r.extent is None}
    for part in nodes((node.condition,)) if node.condition is not None else ():
        match part:
            case ast.Comparison(
                (Number(text), Name(name)), (("<" | "<=") as sign,), span
            ) | ast.Comparison((Name(name), Number(text)), ((">" | ">=") as sign,), span):
                if name in own and text.isdigit():
                    least = int(text) + (sign in ("<", ">"))
                    yield Start(least, span, least)
            case _:
                pass


def _printed_first(r: Range) -> int | None:
    is_number = isinstance(r.low, Number) and r.low.text.isdigit()
    return int(r.low.text) if is_number and isinstance(r.low, Number) else None


def _start(
    r: Range,
    subscripts: Sequence[Expression],
    firsts: Mapping[str, int],
    lasts: Mapping[str, Linear],
) -> Start:
    """Where a range starts; `firsts` and `lasts` are the printed ends of the ranges of the definition."""
    first = _printed_first(r)
    if first is None:
        return Start(None, r.span)
    falling = [with_lasts(s, lasts) for s in subscripts]
    own = [lowest(s, {r.name.name: first}) for s in falling]
    reached = [value for value in own if value is not None]
    lifted = [lowest(s, {**firsts, r.name.name: first}) or 0 for s in falling]
    is_gone = all(r.name.name not in free_names(s) for s in falling)  # the `j` of `x_{i-j}`
    is_lifted = bool(lifted) and (is_gone or not reached) and min(lifted) > 0
    least = min(lifted if is_lifted else reached, default=None)
    return Start(first, r.span, least, is_lifted, is_open=r.high is None)


def _counted(node: Node) -> Sequence[Expression]:
    """What is counted from the first index on: subscripts, and what elements are compared with, as the `i` of `d_e = i`."""
    match node:
        case Element() | ast.Application(Name("\\element")):
            listed = [s for s in _subscripts(node) if not isinstance(s, ast.Condition)]
            return [wrapped_index(s) or s for s in listed]
        case ast.Comparison(operands) if any(isinstance(o, Element) for o in operands):
            return [o for o in operands if isinstance(o, Name)]
        case _:
            return ()


def _ranges_with_subscripts(definition: Definition) -> Iterator[tuple[Range, list[Expression]]]:
    """The ranges of a definition, each with the subscripts that have its index: one letter may be the index of several sums."""
    found: list[tuple[Range, list[Expression]]] = [(r, []) for r in definition.lefts]
    outer = {r.name.name: subscripts for r, subscripts in found}
    todo: list[tuple[Node, dict[str, list[Expression]]]] = [(definition.body, outer)]
    while todo:
        node, scope = todo.pop()
        if isinstance(node, ast.Reduction):
            own: list[tuple[Range, list[Expression]]] = [(r, []) for r in node.ranges]
            found += own
            scope = scope | {r.name.name: subscripts for r, subscripts in own}
        for s in _counted(node):
            names = {n.name for n in islice(nodes((s,)), LARGEST_SUBSCRIPT) if isinstance(n, Name)}
            for name in names & scope.keys():
                scope[name].append(s)
        todo += [(part, scope) for part in reversed(parts(node))]
    yield from found
