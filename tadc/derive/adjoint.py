"""The adjoint program: Jᵀ times the cotangents, by one gathering statement per tensor (design, section 3).

Statements are taken in reverse order; a tensor's adjoint is the sum of its readers' contributions, so it is complete
before its own statement propagates it. Each element is gathered by one statement element: nothing is scattered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from tadc.derive.gather import element_indices, gathered
from tadc.derive.products import Products
from tadc.derive.reductions import Shares, active, with_ties
from tadc.derive.uses import Use, uses
from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import EMPTY, Domain, between, equals_zero
from tadc.ir.expr import Call, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import rewrite
from tadc.normalize.masks import Marks

__all__ = ["Scatter", "adjoint", "gradient", "jacobian", "scattered"]


def adjoint(program: Program, wrt: Sequence[str], names: Names) -> Program:
    """Inputs: those of `program`, then a cotangent `d<output>` for each output. Outputs: `d<input>` for each of `wrt`.

    `program` is in reduction normal form. A gradient has the shape and type of its input.
    """
    cotangents, seeds = _seeded(program, names)
    sweep = _Sweep(program, names, seeds)
    return _adjoint(sweep, cotangents, sweep.run(wrt, {x: f"d{x}" for x in wrt}))


def gradient(program: Program, called: Mapping[str, str], names: Names) -> Program:
    """The adjoint of one scalar output with the cotangent 1, by each input in `called`, under the name given there."""
    (f,) = program.outputs
    sweep = _Sweep(program, names, {f: _Cotangent(None)})
    return _adjoint(sweep, (), sweep.run(tuple(called), called))


def jacobian(program: Program, x: str, names: Names, *, output: str) -> Program:
    """The tensor of the derivatives of the single output by `x`, called `output`; indices of the output, then of `x`.

    It is the adjoint with a Kronecker delta for the cotangent: every adjoint has the output's indices in front.
    """
    (f,) = program.outputs
    extents = program.tensors[f].shape
    statement = next((s for s in program.statements if s.target.name == f), None)
    letters = statement.indices if statement else tuple(f"i{d}" for d in range(len(extents)))
    taken = Names(program.symbols)
    rows = tuple(taken.fresh(i) for i in letters)
    pairs = tuple(zip(rows, extents, strict=True))
    sweep = _Sweep(program, names, {f: _Cotangent(None, rows)}, pairs)
    return _adjoint(sweep, (), sweep.run((x,), {x: output}))


@dataclass(frozen=True, slots=True)
class Scatter:
    """The additions of one statement to the adjoints of the tensors that it reads: the gathering statements, read the
    other way. For every point of its box and of the loops of `uses[0]`, each use adds its derivative to an element of
    `adjoints`, the tensor's adjoint.
    """

    statement: Statement
    uses: tuple[Use, ...]
    adjoints: tuple[str, ...]


def scattered(
    program: Program, wrt: Sequence[str], names: Names
) -> tuple[Program, tuple[Scatter, ...]]:
    """The adjoint as it is written with atomic additions: for comparison only, tadc does not run it.

    First the program, in which adjoints are zero, or the cotangents of outputs; then the scatters, in order.
    """
    cotangents, seeds = _seeded(program, names)
    sweep = _Sweep(program, names, seeds)
    outputs = sweep.run(wrt, {x: f"d{x}" for x in wrt})
    scatters: list[Scatter] = []
    for statement, handed in sweep.handed:
        regions: dict[object, list[Use]] = {}
        for use in handed:
            if use.domain != EMPTY:
                regions.setdefault((use.unknowns, use.derived, use.domain), []).append(use)
        for uses_ in regions.values():
            adjoints = tuple(sweep.adjoints[use.read.tensor] for use in uses_)
            scatters.append(Scatter(statement, tuple(uses_), adjoints))
    seeded = {sweep.adjoints[x]: seeds[x] for x in sweep.adjoints if x in seeds}
    sweep.statements = [
        replace(
            s, body=seeded[s.target.name].at(s.indices) if s.target.name in seeded else Const(0)
        )
        for s in sweep.statements
    ]
    return _adjoint(sweep, cotangents, outputs), tuple(scatters)


@dataclass(frozen=True, slots=True)
class _Cotangent:
    """The cotangent of a tensor: a tensor to read, or without one the Kronecker delta with `rows` (1 without rows).

    A Jacobian's adjoints have the output's indices, `rows`, in front.
    """

    tensor: str | None
    rows: tuple[Symbol, ...] = ()

    def at(self, indices: Sequence[Symbol]) -> Expr:
        """The cotangent of the element at `indices`."""
        if self.tensor is not None:
            return Read(self.tensor, tuple(map(symbol, (*self.rows, *indices))))
        if not self.rows:
            return Const(1)
        pairs = zip(self.rows, indices, strict=True)
        diagonal = Domain.of(equals_zero(symbol(r) - symbol(i)) for r, i in pairs)
        return Select(diagonal, Const(1), Const(0))


@dataclass(slots=True)
class _Sweep:
    """The backward sweep over a program, with the adjoints so far.

    `rows` are further indices that every adjoint has in front, each with its extent.
    """

    program: Program
    names: Names
    seeds: Mapping[str, _Cotangent]
    rows: tuple[tuple[Symbol, Affine], ...] = ()
    uses: dict[str, list[Use]] = field(default_factory=dict)
    marks: Marks = field(init=False)
    masked: set[str] = field(default_factory=set)
    ties: Mapping[str, str] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    adjoints: dict[str, str] = field(default_factory=dict)
    handed: list[tuple[Statement, list[Use]]] = field(default_factory=list)

    def run(self, wrt: Sequence[str], gradients: Mapping[str, str]) -> tuple[str, ...]:
        """Add the statements of the adjoints, and return the names of the gradients. `gradients` are the preferred names."""
        reached = active(self.program, wrt)
        self.program, self.ties = with_ties(self.program, reached, self.names)
        outputs = {x: self.names.derivative(gradients[x]) for x in wrt}
        self.marks = Marks.of(self.program)
        for statement in reversed(self.program.statements):
            cotangent = self._intermediate(statement) if statement.target.name in reached else None
            if cotangent is not None:
                self._hand_on(statement, cotangent, reached)
        for x in wrt:
            self._complete(x, outputs[x])
        return tuple(outputs.values())

    def _intermediate(self, statement: Statement) -> _Cotangent | None:
        """The cotangent of a statement's target, None where nothing that matters reads it."""
        name = statement.target.name
        if name in self.uses:
            return self._complete(name, self.names.derivative(f"d{name}"))
        return self.seeds.get(name)

    def _complete(self, name: str, called: str) -> _Cotangent:
        """Add the statement of a tensor's adjoint, after all of its readers have propagated theirs."""
        uses, seed = self.uses.get(name, []), self.seeds.get(name)
        tensor = self.program.tensors[name]
        rows = tuple(r for r, _ in self.rows)
        indices = element_indices(uses, len(tensor.shape), (*rows, *self.program.parameters))
        body = gathered(uses, indices)
        if seed is not None:
            body = Call("add", (seed.at(indices), body)) if uses else seed.at(indices)
        shape = (*(n for _, n in self.rows), *tensor.shape)
        target = Tensor(called, shape, tensor.dtype)
        self.adjoints[name] = called
        self.statements.append(Statement(target, (*rows, *indices), (), body))
        self.marks.note(self.statements[-1], masked=name in self.masked)
        return _Cotangent(called, rows)

    def _hand_on(self, statement: Statement, cotangent: _Cotangent, reached: Set[str]) -> None:
        """Note the uses of active tensors in the statement."""
        products = Products(self.marks.judge(statement))
        shares = Shares(statement, self.ties, products, self.names)
        handed: list[Use] = []
        self.handed.append((statement, handed))
        for use in uses(statement, cotangent.at(statement.indices), reached, shares):
            name = use.read.tensor
            if shares.products.judge.may_be_masked(use.derivative) or not _reads_all(
                use, self.program.tensors[name], self.program.known
            ):
                self.masked.add(name)
            by_value = replace(use, derivative=_by_value(use.derivative, statement))
            self.uses.setdefault(name, []).append(by_value)
            handed.append(by_value)


