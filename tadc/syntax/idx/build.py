"""From the rules of `grammar/idx.lark` to the syntax tree.

Lark calls the method of a rule when it has read the rule's symbols, operands first: nothing here recurses. A method takes
the span of its rule, then the values of the rule's symbols: nodes, None for an absent `[...]`, and of the tokens only the
signs of `+ - * / // % **`. A rule's extent reaches from its first to its last token, the span of a node is that of its own
rule: parentheses around `a + b` lie outside the span of the sum, and inside that of a product the sum is a factor of.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from lark import Token, Transformer

from tadc.errors import Span, SyntaxError
from tadc.syntax import reading
from tadc.syntax.ast import (
    Application,
    BaseDeclaration,
    Binary,
    Bracket,
    Choice,
    Comparison,
    Condition,
    Definition,
    EinsteinDeclaration,
    Element,
    Expression,
    IsInteger,
    Item,
    Logical,
    Name,
    Not,
    Number,
    OutputDeclaration,
    Range,
    Reduction,
    Requirement,
    SizeDeclaration,
    TensorDeclaration,
    Unary,
    Update,
)
from tadc.syntax.idx.words import name_at

__all__ = ["Build", "Placed"]

Items: TypeAlias = tuple[Item, ...]
Operator: TypeAlias = Literal["+", "-", "*", "/", "//", "%", "**"]
Relation: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
T = TypeVar("T")

_OPERATORS: dict[str, Operator] = {
    "+": "+", "-": "-", "*": "*", "/": "/", "//": "//", "%": "%", "**": "**",
}  # fmt: skip
_SIGNS = frozenset({"PLUS", "MINUS", "TIMES", "POWER"})  # the terminals of the operators
_RELATIONS: dict[str, Relation] = {
    "=": "==", "==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip


_SIGNED = re.compile(r"[ \t]+[-+][^-+ \t\r\n]")  # `exp -x`, but `exp - x` subtracts from a tensor


class Lefts(NamedTuple):
    """The contents of the brackets of a left side."""

    indices: tuple[Expression | Range, ...]
    condition: Condition | None


class ElementType(NamedTuple):
    """What stands behind the colon of a declaration: a name, the range of an index tensor's values, or a tensor that it is like."""

    dtype: Name | None = None
    values: tuple[Expression, Expression] | None = None
    like: Name | None = None


class Target(NamedTuple):
    """A left side before the sign after it is known, `=` or `<-`."""

    name: Name
    lefts: Lefts | None
    dtype: ElementType


class Head(NamedTuple):
    """A reduction before its body."""

    op: Name
    ranges: tuple[Range, ...]
    condition: Condition | None


class Placed(NamedTuple):
    """The value of a rule, and its extent in the part being parsed; the fields are named like a token's."""

    value: Any
    start_pos: int
    end_pos: int


Symbol: TypeAlias = Placed | Token | None


def _rules(cls: type[T]) -> type[T]:
    """Let Lark call each method with the symbols of its rule."""
    for name, method in list(vars(cls).items()):
        if not name.startswith("_"):
            setattr(cls, name, _rule(method))
    return cls


def _rule(method: Callable[..., object]) -> Callable[[object, list[Symbol]], Placed]:
    def placed(build: object, symbols: list[Symbol]) -> Placed:
        values: list[object] = []
        for symbol in symbols:
            if symbol is None:
                values.append(None)
            elif isinstance(symbol, Placed):
                values.append(symbol.value)
            elif symbol.type in _SIGNS:
                values.append(_OPERATORS[symbol])
        first = symbols[0]
        last = symbols[-1] or next(s for s in reversed(symbols) if s is not None)
        assert first is not None and first.start_pos is not None and last.end_pos is not None
        span = reading.span(first.start_pos, last.end_pos)
        return Placed(method(build, span, *values), first.start_pos, last.end_pos)

    return placed


