"""`tadc run`."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tadc.cli.parameters import (
    INVERSE_MODES,
    assignments,
    backend_option,
    bounds_option,
    file_argument,
    index_base_option,
    mode_option,
    size_option,
    strict_option,
    wrt_option,
)
from tadc.cli.program import loaded, open_numbers
from tadc.errors import FileError
from tadc.function.derivatives import in_mode
from tadc.ir.element_types import REAL_TYPES
from tadc.runtime.files import refuse_collisions, write_all

if TYPE_CHECKING:
    from tadc.function import Function
    from tadc.function.inverse_modes import InverseMode

__all__ = ["run"]


@click.command()
@file_argument
@click.argument(
    "arguments", nargs=-1, callback=assignments, metavar="[name=array.npy|.csv|.npz]..."
)
@click.option(
    "-o",
    "output",
    metavar="out.npy|.csv|.npz|DIR|-",
    help="Write the outputs there instead; `-` is standard output, as .csv.",
)
@mode_option
@wrt_option
@backend_option
@bounds_option
@click.option("--dtype", type=click.Choice(list(REAL_TYPES)), help="Compute in this type.")
@size_option
@index_base_option
@strict_option
def run(
    file: str,
    arguments: dict[str, str],
    output: str | None,
    mode: str,
    wrt: tuple[str, ...] | None,
    backend: str,
    bounds: str,
    dtype: str | None,
    sizes: dict[str, int],
    index_base: int,
    strict: bool,
) -> int:
    """Evaluate a program, or a derivative of it, on arrays from files or on numbers.

    A .npz file gives the array of the input's name, or its only one, and for a sparse input what `scipy.sparse.save_npz` wrote; a .csv file has
    lines of numbers. Derivatives take cotangents or tangents by name: `dc=dc.npy`.
    """
    from tadc.runtime.array_files import array_writers, output_paths

    f = loaded(
        file,
        sizes,
        strict=strict,
        backend=backend,
        dtype=dtype,
        index_base=index_base,
        bounds=bounds,
    )
    g = _in_mode(f, mode, wrt)
    path = None if output in (None, "-") else Path(output or "")
    targets = () if path is None else output_paths(path, g.outputs, _sparse(g))
    refuse_collisions(map(Path, (file, *arguments.values())), [(Path(file), p) for p in targets])
    values = {name: _value(g, name, text) for name, text in arguments.items()}
    named = _results(g, values | open_numbers(f, sizes))
    if path is not None:
        write_all(array_writers(path, named))
        click.echo(f"{file} -> {', '.join(map(str, targets))}")
    elif output == "-":
        click.echo(_csv(named), nl=False)
    else:
        click.echo("\n".join(_printed(name, value, len(named)) for name, value in named.items()))
    return 0


def _in_mode(f: Function, mode: str, wrt: tuple[str, ...] | None) -> Function | InverseMode:
    """The function itself, a derivative, or an inverse mode."""
    if mode not in INVERSE_MODES:
        return in_mode(f, mode, wrt)
    from tadc.function.inverse_modes import inverse_in_mode

    return inverse_in_mode(f, mode, wrt)


def _sparse(f: object) -> Container[str]:
    """The names of the sparse inputs and outputs."""
    from tadc.function.sparse import SparseFunction

    return f.sparse if isinstance(f, SparseFunction) else ()


def _value(f: Function | InverseMode, name: str, text: str) -> Any:
    """The array in a file for an argument; a number where there is no such file."""
    from tadc.runtime.array_files import read_array, read_integers, read_sparse

    if name in _sparse(f):
        return read_sparse(text, name)
    number = None if os.path.exists(text) else _number(text)
    if number is not None:
        return number
    array = read_array(text, name, f.rank(name))
    return read_integers(array) if name in getattr(f, "index_inputs", ()) else array


def _results(f: Function | InverseMode, values: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs of a call by name."""
    from tadc.function import Function
    from tadc.runtime.arguments import bound_arguments

    called, rest = f.of_call(values) if isinstance(f, Function) else (f, values)
    if not isinstance(called, Function):  # an inverse mode, or a program with long loops
        results = called(**rest)
        listed = results if isinstance(results, tuple) else (results,)
        return dict(zip(f.outputs, listed, strict=True))
    f = called
    bound = bound_arguments(f.program, (), rest)
    given: dict[str, Any] = dict(bound.sizes)
    results = f(*(bound.arrays[name] for name in f.inputs), **given)
    return dict(zip(f.outputs, results if isinstance(results, tuple) else (results,), strict=True))


def _csv(named: Mapping[str, Any]) -> str:
    from tadc.runtime.array_files import csv_text

    if len(named) > 1:
        raise FileError(
            None,
            f"standard output takes one output, and there are {len(named)}: {', '.join(named)}",
            fix="name a folder with `-o`, or a `.npz` file",
        )
    return "".join(csv_text(name, value) for name, value in named.items())


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _printed(name: str, value: Any, count: int) -> str:
    if count == 1:
        return repr(value)
    margin = " " * len(f"{name} = ")
    return f"{name} = {repr(value).replace(chr(10), chr(10) + margin)}"
