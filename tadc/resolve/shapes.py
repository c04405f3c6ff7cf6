"""Shapes of tensors during inference: declared, defined, or still open.

An *open* extent stands for an undeclared dimension of an input; it is a symbol with a dot in its name, bound to
a form when a bare index ties it to another dimension, or named at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tadc.errors import Error, ShapeError, Span
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import FALSE, TRUE, Condition, equals_zero
from tadc.ir.names import Names
from tadc.resolve.scope import MOST_INDICES, Index
from tadc.resolve.spelling import spelled

__all__ = ["Fact", "Shapes", "escaped"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A condition on sizes that a call must fulfil, and the error if it does not.

    `sentence` has a `{}` for the value of each of `forms`. `unless_empty` is an extent that, where it is 0, excuses
    the call.
    """

    condition: Condition
    kind: type[Error]
    span: Span | None
    sentence: str
    forms: tuple[Affine, ...]
    fix: str
    unless_empty: Affine | None = None

    def substitute(self, values: Mapping[Symbol, Affine]) -> Fact:
        return replace(
            self,
            condition=self.condition.substitute(values),
            forms=tuple(form.substitute(values) for form in self.forms),
            unless_empty=self.unless_empty and self.unless_empty.substitute(values),
        )

    def verify(self, sizes: Mapping[Symbol, int]) -> None:
        """Raises the error if the sizes do not fulfil the condition."""
        excused = self.unless_empty is not None and self.unless_empty.at(sizes) < 1
        values = {s: constant(n) for s, n in sizes.items()}
        if not excused and self.condition.substitute(values) != TRUE:
            raise self.error(sizes)

    def error(self, sizes: Mapping[Symbol, int]) -> Error:
        numbers = [form.at(sizes) for form in self.forms]
        return self.kind(self.span, self.sentence.format(*numbers), fix=self.fix)


def escaped(text: str) -> str:
    """The text as it must stand in a sentence with `{}`."""
    return text.replace("{", "{{").replace("}", "}}")


class Shapes:
    """The shape of every tensor of a program, by name.

    An open extent is called `x_0` until it has a name of its own: `names` makes that differ from names of the text, and `given` may
    have its number.
    """

    def __init__(self, names: Names, given: Mapping[str, int]) -> None:
        self._names = names
        self._given = given
        self._shapes: dict[str, tuple[Affine, ...]] = {}
        self._places: dict[str, Span] = {}
        self._bound: dict[Symbol, Affine] = {}
        self._hints: dict[Symbol, str] = {}
        self.facts: list[Fact] = []
        self.open_names: list[str] = []  # the names given to open extents
        self.opened: dict[Symbol, str] = {}  # provisional names of open extents
        self.dimensions: dict[str, tuple[str, int]] = {}  # of which input they are, by name

    def __contains__(self, tensor: str) -> bool:
        return tensor in self._shapes

    def declare(self, tensor: str, shape: tuple[Affine, ...], place: Span) -> None:
        if len(shape) > MOST_INDICES:
            raise ShapeError(
                place,
                f"`{tensor}` has {len(shape)} dimensions, and there may be {MOST_INDICES}",
                fix="make one dimension of several",
            )
        self._shapes[tensor] = shape
        self._places[tensor] = place

    def open(self, tensor: str, rank: int, place: Span) -> None:
        """An input with extents still to be found, but for those that have a number."""
        shape = []
        for d in range(rank):
            extent, name = f"{tensor}.{d}", self._names.fresh(f"{tensor}_{d}")
            self.opened[extent] = name
            self._hints[extent] = f"{tensor}_{d}"
            shape.append(constant(self._given[name]) if name in self._given else symbol(extent))
        self.declare(tensor, tuple(shape), place)

    @property
    def extents(self) -> dict[str, tuple[str, int]]:
        """The tensor and dimension of each open extent, by its provisional and by its final name."""
        split = ((name, place.rpartition(".")) for place, name in self.opened.items())
        return {name: (tensor, int(d)) for name, (tensor, _, d) in split} | self.dimensions

    def place(self, tensor: str) -> Span:
        """The place where the shape was stated, or first used."""
        return self._places[tensor]

    def shape(self, tensor: str) -> tuple[Affine, ...]:
        return tuple(map(self.settled, self._shapes[tensor]))

    def settled(self, form: Affine) -> Affine:
        """The form with bound open extents replaced by their values."""
        while any(s in self._bound for s in form.symbols):
            form = form.substitute(self._bound)
        return form

    def hint(self, form: Affine, name: str) -> None:
        """Name an open extent after the index that runs over it: `N` for `n`."""
        open_ = self.settled(form).as_symbol()
        if open_ is not None and "." in open_ and name.upper() != name:
            self._hints[open_] = name.upper()

    def unify(self, index: Index, extent: Affine, place: Span, dimension: str) -> None:
        """The extent is that of the index too: bind an open one, else the call must show that they agree.

        Raises ShapeError where both are numbers and differ.
        """
        assert index.extent is not None and index.place is not None
        first, second = self.settled(index.extent), self.settled(extent)
        for one, two in ((second, first), (first, second)):
            open_ = one.as_symbol()
            if open_ is not None and "." in open_ and not two.coefficient(open_):
                self._bound[open_] = two
                return
        condition = equals_zero(first - second)
        if condition == TRUE:
            return

        sentence = (
            f"the index `{index.name}` has the extent {{}} from {dimension}, and {{}} from {index.source}"
            f" (line {index.place.line}, column {index.place.column})"
        )
        fix = "make the extents agree" + spelled(
            place, f", or say the range: `{index.name}: N` on the left or in the sum", ""
        )
        fact = Fact(condition, ShapeError, place, sentence, (second, first), fix)
        if condition == FALSE and first.is_constant and second.is_constant:
            raise fact.error({})
        self.facts.append(fact)

    def named(self, names: Names, given: Mapping[str, int]) -> dict[Symbol, Affine]:
        """Final names for all extents that are still open, in order of the tensors; numbers for those of `given`."""
        final: dict[Symbol, Affine] = {}
        for tensor in self._shapes:
            for form in self.shape(tensor):
                for s in form.symbols:
                    if "." in s and s not in final:
                        name = names.fresh(self._hints[s])
                        final[s] = constant(given[name]) if name in given else symbol(name)
                        self.open_names.append(name)
                        open_, _, d = s.rpartition(".")
                        self.dimensions[name] = open_, int(d)
        return final | {s: self.settled(f).substitute(final) for s, f in self._bound.items()}
