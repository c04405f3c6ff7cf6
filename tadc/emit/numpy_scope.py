"""Scopes of a numpy statement: which indices are axes, their ranges, and the lines that compute what depends on them.

Every array of a statement has one axis for each index of the target and each level of reductions, in this order; an
index that a value does not depend on has extent 1 there. So values of all scopes broadcast, and shared ones just work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tadc.emit.numpy_spelling import Text
from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Derived
from tadc.ir.expr import Expr

__all__ = ["Axis", "Scope", "surely"]


@dataclass(frozen=True, slots=True)
class Axis:
    """An index as an axis of arrays: from `low` to before `stop`, two forms of scalars.

    `least` and `most` bound it over all blocks. `offset` is a form over outer axes that `low` and `stop` count from.
    """

    index: Symbol
    position: int
    low: Affine
    stop: Affine
    least: Affine
    most: Affine
    offset: str | None = None


@dataclass(slots=True, eq=False)
class Scope:
    """Indices with one place to compute what depends on them; `lines` is the Python text of it.

    `known` are values that a name holds from here on, inner scopes included; `arrays` the names of index arrays.
    """

    outer: Scope | None
    axes: Mapping[Symbol, Axis] = field(default_factory=dict)
    derived: Mapping[Symbol, Derived] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    known: dict[Expr, Text] = field(default_factory=dict)
    arrays: dict[Symbol, str] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """The number of axes of this scope and those around it."""
        return len(self.axes) + (self.outer.depth if self.outer else 0)

    def home(self, symbols: frozenset[Symbol]) -> Scope:
        """The innermost scope that binds one of the symbols: there what depends on them is computed."""
        scope = self
        while scope.outer is not None:
            if not symbols.isdisjoint(scope.axes) or not symbols.isdisjoint(scope.derived):
                return scope
            scope = scope.outer
        return scope

    def axis(self, symbol: Symbol) -> Axis | None:
        scope: Scope | None = self
        while scope is not None:
            if symbol in scope.axes:
                return scope.axes[symbol]
            scope = scope.outer
        return None

    def division(self, symbol: Symbol) -> Derived | None:
        scope: Scope | None = self
        while scope is not None:
            if symbol in scope.derived:
                return scope.derived[symbol]
            scope = scope.outer
        return None


def surely(form: Affine, sizes: frozenset[Symbol]) -> bool:
    """Whether `form >= 0` follows from sizes of at least 1. False may mean unknown."""
    return all(c > 0 and s in sizes for s, c in form.terms) and (
        form.constant + sum(c for _, c in form.terms) >= 0
    )
