"""Programs of inverse modes as they are built: steps with what is known of their blocks, and statements so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from tadc.derive.adjoint import adjoint
from tadc.derive.tangent import tangent
from tadc.errors import DerivativeError
from tadc.inverse.lumps import Lump
from tadc.inverse.reads import PathRead, Region
from tadc.inverse.structure import Structure
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Determined, Domain
from tadc.ir.expr import Call, Const, Expr, Read, Reduce, Select, call
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import rewrite
from tadc.normalize.live import part

__all__ = ["Builder", "Step", "along_region", "inside", "without_zeros"]


@dataclass(frozen=True, slots=True)
class Step:
    """A lump with the structure of its block. `is_stacked`: all its values have one shape, that of the structure."""

    number: int
    lump: Lump
    pairs: tuple[tuple[str, str], ...]  # after, before
    regions: Mapping[str, Region | None]  # by the value after
    structure: Structure
    reads: tuple[PathRead, ...]  # of a bijection
    is_stacked: bool

    @property
    def before(self) -> tuple[str, ...]:
        return tuple(b for _, b in self.pairs) if self.is_stacked else self.lump.before

    @property
    def after(self) -> tuple[str, ...]:
        return tuple(a for a, _ in self.pairs) if self.is_stacked else self.lump.after


@dataclass(slots=True)
class Builder:
    """The statements of an inverse mode so far. `program` has its reductions as statements of their own."""

    program: Program
    names: Names
    vectors: tuple[Tensor, ...] = ()  # further inputs
    outputs: tuple[str, ...] = ()
    statements: list[Statement] = field(default_factory=list)

    def add(
        self,
        tensor: Tensor,
        indices: Sequence[Symbol],
        body: Expr,
        derived: Sequence[Determined] = (),
    ) -> str:
        self.statements.append(Statement(tensor, tuple(indices), tuple(derived), body))
        return tensor.name

    def indices(self, count: int, hint: str = "i") -> tuple[Symbol, ...]:
        return tuple(self.names.fresh(f"{hint}{d}") for d in range(count))

    def combined(
        self, like: str, name: str, terms: Sequence[str], value: Callable[..., Expr]
    ) -> str:
        """A new tensor shaped like `like`: the value, at each element, of those of these tensors and of the place."""
        tensor = self.program.tensors[like]
        indices = self.indices(len(tensor.shape))
        at = tuple(map(symbol, indices))
        target = replace(tensor, name=self.names.fresh(name))
        return self.add(target, indices, value(*(Read(x, at) for x in terms), at))

    def outside(self, like: str, region: Region, x: str) -> str:
        """The tensor with zeros in the region."""
        return self.combined(like, x, (x,), lambda e, at: inside(region, at, Const(0), e))

    def inside(self, like: str, region: Region, x: str) -> str:
        """The tensor with zeros outside of the region."""
        return self.combined(like, x, (x,), lambda e, at: inside(region, at, e, Const(0)))

    def inner(self, step: Step) -> Program:
        """The program of the step alone, from the values that it reads."""
        return part(self.program, step.lump.after, (*step.lump.before, *step.lump.kept))

    def product(
        self, step: Step, wrt: Sequence[str], vectors: Mapping[str, str], *, transposed: bool
    ) -> dict[str, str]:
        """The tensors of B v by value after, or of Bᵀ z by value of `wrt`, where `vectors` are the tensors of v or z."""
        inner = self.inner(step)
        derive = adjoint if transposed else tangent
        derived = derive(inner, tuple(wrt), self.names)
        given = inner.outputs if transposed else tuple(wrt)
        called = {
            t.name: vectors[x] for t, x in zip(derived.inputs[-len(given) :], given, strict=True)
        }

        def with_vectors(e: Expr) -> Expr:
            match e:
                case Read(name, subscripts) if name in called:
                    return Read(called[name], subscripts)
                case _:
                    return e

        self.extend(
            replace(s, body=rewrite(s.body, with_vectors)) for s in self.new(derived.statements)
        )
        results = tuple(wrt) if transposed else inner.outputs
        return dict(zip(results, derived.outputs, strict=True))

    def new(self, statements: Sequence[Statement]) -> list[Statement]:
        """Those of the statements that are not here yet."""
        known = {s.target.name for s in (*self.program.statements, *self.statements)}
        return [s for s in statements if s.target.name not in known]

    def extend(self, statements: Iterable[Statement]) -> None:
        self.statements.extend(statements)

    def sum_of_logs(self, tensor: Tensor, value: Callable[[tuple[Affine, ...]], Expr]) -> Expr:
        """The sum of log |value| over the elements of a tensor of this shape."""
        indices = self.indices(len(tensor.shape), "k")
        body: Expr = call("log", call("abs", value(tuple(map(symbol, indices)))))
        if not indices:
            return body
        box = Domain.box(dict(zip(indices, tensor.shape, strict=True)))
        return Reduce("sum", indices, (), box, body)


def along_region(program: Program, x: str, region: Region) -> Program:
    """The program that reads 0 for elements of the input `x` outside of the region."""

    def rule(e: Expr) -> Expr:
        match e:
            case Read(name, subscripts) if name == x:
                return inside(region, subscripts, e, Const(0))
            case _:
                return e

    statements = (replace(s, body=rewrite(s.body, rule)) for s in program.statements)
    return replace(program, statements=tuple(statements))


def without_zeros(program: Program) -> Program:
    """The program without products with 0, which are another value where a factor is not finite."""

    def rule(e: Expr) -> Expr:
        match e:
            case Call("mul" | "gate", (Const(0), _) | (_, Const(0))):
                return Const(0)
            case _:
                return e

    statements = (replace(s, body=rewrite(s.body, rule)) for s in program.statements)
    return replace(program, statements=tuple(statements))


def inside(region: Region | None, at: Sequence[Affine], there: Expr, elsewhere: Expr) -> Expr:
    """One value in a region, another one outside of it."""
    if region is None:
        return there
    if region.derived:  # its definition goes along as a sum over one value
        what = f"reads `{region.looks_up[0]}`" if region.looks_up else "has a quotient"
        raise DerivativeError(
            None,
            f"the condition of a partial update {what}, and such a step has no program",
            fix="call the inverse mode itself"
            if region.looks_up
            else "write the condition with `%`, or call the inverse mode itself",
        )
    values = dict(zip(region.rows, at, strict=True))

    def chosen(rest: Expr, piece: Domain) -> Expr:
        return Select(piece.substitute(values), there, rest)

    return reduce(chosen, reversed(region.pieces), elsewhere)
