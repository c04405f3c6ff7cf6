"""The origin of a function: all that a copy of it in another process needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tadc import compiler
from tadc.cache import disk_cached
from tadc.errors import Error, Source
from tadc.function.open_sizes import OpenSizes, with_stand_ins
from tadc.inplace.segments import Path
from tadc.ir.names import identifier
from tadc.options import Options, one_of
from tadc.resolve.resolve import Resolved
from tadc.syntax import ast

__all__ = ["Derivation", "Origin"]

Derivation: TypeAlias = tuple[
    str, tuple[str, ...]
]  # the mode of a derivative, and the inputs that it is by


@dataclass(frozen=True, slots=True)
class Origin:
    """A text and its options, and the derivatives that were taken, the first one first.

    `segment` is the place of the statements between two loops, where the function is of these alone. `values` are inputs
    that are compared with indices and are none: arrays of floats are passed for them. `proved`: the text's reads are known to
    be in bounds, and no call checks them, as far as data do not decide.
    """

    source: Source
    lang: Literal["idx", "tex"]
    options: Options
    derivations: tuple[Derivation, ...] = ()
    segment: Path | None = None
    values: tuple[str, ...] = ()
    proved: bool = False

    @classmethod
    def of(cls, source: Source, lang: Literal["idx", "tex"], options: Options) -> Origin:
        return cls(source, one_of("idx", "tex")("`lang`", lang), options)

    @property
    def key(self) -> tuple[object, ...]:
        """The key under which the program is cached: everything that determines it."""
        o = self.options
        sizes = sorted(o.sizes.items())
        text = (self.source, self.lang, self.segment, self.values, self.proved)
        return *text, o.name, sizes, o.index_base, self.derivations

    def with_sizes(self, sizes: Mapping[str, int]) -> Origin:
        """The same with further sizes as numbers."""
        options = replace(self.options, sizes={**self.options.sizes, **sizes})
        return replace(self, options=options)

    def tree(self) -> ast.Program:
        """The syntax tree of the text."""
        return compiler.parsed(self.source, self.lang, self.options.index_base)

    def resolved(self) -> tuple[Resolved, OpenSizes | None]:
        """The program of the text; where sizes need numbers before there is one, that of other numbers, and these sizes."""
        o = self.options
        name = identifier(o.name or "program")

        def front(sizes: Mapping[str, int], most_rounds: int | None = None) -> Resolved:
            base = o.index_base
            rest = self.segment, self.values, self.proved, most_rounds
            return compiler.front(self.source, self.lang, name, sizes, base, *rest)

        def stand_in(sizes: Mapping[str, int]) -> Resolved:
            # It tells names of inputs and outputs, which the first rounds have too.
            return front(sizes, 2)

        try:
            return disk_cached(("front", *self.key), lambda: front(o.sizes)), None
        except Error as error:
            with_numbers = with_stand_ins(stand_in, o.sizes, error)
            if with_numbers is None:
                raise
            names, resolved = with_numbers
            tree = self.tree()
            open_ = OpenSizes(error, names, tree, o.sizes, o.index_base, resolved.extents)
            return resolved, open_
