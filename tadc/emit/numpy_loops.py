"""Contractions as text: loops from the outside in, tests, and one line for the window of axes that is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_letters

from tadc.emit.numpy_contraction import Plan
from tadc.emit.numpy_reads import is_safe, slices
from tadc.emit.numpy_scope import INDENT, Axis, Frame, Scope, factor
from tadc.emit.numpy_spelling import literal
from tadc.emit.numpy_values import condition_text
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.bounds import Bounded
from tadc.ir.domain import Condition, at_least_zero
from tadc.ir.expr import Read

__all__ = ["contraction_lines"]


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
        computed = self._product(scope)
        adds = any(i in plan.bounds for i in plan.loops)
        place = self._place(scope)
        whole = not self.tests and all(
            a.low == constant(0) and a.stop == plan.extents[i]
            for i, a in scope.axes.items()
            if i in plan.extents
        )
        made = "zeros" if adds or not whole else "empty"
        shape = ", ".join(frame.text(n) for n in plan.extents.values())
        shape = f"({shape},)" if len(plan.extents) == 1 else f"({shape})"
        lines = [f"{self.target} = np.{made}({shape}, {frame.real})"]
        element = (
            f"{self.target}[{place}]" if place else self.target if adds else f"{self.target}[...]"
        )
        body = [f"{element} {'+=' if adds else '='} {computed}"]
        if self.tests:
            body = [f"if {' and '.join(self.tests)}:", *(INDENT + line for line in body)]
        body = [*self.inner, *body]
        for header in reversed(headers):
            inside = header.startswith("for ")
            body = [header, *(INDENT + line if inside else line for line in body)]
        frame.scalars = before
        return [*lines, *body]

    # ------------------------------------------------------------------ loops

    def _loops(self) -> list[str]:
        """The headers, and between them what defines derived indices; each makes its index a scalar."""
        plan, frame = self.plan, self.frame
        lines = []
        for i in plan.loops:
            a = plan.scope.axes[i]
            if i in plan.extents:
                ends = [frame.text(a.stop)]
            else:
                b = plan.bounds[i]
                lows = [(e + (c - 1), c) for e, c in self._scalars(b, b.lows, 1)]
                stops = [(e + c, c) for e, c in self._scalars(b, b.highs, -1)]
                low = frame.extreme_text("max", lows or [(a.least, 1)])
                stop = frame.extreme_text("min", stops or [(a.most + 1, 1)])
                ends = [stop] if low == "0" else [low, stop]
            name = frame.taken.fresh(i)
            frame.scalars[i] = name
            lines.append(f"for {name} in range({', '.join(ends)}):")
            lines += self._divisions()
        return lines or self._divisions()

    def _scalars(
        self, b: Bounded, bounds: Sequence[tuple[Affine, int]], sign: int
    ) -> list[tuple[Affine, int]]:
        """The bounds that are known at this place of the loops. They need no test inside."""
        found = [(e, c) for e, c in bounds if self.frame.is_scalar(e)]
        self.bounding |= {at_least_zero(sign * (c * symbol(b.index) - e)) for e, c in found}
        return found

    def _divisions(self) -> list[str]:
        lines = []
        for d in self.plan.derived:
            if d.name not in self.frame.scalars and self.frame.is_scalar(d.form):
                text = f"{factor(self.frame.text(d.form))} // {d.modulus}"
                name = self.frame.taken.fresh(d.name)
                self.frame.scalars[d.name] = name
                lines.append(f"{name} = {text}")
        return lines

    # ------------------------------------------------------------------ windows

    def _window(self) -> Scope:
        """The axes that are left, each with its range inside the loops. Conditions on scalars become tests."""
        plan, frame = self.plan, self.frame
        lows: dict[Symbol, list[tuple[Affine, int]]] = {}
        stops: dict[Symbol, list[tuple[Affine, int]]] = {}
        for i in plan.scope.axes:
            if i not in plan.loops:
                lows[i], stops[i] = (
                    ([(constant(0), 1)], [(plan.extents[i], 1)]) if i in plan.extents else ([], [])
                )
        for condition in plan.contraction.reduce.domain:
            axes = [s for s in condition.form.symbols if s in lows]
            if not axes:
                if condition not in self.bounding:
                    self.tests.append(condition_text(condition, frame.text))
                continue
            (i,) = axes
            c = condition.form.coefficient(i)
            rest = condition.form - c * symbol(i)
            if c > 0:
                lows[i].append((-rest + (c - 1), c))
            else:
                stops[i].append((rest - c, -c))
        scope = Scope(frame.outside, dict(plan.scope.axes), plan.scope.derived)
        for i in lows:
            low = self._end("max", f"{i}_0", lows[i])
            stop = self._end("min", f"{i}_1", stops[i])
            a = plan.scope.axes[i]
            scope.axes[i] = Axis(i, 0, low, stop, a.least, a.most)
        return scope

    def _end(self, op: str, hint: str, quotients: Sequence[tuple[Affine, int]]) -> Affine:
        """The greatest or least quotient as a form, without those that others make superfluous."""
        kept = list(
            dict.fromkeys(
                (constant(e.constant // c), 1) if e.is_constant else (e, c) for e, c in quotients
            )
        )
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

    def _is_beyond(self, a: tuple[Affine, int], b: tuple[Affine, int], op: str) -> bool:
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
        reads = self._reads()
        if risk and not all(is_safe(r, scope, frame, risk) and _forward(r, scope) for r in reads):
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

    def _product(self, scope: Scope) -> str:
        """The sum over the window: a number times numbers read times the contraction of arrays."""
        c, frame = self.plan.contraction, self.frame
        letters = _letters([i for i in scope.axes if i not in self.plan.loops])
        factors = [literal(c.number).text] if c.number != 1 else []
        operands, subscripts = [], []
        for read in c.reads:
            found = slices(read, scope, frame)
            assert found is not None, f"{read} is no slice in loops over {self.plan.loops}"
            text = self._operand(read, found)
            if found.kept:
                operands.append(text)
                subscripts.append("".join(letters[a.index] for a in found.kept))
            else:
                factors.append(text)
        outputs = [i for i in self.plan.extents if i not in self.plan.loops]
        result = "".join(letters[i] for i in outputs)
        if operands:
            if subscripts == [result]:
                factors.append(operands[0])
            else:
                signature = f'"{",".join(subscripts)}->{result}"'
                factors.append(f"np.einsum({signature}, {', '.join(operands)}, optimize=True)")
        return " * ".join(factors)

    def _operand(self, read: Read, found: Slices) -> str:
        frame = self.frame
        brackets = found.brackets if found.kept else f"[{', '.join(found.parts) or '()'}]"
        text = frame.names[read.tensor] + brackets
        if found.flipped:
            text = f"np.flip({text}, {found.flipped})"
        return text if frame.dtypes[read.tensor] == frame.dtype else f"{text}.astype({frame.real})"


def _forward(read: Read, scope: Scope) -> bool:
    """Whether no subscript runs backwards along an axis that may be empty."""
    return all(form.coefficient(i) >= 0 for form in read.subscripts for i in scope.empty)


def _letters(indices: Sequence[Symbol]) -> dict[Symbol, str]:
    """A letter for each index, its own where that is possible."""
    letters: dict[Symbol, str] = {}
    for i in sorted(indices, key=lambda i: len(i) > 1):
        own = [c for c in i if c in ascii_letters]
        letters[i] = next(c for c in (*own, *ascii_letters) if c not in letters.values())
    return letters
