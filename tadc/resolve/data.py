"""Index tensors (docs/data.md): the tensors whose elements are indices, by how the text reads and declares them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite

from tadc.errors import Span, SyntaxError
from tadc.ir.affine import Affine
from tadc.ir.element_types import ARITHMETIC_TYPES, INDEX_TYPES
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.resolve.spelling import declared
from tadc.syntax import ast
from tadc.syntax.arithmetic import arithmetic
from tadc.syntax.nodes import nodes

__all__ = ["IndexTensors", "elements_in", "index_tensors", "is_whole"]

_EXTREMES = ("min", "max", "clamp", "abs")
_SATURATING, _PERIODIC = frozenset(_EXTREMES), frozenset(("wrap", "reflect", "symmetric", "%"))
BOUNDARY_FORMS = ("pad", "clamp", "wrap", "reflect", "symmetric")


@dataclass(slots=True)
class IndexTensors:
    """`read` stand where an index must stand, or are declared as indices; `compared` are inputs that are compared with
    indices and nothing else: arrays of integers are indices, arrays of floats are values.

    `values` has the declared ranges, both ends included. `whole` are defined tensors, all of whose elements are integers.
    `moved` has where an element is first moved inside of a tensor, as by `clamp`; `wrapped` where by a period.
    """

    read: frozenset[str]
    compared: frozenset[str]
    moved: dict[str, Span] = field(default_factory=dict)
    wrapped: dict[str, Span] = field(default_factory=dict)
    values: dict[str, tuple[Affine, Affine]] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)

    def __contains__(self, name: str) -> bool:
        return name in self.read or name in self.compared


def index_tensors(
    items: Iterable[ast.Item], indices: Iterable[str], values: Iterable[str] = ()
) -> IndexTensors:
    """The index tensors of a program whose indices have these names; `values` are compared with indices and are none.

    Raises SyntaxError for a tensor that is declared real and read as an index.
    """
    items = list(items)
    declared_types: dict[str, str] = {}
    ranged: set[str] = set()
    defined: set[str] = set()
    for item in items:
        match item:
            case ast.TensorDeclaration(name=called) | ast.Definition(target=called):
                if item.dtype is not None:
                    declared_types[called.name] = item.dtype.name
                if item.values is not None:
                    ranged.add(called.name)
            case _:
                pass
        if isinstance(item, ast.Definition):
            defined.add(item.target.name)
    real = {n for n, t in declared_types.items() if t in ARITHMETIC_TYPES}
    read = ranged | {n for n, t in declared_types.items() if t in INDEX_TYPES}
    bodies = [i.body for i in items if isinstance(i, ast.Definition)]
    for element in (e for root in _index_places(bodies) for e in elements_in(root)):
        name = element.name.name
        if name in real:
            raise SyntaxError(
                element.span,
                f"`{name}` is used as an index here, and is declared {declared_types[name]}",
                fix=f"declare it as one, {declared(element.span, f'input {name}[..]: index')}, or read the"
                f" integer part, `floor({element.span.text})`, in a statement of its own",
            )
        read.add(name)
    compared: set[str] = set()
    for condition in (n for n in nodes(bodies) if isinstance(n, ast.Comparison)):
        for pair in zip(condition.operands, condition.operands[1:], strict=False):
            compared |= _compared(pair, set(indices), real | defined)
    places = list(_index_places(bodies, whole=True))
    moved, wrapped = _elements_under(_SATURATING, places), _elements_under(_PERIODIC, places)
    return IndexTensors(frozenset(read), frozenset(compared - read - set(values)), moved, wrapped)


def elements_in(e: ast.Expression) -> Iterator[ast.Element]:
    """The reads that stand in an index expression, those in their own subscripts left out."""
    for node in arithmetic(e):
        if isinstance(node, ast.Element) and node.name.name not in ("min", "max"):
            yield node
        elif isinstance(node, ast.Element):
            for part in node.subscripts:  # `max [a; b]`
                yield from elements_in(part)


def is_whole(e: Expr, data: IndexTensors) -> bool:
    """Whether the values of an expression are integers whatever the tensors hold."""
    waiting = [e]
    while waiting:
        match waiting.pop():
            case Const(value) if isfinite(value) and value == int(value):
                pass
            case Read(tensor) if tensor in data or tensor in data.whole:
                pass
            case IndexValue() | Call("floor" | "ceil" | "round" | "sign"):
                pass
            case Call("add" | "sub" | "mul" | "neg" | "min" | "max", args):
                waiting += args
            case Select(_, then, otherwise):
                waiting += (then, otherwise)
            case Reduce("min", _, _, _, Select(Comparison("=="), IndexValue(), _)):
                pass  # the first of the greatest, as `argmax` is written
            case _:
                return False
    return True


def _index_places(
    roots: Iterable[ast.Expression], *, whole: bool = False
) -> Iterator[ast.Expression]:
    """The subscripts, and the bounds of reductions, outermost first; of boundary forms what is inside, or the `whole`."""
    for node in nodes(roots):
        match node:
            case ast.Element(ast.Name(name), subscripts) if name not in ("min", "max"):
                for s in subscripts:
                    match s:
                        case ast.Application(ast.Name(form), (inner, *_)) if (
                            form in BOUNDARY_FORMS and not whole
                        ):
                            yield inner  # type: ignore[misc]
                        case _:
                            yield s
            case ast.Reduction(_, ranges):
                yield from (b for r in ranges for b in (r.extent, r.low, r.high) if b is not None)
            case _:
                pass


def _elements_under(forms: frozenset[str], places: Iterable[ast.Expression]) -> dict[str, Span]:
    """The index tensors of which an element stands in one of these forms, and where the first one does."""
    found: dict[str, Span] = {}
    for node in (n for place in places for n in arithmetic(place)):
        match node:
            case ast.Application(ast.Name(form), args) if form in forms:
                inside = list(args)
            case ast.Binary(form, left) if form in forms:
                inside = [left]
            case _:
                continue
        for element in (e for arg in inside for e in elements_in(arg)):  # type: ignore[arg-type]
            found.setdefault(element.name.name, element.span)
    return found


def _compared(pair: tuple[ast.Expression, ...], indices: set[str], others: set[str]) -> set[str]:
    """The tensors that are compared with an index in an affine way, none of `others`."""
    found: set[str] = set()
    names: set[str] = set()
    for side in pair:
        for node in arithmetic(side):
            match node:
                case ast.Number(text) if text.isdecimal():
                    pass
                case ast.Name(name):
                    names.add(name)
                case ast.Element(ast.Name(name), subscripts) if subscripts and name not in others:
                    found.add(name)
                case ast.Unary() | ast.Binary("+" | "-" | "*" | "//" | "%"):
                    pass
                case ast.Application(ast.Name(name)) if name in _EXTREMES:
                    pass
                case _:
                    return set()
    return found if names & indices else set()
