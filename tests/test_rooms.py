"""Imports go one way, in the order of ROOMS: a room knows only itself and the rooms before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tadc

PACKAGE = Path(tadc.__file__).parent
ROOMS = (
    *(
        "errors",
        "resources version progress tables",
        "cache bounded_cache options",
        "syntax",
        "ir",
        "integer",
        "resolve",
        "normalize",
    ),
    *(
        "derive",
        "schedule",
        "emit",
        "runtime",
        "interop",
        "compiler",
        "open_sizes signature",
        "check prove",
        "bench doctor",
        "function",
    ),
    *("cli", "__init__", "__main__"),
)
LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names.split()}


def room(parts: tuple[str, ...]) -> str:
    """`("tadc", "ir", "affine")` is in `ir`; `("tadc",)` is the package's own file."""
    return parts[1] if len(parts) > 1 else "__init__"


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


def test_a_later_room_inside_a_function_is_noticed():
    planted = "def f():\n    if True:\n        from tadc.emit.cuda import emit_cuda\n"

    assert list(imported(ast.parse(planted))) == [("emit", 3)]


def sources() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if "_data" not in p.parts)
