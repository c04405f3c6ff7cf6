"""Contractions as text: loops from the outside in, tests, and one line for the window of axes that is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from string import ascii_letters
from typing import TypeAlias

from tadc.emit.numpy.contraction import Plan
from tadc.emit.numpy.einsum import contracted
from tadc.emit.numpy.extents import are_few, largest
from tadc.emit.numpy.reads import Slices, is_safe, slices
from tadc.emit.numpy.scope import INDENT, Axis, Frame, Quotient, Scope, factor, folded
from tadc.emit.numpy.spelling import Precedence, bracketed, literal
from tadc.emit.numpy.values import Values, condition_text
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition
from tadc.ir.expr import Expr, Read
from tadc.ir.range import Range
from tadc.ir.walk import descend

__all__ = ["contraction_lines"]

Header: TypeAlias = tuple[
    str, bool
]  # a line, and whether it begins a loop around what comes after it
TURNS = 32  # of loops that add to an element, before `LongSum` is worth it


def contraction_lines(plan: Plan, frame: Frame, target: str) -> list[str]:
    """The lines that compute the array `target`, of the extents of `plan.contraction.indices`."""
    return _PlanText(plan, frame, target).lines()


@dataclass(slots=True)
class _PlanText:
    """Writes a plan: loops from the outside in, then tests, then one line for the window that is left."""

    plan: Plan
    frame: Frame
    target: str
    tests: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    bounding: set[Condition] = field(default_factory=set)

    def lines(self) -> list[str]:
        plan, frame = self.plan, self.frame
        before = dict(frame.scalars)
        headers = self._loops()
        scope = self._window()
        self._guard(scope)
        whole = not (self.tests or self.bounding & self._output_bounds()) and all(
            a.low == constant(0) and a.stop == plan.extents[i]
            for i, a in scope.axes.items()
            if i in plan.extents
        )
        pieces = self._divide(scope)
        adds = any(i in plan.bounds for i in (*plan.loops, plan.piece))
        lines = self._assignment(scope, adds)
        long = frame.taken.fresh("long") if self._adds_many() else None
        lines += [f"{long}.tick()"] if long else []
        if pieces is not None:
            lines = [pieces, *(INDENT + line for line in lines)]
        if self.tests:
            lines = [f"if {' and '.join(self.tests)}:", *(INDENT + line for line in lines)]
        lines = [*self.inner, *lines]
        outer = sum(i in plan.extents for i in plan.loops)  # they are outside of the others
        loops = [n for n, (_, is_loop) in enumerate(headers) if is_loop]
        first = loops[outer] if outer < len(loops) else len(headers)
        lines = _under(headers[first:], lines)
        if long:
            lines = [f"{long} = LongSum({self._window_of_loops()})", *lines, f"{long}.end()"]
        lines = _under(headers[:first], lines)
        shape = ", ".join(frame.text(n) for n in plan.extents.values())
        shape = f"({shape},)" if len(plan.extents) == 1 else f"({shape})"
        frame.scalars = before
        made = "zeros" if adds or not whole else "empty"
        return [f"{self.target} = np.{made}({shape}, {frame.real})", *lines]

    def _assignment(self, scope: Scope, adds: bool) -> list[str]:
        arrays = {e: self._array(e, scope) for e in self.plan.arrays}
        place = self._place(scope)
        element = (
            f"{self.target}[{place}]" if place else self.target if adds else f"{self.target}[...]"
        )
        product = self._product(scope, {e: text for e, (_, text) in arrays.items()})
        made = [line for lines, _ in arrays.values() for line in lines]
        return [*made, f"{element} {'+=' if adds else '='} {product}"]

    def _adds_many(self) -> bool:
        """Whether more than some terms may be added to an element, one after the other."""
        plan = self.plan
        summed = [plan.scope.axes[i].extent for i in plan.loops if i in plan.bounds]
        if plan.piece in plan.bounds or not all(n.is_constant for n in summed):
            return True
        return prod(n.constant for n in summed) > TURNS

    def _window_of_loops(self) -> str:
        """The part of the target that the loops over its own indices have left."""
        loops = self.plan.loops
        parts = [self.frame.scalars[i] if i in loops else ":" for i in self.plan.extents]
        while parts and parts[-1] == ":":
            parts.pop()
        parts += ["..."] if parts and len(parts) == len(self.plan.extents) else []
        return f"{self.target}[{', '.join(parts)}]" if parts else self.target

    # ------------------------------------------------------------------ loops

    def _loops(self) -> list[Header]:
        """The headers, and between them the definitions of derived indices; each makes its index a scalar."""
        plan, frame = self.plan, self.frame
        headers: list[Header] = []
        for i in plan.loops:
            lows, stops = self._ends(
                i, [c for c in plan.contraction.reduce.domain if self._is_known(c, i)]
            )
            # Bounds by loops further out may leave what the axis, and all that is decided by it, spans.
            a = plan.scope.axes[i]
            lows += [] if any(map(frame.is_known, lows)) else [(a.least, 1)]
            stops += [] if any(map(frame.is_known, stops)) else [(a.most + 1, 1)]
            lows = folded("max", lows)
            low = "" if lows == [(constant(0), 1)] else f"{frame.extreme_text('max', lows)}, "
            stop = frame.extreme_text("min", folded("min", stops))
            name = frame.taken.fresh(i)
            frame.scalars[i], frame.guesses[i] = name, 0
            headers += [(f"for {name} in range({low}{stop}):", True), *self._divisions()]
        return headers or self._divisions()

    def _output_bounds(self) -> set[Condition]:
        """The conditions that limit indices of the target."""
        outputs = set(self.plan.extents)
        domain = self.plan.contraction.reduce.domain
        return {c for c in domain if outputs & self.plan.scope.indices(frozenset(c.form.symbols))}

    def _is_known(self, c: Condition, i: Symbol) -> bool:
        """Whether a condition bounds `i` by scalars only. Then it needs no test inside the loop."""
        c_i = c.form.coefficient(i)
        if not c_i or c.relation == "|" or not self.frame.is_scalar(c.form - c_i * symbol(i)):
            return False
        self.bounding.add(c)
        return True

    def _ends(
        self, i: Symbol, conditions: Sequence[Condition]
    ) -> tuple[list[Quotient], list[Quotient]]:
        """Quotients that `i` is at least, and quotients that it stays below, by the conditions and its box."""
        n = self.plan.extents.get(i)
        lows: list[Quotient] = [(constant(0), 1)] if n is not None else []
        stops: list[Quotient] = [(n, 1)] if n is not None else []
        for c in conditions:
            forms = (c.form, -c.form) if c.relation == "==" else (c.form,)
            r = Range.of(i, forms)
            lows += [(e + (d - 1), d) for e, d in r.lows]
            stops += [(e + d, d) for e, d in r.highs]
        return lows, stops

    def _divisions(self) -> list[Header]:
        headers = []
        for d in self.plan.derived:
            known = d.name in self.frame.scalars or d.name not in self.plan.used
            if not known and self.frame.is_scalar(d.form):
                text = f"{factor(d.form, self.frame.text(d.form))} // {d.modulus}"
                name = self.frame.taken.fresh(d.name)
                self.frame.scalars[d.name], self.frame.guesses[d.name] = name, 0
                headers.append((f"{name} = {text}", False))
        return headers

    # ------------------------------------------------------------------ windows

    def _window(self) -> Scope:
        """The axes that are left, each with its range inside the loops. Conditions on scalars become tests."""
        plan, frame = self.plan, self.frame
        bounds: dict[Symbol, list[Condition]] = {
            i: [] for i in plan.scope.axes if i not in plan.loops
        }
        for condition in plan.contraction.reduce.domain:
            axes = [s for s in condition.form.symbols if s in bounds]
            for i in axes:
                bounds[i].append(condition)
            if not axes and condition not in self.bounding:
                self.tests.append(condition_text(condition, frame.text))
        scope = Scope(frame.outside, dict(plan.scope.axes), plan.scope.derived)
        for i, conditions in bounds.items():
            lows, stops = self._ends(i, conditions)
            low = self._end("max", f"{i}_0", lows)
            stop = self._end("min", f"{i}_1", stops)
            a = plan.scope.axes[i]
            scope.axes[i] = Axis(i, 0, low, stop, a.least, a.most)
        return scope

    def _end(self, op: str, hint: str, quotients: Sequence[Quotient]) -> Affine:
        """The greatest or least quotient as a form, without those that others make superfluous."""
        kept = folded(op, quotients)
        for q in tuple(kept):
            if any(other is not q and self._is_beyond(other, q, op) for other in kept):
                kept.remove(q)
        if len(kept) == 1 and kept[0][1] == 1:
            return kept[0][0]
        form = self.frame.new_scalar(
            hint, self.frame.guess(self._sizes_only(kept[0][0], True)) // kept[0][1]
        )
        self.inner.append(f"{self.frame.text(form)} = {self.frame.extreme_text(op, kept)}")
        return form

    def _is_beyond(self, a: Quotient, b: Quotient, op: str) -> bool:
        """Whether the quotient `a` is surely at least `b` (for `max`), or at most (for `min`)."""
        if a[1] != 1 or b[1] != 1:
            return False
        difference = a[0] - b[0] if op == "max" else b[0] - a[0]
        return self.frame.surely(self._sizes_only(difference, False))

    def _sizes_only(self, form: Affine, highest: bool) -> Affine:
        return self.frame.extreme(form, self.plan.scope, highest=highest)

    def _guard(self, scope: Scope) -> None:
        """Tests where a window may be empty, unless its slices are empty then and nothing else goes wrong."""
        frame = self.frame
        for i, a in scope.axes.items():
            if i in self.plan.loops or frame.surely(self._sizes_only(a.extent, False) - 1):
                continue
            if frame.surely(self._sizes_only(a.extent, False)) or frame.is_extent(a.extent):
                scope.empty.add(i)
            else:
                self.tests.append(f"{frame.text(a.low)} < {frame.text(a.stop)}")
        risk = frozenset(scope.empty)
        reads = [e for e in self.plan.contraction.factors if e not in self.plan.arrays]
        if risk and not all(
            is_safe(r, scope, frame, risk) and _forward(r, scope)
            for r in reads
            if isinstance(r, Read)
        ):
            self.tests += [
                f"{frame.text(scope.axes[i].low)} < {frame.text(scope.axes[i].stop)}"
                for i in sorted(risk)
            ]
            scope.empty.clear()

    # ------------------------------------------------------------------ the product

    def _place(self, scope: Scope) -> str:
        parts = []
        for i, n in self.plan.extents.items():
            if i in self.plan.loops:
                parts.append(self.frame.scalars[i])
                continue
            a = scope.axes[i]
            low = "" if a.low == constant(0) else self.frame.text(a.low)
            parts.append(f"{low}:{'' if a.stop == n else self.frame.text(a.stop)}")
        while parts and parts[-1] == ":":
            parts.pop()
        return ", ".join(parts)

    def _divide(self, scope: Scope) -> str | None:
        """The loop over pieces of an axis, which becomes a piece; None where the computed arrays are known to be small."""
        i, frame = self.plan.piece, self.frame
        if i is None:
            return None
        a = scope.axes[i]
        arrays = [
            {
                j: b.extent
                for j, b in scope.axes.items()
                if j in self.plan.under(e) and j not in self.plan.loops
            }
            for e in self.plan.arrays
        ]
        if are_few(tuple(extents.values()) for extents in arrays):
            return None
        others = [tuple(n for j, n in extents.items() if j != i) for extents in arrays]
        low, stop = frame.new_scalar(f"{i}_0", 0), frame.new_scalar(f"{i}_1", frame.guess(a.extent))
        scope.axes[i] = replace(a, low=low, stop=stop)
        ends = f"{frame.text(a.low)}, {frame.text(a.stop)}"
        return f"for {frame.text(low)}, {frame.text(stop)} in blocks({ends}, {largest(frame, (), others)}):"

    def _array(self, e: Expr, scope: Scope) -> tuple[list[str], str]:
        """The lines and the text of a factor as an array of the axes that it depends on."""
        left = [i for i in scope.axes if i in self.plan.under(e) and i not in self.plan.loops]
        root = Scope(None)
        derived = {n: d for n, d in scope.derived.items() if n not in self.frame.scalars}
        axes = {i: replace(scope.axes[i], position=k) for k, i in enumerate(left)}
        inner = Scope(root, axes, derived)
        values = Values(self.frame, e, len(axes))
        text = descend(values.value(e, inner, frozenset(scope.empty)))
        return [*root.lines, *inner.lines], bracketed(text, Precedence.ATOM)

    def _product(self, scope: Scope, arrays: Mapping[Expr, str]) -> str:
        """The sum over the window: a number times numbers read times the contraction of arrays."""
        c, plan = self.plan.contraction, self.plan
        axes = [i for i in scope.axes if i not in plan.loops]
        letters = _letters(axes)
        sign = "-" if c.number == -1 else ""
        factors = [] if c.number in (1, -1) else [literal(c.number).text]
        operands, subscripts = [], []
        for e in c.factors:
            if e in arrays:
                text, kept = arrays[e], [i for i in axes if i in plan.under(e)]
            else:
                assert isinstance(e, Read)
                sliced = slices(e, scope, self.frame)
                assert sliced is not None, f"{e} is no slice in loops over {plan.loops}"
                text, kept = self._operand(e, sliced), [a.index for a in sliced.kept]
            if kept:
                operands.append(text)
                subscripts.append("".join(letters[i] for i in kept))
            else:
                factors.append(text)
        result = "".join(letters[i] for i in plan.extents if i not in plan.loops)
        if subscripts == [result]:
            factors.append(operands[0])
        elif operands:
            factors.append(contracted(operands, subscripts, result))
        return sign + " * ".join(factors)

    def _operand(self, read: Read, sliced: Slices) -> str:
        frame = self.frame
        brackets = sliced.brackets if sliced.kept else f"[{', '.join(sliced.parts) or '()'}]"
        text = frame.names[read.tensor] + brackets
        if sliced.flipped:
            text = f"np.flip({text}, {sliced.flipped})"
        return text if frame.dtypes[read.tensor] == frame.dtype else f"{text}.astype({frame.real})"


def _under(headers: Sequence[Header], lines: list[str]) -> list[str]:
    """The lines in loops; between those stand definitions."""
    for header, is_loop in reversed(headers):
        lines = [header, *(INDENT + line if is_loop else line for line in lines)]
    return lines


def _forward(read: Read, scope: Scope) -> bool:
    """Whether no subscript runs backwards along an axis that may be empty."""
    return all(form.coefficient(i) >= 0 for form in read.subscripts for i in scope.empty)


def _letters(indices: Sequence[Symbol]) -> dict[Symbol, str]:
    """A letter for each index, its own where that is possible."""
    letters: dict[Symbol, str] = {}
    for i in sorted(indices, key=lambda i: len(i) > 1):
        preferred = [c for c in i if c in ascii_letters]
        letters[i] = next(c for c in (*preferred, *ascii_letters) if c not in letters.values())
    return letters
