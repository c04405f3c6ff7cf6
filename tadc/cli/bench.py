"""`tadc bench`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from tadc.cli.output import print_json
from tadc.cli.parameters import (
    backend_option,
    file_argument,
    index_base_option,
    json_option,
    size_option,
)
from tadc.cli.program import loaded, open_numbers, with_plain_arrays
from tadc.function.data import refuse_data
from tadc.schedule.gpu.machine import MACHINES, Machine

if TYPE_CHECKING:
    from tadc.function import Function

__all__ = ["bench"]


@click.command()
@file_argument
@size_option
@backend_option
@click.option("--repetitions", type=click.IntRange(min=1), default=9, show_default=True)
@click.option(
    "--model",
    "machine",
    type=click.Choice(list(MACHINES)),
    help="Run nothing: say how long each kernel takes on this GPU by the model of it, with float32.",
)
@click.option("--tune", is_flag=True, help="Time schedules on the GPU first, and keep the best.")
@json_option
@index_base_option
def bench(
    file: str,
    sizes: dict[str, int],
    backend: str,
    repetitions: int,
    machine: str | None,
    tune: bool,
    as_json: bool,
    index_base: int,
) -> int:
    """Time the value, and the value with all gradients, on random input.

    Index tensors are uniformly random where their reads are inside, and lists of them are made before.
    Sizes that are not given are chosen so that there is something to measure. Kernels of native code have a row each:
    what limits them, and the least time that this machine needs for their work. With --model the same is said of kernels of a GPU,
    without one.
    """
    if tune and backend != "cuda":
        raise click.BadParameter(
            "schedules are tuned for a GPU: add --backend cuda", param_hint="'--tune'"
        )
    if machine is not None:
        return _modelled(file, sizes, MACHINES[machine], as_json, index_base)
    from tadc import bench as benching

    f = with_plain_arrays(loaded(file, sizes, backend=backend, index_base=index_base))
    chosen = benching.large_sizes(f, open_numbers(f, sizes))

    def progress(numbers: Iterable[int]) -> Iterator[int]:
        with click.progressbar(numbers, label="repetitions", file=sys.stderr) as bar:
            yield from bar

    on_gpu = backend == "cuda"
    times = benching.bench(f, chosen, repetitions, progress=progress, on_gpu=on_gpu, tune=tune)
    times = replace(times, sizes={**sizes, **chosen})
    if as_json:
        print_json(asdict(times))
    else:
        click.echo(str(times))
    return 0


def _modelled(
    file: str, sizes: dict[str, int], machine: Machine, as_json: bool, index_base: int
) -> int:
    """The kernels of a call of these sizes, or of large ones, by the model of a GPU."""
    from tadc.bench import large_sizes, mode_with_gradients
    from tadc.check import refuse_computed_indices
    from tadc.function.runs import modelled

    def program(fixed: dict[str, int]) -> Function:
        f = loaded(file, fixed, backend="cuda", dtype="float32", index_base=index_base)
        refuse_computed_indices(f.program, "bench")
        refuse_data(f, "the model of a GPU", "leave out `--model`: times on a CPU are measured")
        return f

    # A call binds the sizes that are open in the file.
    called = open_numbers(program({}), sizes)
    f = program({s: n for s, n in sizes.items() if s not in called})
    chosen = called if f.open_sizes else large_sizes(f, called)
    modes = tuple(dict.fromkeys(("primal", mode_with_gradients(f))))
    found = modelled(f, modes, chosen, machine)
    if as_json:
        print_json({"sizes": {**sizes, **chosen}, **asdict(found)})
    else:
        click.echo(f"sizes: {', '.join(f'{s} = {n}' for s, n in {**sizes, **chosen}.items())}")
        click.echo(str(found))
    return 0
