"""Reductions as numpy reductions: over the rectangular hull of the domain, with a mask for what is not in it.

Where an index runs in a band along outer ones, `i - 2 <= k <= i + 2`, the hull slants with it: `k` is counted from the
band's lower end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tadc.emit.numpy_reads import MASKED, Risk
from tadc.emit.numpy_scope import INDENT, Axis, Frame, Scope, factor
from tadc.emit.numpy_spelling import Text, atom, literal, typed
from tadc.emit.numpy_values import Values, Walk
from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.bounds import Bounded, bounded
from tadc.ir.domain import Condition, at_least_zero
from tadc.ir.expr import Expr, Reduce
from tadc.normalize.simplify import NEUTRAL

__all__ = ["HullValues"]

_REDUCTIONS = {"sum": "total", "prod": "np.prod", "max": "np.max", "min": "np.min"}
_COMBINED = {
    "sum": "{0} + {1}",
    "prod": "{0} * {1}",
    "max": "np.maximum({0}, {1})",
    "min": "np.minimum({0}, {1})",
}


class HullValues(Values):
    """`elements` collects, for each reduction, the extents of all reductions around and of itself."""

    def __init__(self, frame: Frame, root: Expr, rank: int, *, blocked: bool) -> None:
        super().__init__(frame, root, rank)
        self.rank = rank
        self.blocked = blocked
        self.elements: list[tuple[Affine, ...]] = []

    def reduced(self, e: Reduce, outer: Scope, risk: Risk) -> Walk:
        """The name of the reduction's value, which is computed in `outer`."""
        scope = Scope(outer, {}, {d.name: d for d in e.derived})
        bounds = bounded(e)
        mask = list(bounds.tests)
        for b in bounds.each:
            axis, others = self._axis(b, scope)
            if not self.frame.surely(axis.extent - 1):
                scope.empty.add(b.index)
            scope.axes[b.index] = axis
            mask += [*others, *b.tests]
        self.elements.append(self._extents(scope))
        pieces = self._in_blocks(e, scope)
        risk = risk | scope.empty | ({MASKED} if mask else set())
        body = typed((yield self.value(e.body, scope, risk)), self.frame.real)
        test = self.conditions(mask, scope) if mask else None
        symbols = e.body.symbols.union(*(c.form.symbols for c in mask))
        if e.op in ("argmax", "argmin"):
            text = self._place(e, body, test, scope, symbols)
        else:
            text = self._reduction(e, body, test, scope, symbols)
        name = self.frame.taken.fresh("s" if e.op == "sum" else e.op)
        if pieces is None:
            outer.lines += [*scope.lines, f"{name} = {text}"]
        else:
            combined = _COMBINED[e.op].format(name, text)
            neutral = typed(literal(NEUTRAL[e.op]), self.frame.real).text
            outer.lines += [f"{name} = {neutral}", pieces]
            outer.lines += [INDENT + line for line in (*scope.lines, f"{name} = {combined}")]
        return atom(name)

    # ------------------------------------------------------------------ axes

    def _axis(self, b: Bounded, scope: Scope) -> tuple[Axis, list[Condition]]:
        """The axis of an index, and what its bounds leave to the mask."""
        frame, position = self.frame, scope.depth
        lows = [(frame.extreme(e, scope, highest=False) + (c - 1), c) for e, c in b.lows]
        highs = [(frame.extreme(e, scope, highest=True), c) for e, c in b.highs]
        least = frame.bound("max", lows, f"{b.index}_low")
        most = frame.bound("min", highs, f"{b.index}_high")
        above = [at_least_zero(e - c * symbol(b.index)) for e, c in b.highs if not frame.is_scalar(e)]
        below = [at_least_zero(c * symbol(b.index) - e) for e, c in b.lows if not frame.is_scalar(e)]
        width = self._slanting_width(b, scope)
        if width is not None and 2 * frame.guess(width) < frame.guess(most - least):
            first = self._first(b, scope)
            above = [at_least_zero(e - c * symbol(b.index)) for e, c in b.highs]
            return Axis(b.index, position, constant(0), width, least, most, first), above
        stop = most + 1
        if not frame.surely(stop - least):
            stop = frame.bound("max", [(least, 1), (stop, 1)], f"{b.index}_stop")
        return Axis(b.index, position, least, stop, least, most), below + above

    def _slanting_width(self, b: Bounded, scope: Scope) -> Affine | None:
        """The most values that the index has at one point of what is around it, if bounds slant alike."""
        widths = []
        for low, c in b.lows:
            for high, d in b.highs:
                form = high * c - low * d
                if self.frame.is_scalar(form) and not self.frame.is_scalar(low):
                    widths.append((form + c * d, c * d))
        if not widths:
            return None
        width = self.frame.bound("min", widths, f"{b.index}_width")
        return width if self.frame.surely(width) else self.frame.bound("max", [(constant(0), 1), (width, 1)], f"{b.index}_width")

    def _first(self, b: Bounded, scope: Scope) -> str:
        """The name of the array of the index's least values."""
        assert scope.outer is not None
        texts = []
        for e, c in b.lows:
            text = self.form(e + (c - 1), scope)
            texts.append(text if c == 1 else f"{factor(text)} // {c}")
        text = texts[0]
        for other in texts[1:]:
            text = f"np.maximum({text}, {other})"
        name = self.frame.taken.fresh(f"{b.index}_first")
        scope.lines.append(f"{name} = {text}")
        return name

    def _extents(self, scope: Scope) -> tuple[Affine, ...]:
        around = [a for s in scope.chain for a in s.axes.values() if a.position >= self.rank]
        return tuple(a.extent for a in around)

    def _in_blocks(self, e: Reduce, scope: Scope) -> str | None:
        """The loop over pieces of the first index, for reductions that stand in no other."""
        if not self.blocked or e.op in ("argmax", "argmin") or scope.depth > len(scope.axes) + self.rank:
            return None
        if scope.depth > len(scope.axes) and scope.depth - len(scope.axes) < self.rank:
            return None
        index, *others = scope.axes
        axis = scope.axes[index]
        around = [a.extent for s in scope.chain[:-1] for a in s.axes.values()]
        others_text = self.product([*around, *(scope.axes[i].extent for i in others)])
        guess = self.frame.guess(axis.extent)
        low, stop = self.frame.new_scalar(f"{index}_0", 0), self.frame.new_scalar(f"{index}_1", guess)
        scope.axes[index] = Axis(index, axis.position, low, stop, axis.least, axis.most, axis.first)
        ends = f"{self.frame.text(axis.low)}, {self.frame.text(axis.stop)}"
        return f"for {self.frame.text(low)}, {self.frame.text(stop)} in blocks({ends}, {others_text}):"

    def product(self, extents: Sequence[Affine]) -> str:
        """The product of extents as text, numbers multiplied."""
        number = 1
        for n in extents:
            number *= n.constant if n.is_constant else 1
        texts = [factor(self.frame.text(n)) for n in extents if not n.is_constant]
        return " * ".join([*([str(number)] if number != 1 or not texts else []), *texts])

    # ------------------------------------------------------------------ values

    def _reduction(
        self, e: Reduce, body: Text, test: str | None, scope: Scope, symbols: frozenset[str]
    ) -> str:
        neutral = literal(NEUTRAL[e.op]).text
        values = body.text if test is None else f"np.where({test}, {body.text}, {neutral})"
        values = self._spread(values, scope, symbols)
        positions = [a.position - self.levels for a in scope.axes.values()]
        axis = str(positions[0]) if len(positions) == 1 else f"({', '.join(map(str, positions))})"
        if e.op == "sum":
            return f"total({values}, {axis})"
        initial = f", initial={neutral}" if scope.empty and e.op != "prod" else ""
        return f"{_REDUCTIONS[e.op]}({values}, axis={axis}, keepdims=True{initial})"

    def _place(
        self, e: Reduce, body: Text, test: str | None, scope: Scope, symbols: frozenset[str]
    ) -> str:
        (axis,) = scope.axes.values()
        values = self._spread(body.text, scope, symbols)
        index = self.index(axis.index, scope)
        return f"place(np.{e.op}, {values}, {test or True}, {index}, {axis.position - self.levels}).astype({self.frame.real})"

    def _spread(self, values: str, scope: Scope, symbols: frozenset[str]) -> str:
        """Repeated along the reduction's axes that it does not depend on."""
        found = self._axes(symbols, scope)
        if all(i in found for i in scope.axes):
            return values
        first = min(a.position for a in scope.axes.values())
        extents = ["1"] * (self.levels - first)
        for a in scope.axes.values():
            extents[a.position - first] = self.frame.text(a.extent)
        return f"spread({values}, {', '.join(extents)})"

    def _axes(self, symbols: frozenset[str], scope: Scope) -> set[str]:
        return scope.indices(symbols)


@dataclass(frozen=True, slots=True)
class _Unused:
    pass
