"""How long `tadc compile` takes for every example: the whole process, and from text to `.cu` once tadc is imported.

    python benchmarks/compile_time.py [--repetitions 7] [--limit]

Repetitions are interleaved, and the minimum counts: what is left is the work itself. A repetition in the process parses,
derives and emits anew; parser tables are kept, as they are between processes. With `--limit` the exit status is 1 when a
time is above its limit.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tadc
from tadc.emit.cuda.file import cuda_text
from tadc.schedule.lowered import GpuModule, modules_of

FOLDER = Path(__file__).parent.parent / "examples"
EXAMPLES = sorted(p for p in FOLDER.iterdir() if p.suffix in (".idx", ".tex"))
PROCESS, TEXT = 0.5, 0.1  # limits in seconds


def process(path: Path) -> float:
    """Seconds of a process that compiles an example: start of Python, imports, files."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tadc", "compile", str(path), "-o", folder]
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - start


def text(path: Path) -> float:
    """Seconds from the text of an example to that of its `.cu`, primal and adjoint."""
    start = time.perf_counter()
    f = tadc.load(path)
    modes = modules_of({"primal": f.program, "adjoint": f.adjoint().program})
    cuda_text([GpuModule.of(m) for m in modes], "", "float32")
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--limit", action="store_true", help="fail where a limit is exceeded")
    options = parser.parse_args()

    times: dict[Path, list[tuple[float, float]]] = {path: [] for path in EXAMPLES}
    for _ in range(options.repetitions):
        for path, found in times.items():
            found.append((process(path), text(path)))

    print(f"{'example':24} {'process, s':>11} {'text to .cu, ms':>16}")
    exceeded = False
    for path, found in times.items():
        whole, inside = (min(column) for column in zip(*found, strict=True))
        exceeded |= whole > PROCESS or inside > TEXT
        print(f"{path.name:24} {whole:11.3f} {1000 * inside:16.1f}")
    print(f"{'limit':24} {PROCESS:11.3f} {1000 * TEXT:16.1f}")
    return int(options.limit and exceeded)


if __name__ == "__main__":
    sys.exit(main())
