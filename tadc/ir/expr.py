"""Scalar expressions: the value of a statement for one element.

    Expr      = Const(value) | IndexValue(form) | Read(tensor, subscripts) | Call(function, args)
              | Select(condition, then, otherwise) | Reduce(op, indices, derived, domain, body)
    Condition = Domain (affine) | Comparison(relation, left, right) (of values)

Nodes are immutable and interned: equal expressions are one node, so `is` compares and sharing is structural. What
depends on *where* a node stands (its span, the domain around it, its derivative) belongs to a use and is kept there.
A chain of `and`, `or`, `not` is nested `Select`s, so a condition is always one of the two forms above.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from threading import RLock
from typing import Any, Literal, TypeAlias
from weakref import WeakValueDictionary

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import EMPTY, Determined, Domain

__all__ = [
    "NEUTRAL",
    "Call",
    "Comparison",
    "Const",
    "Expr",
    "IndexValue",
    "Node",
    "Read",
    "Reduce",
    "ReduceOp",
    "Relation",
    "Select",
    "call",
    "reduction",
]

Relation: TypeAlias = Literal["==", "!=", "<", "<="]
ReduceOp: TypeAlias = Literal["sum", "prod", "max", "min"]

NEUTRAL: dict[ReduceOp, float] = {"sum": 0, "prod": 1, "max": float("-inf"), "min": float("inf")}

_interned: WeakValueDictionary[tuple[Any, ...], Node] = WeakValueDictionary()
_lock = RLock()


def _renew_lock() -> None:
    """Make a new lock in a forked process, where a thread that held the old one no longer exists."""
    global _lock
    _lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


class _Interned(type):
    """Makes equal nodes one object; the key holds type and bits, and operands by identity (they are interned)."""

    def __call__(cls, *fields: Any) -> Any:
        key = (cls, *(_bits(f) if isinstance(f, float) else f for f in fields))
        node = _interned.get(key)
        if node is None:
            new = super().__call__(*fields)
            with _lock:  # two threads must not make two of them
                node = _interned.setdefault(key, new)
        return node


def _bits(value: float) -> tuple[str, bytes]:
    return "float", struct.pack("d", value)


class Node(metaclass=_Interned):
    """The base of all expressions. Compared and hashed by identity; arithmetic makes `Call`s."""

    __slots__ = ("__weakref__", "symbols")
    symbols: frozenset[Symbol]  # the free symbols: indices and sizes that the value depends on

    @property
    def operands(self) -> tuple[Expr, ...]:
        return ()

    def __reduce__(self) -> tuple[Any, ...]:
        fields: tuple[str, ...] = getattr(self, "__match_args__", ())
        return type(self), tuple(getattr(self, f) for f in fields)

    def __add__(self, other: Expr | float) -> Call:
        return Call("add", (_expr(self), _expr(other)))

    def __radd__(self, other: float) -> Call:
        return Call("add", (_expr(other), _expr(self)))

    def __sub__(self, other: Expr | float) -> Call:
        return Call("sub", (_expr(self), _expr(other)))

    def __rsub__(self, other: float) -> Call:
        return Call("sub", (_expr(other), _expr(self)))

    def __mul__(self, other: Expr | float) -> Call:
        return Call("mul", (_expr(self), _expr(other)))

    def __rmul__(self, other: float) -> Call:
        return Call("mul", (_expr(other), _expr(self)))

    def __truediv__(self, other: Expr | float) -> Call:
        return Call("div", (_expr(self), _expr(other)))

    def __rtruediv__(self, other: float) -> Call:
        return Call("div", (_expr(other), _expr(self)))

    def __pow__(self, other: Expr | float) -> Call:
        return Call("pow", (_expr(self), _expr(other)))

    def __neg__(self) -> Call:
        return Call("neg", (_expr(self),))


class Const(Node):
    """A number. `1` and `1.0`, `0.0` and `-0.0` are different constants."""

    __slots__ = __match_args__ = ("value",)
    value: int | float

    def __init__(self, value: int | float) -> None:
        self.value = value
        self.symbols = frozenset()

    def __repr__(self) -> str:
        return repr(self.value)


class IndexValue(Node):
    """The value of an affine form of indices and sizes, as a real."""

    __slots__ = __match_args__ = ("form",)
    form: Affine

    def __init__(self, form: Affine) -> None:
        self.form = form
        self.symbols = frozenset(form.symbols)

    def __repr__(self) -> str:
        return f"IndexValue({self.form})"


class Read(Node):
    """The element of a tensor at affine subscripts. One subscript a dimension; inside the tensor wherever evaluated."""

    __slots__ = __match_args__ = ("tensor", "subscripts")
    tensor: str
    subscripts: tuple[Affine, ...]

    def __init__(self, tensor: str, subscripts: tuple[Affine, ...]) -> None:
        self.tensor = tensor
        self.subscripts = subscripts
        self.symbols = frozenset(s for form in subscripts for s in form.symbols)

    def __repr__(self) -> str:
        return f"{self.tensor}[{', '.join(map(str, self.subscripts))}]"


class Call(Node):
    """A scalar function of the table in `functions.py`, arithmetic included: `add`, `mul`, `exp`, `gate`."""

    __slots__ = __match_args__ = ("function", "args")
    function: str
    args: tuple[Expr, ...]

    def __init__(self, function: str, args: tuple[Expr, ...]) -> None:
        self.function = function
        self.args = args
        self.symbols = _union(args)

    @property
    def operands(self) -> tuple[Expr, ...]:
        return self.args

    def __repr__(self) -> str:
        return f"{self.function}(..{len(self.args)})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of two values. `>` and `>=` are written with the sides exchanged."""

    relation: Relation
    left: Expr
    right: Expr