def _seeded(program: Program, names: Names) -> tuple[tuple[Tensor, ...], dict[str, _Cotangent]]:
    """An input `d<output>` for the cotangent of each output, and these as seeds of a sweep."""
    tensors = [program.tensors[f] for f in program.outputs]
    cotangents = tuple(Tensor(names.derivative(f"d{t.name}"), t.shape, t.dtype) for t in tensors)
    return cotangents, {
        f: _Cotangent(t.name) for f, t in zip(program.outputs, cotangents, strict=True)
    }


def _adjoint(sweep: _Sweep, cotangents: tuple[Tensor, ...], outputs: tuple[str, ...]) -> Program:
    program = sweep.program
    return replace(
        program,
        inputs=(*program.inputs, *cotangents),
        statements=(*program.statements, *sweep.statements),
        outputs=outputs,
    )


def _by_value(derivative: Expr, statement: Statement) -> Expr:
    """The derivative with the statement's own value read where it is computed again: `exp` is its own derivative."""
    if not isinstance(statement.body, (Call, Reduce)):
        return derivative
    value = Read(statement.target.name, tuple(map(symbol, statement.indices)))
    return rewrite(derivative, lambda e: value if e is statement.body else e)


def _reads_all(use: Use, tensor: Tensor, known: Domain) -> bool:
    """Whether the use reads every element of the tensor, for all sizes (false if in doubt).

    It does if the element at `s` is read where the other unknowns are 0.
    """
    bare = [form.as_symbol() for form in use.read.subscripts]
    if len(set(bare)) < len(bare) or not {*use.unknowns}.issuperset(bare):
        return False
    zeros = {s: constant(0) for s in (*use.unknowns, *(d.name for d in use.derived))}
    for form, extent in zip(use.read.subscripts, tensor.shape, strict=True):
        (s,) = form.symbols
        del zeros[s]
        known &= Domain.of(between(0, form, extent - 1))
    return all(implies(known, c) for c in use.domain.substitute(zeros))
