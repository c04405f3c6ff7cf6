"""Imports go one way, in the order of ROOMS: a room knows only itself and the rooms before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tadc
from tadc.schedule.nest import loop_nest

PACKAGE = Path(tadc.__file__).parent
# A line is a floor: its rooms do not know each other.
ROOMS = """
    errors
    resources version progress tables trampoline
    cache bounded_cache
    syntax.letters
    syntax.ast syntax.paths syntax.reading
    syntax.arithmetic syntax.base syntax.nodes syntax.likes
    syntax.idx
    syntax.tex
    syntax
    ir
    options
    printing
    integer
    resolve
    inplace
    normalize
    derive
    inverse
    blocks
    schedule.choices
    schedule.rewrite
    schedule.nest
    schedule.gpu schedule.cpu
    schedule.sections
    schedule.lowered
    schedule.plan
    compiler
    emit.templates
    emit.clike
    emit.c emit.cuda emit.numpy emit.opencl
    runtime
    runtime.cpu runtime.cuda runtime.numpy runtime.opencl
    runtime.index
    runtime.arguments runtime.run runtime.linear runtime.data_checks
    runtime.data_run runtime.sparse
    runtime.calls
    check prove
    bench doctor
    function.open_sizes function.signature function.foreign function.data
    function.reading function.index function.letters
    function.origin function.derivatives function.targets
    function.substitution function.parts function.krylov
    function.vjp function.jvp function.runs function.boxes function.step_costs
    function.graph function.value_and_gradients function.steps
    function.rolled
    function.walk
    function.sweeps function.inverse_on_gpu function.rolled_mode
    function.inverse_modes
    function.inverse
    function.newton function.inverse_check function.rolled_derivatives
    function.rounds
    function.function
    function.operator function.sparse function.rolled_volume
    function.entries
    function
    torch jax dask.tasks dask.plan
    dask.sources dask.choices
    dask.chunks dask.whole_chunks dask.sections
    dask.call dask.advice
    dask.arguments
    dask.halves
    dask.wrap
    dask.called
    dask
    cli.output cli.parameters cli.status cli.footprints
    cli.program
    cli.compile cli.show cli.run cli.check cli.bench cli.doctor
    cli.main
    cli
    __init__
    __main__
"""
FLOORS = [line.split() for line in ROOMS.strip().splitlines()]
LEVEL = {name: level for level, names in enumerate(FLOORS) for name in names}


def room(parts: tuple[str, ...]) -> str:
    """`("tadc", "emit", "c", "file")` is in `emit.c`, `("tadc", "ir", "affine")` in `ir`; `("tadc",)` is the package's own file."""
    inner = ".".join(parts[1:3])
    return inner if inner in LEVEL else parts[1] if len(parts) > 1 else "__init__"


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The rooms that a file imports, inside functions too, with their lines; not those for type checkers alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            names = [f"{node.module}.{a.name}" for a in node.names]
        for parts in (tuple(n.split(".")) for n in names):
            if parts[0] == "tadc":
                inside = (PACKAGE / parts[1]).exists() or f"{parts[1]}.py" in FILES
                yield room(parts if inside else parts[:1]), node.lineno
        yield from imported(node)


FILES = {path.name for path in PACKAGE.glob("*.py")}


def test_every_file_is_in_a_room_of_the_order():
    rooms = {room(("tadc", *p.relative_to(PACKAGE).with_suffix("").parts)) for p in sources()}

    assert rooms <= set(LEVEL)


def test_no_room_imports_a_later_one():
    later = []
    for path in sources():
        here = room(("tadc", *path.relative_to(PACKAGE).with_suffix("").parts))
        for there, line in imported(ast.parse(path.read_text("utf-8"))):
            if here != there and LEVEL[there] >= LEVEL[here]:
                later.append(f"{path.relative_to(PACKAGE)}:{line}: {here} imports {there}")

    assert later == []


# Of the schedules, what prints and what runs use data, walkers, and what a compiler of C or CUDA is left to do.
FUNCTIONS = {"is_expensive", "is_short_in_lanes", "is_unrolled"} | set(loop_nest.__all__)


def test_what_prints_and_what_runs_decide_nothing():
    deciding = []
    for path in [*PACKAGE.glob("emit/**/*.py"), *PACKAGE.glob("runtime/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("tadc.schedule."):
                own = {a.name for a in node.names if a.name.islower()} - FUNCTIONS
                deciding += [f"{path.relative_to(PACKAGE)}:{node.lineno}: {name}" for name in own]

    assert deciding == []


def test_a_later_room_inside_a_function_is_noticed():
    planted = "def f():\n    if True:\n        from tadc.emit.cuda.file import emit_cuda\n"

    assert list(imported(ast.parse(planted))) == [("emit.cuda", 3)]


def sources() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if "_data" not in p.parts and p.stat().st_size)
