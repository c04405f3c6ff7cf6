"""Steps that are solved by a division: diagonal blocks and bijections, as statements.

The diagonal of a step is its derivative along ones, A 1. A step of a partial update has ones for the rows that it keeps. In a
bijection the quotient is moved along the map or back, as a gathering sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tadc.derive.tangent import tangent
from tadc.inverse.builder import Builder, Step, inside
from tadc.inverse.lumps import Lump
from tadc.inverse.structure import Structure
from tadc.inverse.substitution import on_diagonal
from tadc.ir.affine import symbol
from tadc.ir.domain import Domain, equals_zero
from tadc.ir.expr import Const, Expr, Read, Reduce, call
from tadc.ir.program import Program
from tadc.ir.walk import rewrite
from tadc.normalize.live import part

__all__ = ["Scaling", "has_own_diagonal"]


@dataclass(frozen=True, slots=True)
class Scaling:
    """The solutions of a step by its diagonal."""

    build: Builder
    step: Step
    diagonals: Mapping[str, str]  # by the value after

    @classmethod
    def of(cls, build: Builder, step: Step) -> Scaling:
        return cls(build, step, _diagonals(build, step))

    @classmethod
    def of_triangle(cls, build: Builder, program: Program, step: Step) -> Scaling:
        """The diagonal of a triangle that `has_own_diagonal`, for its determinant alone; sums stand inside the statements of `program`."""
        ((after, before),) = step.pairs
        inner = part(program, step.lump.after, (*step.lump.before, *step.lump.kept))
        derived = on_diagonal(tangent(inner, (before,), build.names))
        build.extend(build.new(derived.statements))
        (name,) = derived.outputs
        region = step.regions[after]
        found = build.combined(
            after, f"a_{after}", (name,), lambda e, at: inside(region, at, e, Const(1))
        )
        return cls(build, step, {after: found})

    def solved(self, right: Mapping[str, str]) -> dict[str, str]:
        """The tensors of A⁻¹b by value before, from those of b by value after."""
        found = {}
        for after, before in self.step.pairs:
            terms = right[after], self.diagonals[after]
            quotients = self.build.combined(before, f"d_{before}", terms, _quotient)
            found[before] = self._moved(before, quotients, to_rows=False)
        return found

    def solved_transposed(self, right: Mapping[str, str]) -> dict[str, str]:
        """The tensors of A⁻ᵀb by value after, from those of b by value before."""
        found = {}
        for after, before in self.step.pairs:
            source = self._moved(after, right[before], to_rows=True)
            terms = source, self.diagonals[after]
            found[after] = self.build.combined(after, f"d_{after}", terms, _quotient)
        return found

    def log_pivots(self) -> list[Expr]:
        """Terms whose sum is log |det A|."""
        tensors = self.build.program.tensors
        return [
            self.build.sum_of_logs(tensors[after], lambda at, a=a: Read(a, at))  # type: ignore[misc]
            for after, a in self.diagonals.items()
        ]

    def _moved(self, like: str, x: str, *, to_rows: bool) -> str:
        """A bijection's tensor: for each row the element of `x` that it reads (`to_rows`), or for each element its row's."""
        if not self.step.reads:
            return x
        build = self.build
        tensor = build.program.tensors[like]
        indices, others = (build.indices(len(tensor.shape)) for _ in range(2))
        total: Expr = Const(0)
        for n, read in enumerate(self.step.reads):
            rows, elements = (indices, others) if to_rows else (others, indices)
            named = read.renamed(rows, f"'{n}")
            box = Domain.box(dict(zip(others, tensor.shape, strict=True)))
            pairs = zip(named.subscripts, elements, strict=True)
            there = Domain.of(equals_zero(form - symbol(e)) for form, e in pairs)
            body = Read(x, tuple(map(symbol, others)))
            total = total + Reduce("sum", others, named.derived, named.domain & box & there, body)
        return build.add(replace(tensor, name=build.names.fresh(f"g_{like}")), indices, total)


def has_own_diagonal(s: Structure, lump: Lump) -> bool:
    """Whether the block is a triangle of one statement, in which its diagonal can be told from its other entries."""
    return s.kind == "triangular" and len(lump.statements) == 1


def _diagonals(build: Builder, step: Step) -> dict[str, str]:
    """The tensor of the diagonal for each value after the step."""
    before = tuple(b for _, b in step.pairs)
    inner = build.inner(step)
    derived = tangent(inner, before, build.names)
    seeds = dict(zip((t.name for t in derived.inputs[-len(before) :]), before, strict=True))
    regions = {b: step.regions[a] for a, b in step.pairs}

    def ones(e: Expr) -> Expr:
        match e:
            case Read(name, subscripts) if name in seeds:
                return inside(regions[seeds[name]], subscripts, Const(1), Const(0))
            case _:
                return e

    build.extend(replace(s, body=rewrite(s.body, ones)) for s in build.new(derived.statements))
    by_output = dict(zip(inner.outputs, derived.outputs, strict=True))

    def diagonal(after: str) -> str:
        region = step.regions[after]
        return build.combined(
            after, f"a_{after}", (by_output[after],), lambda e, at: inside(region, at, e, Const(1))
        )

    return {after: diagonal(after) for after, _ in step.pairs}


def _quotient(a: Expr, b: Expr, _: object) -> Expr:
    return call("div", a, b)
