"""The times on a GPU as a table, as plots, and as a list of what is worst."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["plot", "table", "worst"]

Row = Mapping[str, Any]
MOST = 8  # of the worst rows


def table(data: Mapping[str, Any]) -> str:
    """As Markdown."""
    about = data["about"]
    lines = [
        "# On a GPU",
        "",
        f"Made by `python benchmarks/gpu.py` on {about['gpu']}, {about['versions']}, {about['date']}: milliseconds in float32, by",
        f"events, minima of {about['repetitions']} interleaved repetitions; in brackets the factor over tadc's. JAX's times include waiting for its own stream.",
        f"A copy moves {about['bytes_per_second'] / 1e9:.0f} GB/s, multiplications with additions reach {about['operations_per_second'] / 1e12:.1f} Tflop/s, an empty launch takes {about['launch_ms']:.4f} ms.",
        "The floor is the greater of the operations over that peak and the bytes over that bandwidth, those of inputs, results,",
        f"cotangents and gradients, each once; it knows nothing of launches, and small sizes show what a call takes on the host. A star: these bytes fit into the L2 of {about['l2_bytes'] / 2**20:.0f} MiB.",
        "",
        *_rows(data["rows"], "points", lambda r: f"{r['points']:,}{'*' if r['in_l2'] else ''}"),
        "",
        "## Threads that meet at an address",
        "",
        "The gradient by the first input alone; Warp's is that of its tape, which computes the value too.",
        "",
        *_rows(data["collisions"], "collisions", lambda r: f"{r['collisions']:,}{'*' if r['in_l2'] else ''}"),
        "",
        "## Left out",
        "",
        *(f"- {who}: {reason}" for who, reason in data["missing"].items()),
        *dict.fromkeys(
            f"- {who}, {r['formula']}, {r['task']}: {reason}"
            for r in (*data["rows"], *data["collisions"])
            for who, reason in r["left_out"].items()
        ),
        "",
    ]  # fmt: skip
    return "\n".join(lines)


def _rows(rows: Sequence[Row], what: str, shown: Any) -> list[str]:
    names = _names(rows)
    head = ["formula", "task", what, "floor", "tadc", *names]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for r in rows:
        mine = r["ms"]["tadc"]
        cells = [r["formula"], r["task"], shown(r), f"{r['floor']:.4f}", f"{mine:.4f}"]
        for n in names:
            ms = r["ms"].get(n)
            cells.append(f"{ms:.4f} ({ms / mine:.2f})" if ms is not None else "")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _names(rows: Sequence[Row]) -> list[str]:
    """Everyone who has a time, but tadc."""
    return [n for n in dict.fromkeys(n for r in rows for n in r["ms"]) if n != "tadc"]


def worst(data: Mapping[str, Any]) -> list[str]:
    """The rows that are furthest from the floor, of each formula with the most points, and those where others are faster."""
    most = {(r["formula"], r["task"]): r for r in data["rows"]}  # the last has the most points
    far = sorted(most.values(), key=lambda r: -r["ms"]["tadc"] / r["floor"])
    every = [*data["rows"], *data["collisions"]]
    lost = [(r, n) for r in every for n in r["ms"] if r["ms"][n] < r["ms"]["tadc"]]
    lost.sort(key=lambda each: each[0]["ms"][each[1]] / each[0]["ms"]["tadc"])
    large = [(r, n) for r, n in lost if r["floor"] >= data["about"]["launch_ms"]]
    return [
        "Furthest from the floor, with the most points:",
        *(f"  {_name(r)}: {r['ms']['tadc'] / r['floor']:.1f} times the floor" for r in far[:MOST]),
        f"Someone else is faster {len(large)} times where the floor is above an empty launch, and"
        f" {len(lost) - len(large)} times below:",
        *(
            f"  {_name(r)}: {n} takes {r['ms'][n] / r['ms']['tadc']:.2f} of tadc's time"
            for r, n in large[:MOST]
        ),
    ]


def _name(r: Row) -> str:
    number = f"{r['points']:,} points"
    if "collisions" in r:
        number = f"{r['collisions']:,} collisions"
    return f"{r['formula']}, {r['task']}, {number}"


def plot(data: Mapping[str, Any], path: Path) -> None:
    """Time over the number of points, or of collisions, a panel a formula and task."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    panels: dict[tuple[str, str], list[Row]] = {}
    for r in (*data["rows"], *data["collisions"]):
        panels.setdefault((r["formula"], r["task"]), []).append(r)
    colours = {n: f"C{k}" for k, n in enumerate(_names([*data["rows"], *data["collisions"]]))}
    height = -(-len(panels) // 2)
    figure, axes = pyplot.subplots(height, 2, figsize=(12, 3.2 * height), squeeze=False)
    for (title, rows), at in zip(panels.items(), axes.flat, strict=False):
        x = "collisions" if "collisions" in rows[0] else "points"
        for n in ("tadc", *colours):
            own = [r for r in rows if n in r["ms"]]
            style = {"color": "black", "linewidth": 2} if n == "tadc" else {"color": colours[n]}
            at.plot([r[x] for r in own], [r["ms"][n] for r in own], ".-", label=n, **style)
        at.plot([r[x] for r in rows], [r["floor"] for r in rows], "k:", label="floor")
        at.set(xscale="log", yscale="log", title=", ".join(title), xlabel=x, ylabel="ms")
    for at in axes.flat[len(panels) :]:
        at.set_axis_off()
    axes.flat[0].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
