"""Programs: inputs, statements in order, outputs. The one representation between resolve and loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Literal

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import (
    EVERYWHERE,
    Condition,
    Derived,
    Determined,
    Domain,
    Looked,
    at_least_zero,
)
from tadc.ir.element_types import arithmetic, item_bytes
from tadc.ir.expr import Expr, Reduce
from tadc.ir.walk import postorder, substitute, tensors_read

__all__ = ["DerivedSize", "Program", "Statement", "Tensor", "values_of_sizes"]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A name, an extent per dimension (affine in the sizes) and an element type, None for that of the call.

    Of an index tensor `values` are the least and the greatest that are declared, if any are.
    """

    name: str
    shape: tuple[Affine, ...]
    dtype: str | None = None
    values: tuple[Affine, Affine] | None = None

    def itemsize(self, dtype: str) -> int:
        """The bytes of an element; `dtype` is the type of one that is not declared."""
        return item_bytes(self.dtype or dtype)

    def shape_at(self, sizes: Mapping[Symbol, int]) -> tuple[int, ...]:
        """The extents for these sizes."""
        return tuple(max(0, n.at(sizes)) for n in self.shape)

    def bytes_at(self, sizes: Mapping[Symbol, int], dtype: str) -> int:
        """The bytes of all elements for these sizes."""
        return prod(self.shape_at(sizes)) * self.itemsize(dtype)


@dataclass(frozen=True, slots=True)
class DerivedSize:
    """A size made of others when the program is called: `name = form // modulus`, or a `min` or `max` of forms.

    A parameter from then on, with `conditions` among the facts known of the parameters.
    """

    name: Symbol
    op: Literal["floor", "min", "max"]
    forms: tuple[Affine, ...]
    modulus: int = 1

    @property
    def conditions(self) -> tuple[Condition, ...]:
        size = symbol(self.name)
        match self.op:
            case "floor":
                return Derived(self.name, self.forms[0], self.modulus).conditions
            case "min":
                return tuple(at_least_zero(form - size) for form in self.forms)
            case "max":
                return tuple(at_least_zero(size - form) for form in self.forms)

    def at(self, sizes: Mapping[Symbol, int]) -> int:
        values = [form.at(sizes) for form in self.forms]
        match self.op:
            case "floor":
                return values[0] // self.modulus
            case "min":
                return min(values)
            case "max":
                return max(values)

    def __str__(self) -> str:
        """As an `.idx` size expression."""
        match self.op:
            case "floor":
                form = str(self.forms[0])
                return f"{form if form.isidentifier() else f'({form})'} // {self.modulus}"
            case _:
                return f"{self.op}({', '.join(map(str, self.forms))})"


def values_of_sizes(
    sizes: Mapping[Symbol, int], derived_sizes: Iterable[DerivedSize]
) -> dict[Symbol, int]:
    """The values of all sizes, from those of `sizes`."""
    values = dict(sizes)
    for derived in derived_sizes:
        values[derived.name] = derived.at(values)
    return values


@dataclass(frozen=True, slots=True)
class Statement:
    """`target[indices] = body` for every integer point of the target's box; `derived` are functions of `indices`."""

    target: Tensor
    indices: tuple[Symbol, ...]
    derived: tuple[Determined, ...]
    body: Expr

    @property
    def box(self) -> Domain:
        """`0 <= index < extent`, and the definitions of the derived indices."""
        derived = Domain.of(c for d in self.derived for c in d.conditions)
        return Domain.box(self.extents) & derived

    @property
    def extents(self) -> dict[Symbol, Affine]:
        """The extent of each index."""
        return dict(zip(self.indices, self.target.shape, strict=True))

    @property
    def reads(self) -> frozenset[str]:
        """The tensors that the body and the data indices read."""
        return tensors_read(self.body).union(
            d.tensor for d in self.derived if isinstance(d, Looked)
        )