@_rules
class Build(Transformer[Token, Placed]):
    """A method for each rule and alias, in the order of the grammar."""

    # Declarations and definitions

    def sizes(self, span: Span, *sizes: Item) -> Items:
        return sizes

    def size(self, span: Span, name: Name, value: Expression | None) -> Item:
        return SizeDeclaration(name, value, span)

    def bound_of_size(self, span: Span) -> str:
        return span.text

    def offset(self, span: Span, name: Name, relation: str, bound: Number) -> Item:
        if (relation, bound.text) != (">=", "0"):
            raise SyntaxError(
                span,
                "the only bound of a size in its declaration is `>= 0`",
                fix=f"write `size {name.name}`, and `require {span.text}` for what holds of it",
            )
        return SizeDeclaration(name, None, span, is_offset=True)

    def inputs(self, span: Span, *tensors: Item) -> Items:
        return tensors

    def tensor(
        self,
        span: Span,
        name: Name,
        shape: tuple[Expression, ...] | None,
        elements: ElementType | None,
    ) -> Item:
        dtype, values, like = elements or ElementType()
        return TensorDeclaration("input", name, shape, dtype, span, values, like)

    def outputs(self, span: Span, *outputs: tuple[Name, Name | None]) -> Items:
        names = tuple(name for name, _ in outputs)
        likes = tuple((name, other) for name, other in outputs if other is not None)
        return (OutputDeclaration(names, span, likes),)

    def output(self, span: Span, name: Name) -> tuple[Name, None]:
        return name, None

    def like_output(self, span: Span, name: Name, other: Name) -> tuple[Name, Name]:
        return name, other

    def base(self, span: Span, base: Number) -> Items:
        if base.text not in ("0", "1"):
            raise SyntaxError(
                base.span,
                f"the first index is 0 or 1, not {base.text}",
                fix="write `base 0` or `base 1`",
            )
        return (BaseDeclaration(int(base.text), span),)

    def einstein(self, span: Span) -> Items:
        return (EinsteinDeclaration(span),)

    def requirement(self, span: Span, condition: Condition) -> Items:
        return (Requirement(condition, span),)

    def definition(self, span: Span, target: Target, body: Expression) -> Items:
        lefts = _left_indices(target)
        dtype, values, like = target.dtype
        return (Definition(target.name, lefts, dtype, None, body, span, values, like),)

    def target(
        self, span: Span, name: Name, lefts: Lefts | None, elements: ElementType | None
    ) -> Target:
        return Target(name, lefts, elements or ElementType())

    def lefts(self, span: Span, *listed: Any) -> Lefts:
        *indices, condition = listed
        return Lefts(tuple(indices), condition)

    def value(self, span: Span, value: Expression) -> Expression:
        return value

    def shape(self, span: Span, *extents: Expression) -> tuple[Expression, ...]:
        return extents

    def dtype(self, span: Span, name: Name) -> ElementType:
        return ElementType(dtype=name)

    def values(self, span: Span, low: Expression, high: Expression) -> ElementType:
        return ElementType(values=(low, high))

    def like(self, span: Span, other: Name) -> ElementType:
        return ElementType(like=other)

    def element_type(self, span: Span) -> Name:
        return name_at(span)

    def given(self, span: Span, condition: Condition) -> Condition:
        return condition

    def first_name(self, span: Span) -> Name:
        return name_at(span)

    # Ranges

    def range(self, span: Span, name: Name) -> Range:
        return Range(name, span)

    def range_of_extent(self, span: Span, name: Name, extent: Expression) -> Range:
        return Range(name, span, extent=extent)

    def range_between(self, span: Span, name: Name, low: Expression, high: Expression) -> Range:
        return Range(name, span, low=low, high=high)

    # Expressions

    def binary(
        self, span: Span, left: Expression, operator: Operator, right: Expression
    ) -> Expression:
        return Binary(operator, left, right, span)

    def negative(self, span: Span, _minus: Operator, operand: Expression) -> Expression:
        return Unary(operand, span)

    def parenthesized(self, span: Span, inner: T) -> T:
        return inner

    def application_to_primary(
        self, span: Span, function: Name, argument: Expression
    ) -> Expression:
        return Application(function, (argument,), span)

    def function(self, span: Span) -> Name:
        return name_at(span)

    def number(self, span: Span) -> Expression:
        return Number(span.text, span)

    def name(self, span: Span) -> Name:
        return name_at(span)

    def function_as_name(self, span: Span) -> Name:
        if _SIGNED.match(span.source.text, span.end):
            raise SyntaxError(
                span,
                f"`{span.text}` without parentheses is not applied to what begins with a sign",
                fix=f"write `{span.text}(...)` with the sign inside",
            )
        return name_at(span)

    def element(self, span: Span, name: Name, *subscripts: Expression) -> Expression:
        return Element(name, subscripts, span)

    def application(self, span: Span, name: Name, *args: Expression | Condition) -> Expression:
        return Application(name, args, span)

    def choice(
        self, span: Span, condition: Condition, then: Expression, otherwise: Expression
    ) -> Expression:
        return Choice(condition, then, otherwise, span)

    def bracket(self, span: Span, condition: Condition) -> Expression:
        return Bracket(condition, span)

    def reduction(self, span: Span, head: Head, body: Expression) -> Expression:
        return Reduction(head.op, head.ranges, head.condition, body, span)

    def head(
        self,
        span: Span,
        op: Name,
        ranges: tuple[Range, ...],
        condition: Condition | None,
        bounds: AttachedBounds | None,
    ) -> Head:
        return Head(op, _bounded(ranges, bounds) if bounds else ranges, condition)

    def reducer(self, span: Span) -> Name:
        return name_at(span)

    def ranges(self, span: Span, *ranges: Range) -> tuple[Range, ...]:
        return ranges

    def bounds(self, span: Span, low: Expression, high: Expression) -> AttachedBounds:
        return AttachedBounds(low, high, span)

    # Conditions

    def either(self, span: Span, left: Condition, right: Condition) -> Condition:
        return Logical("or", left, right, span)

    def both(self, span: Span, left: Condition, right: Condition) -> Condition:
        return Logical("and", left, right, span)

    def negated(self, span: Span, operand: Condition) -> Condition:
        return Not(operand, span)

    def comparison(self, span: Span, *chain: Any) -> Condition:
        return Comparison(chain[::2], chain[1::2], span)

    def relation(self, span: Span) -> Relation:
        return _RELATIONS[span.text]

    def is_integer(self, span: Span, operand: Expression) -> Condition:
        return IsInteger(operand, span)

    # Programs that work in place

    def states(self, span: Span, *tensors: TensorDeclaration) -> Items:
        return tuple(replace(t, kind="state") for t in tensors)

    def update(self, span: Span, target: Target, arrow: Span, body: Expression) -> Items:
        if target.dtype != ElementType():
            raise SyntaxError(
                target.name.span,
                "an update keeps the element type of its state",
                fix=f"declare it there: `state {target.name.name}[..]: ..`",
            )
        lefts, condition = target.lefts or Lefts((), None)
        updated = tuple(Range(i, i.span) if isinstance(i, Name) else i for i in lefts)
        return (Update(target.name, updated, condition, body, span),)

    def arrow(self, span: Span) -> Span:
        return span


