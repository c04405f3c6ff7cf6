"""Inverse modes as programs, for sizes that are numbers: they derive again, and have text and kernels like any other.

    inverse tangent   z = A⁻¹ (v[W] - B v[R])        last step first
    inverse adjoint   z = A⁻ᵀ w[W];  w[R] -= Bᵀ z    first step first
    logdet            sum of log |pivot| over the steps

What a partial update keeps is among the rest, R.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from math import prod
from operator import add
from typing import Protocol

from tadc.errors import BackendError
from tadc.inverse.builder import Builder, Step, inside
from tadc.inverse.elimination import MOST_ROWS_WRITTEN, Elimination
from tadc.inverse.lumps import Lump, Narrow, active_values, lumps
from tadc.inverse.scaling import Scaling, has_own_diagonal
from tadc.inverse.structure import Structure, analysed, is_stacked, paired
from tadc.ir.affine import Affine, symbol
from tadc.ir.expr import Const, Expr, Read
from tadc.ir.names import Names
from tadc.ir.program import Program, Tensor

__all__ = [
    "check_written_out",
    "explicit_inverse_adjoint",
    "explicit_inverse_tangent",
    "explicit_logdet",
]


class _Solver(Protocol):
    """The block of a step, as statements; tensors are by the values that they belong to."""

    def solved(self, right: dict[str, str]) -> dict[str, str]: ...
    def solved_transposed(self, right: dict[str, str]) -> dict[str, str]: ...
    def log_pivots(self) -> list[Expr]: ...


def _solver(build: Builder, step: Step) -> _Solver:
    s = step.structure
    if s.kind in ("diagonal", "bijection"):
        return Scaling.of(build, step)
    return Elimination(build, step)


def _diagonal(build: Builder, program: Program, step: Step) -> _Solver:
    """What knows the pivots of a step: for a triangle its diagonal does."""
    if has_own_diagonal(step.structure, step.lump):
        return Scaling.of_triangle(build, program, step)
    return _solver(build, step)


def check_written_out(step: int, s: Structure, lump: Lump, *, solves: bool) -> None:
    """Check that a step can be written out: its solution, or its determinant alone. Raises BackendError for systems that are too large.

    Rows are statements; a program has no loop over rows, each from those before, as an elimination with pivots is. (Products of
    matrices by halves would be one without pivots: they overflow where substitution does not.)
    """
    if not solves and has_own_diagonal(s, lump):
        return
    if s.kind not in ("diagonal", "bijection") and s.m > MOST_ROWS_WRITTEN:
        raise BackendError(
            None,
            f"step {step} has a {s.kind} block of {s.m} rows, and a program holds the elimination of at most {MOST_ROWS_WRITTEN}",
            fix="call the inverse mode itself with arrays of numpy, or stage the update so that its blocks are small or diagonal",
        )


def _steps(program: Program, wrt: Sequence[str], of: Sequence[str]) -> list[Step]:
    """The steps of a program whose sizes have numbers."""
    elements = {n: prod(e.constant for e in t.shape) for n, t in program.tensors.items()}
    wrt, of = ([n for n in names if elements[n]] for names in (wrt, of))
    if not wrt:
        return []
    found = lumps(program, wrt, of, elements)
    assert not isinstance(found, Narrow), "the steps were found before"
    active = active_values(program, wrt, of)
    return [_step(program, lump, active, k) for k, lump in enumerate(found)]


def _step(program: Program, lump: Lump, active: Sequence[str], number: int) -> Step:
    analysis = analysed(program, lump, active)
    s = analysis.structure
    pairs = paired(program, lump)
    regions = {after: s.region for after, _ in pairs}
    stacked = is_stacked(program, lump, s)
    return Step(number, lump, pairs, regions, s, analysis.reads, stacked)


def explicit_logdet(
    program: Program, separated: Program, wrt: Sequence[str], of: Sequence[str], names: Names
) -> Program:
    """The program of log |det J|: the inputs of `program`, one output `logdet`. `separated` has reductions as statements."""
    build = Builder(separated, names, (), (names.derivative("logdet"),))
    terms = [
        t for step in _steps(program, wrt, of) for t in _diagonal(build, program, step).log_pivots()
    ]
    total: Expr = reduce(add, terms, Const(0))
    return _finished(build, [build.add(Tensor(names.fresh("total"), ()), (), total)])


def explicit_inverse_tangent(
    program: Program, separated: Program, wrt: Sequence[str], of: Sequence[str], names: Names
) -> Program:
    """The program of J⁻¹v: the inputs, then `d<output>` for each of `of`; outputs `d<input>` for each of `wrt`."""
    build = Builder(separated, names, _vectors(separated, of, names), _called(wrt, names))
    v = {y: t.name for y, t in zip(of, build.vectors, strict=True)}
    for step in reversed(_steps(program, wrt, of)):
        solver = _solver(build, step)
        known = {x: v[x] for x in step.lump.kept}
        for after, before in step.pairs:
            region = step.regions[after]
            if region is not None:  # what a partial update keeps is known
                known[before] = build.outside(before, region, v[after])
        change = build.product(step, tuple(known), known, transposed=False) if known else {}
        right = {after: v.pop(after) for after in step.lump.after}
        if change:
            right = {a: _less(build, step, a, (b, change[a])) for a, b in right.items()}
        v |= solver.solved(right)
    return _finished(build, [_or_empty(build, x, v) for x in wrt])


def _less(build: Builder, step: Step, after: str, terms: tuple[str, str]) -> str:
    """The first tensor less the second, where the step writes."""
    region = step.regions.get(after)

    def value(b: Expr, change: Expr, at: Sequence[Affine]) -> Expr:
        return inside(region, at, b - change, b)

    return build.combined(after, f"d_{after}", terms, value)


def explicit_inverse_adjoint(
    program: Program, separated: Program, wrt: Sequence[str], of: Sequence[str], names: Names
) -> Program:
    """The program of J⁻ᵀw: the inputs, then `d<input>` for each of `wrt`; outputs `d<output>` for each of `of`."""
    build = Builder(separated, names, _vectors(separated, wrt, names), _called(of, names))
    w = {x: t.name for x, t in zip(wrt, build.vectors, strict=True)}
    for step in _steps(program, wrt, of):
        right = {before: w.pop(before) for before in step.lump.before}
        solved = _solver(build, step).solved_transposed(right)
        written = dict(solved)
        partial = {}
        for after, before in step.pairs:
            region = step.regions[after]
            if region is not None:
                partial[after] = before
                written[after] = build.inside(after, region, solved[after])
        wrt_of_step = (*step.lump.kept, *partial.values())
        if wrt_of_step:
            change = build.product(step, wrt_of_step, written, transposed=True)
            for x in step.lump.kept:
                w[x] = build.combined(x, f"d_{x}", (w[x], change[x]), _difference)
            for after, before in partial.items():  # rows of the identity
                solved[after] = _kept(build, step, after, (solved[after], change[before]))
        w |= solved
    return _finished(build, [_or_empty(build, y, w) for y in of])


def _kept(build: Builder, step: Step, after: str, terms: tuple[str, str]) -> str:
    """The first tensor, less the second where a partial update keeps values."""

    def value(e: Expr, d: Expr, at: Sequence[Affine]) -> Expr:
        return inside(step.regions[after], at, e, e - d)

    return build.combined(after, f"d_{after}", terms, value)


def _difference(a: Expr, b: Expr, _: Sequence[Affine]) -> Expr:
    return a - b


def _vectors(program: Program, values: Sequence[str], names: Names) -> tuple[Tensor, ...]:
    tensors = (program.tensors[n] for n in values)
    return tuple(replace(t, name=names.derivative(f"d{t.name}")) for t in tensors)


def _called(values: Sequence[str], names: Names) -> tuple[str, ...]:
    return tuple(names.derivative(f"d{n}") for n in values)


def _or_empty(build: Builder, value: str, vectors: Mapping[str, str]) -> str:
    """The tensor of a value's vector; a new one for a value without elements, which is in no step."""
    return vectors.get(value) or build.combined(value, f"d_{value}", (), lambda at: Const(0))


def _finished(build: Builder, results: Sequence[str]) -> Program:
    """The program, with these tensors as its outputs, under the names that were kept for them."""
    every = {t.name: t for t in (*build.vectors, *(s.target for s in build.statements))}
    for name, result in zip(build.outputs, results, strict=True):
        tensor = every[result]
        indices = build.indices(len(tensor.shape))
        at = tuple(map(symbol, indices))
        build.add(replace(tensor, name=name), indices, Read(result, at))
    program = build.program
    return replace(
        program,
        inputs=(*program.inputs, *build.vectors),
        statements=(*program.statements, *build.statements),
        outputs=build.outputs,
    )
