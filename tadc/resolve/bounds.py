"""Proof that every read is inside its tensor (language, section 3), or the smallest index value at which it is not.

A read is inside if no point of the domain around it, for any sizes, leaves the tensor: an integer emptiness question.
Questions that cannot be answered before the sizes are known are kept and answered at the call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice

from tadc.errors import RangeError, Span
from tadc.integer import Undecided, implies, smallest_point
from tadc.integer.projection import project
from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import Condition, Determined, Domain, Looked, at_least_zero, between
from tadc.resolve.elaborate import ReadUse
from tadc.resolve.known import Known
from tadc.resolve.scope import Scope
from tadc.resolve.spelling import declared, spelled, written_by_user

__all__ = ["ReadCheck", "read_checks"]

MOST_ALTERNATIVES = 32  # that are tried before the sizes are known, each alone


@dataclass(frozen=True, slots=True)
class ReadCheck:
    """A read that leaves its tensor at the points of `outside`, if there are any.

    `subscripts` and `extents` are those of the whole read; `dimension` is the one in question. `indices` names the
    symbols as the program does, outermost first, and `base` is the first index, 0 or 1. `sizes` say where the read
    goes and where the tensor ends.
    """

    tensor: str
    dimension: int
    subscripts: tuple[Affine, ...]
    extents: tuple[Affine, ...]
    span: Span
    outside: Known
    indices: tuple[tuple[Symbol, str], ...]
    base: int
    sizes: tuple[Symbol, ...]
    ranged: tuple[
        str, ...
    ] = ()  # the indices whose range this read gives, and would not with `pad`
    # What decides if data do: derived and data indices, in the order in which they are known; and the subscripts' places.
    data: tuple[Determined, ...] = ()
    places: tuple[Span | None, ...] = ()

    @property
    def index_tensors(self) -> tuple[str, ...]:
        """The index tensors that decide."""
        return tuple(dict.fromkeys(d.tensor for d in self.data if isinstance(d, Looked)))

    def verify(self, sizes: Mapping[Symbol, int]) -> None:
        """Raises RangeError if the read leaves its tensor for these sizes, naming the smallest index values.

        Where data decide, the sizes say nothing.
        """
        if self.data:
            return
        values = {s: constant(n) for s, n in sizes.items()}
        outside = self.outside.substitute(values)
        point = outside.smallest_point([s for s, _ in self.indices])
        if point is None:
            return
        if isinstance(point, Undecided):
            raise RangeError(
                self.span,
                f"it cannot be proved that `{self.span.text}` stays inside {self.tensor}",
                fix="simplify the subscript or the conditions around it, or use a boundary form",
            )
        forms = (*self.subscripts, *self.extents)
        any_ = {s: 1 for form in forms for s in form.symbols}  # sizes that do not matter
        raise self.error({**any_, **sizes, **point})

    def error(self, point: Mapping[Symbol, int]) -> RangeError:
        if "<-" in self.span.text:
            return self._written_twice(point)
        reached = ", ".join(map(partial(self._reached_at, point), self.subscripts))
        at = [f"{name} = {point[s] + self.base}" for s, name in self.indices if s in point]
        at += [
            f"{s} = {point[s]}" for s in self.sizes if s in point and written_by_user(self.span, s)
        ]
        when = f" when {', '.join(at)}" if at else ""
        return RangeError(
            self.span,
            f"`{self.span.text}` is `{self.tensor}[{reached}]`{when}, but {self._end(point)}",
            fix=self._from_the_end()
            or f"write `{self._padded()}` for zeros outside{self._range()}, or a smaller range"
            f" of an index{self._behind()} (`pad`, `clamp`, `wrap`, `reflect` and `symmetric` say what is outside)"
            + self._counting(point),
        )

    def _reached_at(self, point: Mapping[Symbol, int], form: Affine) -> str:
        """A subscript at a point; as it is written where data decide it, which a point outside in another dimension need not have."""
        is_known = point.keys() >= set(form.symbols)
        return str(form.at(point) + self.base) if is_known else ".."

    def _written_twice(self, point: Mapping[Symbol, int]) -> RangeError:
        """The error of an update that shares an element with another of its step: checked as a read beyond the end there."""
        first, *rest = (form.at(point) + self.base for form in self.subscripts)
        shared = (first - self.extents[0].at(point), *rest)
        name = self.span.text.split("[")[0].strip()
        return RangeError(
            self.span,
            f"`{name}[{', '.join(map(str, shared))}]` is updated by this and by an update before it in the same step",
            fix="write conditions that exclude each other, or take one of them out of the step",
        )

    def _range(self) -> str:
        """Advice to declare the range, which a read with `pad` no longer determines."""
        if not self.ranged:
            return ""
        idx = f"`{self.ranged[0]}: N` with `size N`"
        return " and say the range, " + spelled(self.span, idx, r"`y \in \mathbb{R}^{N}`")

    def _behind(self) -> str:
        r"""In LaTeX, where a range of an index of the read is written, `, behind the formula: \quad i = 2, \dots, N-1`."""
        symbols = self.subscripts[self.dimension].symbols
        index = next((name for s, name in self.indices if s in symbols), "i")
        return spelled(self.span, "", rf", behind the formula: `\quad {index} = 2, \dots, N-1`")

    def _counting(self, point: Mapping[str, int]) -> str:
        """A hint for a formula from a book, which reads one element too many; in `.idx` text only where an index does that begins at 1."""
        form, extent = self.subscripts[self.dimension], self.extents[self.dimension]
        is_tex = bool(spelled(self.span, "", "tex"))
        if self.base or not point.keys() >= set(extent.symbols):
            return ""
        index = next((name for s, name in self.indices if s == form.as_symbol()), None)
        begins = rf"\b{re.escape(index or '')}\s*=\s*1\s*\.\."
        if not is_tex and (index is None or not re.search(begins, self.span.source.text)):
            return ""
        last = form.at(point) == extent.at(point)
        return (
            f"; where the formula counts from 1, write {declared(self.span, 'base 1')}"
            if last
            else ""
        )

    def _from_the_end(self) -> str:
        """The remedy for a subscript such as -1, which in Python is the last element."""
        form, extent = self.subscripts[self.dimension], self.extents[self.dimension]
        is_tex = bool(spelled(self.span, "", "tex"))
        if is_tex or self.base or not form.is_constant or form.constant >= 0:
            return ""
        if extent.is_constant and extent.constant + form.constant < 0:
            return ""
        is_named = all(written_by_user(self.span, s) for s in extent.symbols)
        element = str(extent + form.constant) if is_named else f"N - {-form.constant}"
        counted = self._replaced(lambda _: element)
        named = "" if is_named else f", with the extent `N` in `input {self.tensor}[..]`"
        return f"write `{counted}` to count from the end{named}"

    def _end(self, point: Mapping[Symbol, int]) -> str:
        """The end of the tensor that the read is beyond, as a sentence."""
        where = (
            f"dimension {self.dimension} of {self.tensor}" if len(self.extents) > 1 else self.tensor
        )
        extent = self.extents[self.dimension]
        counted = point.keys() >= set(extent.symbols)
        if counted and extent.at(point) < 1:
            return f"{where} has extent 0"
        if self.subscripts[self.dimension].at(point) < 0:
            return f"{where} begins at {self.base}"
        return f"{where} ends at {extent.at(point) - 1 + self.base}"

    def _padded(self) -> str:
        """The read's own text with `pad` around the subscript in question, or in the place of another boundary form."""
        pad = spelled(self.span, "pad", r"\operatorname{pad}")
        forms = spelled(self.span, "(?:{})", r"\\operatorname\{{(?:{})\}}")
        other = re.compile(forms.format("wrap|clamp|reflect|symmetric") + r"(\(.*\))")

        def padded(subscript: str) -> str:
            form = other.fullmatch(subscript)
            return f"{pad}{form[1]}" if form else f"{pad}({subscript})"

        return self._replaced(padded) or f"{pad}(..)"

    def _replaced(self, change: Callable[[str], str]) -> str:
        """The read's own text with the subscript in question changed; empty where the text does not show it."""
        text = self.span.text
        sign = spelled(self.span, "[", "_{")  # not the brace of `\mathbf{x}_{i+1}`
        opened = text.find(sign) + len(sign) - 1 if sign in text else -1
        inner, closing = text[opened + 1 : -1], text[-1:]
        parts = _split(inner)
        if len(parts) == 1 and inner.isalpha() and len(inner) == len(self.subscripts):
            parts = [*inner]  # `a_{id}`
        if opened > 0 and len(parts) == len(self.subscripts):
            parts[self.dimension] = change(parts[self.dimension].strip())
            return f"{text[: opened + 1]}{','.join(parts)}{closing}"
        return ""


