"""Statements to loop nests: expressions become steps, reductions become loops around accumulators.

A call that is used more than once is named once, in the innermost block that dominates its uses; a choice is a branch
where it holds loops, expensive values, or, with conditions on indices, names: nothing of the branch not taken is evaluated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeAlias

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.bounds import Bounded, bounded
from tadc.ir.domain import EVERYWHERE, Determined, Domain
from tadc.ir.expr import (
    NEUTRAL,
    Call,
    Comparison,
    Const,
    Expr,
    IndexValue,
    Read,
    Reduce,
    ReduceOp,
    Select,
)
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.range import Range
from tadc.ir.walk import descend, postorder, rewrite, substitute, with_operands
from tadc.schedule.nest.fuse import alike, fused
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Kernel,
    Let,
    LetIndex,
    Loop,
    Step,
    Store,
    steps_of,
    symbols_of,
)
from tadc.schedule.rewrite.looked_up import reads_data
from tadc.schedule.rewrite.rows import Rows, always, is_expensive, rows
from tadc.schedule.rewrite.running import Running, running
from tadc.schedule.rewrite.telescoping import SO_FAR

__all__ = [
    "Block",
    "Lowering",
    "kernel_of_group",
    "kernel_of_points",
    "kernels",
    "loop_of",
    "row_of",
    "stored_by_group",
    "without_unused",
]

QUICK = ("div", "sqrt")  # of the expensive functions those that are one instruction

Walk: TypeAlias = Generator[Any, Any, Expr]


@lru_cache(maxsize=128)
def kernels(program: Program, mode: str, apart: frozenset[str] = frozenset()) -> tuple[Kernel, ...]:
    """The kernels in order, named `<program>_<mode>_<n>`: one point per element that they store, or per row of elements. Tensors
    `apart` have one of their own.
    """
    each = enumerate(stored_by_group(program, apart))
    return tuple(
        kernel_of_group(group, stored, f"{program.name}_{mode}_{n}", program)
        for n, (group, stored) in each
    )


@lru_cache(maxsize=128)
def stored_by_group(
    program: Program, apart: frozenset[str] = frozenset()
) -> tuple[tuple[tuple[Statement, ...], frozenset[str]], ...]:
    """The statements of each kernel, with those of their targets that it stores: outputs, and what another kernel reads."""
    groups = fused(program, apart)
    readers: dict[str, set[int]] = {}
    for n, group in enumerate(groups):
        for s in group:
            for t in s.reads:
                readers.setdefault(t, set()).add(n)
    return tuple(
        (
            group,
            frozenset(
                t
                for s in group
                if (t := s.target.name) in program.outputs or readers.get(t, set()) - {n}
            ),
        )
        for n, group in enumerate(groups)
    )


def kernel_of_group(
    group: Sequence[Statement], stored: Set[str], name: str, program: Program
) -> Kernel:
    """The kernel of statements with the same indices, of whose targets those of `stored` are needed later."""
    first = group[0]
    computed = {s.target.name for s in group}
    box = first.extents
    data = any(map(reads_data, group))
    run = None if data else running(first, program)
    owned = None if run or data else rows(first)
    taken = {*program.names, *program.known.symbols, *first.indices}
    lowering = Lowering.of([s.body for s in group], taken, owned.hoisted if owned else ())
    if not owned:
        groups = alike(group, computed, program.names)
        lowering.fused |= {e: each for each in groups if len(each) > 1 for e, _ in each}
    block = Block(None)
    block.steps += [LetIndex(d) for d in first.derived]
    if run:
        descend(lowering.running(first, run, block))
        del box[run.index]
    elif owned:
        descend(lowering.rows(first, owned, group[1:], block))
        box = {i: n for i, n in box.items() if i not in owned.indices}
    else:
        _point(group, stored, lowering, block)
    return _of_block(name, group, box, block, lowering, stored, program)


def kernel_of_points(group: Sequence[Statement], name: str, program: Program) -> Kernel:
    """The kernel that does all statements at one point, in their order. They may read what it has stored at other points: those of
    the last target, and of others that read their own.
    """
    last = group[-1]
    taken = {*program.names, *program.known.symbols, *last.indices}
    lowering = Lowering.of([s.body for s in group], taken)
    block = Block(None)
    block.steps += [LetIndex(d) for s in group for d in s.derived]
    stored = {last.target.name, *(s.target.name for s in group if s.target.name in s.reads)}
    _point(group, stored, lowering, block)
    return _of_block(name, group, last.extents, block, lowering, stored, program)


def _point(group: Sequence[Statement], stored: Set[str], lowering: Lowering, block: Block) -> None:
    lowering.of_statements = block
    for s in group:
        later = any(s.target.name in other.reads for other in group)
        descend(lowering.statement(s, block, stored=s.target.name in stored, later=later))


def _of_block(
    name: str,
    group: Sequence[Statement],
    box: Mapping[Symbol, Affine],
    block: Block,
    lowering: Lowering,
    stored: Set[str],
    program: Program,
) -> Kernel:
    """The kernel of the block's steps."""
    computed = {s.target.name for s in group}
    reads = {t for s in group for t in s.reads} - computed
    return Kernel(
        name,
        tuple(group),
        tuple(box),
        tuple(box.values()),
        without_unused(block.steps),
        frozenset(lowering.locals),
        tuple(t for t in program.tensors if t in reads),
        tuple(t for t in program.tensors if t in stored),
    )


