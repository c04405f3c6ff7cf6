"""Instructions of inner loops: those that the model of a GPU counts, beside those of the machine code.

    python benchmarks/gpu_sass.py [--output benchmarks/results]

Needs NVRTC, and NVIDIA's disassembler (`pip install nvidia-cuda-nvdisasm`), and no GPU. A run of a loop is one of the formula's: the
compiler's unrolled copies are divided by their number, that of the reads. Code that a branch jumps over is the end of a block of 32 terms,
and counts once in 32 runs. Of values that are done together it is the code without branches. With `--functions` the instructions of scalar functions, of which `tadc/schedule/gpu/instructions.py` has the table.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from gpu_large import large_formulas

import tadc
from tadc import compiler
from tadc.emit.cuda.file import cuda_text
from tadc.function.derivatives import in_mode
from tadc.ir.functions import FUNCTIONS, OPERATORS
from tadc.runtime.cuda.nvrtc import compile_cuda, nvrtc_version
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.lowered import GpuModule
from tadc.schedule.nest.loop_nest import Staged, steps_of

ARCHITECTURE, DTYPE = "sm_90", "float32"
BLOCK = 32  # terms of a block, at whose end its sum is added
NUMBERS = {"FFMA", "FADD", "FMUL", "MUFU", "DFMA", "DADD", "DMUL"}
# Formula, mode, the tensor that a kernel stores, the index of its inner loop.
LOOPS = [
    ("paper", "primal", "f", "k"), ("paper", "adjoint", "da", "j"), ("paper", "adjoint", "db", "i"),
    ("matrix product", "primal", "c", "k"), ("attention", "primal", "o", "j"),
    ("mttkrp", "primal", "a_terms", "k"), ("hankel", "primal", "y_parts", "j_3"), ("bias", "adjoint", "db", "i"),
    ("mttkrp", "adjoint", "dx", "r"), ("convolution, pad", "adjoint", "dw_parts", "q"),
]  # fmt: skip


class Row(NamedTuple):
    """Instructions of a run of an inner loop."""

    formula: str
    statement: str
    counted: float
    written: float


def disassembler() -> str | None:
    """The path of `nvdisasm`: that of NVIDIA's wheel, or one of the system."""
    spec = find_spec("nvidia")
    folders = [Path(f) for f in spec.submodule_search_locations or ()] if spec else []
    found = [str(p) for f in folders for p in sorted(f.glob("*/bin/nvdisasm"))]
    return found[0] if found else shutil.which("nvdisasm")


class Code(NamedTuple):
    """A kernel's instructions, and where its labels stand."""

    instructions: list[str]
    labels: dict[str, int]

    def target(self, n: int) -> int | None:
        """Where the branch leads, if it is one."""
        found = re.search(r"\bBRA(?:\.\w+)*\s.*?`\((\.L\w+)\)", self.instructions[n])
        return self.labels.get(found[1]) if found else None

    def loops(self) -> list[tuple[int, int]]:
        """The first and the last instruction of each loop without loops."""
        found = [(t, n + 1) for n in range(len(self.instructions)) if (t := self.target(n)) is not None and t < n]  # fmt: skip
        return [
            a for a in found if not any(a != b and a[0] <= b[0] and b[1] <= a[1] for b in found)
        ]

    def counts(self, first: int, last: int) -> Counter[str]:
        """The opcodes, with how often each is written."""
        names = (re.sub(r"^@!?U?P\w+\s+", "", i).split()[0] for i in self.instructions[first:last])
        return Counter(name.split(".")[0] for name in names)

    def fewest(self, first: int, last: int) -> int:
        """The instructions on the shortest way from the first to the last."""
        least = {first: 0}
        for n in range(first, last):
            if n not in least:
                continue
            target = self.target(n)
            ways = [target] if target is not None and target > n else []
            ways += [n + 1] if not ways or self.instructions[n].startswith("@") else []
            for way in ways:
                least[way] = min(least.get(way, least[n] + 1), least[n] + 1)
        return least[last]


def disassembled(cubin: bytes) -> dict[str, Code]:
    """The code of each kernel."""
    tool = disassembler()
    if tool is None:
        raise SystemExit("there is no nvdisasm: pip install nvidia-cuda-nvdisasm")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        text = subprocess.run([tool, "-c", file.name], capture_output=True, text=True, check=True).stdout  # fmt: skip
    codes = {}
    for part in re.split(r"^\.text\.", text, flags=re.MULTILINE)[1:]:
        code = Code([], {})
        for line in part.splitlines():
            if label := re.match(r"(\.L\w+):", line):
                code.labels[label[1]] = len(code.instructions)
            if instruction := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?);", line):
                code.instructions.append(instruction[1].strip())
        codes[part.partition(":")[0]] = code
    return codes