def read_checks(
    use: ReadUse,
    extents: tuple[Affine, ...],
    values: Mapping[Symbol, Affine],
    known: Domain,
    allowed: Domain,
    base: int,
) -> Iterator[ReadCheck]:
    """The conditions of a read that cannot be proved for all sizes. `values` names open extents.

    `known` holds of the sizes where no extent is 0, `allowed` of those of every call. Raises RangeError if the read
    leaves its tensor whatever the sizes are.
    """
    indices = tuple(
        (i.symbol, i.name) for scope in reversed(use.scope.chain) for i in scope.indices.values()
    )
    inner = [s for scope in use.scope.chain for s in sorted(scope.symbols)]
    ranged = tuple(
        i.name
        for scope in use.scope.chain
        for i in scope.indices.values()
        if i.rule == 3 and i.place is not None and use.span.start <= i.place.start < use.span.end
    )
    subscripts = tuple(form.substitute(values) for form in use.subscripts)
    around = use.known.substitute(values)
    for d, (form, extent) in enumerate(zip(subscripts, extents, strict=True)):
        for in_bounds in between(0, form, extent - 1):
            if in_bounds in around.domain.conditions:
                continue  # a bare index: its range is the extent
            outside = around & Domain.of((at_least_zero(-in_bounds.form - 1),))
            if (outside & allowed).is_empty():
                continue
            data = _data_of(outside, in_bounds, use.scope, values)
            spoken = (s for f in (*subscripts, extent) for s in f.symbols)
            sizes = tuple(dict.fromkeys(s for s in spoken if s not in inner))
            check = ReadCheck(
                use.tensor,
                d,
                subscripts,
                extents,
                use.span,
                outside,
                indices,
                base,
                sizes,
                ranged,
                data,
                use.places or (None,) * len(subscripts),
            )
            if data:
                yield check
                continue
            if (outside & known).is_empty():
                yield check  # outside only where a size is 0: `x[0]`
                continue
            if outside.symbols.isdisjoint(known.symbols):
                check.verify({})
                continue
            for domain in islice(outside.alternatives(), MOST_ALTERNATIVES):
                error = _reached(check, domain, inner, known)
                if error is not None:
                    raise error
            yield check


