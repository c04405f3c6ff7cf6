"""The program that a command is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from tadc.cli.output import place
from tadc.cli.parameters import INVERSE_MODES
from tadc.errors import ShapeError, Span, SyntaxError, merged
from tadc.function.derivatives import in_mode
from tadc.syntax.tex.agreed import agreement

if TYPE_CHECKING:
    from tadc.function import Function
    from tadc.syntax.ast import Note

__all__ = [
    "loaded",
    "open_numbers",
    "program_in_mode",
    "refuse_open_sizes",
    "with_plain_arrays",
]


def loaded(
    file: str,
    sizes: Mapping[str, int],
    verbose: bool = False,
    strict: bool = False,
    **options: Any,
) -> Function:
    """The program in a file, after a word on displays that are no part of it; with `verbose` one on each.

    Raises SyntaxError for every guess of a document's reading if `strict`.
    """
    from tadc.function import load

    f = load(file, sizes=sizes, **options)
    guesses = [_guess(note) for note in f.notes if note.is_guess]
    if strict and guesses:
        raise merged(guesses)
    if verbose:
        for span in f.skipped:
            click.echo(f"skipped, since it defines no tensor: {place(span)}", err=True)
    elif f.skipped:
        _tell_skipped(file, f.skipped)
    return f


def program_in_mode(f: Function, mode: str, wrt: tuple[str, ...] | None) -> Function:
    """The function itself, a derivative, or an inverse mode as a program. Raises DerivativeError and ShapeError where there is none."""
    if mode not in INVERSE_MODES:
        return in_mode(f, mode, wrt)
    from tadc.function.inverse_modes import inverse_in_mode

    return inverse_in_mode(f, mode, wrt).function()


def _guess(note: Note) -> SyntaxError:
    return SyntaxError(
        note.span,
        f"a guess: {note.text}",
        fix=f"write `{agreement(note)}` if that is meant; else say what is, with a declaration or another name",
    )


def _tell_skipped(file: str, spans: Sequence[Span]) -> None:
    count = len(spans)
    what = "a formula is" if count == 1 else f"{count} formulas are"
    click.echo(
        f"{file}: {what} skipped, since no tensor is defined there: {place(spans[0])}"
        + (", .." if count > 1 else ""),
        err=True,
    )


def open_numbers(f: Function, sizes: Mapping[str, int]) -> dict[str, int]:
    """The given numbers of sizes that are still symbolic: calls alone can bind them."""
    return {name: n for name, n in sizes.items() if name in f.sizes}


def with_plain_arrays(f: Function) -> Function:
    """The function to which a sparse operand is its arrays: random ones have as many elements as there are sizes for."""
    plain: Function = getattr(f, "plain", f)
    return plain


def refuse_open_sizes(f: Function, sizes: Mapping[str, int]) -> None:
    """Raise ShapeError where a number was given for such a size."""
    for name in open_numbers(f, sizes):
        raise ShapeError(
            None,
            f"the size `{name}` is not declared: it stands for the extent of an input",
            fix=f"write `size {name}` and the shapes of the inputs: `input x[{name}]`",
        )