@dataclass(frozen=True)
class Program:
    """A straight line of single assignments.

    `sizes` are the parameters, bound by the shapes of a call or by keyword; `derived_sizes` follow from them, in
    order; `facts` is what else is known of them (extents that must agree), checked at every call.
    Outputs may be inputs. Every read names an input or an earlier statement's target. `given` are statements that the
    values of some inputs come from: nothing computes them, but their forms are known. `offsets` are sizes that may be
    0, `requirements` the facts that the text states. `usual` has numbers of sizes by which schedules are chosen, instead of
    those of a call: a block is run as the whole would be. `is_section`: it computes one section of a sum that a call
    of the whole has in sections for its threads, so that threads do not share it again.
    """

    name: str
    sizes: tuple[Symbol, ...]
    derived_sizes: tuple[DerivedSize, ...]
    facts: Domain
    inputs: tuple[Tensor, ...]
    statements: tuple[Statement, ...]
    outputs: tuple[str, ...]
    given: tuple[Statement, ...] = ()
    offsets: frozenset[Symbol] = frozenset()
    requirements: Domain = EVERYWHERE
    usual: tuple[tuple[Symbol, int], ...] = ()
    is_section: bool = False

    @cached_property
    def tensors(self) -> Mapping[str, Tensor]:
        """Every tensor by name: inputs, then targets in order."""
        return {t.name: t for t in (*self.inputs, *(s.target for s in self.statements))}

    @cached_property
    def definitions(self) -> Mapping[str, Statement]:
        """The statement of every tensor that has one."""
        return {s.target.name: s for s in (*self.given, *self.statements)}

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """All sizes, in the order in which they are known."""
        return (*self.sizes, *(d.name for d in self.derived_sizes))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that no index may have: those of sizes and tensors."""
        return frozenset((*self.parameters, *self.tensors))

    @cached_property
    def known(self) -> Domain:
        """Conditions on the sizes that hold whenever a kernel runs: extents of at least 1, definitions of derived sizes, facts.

        A call with an extent of 0 is compiled for its numbers, so that kernels never meet one. An extent that is the
        number 0 already says nothing of the sizes.
        """
        extents = (n for t in self.tensors.values() for n in t.shape if not n.is_constant)
        return self.facts & Domain.of(
            (
                *(at_least_zero(symbol(s) - self.least(s)) for s in self.sizes),
                *(at_least_zero(n - 1) for n in extents),
                *(c for d in self.derived_sizes for c in d.conditions),
            )
        )

    def least(self, size: Symbol) -> int:
        """The least value of a size in a call that a kernel runs."""
        return 0 if size in self.offsets else 1

    @cached_property
    def symbols(self) -> frozenset[Symbol]:
        """Every index, derived index and size."""
        names = set(self.parameters)
        for s in self.statements:
            names |= {*s.indices, *(d.name for d in s.derived)}
            for node in postorder(s.body):
                if isinstance(node, Reduce):
                    names |= {*node.indices, *(d.name for d in node.derived)}
        return frozenset(names)

    def bytes_at(self, sizes: Mapping[Symbol, int], dtype: str) -> dict[str, int]:
        """The bytes of each tensor by name; temporaries are of the type of the arithmetic."""
        outside = self._outside
        return {
            n: t.bytes_at(sizes, dtype if n in outside else arithmetic(dtype))
            for n, t in self.tensors.items()
        }

    def item_bytes(self, tensor: str, dtype: str) -> int:
        """The bytes of an element of this tensor, as `bytes_at` counts them."""
        element_type = dtype if tensor in self._outside else arithmetic(dtype)
        return self.tensors[tensor].itemsize(element_type)

    @cached_property
    def _outside(self) -> frozenset[str]:
        return frozenset((*(t.name for t in self.inputs), *self.outputs))

    def is_empty(self, sizes: Mapping[Symbol, int]) -> bool:
        """Whether a size that is no offset, or an extent, is 0 (or less) for these values of all sizes."""
        extents = (n.at(sizes) for t in self.tensors.values() for n in t.shape)
        return any(n < 1 for n in extents) or any(sizes[s] < self.least(s) for s in self.sizes)

    def size_values(self, sizes: Mapping[Symbol, int]) -> dict[Symbol, int]:
        """The values of all sizes, derived ones included, from those of `sizes`."""
        return values_of_sizes(sizes, self.derived_sizes)

    def specialised(self, sizes: Mapping[Symbol, int]) -> Program:
        """The program for these numbers of some sizes, or of all: the others are left."""
        values = {s: constant(n) for s, n in sizes.items()}
        derived_sizes = []
        for d in self.derived_sizes:
            specialised = replace(d, forms=tuple(form.substitute(values) for form in d.forms))
            if all(form.is_constant for form in specialised.forms):
                values[d.name] = constant(specialised.at({}))
            else:
                derived_sizes.append(specialised)

        def with_numbers(t: Tensor) -> Tensor:
            extents = [n.substitute(values) for n in t.shape]
            shape = (constant(max(0, n.constant)) if n.is_constant else n for n in extents)
            ends = t.values and (t.values[0].substitute(values), t.values[1].substitute(values))
            return replace(t, shape=tuple(shape), values=ends)

        def specialised_statement(s: Statement) -> Statement:
            derived = tuple(d.substitute(values) for d in s.derived)
            return Statement(with_numbers(s.target), s.indices, derived, substitute(s.body, values))

        return Program(
            self.name,
            tuple(s for s in self.sizes if s not in values),
            tuple(derived_sizes),
            self.facts.substitute(values),
            tuple(map(with_numbers, self.inputs)),
            tuple(map(specialised_statement, self.statements)),
            self.outputs,
            tuple(map(specialised_statement, self.given)),
            self.offsets.difference(sizes),
            self.requirements.substitute(values),
            tuple((s, n) for s, n in self.usual if s not in sizes),
            self.is_section,
        )
