"""Arguments and options that several commands take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from tadc.function.derivatives import MODES
from tadc.options import BACKENDS

__all__ = [
    "INVERSE_MODES",
    "MODE",
    "assignments",
    "backend_option",
    "bounds_option",
    "file_argument",
    "index_base_option",
    "json_option",
    "mode_option",
    "names_option",
    "size_option",
    "strict_option",
    "verbose_option",
    "wrt_option",
]

# Of these there are texts where the systems of all steps have at most 32 rows; `tadc run` has all.
INVERSE_MODES = ("inverse-tangent", "inverse-adjoint", "logdet")
MODE = click.Choice(("primal", *MODES, *INVERSE_MODES))


# ---------------------------------------------------------------------- parts of options


def assignments(
    context: click.Context, parameter: click.Parameter, texts: Sequence[str]
) -> dict[str, str]:
    """`name=value`, each name once."""
    form = (parameter.metavar or "name=value").strip("[].")
    result: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not (name and value):
            raise click.BadParameter(f"`{text}` is not of the form {form}")
        if name in result:
            raise click.BadParameter(f"`{name}` is given twice")
        result[name] = value
    return result


def _numbers(
    context: click.Context, parameter: click.Parameter, texts: Sequence[str]
) -> dict[str, int]:
    """`N=64`, each name once."""
    values = assignments(context, parameter, texts)
    for name, value in values.items():
        if not (value.isascii() and value.isdecimal() and len(value) < 20):
            raise click.BadParameter(
                f"`{name}` is `{value}`: a size is an integer from 0 to 2**63 - 1"
            )
    return {name: int(value) for name, value in values.items()}


def _names(
    context: click.Context, parameter: click.Parameter, texts: Sequence[str]
) -> tuple[str, ...] | None:
    names = tuple(name.strip() for text in texts for name in text.split(","))
    if not all(names):
        raise click.BadParameter("a name is missing: write `a,b`")
    return names or None


# ---------------------------------------------------------------------- arguments and options


file_argument = click.argument("file", metavar="FILE")
size_option = click.option(
    "--size",
    "sizes",
    multiple=True,
    callback=_numbers,
    metavar="N=64",
    help="A number for a size; once for each.",
)
mode_option = click.option("--mode", type=MODE, default="primal", show_default=True)


def names_option(name: str, help_: str) -> Callable[[Any], Any]:
    """An option that takes names: `a,b`, or once for each."""
    return click.option(name, multiple=True, callback=_names, metavar="a,b", help=help_)


wrt_option = names_option("--wrt", "Differentiate by these inputs.")
backend_option = click.option(
    "--backend", type=click.Choice(BACKENDS), default="auto", show_default=True
)
bounds_option = click.option(
    "--bounds",
    type=click.Choice(("check", "nan", "trust")),
    default="check",
    show_default=True,
    help="Of an element of an index tensor that leads outside: an error, outputs of NaN, or nothing is checked.",
)
index_base_option = click.option(
    "--index-base", type=click.Choice((0, 1)), default=0, show_default=True, help="The first index."
)
strict_option = click.option(
    "--strict", is_flag=True, help="Refuse what was guessed in reading a LaTeX document."
)
verbose_option = click.option(
    "--verbose", is_flag=True, help="List the displays of a document that define no tensor."
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for programs to read."
)