def rows(chosen: Sequence[tuple[str, str, str, str]] = LOOPS) -> Iterator[Row]:
    """The inner loops of `chosen`, as the model counts them and as they are written."""
    formulas = {f.name: f for f in large_formulas()}
    for name, mode, stored, index in chosen:
        formula = formulas[name]
        gpu = scheduled(formula.text, mode, formula.sizes)
        (number,) = (n for n, k in enumerate(gpu.module.kernels) if stored in k.writes)
        kernel = gpu.module.kernels[number]
        counted, reads = gpu.models(formula.sizes, DTYPE)[number].inner_loops[index]
        code = disassembled(compile_cuda(cuda_text([gpu], "", DTYPE).text, ARCHITECTURE).cubin)[kernel.name]  # fmt: skip
        staged = (s for s in steps_of(gpu.kernels[number].kernel.body) if isinstance(s, Staged))
        together = next((s.together for s in staged if s.range.index == index and s.together), None)
        written = _of_together(code, together.count) if together else _written(code, reads)
        yield Row(name, str(kernel.statements[0].target.name), counted, written)


def scheduled(text: str, mode: str, sizes: dict[str, int]) -> GpuModule:
    """A mode of a formula as a call of these sizes runs it, without cuBLAS."""
    f = in_mode(tadc.compile(text, dtype=DTYPE), mode, None)
    options = f._options
    decided = compiler.decisions(f._program, sizes, DTYPE, options)
    return compiler.lowered_for_gpu(f._program, mode, decided, sizes, DTYPE, HOPPER, blas=False, tiles={})  # fmt: skip


def _written(code: Code, reads: float) -> float:
    """The instructions for a run of the loop with the most unrolled copies, in each of which there are so many reads."""
    most = 0, 0.0
    for first, last in code.loops():
        counts = code.counts(first, last)
        copies = round((counts["LDG"] + counts["LDS"]) / reads)
        if counts["STS"] or counts["SHFL"] or not NUMBERS & counts.keys() or not copies:
            continue
        fewest = code.fewest(first, last)
        each = (fewest + (last - first - fewest) / BLOCK) / copies
        most = max(most, (copies, each))
    return most[1]


def _of_together(code: Code, count: int) -> float:
    """The instructions for one of so many values of a loop that are written out: between two branches, where most products are."""
    ends = {n + 1 for n, i in enumerate(code.instructions) if re.search(r"\bBRA\b", i)}
    places = sorted({0, len(code.instructions), *ends, *code.labels.values()})
    blocks = list(pairwise(places))
    return max((code.counts(*b)["FFMA"], b[1] - b[0]) for b in blocks)[1] / count


def functions() -> Iterator[tuple[str, int, int]]:
    """Scalar functions with the fewest instructions of a call, beyond those of an addition, and those of the special functions."""
    named = [n for n, f in FUNCTIONS.items() if n not in OPERATORS and n != "polygamma"]
    least = _straight("x[i] + w[i]")[0]
    for name in named:
        arity = FUNCTIONS[name].arity
        count, special = _straight(f"{name}(x[i], w[i])" if arity == 2 else f"{name}(x[i]) + w[i]")
        yield name, count - least, special


def _straight(formula: str) -> tuple[int, int]:
    """The instructions of a loop over elements."""
    gpu = scheduled(f"size N\ninput x[N], w[N]\ny[i] = {formula}", "primal", {"N": 10**6})
    (code,) = disassembled(compile_cuda(cuda_text([gpu], "", DTYPE).text, ARCHITECTURE).cubin).values()  # fmt: skip
    back = [(t, n + 1) for n in range(len(code.instructions)) if (t := code.target(n)) is not None and t < n]  # fmt: skip
    first, last = max(back, key=lambda ends: ends[1] - ends[0])
    return code.fewest(first, last), code.counts(first, last)["MUFU"]


def table(found: Sequence[Row]) -> str:
    """As Markdown."""
    version = ".".join(map(str, nvrtc_version()))
    lines = [
        "# Inner loops: the model and the machine code",
        "",
        f"Made by `python benchmarks/gpu_sass.py`, tadc {tadc.__version__}, NVRTC {version}, {ARCHITECTURE}, {DTYPE}: instructions of a thread for a run of the loop,",
        "with all points of its tile, at the sizes of `benchmarks/gpu_large.py`.",
        "",
        "| formula | kernel | by the model | in the code | times |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for r in found:
        lines.append(f"| {r.formula} | `{r.statement}` | {r.counted:.1f} | {r.written:.1f} | {r.counted / r.written:.2f} |")  # fmt: skip
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--functions", action="store_true")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    if options.functions:
        for row in functions():
            print(*row)
        return
    text = table(list(rows()))
    (options.output / "gpu_sass.md").write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
