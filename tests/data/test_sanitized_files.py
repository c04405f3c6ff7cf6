"""Emitted CUDA of all worked examples and traps on the host, and calls of native code, under the sanitizers of addresses and of undefined
behaviour.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from host_run import SANITIZERS, HostBatch, HostError, compiled

import tadc
from tests.data.examples import EXAMPLES
from tests.data.sanitized import Job, run_sanitized
from tests.data.test_files import CHECKED, DEFINED, sizes_of, unit_of
from tests.data.test_traps import TRAPS

EVERY = {**{n: e for n, e in EXAMPLES.items() if n not in DEFINED}, **TRAPS}
BATCHES = 8


def library_of(units):
    """All texts as one library with sanitizers, each in its namespace with the functions that a file has once."""
    texts = ["".join(u.texts()) for u in units]
    once = {
        guard
        for text in texts
        for guard in re.findall(r"#ifndef (\w+)\n", text)
        if f"#define {guard}" in text
    }
    again = "".join(f"#undef {guard}\n" for guard in sorted(once))
    batch = HostBatch([(again + t, u.manifest) for t, u in zip(texts, units, strict=True)])
    return compiled(batch._unit, SANITIZERS)


def fits(array):
    return array.dtype.kind != "i" or not array.size or np.abs(array.astype(float)).max() < 2**31


def with_results(n, example):
    text, given, value, cotangent, gradients = example
    f = tadc.compile(text, dtype="float64", name=f"p{n}")
    arrays = {name: np.array(a) for name, a in given.items()} | {
        f"d{f.outputs[0]}": np.array(cotangent, float)
    }
    unit = unit_of(f, "cuda")
    expected = {"primal": {f.outputs[0]: value}, "adjoint": {f"d{x}": g for x, g in gradients.items()}}  # fmt: skip
    return unit, Job(f"p{n}: {text}", unit.manifest, arrays, sizes_of(f, arrays), expected)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_files_of_cuda_have_the_examples_and_traps_under_sanitizers(batch):
    made = []
    for n, example in enumerate(EVERY.values()):
        # A launcher takes indices of 32 bits where nothing needs more, and runs for extents of at least 1.
        arrays = [np.array(a) for a in example[1].values()]
        if n % BATCHES == batch and all(map(fits, arrays)) and all(a.size for a in arrays):
            made.append(with_results(n, example))
    run_sanitized(library_of([unit for unit, _ in made]), [job for _, job in made])


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_checks_of_files_of_cuda_find_what_is_outside_under_sanitizers():
    units, jobs = [], []
    for n, (text, given, tensor, place, *_) in enumerate(CHECKED):
        f = tadc.compile(text, dtype="float64", name=f"c{n}")
        arrays = {name: np.array(a) for name, a in given.items()}
        units.append(unit_of(f, "cuda"))
        jobs.append(Job(text, units[-1].manifest, arrays, sizes_of(f, arrays), {}, (tensor, place)))
    run_sanitized(library_of(units), jobs)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no GCC")
def test_calls_with_hostile_index_tensors_stay_inside_under_sanitizers():
    fuzz = Path(__file__).parents[2] / "benchmarks" / "fuzz_data.py"
    command = [sys.executable, str(fuzz), "calls", "--count", "300", "--sanitize"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "no difference\n"), run.stderr


@pytest.mark.compiler
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_sanitizers_report_a_list_that_leads_outside():
    unit, job = with_results(0, EXAMPLES["message passing"])
    (text,) = unit.texts()
    library = compiled(HostBatch([(text, unit.manifest)])._unit, SANITIZERS)
    run_sanitized(library, [job])
    wrong = replace(job, arrays=job.arrays | {"src": np.array([0, 2, 1 << 20, 2])})
    with pytest.raises(HostError, match="assert checked"):
        run_sanitized(library, [wrong])
    modes = {n: {k: v for k, v in m.items() if k != "check"} for n, m in job.manifest["modes"].items()}  # fmt: skip
    with pytest.raises(HostError, match="AddressSanitizer"):
        run_sanitized(library, [replace(wrong, manifest=job.manifest | {"modes": modes})])
