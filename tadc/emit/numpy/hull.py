"""Reductions as numpy reductions: over the rectangular hull of the domain, with a mask for points outside of it.

Where an index runs in a band along outer ones, `i - 2 <= k <= i + 2`, the hull slants with it: `k` is counted from the
band's lower end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.emit.numpy.extents import largest
from tadc.emit.numpy.reads import MASKED, Risk
from tadc.emit.numpy.scope import INDENT, Axis, Frame, Quotient, Scope, factor
from tadc.emit.numpy.spelling import Text, atom, literal, typed
from tadc.emit.numpy.values import Values, Walk
from tadc.ir.affine import Affine, constant
from tadc.ir.bounds import bounded
from tadc.ir.domain import Condition, quotients
from tadc.ir.expr import NEUTRAL, Expr, Reduce
from tadc.ir.range import Range

__all__ = ["HullValues", "slanting_widths"]

_REDUCTIONS = {"sum": "total", "prod": "np.prod", "max": "np.max", "min": "np.min"}
_COMBINED = {
    "prod": "{0} * {1}",
    "max": "np.maximum({0}, {1})",
    "min": "np.minimum({0}, {1})",
}


class HullValues(Values):
    """`elements` collects, for each reduction, the extents of all reductions around and of itself.

    `wholes` has the axis of which another one is a piece.
    """

    def __init__(self, frame: Frame, root: Expr, outputs: Scope, *, blocked: bool) -> None:
        super().__init__(frame, root, len(outputs.axes))
        self.outputs = outputs
        self.blocked = blocked
        self.elements: list[tuple[Affine, ...]] = []
        self.wholes: dict[Axis, Axis] = {}

    def reduced(self, e: Reduce, outer: Scope, risk: Risk) -> Walk:
        """The name of the reduction's value, which is computed in `outer`."""
        scope = Scope(outer, {}, {d.name: d for d in quotients(e.derived)})
        bounds = bounded(e)
        mask = list(bounds.tests)
        divisible = self._is_divisible(outer)
        divided = max(bounds.each, key=lambda b: self._length(b.range)) if divisible else None
        piece: Axis | None = None
        for b in bounds.each:
            axis, others = self._axis(b.range, scope)
            if not self.frame.surely(axis.extent - 1):
                scope.empty.add(axis.index)
            if b is divided:
                axis = piece = self._piece(axis)
            scope.axes[axis.index] = axis
            mask += [*others, *b.tests]
        first = len(self.elements)
        self.elements.append(self._extents(scope))
        risk = risk | scope.empty | ({MASKED} if mask else set())
        body = typed((yield self.value(e.body, scope, risk)), self.frame.real)
        test = self.conditions(mask, scope) if mask else None
        symbols = e.body.symbols.union(*(c.form.symbols for c in mask))
        text = self._reduction(e, body, test, scope, symbols)
        name = self.frame.taken.fresh("s" if e.op == "sum" else e.op)
        if piece is None:
            outer.lines += [*scope.lines, f"{name} = {text}"]
        else:
            neutral = typed(literal(NEUTRAL[e.op]), self.frame.real).text
            begin, end = f"{name} = {neutral}", []
            if e.op == "sum":
                begin, end = f"{name} = LongSum({neutral})", [f"{name} = {name}.end()"]
                combined = f"{name}.add({text})"
            else:
                combined = f"{name} = {_COMBINED[e.op].format(name, text)}"
            outer.lines += [begin, self._loop(piece, scope, self.elements[first:])]
            outer.lines += [INDENT + line for line in (*scope.lines, combined)]
            outer.lines += end
        return atom(name)

    # ------------------------------------------------------------------ axes

    def _axis(self, r: Range, scope: Scope) -> tuple[Axis, tuple[Condition, ...]]:
        """The axis of an index, and the conditions that its bounds leave to the mask."""
        frame, position = self.frame, scope.depth
        lows = [(frame.extreme(e, scope, highest=False) + (c - 1), c) for e, c in r.lows]
        highs = [(frame.extreme(e, scope, highest=True), c) for e, c in r.highs]
        least = frame.bound("max", lows, f"{r.index}_low")
        most = frame.bound("min", highs, f"{r.index}_high")
        widths = slanting_widths(r, frame)
        narrow = min((frame.guess(e) // c for e, c in widths), default=0)
        if widths and 2 * narrow < frame.guess(most - least):
            first = self._first(r, scope)
            width = self._extent(frame.bound("min", widths, f"{r.index}_width"), r)
            # Where the band is narrower, or empty, masked values go beyond `most`.
            ends = [(frame.extreme(e, scope, highest=True) + (c - 1), c) for e, c in r.lows]
            most = frame.bound("max", ends, f"{r.index}_last") + width - 1
            axis = Axis(r.index, position, constant(0), width, least, most, first)
            return axis, replace(r, lows=()).conditions
        extent = self._extent(most + 1 - least, r)
        left = r.only(lambda bound: not frame.is_scalar(bound.form))
        return Axis(r.index, position, least, least + extent, least, most), left.conditions

    def _extent(self, form: Affine, r: Range) -> Affine:
        """The form, or 0 where it is negative."""
        if self.frame.surely(form) or self.frame.is_extent(form):
            return form
        return self.frame.bound("max", [(constant(0), 1), (form, 1)], f"{r.index}_extent")

    def _first(self, r: Range, scope: Scope) -> str:
        """The name of the array of the index's least values."""
        assert scope.outer is not None
        texts = []
        for e, c in r.lows:
            form = e + (c - 1)
            text = self.form(form, scope)
            texts.append(text if c == 1 else f"{factor(form, text)} // {c}")
        text = texts[0]
        for other in texts[1:]:
            text = f"np.maximum({text}, {other})"
        name = self.frame.taken.fresh(f"{r.index}_first")
        scope.lines.append(f"{name} = {text}")
        return name

    # ------------------------------------------------------------------ pieces

    def _is_divisible(self, outer: Scope) -> bool:
        """Whether a reduction in `outer` is computed in pieces of its longest index: if it stands in no other."""
        places = (self.outputs, self.frame.outside)
        return self.blocked and outer in places

    def _length(self, r: Range) -> int:
        """A guess of the number of values of an index, 0 where other indices decide it."""
        lows = [self.frame.guess(e) // c for e, c in r.lows if self.frame.is_scalar(e)]
        highs = [self.frame.guess(e) // c for e, c in r.highs if self.frame.is_scalar(e)]
        return min(highs) - max(lows) + 1 if lows and highs else 0

    def _piece(self, axis: Axis) -> Axis:
        low = self.frame.new_scalar(f"{axis.index}_0", 0)
        stop = self.frame.new_scalar(f"{axis.index}_1", self.frame.guess(axis.extent))
        piece = replace(axis, low=low, stop=stop)
        self.wholes[piece] = axis
        return piece

    def _loop(self, piece: Axis, scope: Scope, inner: Sequence[tuple[Affine, ...]]) -> str:
        whole = self.wholes[piece]
        outer = [a.extent for s in scope.chain[:-1] for a in s.axes.values()]
        extents = [a.extent for a in scope.axes.values() if a is not piece]
        more = [e[len(scope.axes) :] for e in inner]
        others = largest(self.frame, (*outer, *extents), more)
        ends = f"{self.frame.text(whole.low)}, {self.frame.text(whole.stop)}"
        pair = f"{self.frame.text(piece.low)}, {self.frame.text(piece.stop)}"
        return f"for {pair} in blocks({ends}, {others}):"

    def _extents(self, scope: Scope) -> tuple[Affine, ...]:
        axes = [a for s in scope.chain if s is not self.outputs for a in s.axes.values()]
        return tuple(self.wholes.get(a, a).extent for a in axes)

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

    def _spread(self, values: str, scope: Scope, symbols: frozenset[str]) -> str:
        """Repeated along the reduction's axes that it does not depend on."""
        occurring = scope.indices(symbols)
        if all(i in occurring for i in scope.axes):
            return values
        first = min(a.position for a in scope.axes.values())
        extents = ["1"] * (self.levels - first)
        for a in scope.axes.values():
            extents[a.position - first] = self.frame.text(a.extent)
        return f"spread({values}, {', '.join(extents)})"


def slanting_widths(r: Range, frame: Frame) -> list[Quotient]:
    """Quotients that limit how many values the index has at one point around it, where two of its bounds slant alike."""
    pairs = [(low, c, high, d) for low, c in r.lows for high, d in r.highs]
    return [
        (high * c - low * d + c * d, c * d)
        for low, c, high, d in pairs
        if frame.is_scalar(high * c - low * d) and not frame.is_scalar(low)
    ]
