"""One statement as lines of numpy: the target's box in blocks of its longest index, and the expression over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tadc.emit.numpy.contraction import Contraction, Plan
from tadc.emit.numpy.extents import are_few, largest
from tadc.emit.numpy.hull import HullValues
from tadc.emit.numpy.loops import contraction_lines
from tadc.emit.numpy.reads import MASKED, Risk
from tadc.emit.numpy.scope import INDENT, Axis, Frame, Scope
from tadc.ir.affine import constant, symbol
from tadc.ir.domain import EMPTY, Domain, quotients
from tadc.ir.expr import Comparison, Const, Expr, Read, Reduce, Select, reduction
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import descend, postorder, replaced, rewrite

__all__ = ["statement_lines"]


def statement_lines(
    statement: Statement,
    program: Program,
    names: Mapping[str, str],
    dtypes: Mapping[str, str],
    taken: Names,
) -> list[str]:
    """The lines that compute the statement's target. `names` has tensors and sizes; `taken` is every name in use."""
    statement = replace(statement, body=rewrite(statement.body, merged))
    lines: list[str] = []
    for blocked in (False, True):
        frame = Frame.of(statement, program, names, dtypes, taken.copy())
        rest = _without_contractions(statement, frame)
        if rest is None:
            return frame.outside.lines
        text = _StatementText(rest, frame, blocked=blocked)
        lines = text.lines()
        if text.is_small:
            break
    return lines


def merged(e: Expr) -> Expr:
    """A sum of sums as one sum, and so for products and extremes."""
    match e:
        case Reduce(op, i, d, domain, Reduce(inner, j, c, other, body)) if op == inner:
            return reduction(op, (*i, *j), (*d, *c), domain & other, body)
        case _:
            return e


def _without_contractions(statement: Statement, frame: Frame) -> Statement | None:
    """The statement reading arrays instead of contractions, whose lines are written; None if that was all of it."""
    body, lines = statement.body, frame.outside.lines
    extents = statement.extents
    arrays: dict[Expr, Expr] = {}
    for e, reduce, risk in _outermost_sums(body):
        contraction = Contraction.of(reduce, statement)
        if contraction is None:
            continue
        plan = Plan.of(contraction, statement, frame, risk)
        if plan is None:
            continue
        target = frame.names[statement.target.name]
        fits = frame.dtypes[statement.target.name] == frame.dtype
        if e is body and contraction.indices == statement.indices and fits:
            lines += contraction_lines(plan, frame, target)
            return None
        shape = tuple(extents[i] for i in contraction.indices)
        local = frame.add_local("s", Tensor("s", shape))
        lines += contraction_lines(plan, frame, local)
        arrays[e] = Read(local, tuple(map(symbol, contraction.indices)))
    return replace(statement, body=replaced(body, arrays))


def _outermost_sums(body: Expr) -> list[tuple[Expr, Reduce, Risk]]:
    """The sums that stand in no reduction, each with the expression it replaces: itself, or a choice between it and 0."""
    sums: dict[Expr, tuple[Expr, Reduce, Risk]] = {}
    for risk, into in ((Risk(), _unconditional), (Risk({MASKED}), _outside_reductions)):
        for e in postorder(body, into):
            match e:
                case Reduce("sum"):
                    sums.setdefault(e, (e, e, risk))
                case Select(Domain() as condition, Reduce("sum", i, d, domain, term), Const(0)) if (
                    domain & condition != EMPTY
                ):
                    chosen = Reduce("sum", i, d, domain & condition, term)
                    sums.setdefault(e, (e, chosen, risk))
                case _:
                    pass
    return list(sums.values())


def _unconditional(e: Expr) -> tuple[Expr, ...]:
    match e:
        case Reduce():
            return ()
        case Select(Comparison(_, left, right), then, otherwise):
            return left, right, then, otherwise
        case Select():
            return ()
        case _:
            return e.operands


def _outside_reductions(e: Expr) -> tuple[Expr, ...]:
    return () if isinstance(e, Reduce) else e.operands


class _StatementText:
    def __init__(self, statement: Statement, frame: Frame, *, blocked: bool) -> None:
        self.statement = statement
        self.frame = frame
        self.outputs = Scope(frame.outside, {}, {d.name: d for d in quotients(statement.derived)})
        shape = statement.target.shape
        lengths = [frame.guess(n) for n in shape]
        self.divided = lengths.index(max(lengths)) if blocked and shape else None
        for position, (i, n) in enumerate(zip(statement.indices, shape, strict=True)):
            low, stop = constant(0), n
            if position == self.divided:
                low = frame.new_scalar(f"{i}_0", 0)
                stop = frame.new_scalar(f"{i}_1", frame.guess(n))
            self.outputs.axes[i] = Axis(i, position, low, stop, constant(0), n - 1)
            if not frame.surely(n - 1):
                self.outputs.empty.add(i)
        self.values = HullValues(frame, statement.body, self.outputs, blocked=blocked)

    def lines(self) -> list[str]:
        s, frame, outputs = self.statement, self.frame, self.outputs
        target, outside = frame.names[s.target.name], frame.outside.lines
        shape = ", ".join(map(frame.text, s.target.shape))
        shape = f"({shape},)" if len(s.target.shape) == 1 else f"({shape})"
        outside.append(f"{target} = np.empty({shape}, np.{frame.dtypes[s.target.name]})")
        value = descend(self.values.value(s.body, outputs, frozenset(outputs.empty)))
        lines = [*outputs.lines, f"{target}{self._subscripts()} = {value.text}"]
        if self.divided is None:
            return [*outside, *lines]
        axis = outputs.axes[s.indices[self.divided]]
        pair = f"{frame.text(axis.low)}, {frame.text(axis.stop)}"
        whole, others = s.target.shape[self.divided], list(s.target.shape)
        del others[self.divided]
        count = largest(frame, others, self.values.elements)
        loop = f"for {pair} in blocks(0, {frame.text(whole)}, {count}):"
        return [*outside, loop, *(INDENT + line for line in lines)]

    @property
    def is_small(self) -> bool:
        """Whether all arrays of the statement are known to be small."""
        shape = self.statement.target.shape
        return are_few((*shape, *extents) for extents in self.values.elements or [()])

    def _subscripts(self) -> str:
        """The place of the computed block in the target, with an axis for each level of reductions."""
        axes = self.outputs.axes.values()
        parts = [":"] * len(axes)
        if self.divided is not None:
            axis = [*axes][self.divided]
            parts[self.divided] = f"{self.frame.text(axis.low)}:{self.frame.text(axis.stop)}"
        more = self.values.levels - len(parts)
        parts += ["None"] * more
        while parts and parts[-1] == ":":
            parts.pop()
        return f"[{', '.join(parts) or '...'}]"
