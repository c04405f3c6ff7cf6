"""Sizes that have to have numbers before there is a program: they multiply or divide indices.

Until then a function has its tree, which gives its text, and a program for other numbers in their stead, which tells the
names of what goes in and out, and nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tadc.errors import ArgumentError, Error, SyntaxError
from tadc.ir.affine import symbol
from tadc.ir.names import Names
from tadc.ir.program import Tensor
from tadc.printing.tree_idx import (
    declared_inputs,
    named_sizes,
    node_text,
    shape_texts,
    size_names,
    tree_text,
)
from tadc.printing.tree_tex import tree_tex, tree_tex_display
from tadc.resolve.resolve import Resolved, declared_places
from tadc.resolve.shapes import Shapes
from tadc.resolve.sizes import Sizes
from tadc.runtime.binding import shown_sizes
from tadc.syntax import ast

__all__ = ["OpenSizes", "with_stand_ins"]

STAND_INS = (2, 3, 1, 5, 8)  # for open sizes, while no call gives numbers


@dataclass(frozen=True, slots=True)
class OpenSizes:
    """`names` are the sizes that need numbers, `error` says where.

    `given` are the numbers that other sizes have, `extents` the input and dimension of sizes that no declaration names.
    """

    error: Error
    names: tuple[str, ...]
    tree: ast.Program
    given: Mapping[str, int]
    index_base: int
    extents: Mapping[str, tuple[str, int]]

    # ------------------------------------------------------------------ sizes without numbers

    def refusal(self, names: Sequence[str] = ()) -> Error:
        """The error of an operation that needs the numbers of `names`, by default of all."""
        names = tuple(names or self.names)
        numbers = ", ".join(f"{s}=8" for s in names)
        options = " ".join(f"--size {s}=8" for s in names)
        fix = f"here numbers are needed: `f.fix({numbers})`, or `{options}`"
        error = type(self.error)(self.error.span, self.error.fact, fix=fix)
        error.sizes = names
        return error

    # ------------------------------------------------------------------ text

    def text(self) -> str:
        """The program as `.idx` text. Raises SyntaxError where a number is given for a size that the text does not name."""
        return tree_text(self._written(), self.given, self.index_base)

    def tex(self) -> str:
        """The program as LaTeX; raises SyntaxError as `text`, and where LaTeX has no spelling."""
        return tree_tex(self._written(), self.given, self.index_base)

    def tex_display(self) -> str | None:
        """The statements as a notebook shows them; None where LaTeX has no spelling."""
        with suppress(SyntaxError):
            return tree_tex_display(self.tree, self.index_base)
        return None

    def shapes(self) -> Mapping[str, str]:
        """The shapes of inputs and outputs that the text says: `x[M, 2*N]`, by name."""
        return shape_texts(self.tree)

    def _written(self) -> ast.Program:
        unnamed = [s for s in self.given if s not in named_sizes(self.tree)]
        if unnamed:
            raise SyntaxError(
                None,
                f"`{unnamed[0]}` has a number, and no name in the text",
                fix=f"declare it, `size {unnamed[0]}`, or fix the others too: `f.fix({self.names[0]}=8)`",
            )
        return self.tree

    # ------------------------------------------------------------------ numbers of a call

    def shown(self) -> frozenset[str]:
        """The open sizes that stand in the shape of an input, and may follow from it."""
        inputs = filter(None, declared_inputs(self.tree).values())
        named = {s for i in inputs for e in i.extents or () for s in size_names(e)}
        return frozenset({*named, *self.extents}.intersection(self.names))

    def numbers(
        self, shapes: Mapping[str, Sequence[int]], given: Mapping[str, int]
    ) -> dict[str, int]:
        """The numbers of the open sizes in a call with inputs of these shapes. Raises ArgumentError for one that is missing."""
        known, places = {**self.given, **given}, declared_places(self.tree.items)
        while True:
            by_shape = shown_sizes(self._tensors(known, shapes), shapes, known, places)
            named = {*named_sizes(self.tree), *self.extents}
            values = {s: n for s, n in by_shape.items() if s in named}
            if values.keys() <= known.keys():
                break
            known |= values
        missing = [s for s in self.names if s not in known]
        if missing:
            raise ArgumentError(
                None,
                f"the size `{missing[0]}` is missing: it does not follow from the shapes of the inputs",
                fix=f"give it by name: `f(.., {missing[0]}=8)`",
            )
        return {s: known[s] for s in self.names}

    def _tensors(
        self, known: Mapping[str, int], shapes: Mapping[str, Sequence[int]]
    ) -> list[Tensor]:
        """The inputs with their extents in the sizes that are not known yet.

        An extent that is not affine in them is a symbol of its own: it determines nothing.
        """
        names = named_sizes(self.tree)
        numbers = {s: n for s, n in known.items() if s in names}
        sizes = Sizes(Names(names), numbers, Shapes(Names(names), numbers))
        declarations = [i for i in self.tree.items if isinstance(i, ast.SizeDeclaration)]
        declared = {d.name.name for d in declarations}
        span = self.tree.items[0].span
        for name in names:
            if name not in declared:
                sizes.declare(ast.SizeDeclaration(ast.Name(name, span), None, span))
        for declaration in sorted(declarations, key=lambda d: d.value is not None):
            with suppress(Error):  # a wrong extent, or one that is not affine yet, names none
                sizes.declare(declaration)
        tensors = []
        for name, item in declared_inputs(self.tree).items():
            if item is not None and item.extents is not None:
                shape = []
                for extent in item.extents:
                    form = symbol(f"{name}: {node_text(extent)}")
                    with suppress(Error):
                        read = sizes.form(extent)
                        derived = {d.name for d in sizes.derived}
                        form = read if derived.isdisjoint(read.symbols) else form
                    shape.append(form)
                tensors.append(Tensor(name, tuple(shape), None))
        return [*tensors, *self._undeclared(tensors, shapes)]

    def _undeclared(
        self, declared: Sequence[Tensor], shapes: Mapping[str, Sequence[int]]
    ) -> list[Tensor]:
        """The inputs without a declared shape, of which some extents have a name of their own."""
        known = {t.name for t in declared}
        extents: dict[str, dict[int, str]] = {}
        for size, (tensor, d) in self.extents.items():
            if tensor not in known:
                extents.setdefault(tensor, {})[d] = size
        return [
            Tensor(t, tuple(symbol(by.get(d, f"{t}.{d}")) for d in range(len(shapes[t]))), None)
            for t, by in extents.items()
            if t in shapes
        ]


def with_stand_ins(
    front: Callable[[Mapping[str, int]], Resolved], given: Mapping[str, int], error: Error
) -> tuple[tuple[str, ...], Resolved] | None:
    """The sizes that need numbers, and the program with other numbers in their stead; None if it is no program with any.

    `front` makes the program of a text for numbers of sizes, and failed with `error` for the `given` ones.
    """
    for number in STAND_INS:
        stand_ins: dict[str, int] = {}
        problem = error
        while missing := _needed(problem) - stand_ins.keys():
            stand_ins |= {s: number for e in problem.errors for s in e.sizes if s in missing}
            try:
                return tuple(stand_ins), front({**given, **stand_ins})
            except Error as next_:
                problem = next_
    return None


def _needed(error: Error) -> set[str]:
    """The sizes whose numbers are all that is missing, if it is."""
    needed = [e.sizes for e in error.errors]
    return {s for sizes in needed for s in sizes} if all(needed) else set()