def _data_of(
    outside: Known, in_bounds: Condition, scope: Scope, values: Mapping[Symbol, Affine]
) -> tuple[Determined, ...]:
    """What decides whether there is a point of `outside`, if data do."""
    every = [d.substitute(values) for part in reversed(scope.chain) for d in part.derived]
    met = {*in_bounds.form.symbols}.union(
        *(k.symbols for choice in outside.choices for k in choice)
    )
    compared = {s for c in outside.domain for s in c.form.symbols}
    before: set[Symbol] = set()
    while met != before:  # what an element is looked up with may be between others
        before = set(met)
        met |= set(outside.domain.near(met).symbols)
        met = met.union(*(d.symbols for d in every if d.name in met))
        # Conditions on what else is looked up there, or nowhere, may exclude the point.
        at = (d for d in every if d.name in compared)
        met |= {d.name for d in at if not d.symbols or not met.isdisjoint(d.symbols)}
    deciding = tuple(d for d in every if d.name in met)
    return deciding if any(isinstance(d, Looked) for d in deciding) else ()


def _reached(
    check: ReadCheck, outside: Domain, inner: list[Symbol], known: Domain
) -> RangeError | None:
    """The error of a read that leaves its tensor in `outside` whatever the sizes are; None if in doubt."""
    if not _always(outside, inner, known):
        return None
    sizes = (s for s in outside.symbols if s not in inner)
    point = smallest_point(outside & known, [*sizes, *(s for s, _ in check.indices)])
    if point is None or isinstance(point, Undecided):
        return None
    every = {s: 1 for e in check.extents for s in e.symbols}
    return check.error({**every, **point})


def _always(outside: Domain, inner: list[Symbol], known: Domain) -> bool:
    """Whether the domain holds an integer point whatever the sizes are (false if in doubt).

    Projecting the indices away leaves its conditions on the sizes; with unit coefficients that is exact.
    """
    indices = [s for s in inner if s in outside.symbols]
    if any(abs(c.form.coefficient(s)) > 1 for c in outside for s in indices):
        return False
    return all(implies(known, condition) for condition in project(outside, indices))


def _split(text: str) -> list[str]:
    """Split at commas and semicolons outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c in ",;" and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts
