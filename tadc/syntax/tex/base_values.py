r"""Indices that stand as numbers where nothing tells the first index: `\sum_i i x_i` is another sum from `i = 0` than from `i = 1`."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Binary, Comparison, Definition, Element, Name, Number, Unary
from tadc.syntax.nodes import Node, all_ranges, nodes, parts
from tadc.syntax.tex.commands import GREEK

__all__ = ["refuse_compared", "refuse_parameters", "refuse_values"]


def refuse_values(definitions: Iterable[Definition]) -> None:
    """Raise SyntaxError for the first number that changes with the first index of the document, unless a condition is about 0."""
    definitions = list(definitions)
    if any(_is_about_zero(n) for d in definitions for n in nodes((d.body,))):
        return
    for definition in definitions:
        for name in _values(definition):
            shown = " ".join(name.span.text.split())
            if name.name == "e":
                raise SyntaxError(
                    name.span,
                    "`e` is an index here, and would stand as a number: an index, or Euler's number?",
                    fix=r"write Euler's number as `\exp(1)` and its powers as `\exp(..)`, or give the index another letter",
                )
            raise SyntaxError(
                name.span,
                f"`{shown}` is an index that stands as a number here, and nothing tells whether it starts at 0 or at 1",
                fix=rf"write `%!tadc base 0` or `%!tadc base 1`, or the range, `\sum_{{{shown}=1}}^{{N}}`",
            )


def refuse_parameters(definitions: Iterable[Definition]) -> None:
    r"""Raise SyntaxError for the `\alpha` of `C_\alpha = V_\alpha + \frac{1}{1 - \alpha} ..` without a printed range: a Greek letter that stands
    as a number is a real one more often than an index, unless a sum runs over it or up to it somewhere, or a subscript is made of it.
    """
    definitions = list(definitions)
    counted = {n for d in definitions for node in nodes((d.body,)) for n in _counted(node)}
    for definition in definitions:
        open_ = {r.name.name for r in definition.lefts if r.low is None and r.extent is None}
        name = next((n for n in _values(definition) if n.name in (open_ & GREEK) - counted), None)
        if name is not None:
            shown = f"\\{name.name}"
            raise SyntaxError(
                name.span,
                f"`{shown}` may be a number here and a label below names, or an index that stands as a number",
                fix=f"for the number write `%!tadc input {name.name}[]`; for the index print its range behind the formula, `\\quad {shown} = 1, \\dots, N`",
            )


def _counted(node: Node) -> Iterator[str]:
    """The names that are integers for sure: those of reductions, in their bounds, and in sums below names."""
    match node:
        case ast.Reduction():
            for r in node.ranges:
                yield r.name.name
                bounds = [b for b in (r.low, r.high, r.extent) if b is not None]
                yield from (n.name for b in bounds for n in _names(b))
        case Element():
            sums = [s for s in node.subscripts if isinstance(s, Binary)]
            yield from (n.name for s in sums for n in _names(s))
        case _:
            return


def refuse_compared(definitions: Iterable[Definition], integers: Container[str]) -> None:
    r"""Raise SyntaxError for the `t` of `S(t) = \sum_i [T_i \le t] \hat G_t` without a printed range: the times `T_i` are no numbers of
    elements, unless a line declares them as `integers`.
    """
    definitions = list(definitions)
    targets = {d.target.name for d in definitions}
    for definition in definitions:
        open_ = {r.name.name for r in definition.lefts if r.low is None and r.extent is None}
        for node in nodes((definition.body,)):
            if not isinstance(node, Comparison) or {*node.relations} <= {"==", "!="}:
                continue
            reads = [o for o in node.operands if isinstance(o, Element)]
            index = next(
                (o for o in node.operands if isinstance(o, Name) and o.name in open_), None
            )
            if index is not None and any(
                r.name.name not in integers for r in reads if r.name.name not in targets
            ):
                t, data = index.name, reads[0].span.text
                raise SyntaxError(
                    node.span,
                    f"`{t}` is an index here, and is compared with `{data}`: nothing tells which numbers it runs over",
                    fix=rf"print its range behind the formula, `\quad {t} = 1, \dots, N`; for one `{t}`, declare the number, `%!tadc input {t}[]`,"
                    f" and give what stands at `{t}` a name of its own",
                )


def _values(definition: Definition) -> Iterator[Name]:
    """The indices without a printed first value that stand as numbers, where these matter."""
    lefts = frozenset(r.name.name for r in definition.lefts if r.low is None)
    bound = _bound(definition)
    no_sums = _other_than_sums(definition.body)
    todo: list[tuple[Node, frozenset[str]]] = [(definition.body, lefts)]
    while todo:
        node, indices = todo.pop()
        if isinstance(node, Element) or _is_of_indices(node, bound):
            continue
        if isinstance(node, ast.Reduction):
            own = {r.name.name for r in node.ranges}
            told = {r.name.name for r in node.ranges if r.low is not None or r.extent is not None}
            indices = (indices | own) - told
        if id(node) in no_sums:
            todo += [(part, indices) for part in reversed(_valued(node))]
        elif _weight(node, indices):
            yield next(n for n in _names(node) if n.name in indices)


def _bound(definition: Definition) -> frozenset[str]:
    """All indices of the definition."""
    return frozenset(r.name.name for r in all_ranges(definition))


def _is_about_zero(node: Node) -> bool:
    r"""Whether it is a condition that an index is 0, or at least 0."""
    match node:
        case Comparison((Number("0"), Name(), *_), (("==" | "<="), *_)):
            return True
        case Comparison((Name(), Number("0"), *_), (("==" | ">="), *_)):
            return True
        case _:
            return False


def _valued(node: Node) -> tuple[Node, ...]:
    r"""The parts that are numbers: not the bounds of a reduction, nor the `i` of `(A x)_i`."""
    match node:
        case ast.Reduction():
            return (node.body,) if node.condition is None else (node.condition, node.body)
        case ast.Application(Name("\\given")):
            return ()
        case ast.Application(Name(name), args) if name.startswith("\\"):
            return tuple(a for n, a in enumerate(args) if n == 0 or not isinstance(a, Name))
        case _:
            return parts(node)


def _is_of_indices(node: Node, bound: frozenset[str]) -> bool:
    r"""Whether it compares indices alone, or with elements that are indices: `i < j + 1`, `d_e = i`, `\delta_{ij}`; the `i \le d` of a number
    `d` that is none of the `bound` ones does not.
    """
    match node:
        case Comparison(operands):
            weights = {_weight(o, bound) for o in operands}
            return any(isinstance(o, Element) for o in operands) or len(weights) == 1
        case ast.Application(Name("delta"), args):
            indices = frozenset(n.name for a in args for n in _names(a))
            return (
                len({_weight(a, indices) for a in args}) == 1
            )  # `\delta_{i,1}` compares with a number
        case Binary("**", base, power) if _is_minus_one(base):
            weight = _weight(power, frozenset(n.name for n in _names(power)))
            return weight is not None and weight % 2 == 0
        case _:
            return False


def _is_minus_one(node: Node) -> bool:
    return isinstance(node, Unary) and isinstance(node.operand, Number) and node.operand.text == "1"


def _weight(node: Node, indices: frozenset[str]) -> int | None:
    """By how much a sum of multiples of names grows where all of these indices grow by 1; None for what is no such sum."""
    total, todo = 0, [(node, 1)]
    while todo:
        part, factor = todo.pop()
        match part:
            case Number():
                continue
            case Name(name):
                total += factor * (name in indices)
            case Unary(operand):
                todo.append((operand, -factor))
            case Binary("+" | "-" as sign, left, right):
                todo += [(left, factor), (right, factor if sign == "+" else -factor)]
            case Binary("*", Number(text), operand) if text.isdecimal():
                todo.append((operand, factor * int(text)))
            case _:
                return None
    return total


def _other_than_sums(root: Node) -> set[int]:
    """The identities of the parts that are no sums of multiples of names, found in one pass from the leaves."""
    found: set[int] = set()
    for node in reversed([*nodes((root,))]):
        match node:
            case Number() | Name():
                continue
            case Unary(operand):
                is_sum = id(operand) not in found
            case Binary("+" | "-", left, right):
                is_sum = id(left) not in found and id(right) not in found
            case Binary("*", Number(text), operand):
                is_sum = text.isdecimal() and id(operand) not in found
            case _:
                is_sum = False
        if not is_sum:
            found.add(id(node))
    return found


def _names(node: Node) -> Iterator[Name]:
    return (n for n in nodes((node,)) if isinstance(n, Name))