class AttachedBounds(NamedTuple):
    """`_low^high` after the braces of a reduction."""

    low: Expression
    high: Expression
    span: Span


def _left_indices(target: Target) -> tuple[Range, ...]:
    """The indices of a definition: names, each with an extent or without."""
    if target.lefts is None:
        return ()
    if target.lefts.condition is not None:
        raise SyntaxError(
            target.lefts.condition.span,
            f"`=` defines all of `{target.name.name}`, so no condition stands on the left",
            fix="write the cases on the right, `if condition then a else b`",
        )
    return tuple(_left_index(left) for left in target.lefts.indices)


def _left_index(left: Expression | Range) -> Range:
    match left:
        case Range():
            return left
        case Name():
            return Range(left, left.span)
        case Element(_, subscripts):
            index = next((s.name for s in subscripts if isinstance(s, Name)), "i")
            raise SyntaxError(
                left.span,
                f"`{left.span.text}` is no index: on the left of `=` indices are bare names",
                fix=f"sum what goes to an element: `y[j: N] = sum{{{index} | {left.span.text} = j}} ..`",
            )
        case _:
            raise SyntaxError(
                left.span,
                f"`{left.span.text}` is no index: on the left of `=` indices are bare names",
                fix="write `f[i]` or `f[i: extent]`, and the arithmetic on the right",
            )


def _bounded(ranges: tuple[Range, ...], bounds: AttachedBounds) -> tuple[Range, ...]:
    """The one range of a reduction, with the bounds that stand after it."""
    first = ranges[0]
    if len(ranges) > 1 or first.extent is not None or first.low is not None:
        raise SyntaxError(
            bounds.span,
            "bounds after the braces need a single index without a range inside them",
            fix="write the range of each index inside, `sum{k=0..4, l=0..2}`",
        )
    return (Range(first.name, first.span, low=bounds.low, high=bounds.high),)