class Select(Node):
    """`then` where the condition holds, else `otherwise`; the branch not taken is never evaluated."""

    __slots__ = __match_args__ = ("condition", "then", "otherwise")
    condition: Domain | Comparison
    then: Expr
    otherwise: Expr

    def __init__(self, condition: Domain | Comparison, then: Expr, otherwise: Expr) -> None:
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self.symbols = _union(self.operands)
        if isinstance(condition, Domain):
            self.symbols |= frozenset(condition.symbols)

    @property
    def operands(self) -> tuple[Expr, ...]:
        """The operands of the comparison, if it is one, then the two branches."""
        if isinstance(self.condition, Comparison):
            return self.condition.left, self.condition.right, self.then, self.otherwise
        return self.then, self.otherwise

    def __repr__(self) -> str:
        return f"Select({self.condition if isinstance(self.condition, Domain) else '..'})"


class Reduce(Node):
    """`op` of `body` over the integer points of `domain`, which bounds `indices`; `derived` are functions of them.

    Bound names differ from every name around them, and from each other.
    """

    __slots__ = __match_args__ = ("op", "indices", "derived", "domain", "body")
    op: ReduceOp
    indices: tuple[Symbol, ...]
    derived: tuple[Determined, ...]
    domain: Domain
    body: Expr

    def __init__(
        self,
        op: ReduceOp,
        indices: tuple[Symbol, ...],
        derived: tuple[Determined, ...],
        domain: Domain,
        body: Expr,
    ) -> None:
        self.op = op
        self.indices = indices
        self.derived = derived
        self.domain = domain
        self.body = body
        used = body.symbols.union(domain.symbols, *(d.symbols for d in derived))
        self.symbols = used - {*indices, *(d.name for d in derived)}

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.body,)

    def __repr__(self) -> str:
        return f"Reduce({self.op}, {self.indices}, {self.domain})"


Expr: TypeAlias = Const | IndexValue | Read | Call | Select | Reduce


def call(function: str, *args: Expr | float) -> Call:
    """A call of `function`; Python numbers become constants."""
    return Call(function, tuple(map(_expr, args)))


def reduction(
    op: ReduceOp,
    indices: tuple[Symbol, ...],
    derived: tuple[Determined, ...],
    domain: Domain,
    body: Expr,
) -> Expr:
    """The reduction, or its neutral element where the domain is seen to be empty."""
    return Const(NEUTRAL[op]) if domain == EMPTY else Reduce(op, indices, derived, domain, body)


def _expr(value: Node | float) -> Expr:
    if isinstance(value, (int, float)):
        return Const(value)
    assert isinstance(value, (Const, IndexValue, Read, Call, Select, Reduce))
    return value


def _union(operands: tuple[Expr, ...]) -> frozenset[Symbol]:
    """The union of the operands' symbols, sharing a set where one holds all: deep chains stay linear in memory."""
    union: frozenset[Symbol] = frozenset()
    for operand in operands:
        if not operand.symbols <= union:
            union = operand.symbols if union <= operand.symbols else union | operand.symbols
    return union