def without_unused(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps without derived indices that nothing mentions."""
    return _used(steps)[0]


def _used(steps: Sequence[Step]) -> tuple[tuple[Step, ...], set[Symbol]]:
    """The steps of a block that are used, and the symbols that they take from outside."""
    kept: list[Step] = []
    symbols: set[Symbol] = set()
    for step in reversed(steps):
        match step:
            case LetIndex(d) if d.name not in symbols:
                continue
            case LetIndex(d):
                symbols.remove(d.name)
            case Loop(_, body):
                body, inner = _used(body)
                step = replace(step, body=body)
                symbols |= inner
            case Branch(_, then, otherwise):
                (then, one), (otherwise, other) = _used(then), _used(otherwise)
                step = replace(step, then=then, otherwise=otherwise)
                symbols |= one | other
            case _:
                symbols |= {t for s in steps_of((step,)) for t in symbols_of(s)}
        symbols |= symbols_of(step)
        kept.append(step)
    return tuple(reversed(kept)), symbols


def _reused(nodes: list[Expr], roots: Sequence[Expr]) -> frozenset[Expr]:
    """Calls with more than one user: they are named. Negations and products with a constant are not worth a name."""
    users = Counter(o for e in nodes for o in e.operands)
    users.update(roots)
    return frozenset(e for e, n in users.items() if n > 1 and isinstance(e, (Call, Select)))


def _stepped(nodes: list[Expr], reused: frozenset[Expr]) -> frozenset[Expr]:
    """The expressions that contain something that needs steps, loops or names. `nodes` has operands before users."""
    result: set[Expr] = set()
    for e in nodes:
        if isinstance(e, Reduce) or e in reused or not result.isdisjoint(e.operands):
            result.add(e)
    return frozenset(result)


@dataclass(slots=True, eq=False)
class Block:
    """Steps under construction; `known` are expressions that a local holds from here on, inner blocks included."""

    outer: Block | None
    steps: list[Step] = field(default_factory=list)
    known: dict[Expr, Expr] = field(default_factory=dict)

    @property
    def declared(self) -> dict[Symbol, Determined]:
        """The derived indices of this block, without those of the blocks around it."""
        return {s.derived.name: s.derived for s in self.steps if isinstance(s, LetIndex)}

    def add(self, steps: Iterable[Step]) -> None:
        """Steps at the end; derived indices that several reductions have are declared once."""
        declared = self.declared
        for step in steps:
            if isinstance(step, LetIndex) and step.derived.name in declared:
                assert declared[step.derived.name] == step.derived, "a name with two meanings"
            else:
                self.steps.append(step)

    def find(self, e: Expr) -> Expr | None:
        block: Block | None = self
        while block is not None:
            if e in block.known:
                return block.known[e]
            block = block.outer
        return None


@dataclass(slots=True)
class Lowering:
    names: Names
    reused: frozenset[Expr]
    stepped: frozenset[Expr]
    # Reductions with one loop for all, which statements always compute; and the block that these have it in, for statements at one point.
    # A loop where the first of them happens to be needed may have an index that others of them have too.
    fused: dict[Reduce, tuple[tuple[Reduce, Expr], ...]] = field(default_factory=dict)
    of_statements: Block | None = None
    locals: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, roots: Sequence[Expr], taken: Set[str], named: Iterable[Expr] = ()) -> Lowering:
        """The lowering of expressions in a context with the names `taken`; `named` get a name, and so do expressions that are used twice."""
        nodes = list(postorder(roots))
        bound = set[str]()
        for e in nodes:
            bound |= e.symbols
            if isinstance(e, Reduce):
                bound |= {*e.indices, *(d.name for d in e.derived)}
        reused = _reused(nodes, roots) | set(named)
        return cls(Names((*taken, *bound)), reused, _stepped(nodes, reused))

    def statement(
        self, s: Statement, block: Block, *, stored: bool, later: bool
    ) -> Generator[Any, Any, None]:
        """Store the element, or keep it for statements that come later, or both."""
        value = yield self.value(s.body, block)
        if later and not isinstance(value, (Const, Read)):
            local = self.local(s.target.name)
            block.steps.append(Let(local, value))
            value = Read(local, ())
        store = _stored(s, value)
        block.known[Read(store.tensor, store.subscripts)] = value
        if stored:
            block.steps.append(store)

    def value(self, e: Expr, block: Block) -> Walk:
        """`e` as an expression of locals, after the steps that this needs are in `block`."""
        known = block.find(e)
        if known is not None:
            return known
        match e:
            case Const() | IndexValue() | Read():
                return e
            case Reduce() if e in self.fused:
                of_all = self.of_statements or block
                yield self._side_by_side(self.fused[e], of_all)
                return of_all.known[e]
            case Reduce(op):
                local = self.local("s" if op == "sum" else op)
                block.steps.append(Accumulator(local, Const(NEUTRAL[op])))
                yield self._reduce(e, local, block)
                result: Expr = Read(local, ())
            case Select(_, then, otherwise) if not self.stepped.isdisjoint(
                (then, otherwise)
            ) and not _is_cheap(e):
                result = yield self._branch(e, block)
            case Call("gate", (Select(Domain() as left_out, Const(0), Const(1)), gated)):
                value = yield self.value(gated, block)
                if not isinstance(value, (Const, Read)):
                    value = self._named(gated, value, block)  # computed whatever is chosen
                result = Select(left_out, Const(0), value)
                if e in self.reused:
                    result = self._named(e, result, block)
            case _:
                operands = []
                for operand in e.operands:
                    operands.append((yield self.value(operand, block)))
                result = with_operands(e, tuple(operands))
                if e in self.reused:
                    result = self._named(e, result, block)
        if e in self.reused or isinstance(e, Reduce):
            block.known[e] = result
        return result

    def _named(self, e: Expr, value: Expr, block: Block) -> Read:
        """A read of a local that has the value of the expression."""
        local = self.local(_hint(e))
        block.steps.append(Let(local, value))
        return Read(local, ())

    def rows(
        self, statement: Statement, owned: Rows, mates: Sequence[Statement], block: Block
    ) -> Generator[Any, Any, None]:
        """A sum whose terms are added to rows of the output, which begin as zeros; then the values computed from the sums.

        `mates` have a sum with the same terms' indices each, and no rows.
        """
        total = owned.total
        extents = statement.extents
        box = [(i, extents[i]) for i in owned.indices]
        block.steps += row_of(box, (_stored(statement, Const(0)),))
        term = Block(block)
        for e in owned.hoisted:
            yield self.value(e, term)
        sums = [e for s in mates for e in always(s.body) if isinstance(e, Reduce)]
        for e in dict.fromkeys(sums):
            local = self.local("s" if e.op == "sum" else e.op)
            block.steps.append(Accumulator(local, Const(NEUTRAL[e.op])))
            block.known[e] = Read(local, ())
            yield self.accumulate(e.op, e.body, local, term)
        element = Block(term)
        value = yield self.value(total.body, element)
        element.steps.append(replace(_stored(statement, value), op="sum"))
        term.steps += row_of(box, tuple(element.steps))
        block.add(_nest(total, tuple(term.steps)))
        if statement.body is not total:
            last = Block(block)
            stored = _stored(statement, Const(0))
            last.known[total] = Read(stored.tensor, stored.subscripts)
            value = yield self.value(statement.body, last)
            last.steps.append(_stored(statement, value))
            block.steps += row_of(box, tuple(last.steps))
        for s in mates:
            yield self.statement(s, block, stored=True, later=False)

    def running(
        self, statement: Statement, run: Running, block: Block
    ) -> Generator[Any, Any, None]:
        """One accumulator, stored at each value of the index."""
        assert isinstance(statement.body, Reduce)
        op = statement.body.op
        local = self.local("s" if op == "sum" else op)
        block.steps.append(Accumulator(local, Const(NEUTRAL[op])))
        if run.first:
            yield self._reduce(run.first, local, block)
        values = {run.index: run.extent - 1 - symbol(run.index)} if run.down else {}
        each, term = Block(block), Block(block)
        if run.carried is not None:
            so_far = rewrite(
                substitute(run.carried, values), lambda e: Read(local, ()) if e is SO_FAR else e
            )
            value = yield self.value(so_far, each)
            each.steps.append(Assign(local, value))
        yield self.accumulate(op, substitute(run.next, values), local, term)
        where = run.where.substitute(values)
        guarded = where != EVERYWHERE
        each.steps += [Branch(where, tuple(term.steps))] if guarded else term.steps
        stored = _stored(statement, Read(local, ()))
        at = tuple(form.substitute(values) for form in stored.subscripts)
        each.steps.append(replace(stored, subscripts=at))
        block.steps += row_of([(run.index, run.extent)], tuple(each.steps))

    def _branch(self, e: Select, block: Block) -> Walk:
        """A local that is assigned in the branch taken. Values that both branches need are computed before."""
        condition = e.condition
        if isinstance(condition, Comparison):
            left, right = (
                (yield self.value(condition.left, block)),
                (yield self.value(condition.right, block)),
            )
            condition = Comparison(condition.relation, left, right)
        both = set(always(e.then))
        for node in always(e.otherwise):
            # An expression of both branches with a single user is computed with that user.
            needed = node in both and (node in self.reused or isinstance(node, Reduce))
            if needed and block.find(node) is None:
                yield self.value(node, block)
        neutral = isinstance(e.then, Reduce) and e.otherwise is Const(NEUTRAL[e.then.op])
        local = self.local("s" if neutral else "v")
        constant = isinstance(e.otherwise, Const)
        block.steps.append(Accumulator(local, e.otherwise if constant else Const(0)))
        then, otherwise = Block(block), Block(block)
        if neutral:
            assert isinstance(e.then, Reduce)
            yield self._reduce(e.then, local, then)
        else:
            value = yield self.value(e.then, then)
            then.steps.append(Assign(local, value))
        if not constant:
            value = yield self.value(e.otherwise, otherwise)
            otherwise.steps.append(Assign(local, value))
        block.steps.append(Branch(condition, tuple(then.steps), tuple(otherwise.steps)))
        return Read(local, ())

    def _reduce(self, e: Reduce, local: str, block: Block) -> Generator[Any, Any, None]:
        """Loops that accumulate the reduction in `local`."""
        e = _renamed(e, self._free_names(e, block))
        body = Block(block)
        yield self.accumulate(e.op, e.body, local, body)
        block.add(_nest(e, tuple(body.steps)))

    def _free_names(self, e: Reduce, block: Block) -> dict[Symbol, Affine]:
        """Other names for the derived indices in front of a reduction's loops that are declared otherwise in the block."""
        declared = block.declared
        clashing = (d.name for d in bounded(e).derived if declared.get(d.name, d) != d)
        return {name: symbol(self.names.fresh(name)) for name in clashing}

    def _side_by_side(
        self, each: tuple[tuple[Reduce, Expr], ...], block: Block
    ) -> Generator[Any, Any, None]:
        """The reductions in the loops of the first."""
        first = each[0][0]
        new = self._free_names(first, block)
        body = Block(block)
        for e, inner in each:
            local = self.local("s" if e.op == "sum" else e.op)
            block.steps.append(Accumulator(local, Const(NEUTRAL[e.op])))
            block.known[e] = Read(local, ())
            yield self.accumulate(e.op, substitute(inner, new), local, body)
        block.add(_nest(_renamed(first, new), tuple(body.steps)))

    def accumulate(
        self, op: ReduceOp, e: Expr, local: str, block: Block
    ) -> Generator[Any, Any, None]:
        """Accumulate one value; of a reduction by the same operation, all of its values."""
        if isinstance(e, Reduce) and e.op == op and e not in self.reused and block.find(e) is None:
            yield self._reduce(e, local, block)
            return
        if (
            op == "sum"
            and _is_sum_of_products(e)
            and e not in self.reused
            and block.find(e) is None
        ):
            for product in e.operands:  # each is one operation with the addition
                yield self.accumulate(op, product, local, block)
            return
        value = yield self.value(e, block)
        block.steps.append(Accumulate(local, op, value))

    def local(self, hint: str) -> str:
        local = self.names.fresh(hint)
        self.locals.add(local)
        return local


def _is_sum_of_products(e: Expr) -> bool:
    def is_product(o: Expr) -> bool:
        return isinstance(o, Call) and (o.function == "mul" or _is_sum_of_products(o))

    return isinstance(e, Call) and e.function == "add" and all(map(is_product, e.operands))


def _is_cheap(e: Select) -> bool:
    """Whether both values may be computed before the choice: lanes and threads would do both branches anyway."""
    if isinstance(e.condition, Domain):
        return False  # which protects reads
    nodes = postorder((e.then, e.otherwise))
    return all(not is_expensive(n) or (isinstance(n, Call) and n.function in QUICK) for n in nodes)


def _stored(statement: Statement, value: Expr) -> Store:
    return Store(statement.target.name, tuple(map(symbol, statement.indices)), value)


def row_of(box: list[tuple[Symbol, Affine]], steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Loops over all elements of a row."""
    for index, extent in reversed(box):
        steps = (Loop(Range.between(index, constant(0), extent - 1), steps),)
    return steps


def _renamed(e: Reduce, new: Mapping[Symbol, Affine]) -> Reduce:
    """The reduction with other names for derived indices."""
    if not new:
        return e
    derived = (d.substitute(new, new.get(d.name, symbol(d.name)).as_symbol()) for d in e.derived)
    domain, body = e.domain.substitute(new), substitute(e.body, new)
    return Reduce(e.op, e.indices, tuple(derived), domain, body)


def _nest(e: Reduce, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The loops of a reduction around `steps`."""
    bounds = bounded(e)
    for b in reversed(bounds.each):
        steps = loop_of(b, steps)
    if bounds.tests:
        steps = (Branch(Domain.of(bounds.tests), steps),)
    return (*map(LetIndex, bounds.derived), *steps)


def loop_of(b: Bounded, body: tuple[Step, ...]) -> tuple[Step, ...]:
    tests = Domain.of(b.tests)
    if tests != EVERYWHERE:
        body = (Branch(tests, body),)
    return (Loop(b.range, (*(LetIndex(d) for d in b.derived), *body)),)


def _hint(e: Expr) -> str:
    """A name for the value of a call: the function's, for arithmetic a letter."""
    match e:
        case Call(function) if function not in ("add", "sub", "mul", "div", "neg", "pow", "gate"):
            return f"{function}_"
        case _:
            return "t"
