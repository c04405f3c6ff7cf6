"""How long compiling takes for every example: the whole process of `tadc compile`, and, once tadc is imported, from text to `.cu`,
and from text to native code that can be called.

    python benchmarks/compile_time.py [--repetitions 7] [--limit]

Repetitions are interleaved, and the minimum counts: what is left is the work itself. A repetition in the process parses,
derives and emits anew; parser tables are kept, as they are between processes. Native code is that of the value, for the sizes
that `tadc bench` takes, and its time has the C compiler's in it. With `--limit` the exit status is 1 when a time is above its limit,
or the median for native code.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tadc
from tadc.bench import large_sizes
from tadc.emit.c.file import emit_c
from tadc.emit.cuda.file import cuda_text
from tadc.runtime.cpu.c_compiler import compiler, loaded
from tadc.runtime.cpu.native import INDEX_TYPE, NativeRunner
from tadc.schedule.lowered import GpuModule, modules_of

FOLDER = Path(__file__).parent.parent / "examples"
EXAMPLES = sorted(p for p in FOLDER.iterdir() if p.suffix in (".idx", ".tex"))
PROCESS, TEXT, NATIVE = 0.5, 0.1, 0.3  # limits in seconds, the last of the median

_texts = itertools.count()


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


def native(path: Path, sizes: dict[str, int]) -> float:
    """Seconds from the text of an example to native code of its value; what the C compiler sees is new each time."""
    start = time.perf_counter()
    f = tadc.load(path, backend="native", dtype="float32")
    runner = NativeRunner(f._program, "float32", f._options)
    text = emit_c([runner.lowered(f._program.size_values(sizes))], "float32", INDEX_TYPE)
    loaded(f"{text}// {next(_texts)} of {start}\n")
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--limit", action="store_true", help="fail where a limit is exceeded")
    options = parser.parse_args()

    sizes = {path: large_sizes(tadc.load(path), {}) for path in EXAMPLES}
    times: dict[Path, list[tuple[float, ...]]] = {path: [] for path in EXAMPLES}
    for _ in range(options.repetitions):
        for path, found in times.items():
            of_native = native(path, sizes[path]) if compiler() else 0.0
            found.append((process(path), text(path), of_native))

    print(
        f"{'example':24} {'process, s':>11} {'text to .cu, ms':>16} {'text to native code, ms':>24}"
    )
    exceeded = False
    medians: list[float] = []
    for path, found in times.items():
        whole, inside, to_native = (min(column) for column in zip(*found, strict=True))
        exceeded |= whole > PROCESS or inside > TEXT
        medians.append(to_native)
        print(f"{path.name:24} {whole:11.3f} {1000 * inside:16.1f} {1000 * to_native:24.1f}")
    median = statistics.median(medians)
    print(f"{'median':24} {'':11} {'':16} {1000 * median:24.1f}")
    print(f"{'limit':24} {PROCESS:11.3f} {1000 * TEXT:16.1f} {1000 * NATIVE:24.1f}")
    return int(options.limit and (exceeded or median > NATIVE))


if __name__ == "__main__":
    sys.exit(main())
