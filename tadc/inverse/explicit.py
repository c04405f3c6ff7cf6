"""Inverse modes as programs, where every step is diagonal or a bijection: they derive again, and have text and kernels like any other.

The diagonal of a step is its derivative along ones, A 1. A step of a partial update has ones for the rows that it keeps.

    inverse tangent   z = (v[W] - B v[R]) / a        last step first
    inverse adjoint   z = w[W] / a;  w[R] -= Bᵀ z    first step first
    logdet            sum of log |a| over the steps

What a partial update keeps is among the rest, R. In a bijection z is moved along the map or back, as a gathering sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import prod
from typing import Any

from tadc.derive.adjoint import adjoint
from tadc.derive.tangent import tangent
from tadc.errors import DerivativeError
from tadc.inverse.lumps import Lump, Narrow, active_values, lumps
from tadc.inverse.reads import PathRead, Region
from tadc.inverse.structure import analysed, paired
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Domain, equals_zero
from tadc.ir.expr import Const, Expr, Read, Reduce, Select, call
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import rewrite
from tadc.normalize.live import part

__all__ = ["explicit_inverse_adjoint", "explicit_inverse_tangent", "explicit_logdet"]


@dataclass(frozen=True, slots=True)
class _Step:
    lump: Lump
    pairs: tuple[tuple[str, str], ...]  # after, before
    regions: Mapping[str, Region | None]  # by the value after
    reads: tuple[PathRead, ...]  # of a bijection


@dataclass(slots=True)
class _Builder:
    """The statements of an inverse mode so far. `program` has its reductions as statements of their own."""

    program: Program
    names: Names
    vectors: tuple[Tensor, ...] = ()  # further inputs
    outputs: tuple[str, ...] = ()
    statements: list[Statement] = field(default_factory=list)

    def add(self, tensor: Tensor, indices: tuple[Symbol, ...], body: Expr) -> str:
        self.statements.append(Statement(tensor, indices, (), body))
        return tensor.name

    def diagonal(self, step: _Step) -> dict[str, str]:
        """The tensor of the diagonal for each value after the step."""
        before = tuple(b for _, b in step.pairs)
        inner = part(self.program, step.lump.after, (*step.lump.before, *step.lump.kept))
        derived = tangent(inner, before, self.names)
        seeds = dict(zip((t.name for t in derived.inputs[-len(before) :]), before, strict=True))
        regions = {b: step.regions[a] for a, b in step.pairs}

        def ones(e: Expr) -> Expr:
            match e:
                case Read(name, subscripts) if name in seeds:
                    return _inside(regions[seeds[name]], subscripts, Const(1), Const(0))
                case _:
                    return e

        self._append(derived, ones)
        by_output = dict(zip(inner.outputs, derived.outputs, strict=True))
        diagonals = {}
        for after, _ in step.pairs:
            tensor = self.program.tensors[after]
            indices = self._indices(tensor)
            at = tuple(map(symbol, indices))
            value = _inside(step.regions[after], at, Read(by_output[after], at), Const(1))
            target = replace(tensor, name=self.names.fresh(f"a_{after}"))
            diagonals[after] = self.add(target, indices, value)
        return diagonals

    def product(
        self, step: _Step, wrt: Sequence[str], vectors: Mapping[str, str], *, transposed: bool
    ) -> dict[str, str]:
        """The tensors of B v by value after, or of Bᵀ z by value of `wrt`, where `vectors` are the tensors of v or z."""
        inner = part(self.program, step.lump.after, (*step.lump.before, *step.lump.kept))
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

        self._append(derived, with_vectors)
        results = tuple(wrt) if transposed else inner.outputs
        return dict(zip(results, derived.outputs, strict=True))

    def combined(
        self, like: str, name: str, terms: Sequence[str], value: Callable[..., Expr]
    ) -> str:
        """A new tensor shaped like `like`: the value, at each element, of those of these tensors and of the place."""
        tensor = self.program.tensors[like]
        indices = self._indices(tensor)
        at = tuple(map(symbol, indices))
        target = replace(tensor, name=self.names.fresh(name))
        return self.add(target, indices, value(*(Read(x, at) for x in terms), at))

    def outside(self, like: str, region: Region, x: str) -> str:
        """The tensor with zeros in the region."""
        return self.combined(like, x, (x,), lambda e, at: _inside(region, at, Const(0), e))

    def inside(self, like: str, region: Region, x: str) -> str:
        """The tensor with zeros outside of the region."""
        return self.combined(like, x, (x,), lambda e, at: _inside(region, at, e, Const(0)))

    def solved(
        self, step: _Step, pair: tuple[str, str], b: str, change: Mapping[str, str], diagonal: str
    ) -> str:
        """The tensor of `(b - change) / a`, in a partial update where it writes, and else `b`."""
        after, before = pair
        region = step.regions[after]

        def value(*terms: Any) -> Expr:
            *changes, a, right, at = terms
            rest = call("sub", right, changes[0]) if changes else right
            return _inside(region, at, call("div", rest, a), right)

        terms = (*((change[after],) if change else ()), diagonal, b)
        quotients = self.combined(before, f"d_{before}", terms, value)
        return self.gathered(step, before, quotients, to_rows=False) if step.reads else quotients

    def gathered(self, step: _Step, like: str, x: str, *, to_rows: bool) -> str:
        """A bijection's tensor: for each row the element of `x` that it reads (`to_rows`), or for each element its row's."""
        tensor = self.program.tensors[like]
        indices, others = self._indices(tensor), self._indices(tensor)
        total: Expr = Const(0)
        for n, read in enumerate(step.reads):
            rows, elements = (indices, others) if to_rows else (others, indices)
            named = read.renamed(rows, f"'{n}")
            box = Domain.box(dict(zip(others, tensor.shape, strict=True)))
            pairs = zip(named.subscripts, elements, strict=True)
            there = Domain.of(equals_zero(form - symbol(e)) for form, e in pairs)
            body = Read(x, tuple(map(symbol, others)))
            total = total + Reduce("sum", others, named.derived, named.domain & box & there, body)
        target = replace(tensor, name=self.names.fresh(f"g_{like}"))
        return self.add(target, indices, total)

    def kept(self, after: str, region: Region | None, solved: str, change: str) -> str:
        """The tensor, less the change where a partial update keeps values."""

        def value(e: Expr, d: Expr, at: Sequence[Affine]) -> Expr:
            return _inside(region, at, e, call("sub", e, d))

        return self.combined(after, f"d_{after}", (solved, change), value)

    def _append(self, derived: Program, rule: Callable[[Expr], Expr]) -> None:
        known = {s.target.name for s in (*self.program.statements, *self.statements)}
        for s in derived.statements:
            if s.target.name not in known:
                self.statements.append(replace(s, body=rewrite(s.body, rule)))

    def _indices(self, tensor: Tensor) -> tuple[Symbol, ...]:
        return tuple(self.names.fresh(f"i{d}") for d in range(len(tensor.shape)))


def _inside(region: Region | None, at: Sequence[Affine], there: Expr, elsewhere: Expr) -> Expr:
    """One value in a region, another one outside of it."""
    if region is None:
        return there
    if (
        region.derived
    ):  # a quotient in the condition: its definition goes along as a sum over one value
        raise DerivativeError(
            None,
            "the condition of a partial update has a quotient, and such a step has no program",
            fix="write the condition with `%`, or call the inverse mode itself",
        )
    values = dict(zip(region.rows, at, strict=True))

    def chosen(rest: Expr, piece: Domain) -> Expr:
        return Select(piece.substitute(values), there, rest)

    return reduce(chosen, reversed(region.pieces), elsewhere)


def _steps(program: Program, wrt: Sequence[str], of: Sequence[str]) -> list[_Step]:
    """The steps of a program whose sizes have numbers. Raises DerivativeError for one that is neither diagonal nor a bijection."""
    elements = {n: prod(e.constant for e in t.shape) for n, t in program.tensors.items()}
    found = lumps(program, wrt, of, elements)
    assert not isinstance(found, Narrow), "the steps were found before"
    active = active_values(program, wrt, of)
    steps = []
    for k, lump in enumerate(found):
        found_ = analysed(program, lump, active)
        s = found_.structure
        if s.kind not in ("diagonal", "bijection"):
            raise DerivativeError(
                None,
                f"step {k} has a {s.kind} block, and programs are made of diagonal ones and bijections",
                fix="call the inverse mode itself, or stage the update so that each step is one of these",
            )
        pairs = paired(program, lump)
        steps.append(_Step(lump, pairs, {after: s.region for after, _ in pairs}, found_.reads))
    return steps


def explicit_logdet(
    program: Program, separated: Program, wrt: Sequence[str], of: Sequence[str], names: Names
) -> Program:
    """The program of log |det J|: the inputs of `program`, one output `logdet`. `separated` has reductions as statements."""
    build = _Builder(separated, names, (), (names.derivative("logdet"),))
    total: Expr = Const(0)
    for step in _steps(program, wrt, of):
        for after, diagonal in build.diagonal(step).items():
            tensor = separated.tensors[after]
            indices = tuple(names.fresh(f"k{d}") for d in range(len(tensor.shape)))
            body: Expr = call("log", call("abs", Read(diagonal, tuple(map(symbol, indices)))))
            if indices:
                box = Domain.box(dict(zip(indices, tensor.shape, strict=True)))
                body = Reduce("sum", indices, (), box, body)
            total = total + body
    total_of_steps = build.add(Tensor(names.fresh("total"), ()), (), total)
    return _finished(build, [total_of_steps])


def explicit_inverse_tangent(
    program: Program, separated: Program, wrt: Sequence[str], of: Sequence[str], names: Names
) -> Program:
    """The program of J⁻¹v: the inputs, then `d<output>` for each of `of`; outputs `d<input>` for each of `wrt`."""
    build = _Builder(separated, names, _vectors(separated, of, names), _called(wrt, names))
    v = {y: t.name for y, t in zip(of, build.vectors, strict=True)}
    for step in reversed(_steps(program, wrt, of)):
        diagonals = build.diagonal(step)
        known = {x: v[x] for x in step.lump.kept}
        for after, before in step.pairs:
            region = step.regions[after]
            if region is not None:  # what a partial update keeps is known
                known[before] = build.outside(before, region, v[after])
        change = build.product(step, tuple(known), known, transposed=False) if known else {}
        for after, before in step.pairs:
            v[before] = build.solved(step, (after, before), v.pop(after), change, diagonals[after])
    return _finished(build, [v[x] for x in wrt])


def explicit_inverse_adjoint(
    program: Program, separated: Program, wrt: Sequence[str], of: Sequence[str], names: Names
) -> Program:
    """The program of J⁻ᵀw: the inputs, then `d<input>` for each of `wrt`; outputs `d<output>` for each of `of`."""
    build = _Builder(separated, names, _vectors(separated, wrt, names), _called(of, names))
    w = {x: t.name for x, t in zip(wrt, build.vectors, strict=True)}
    for step in _steps(program, wrt, of):
        diagonals = build.diagonal(step)
        solved, written = {}, {}
        for after, before in step.pairs:
            source = w.pop(before)
            if step.reads:
                source = build.gathered(step, after, source, to_rows=True)
            pair = (source, diagonals[after])
            solved[after] = build.combined(after, f"d_{after}", pair, _quotient)
            region = step.regions[after]
            written[after] = (
                solved[after] if region is None else build.inside(after, region, solved[after])
            )
        partial = {after: before for after, before in step.pairs if step.regions[after]}
        wrt_of_step = (*step.lump.kept, *partial.values())
        if wrt_of_step:
            change = build.product(step, wrt_of_step, written, transposed=True)
            for x in step.lump.kept:
                w[x] = build.combined(x, f"d_{x}", (w[x], change[x]), _difference)
            for after, before in partial.items():  # rows of the identity
                solved[after] = build.kept(
                    after, step.regions[after], solved[after], change[before]
                )
        w |= solved
    return _finished(build, [w[y] for y in of])


def _difference(a: Expr, b: Expr, _: Sequence[Affine]) -> Expr:
    return call("sub", a, b)


def _quotient(a: Expr, b: Expr, _: Sequence[Affine]) -> Expr:
    return call("div", a, b)


def _vectors(program: Program, values: Sequence[str], names: Names) -> tuple[Tensor, ...]:
    tensors = (program.tensors[n] for n in values)
    return tuple(replace(t, name=names.derivative(f"d{t.name}")) for t in tensors)


def _called(values: Sequence[str], names: Names) -> tuple[str, ...]:
    return tuple(names.derivative(f"d{n}") for n in values)


def _finished(build: _Builder, results: Sequence[str]) -> Program:
    """The program, with these tensors as its outputs, under the names that were kept for them."""
    every = {t.name: t for t in (*build.vectors, *(s.target for s in build.statements))}
    for name, result in zip(build.outputs, results, strict=True):
        tensor = every[result]
        indices = tuple(build.names.fresh(f"i{d}") for d in range(len(tensor.shape)))
        at = tuple(map(symbol, indices))
        build.add(replace(tensor, name=name), indices, Read(result, at))
    program = build.program
    return replace(
        program,
        inputs=(*program.inputs, *build.vectors),
        statements=(*program.statements, *build.statements),
        outputs=build.outputs,
    )
