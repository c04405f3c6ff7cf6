"""Launchers, builders of lists and checks of emitted CUDA, run where sanitizers are loaded: a process of their own.

python tests/data/sanitized.py JOBS      # a pickle of `Job`s; the first difference, or a sanitizer's report, ends it
"""

from __future__ import annotations

import ctypes
import os
import pickle
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

import host_run  # noqa: E402 (the paths first)


@dataclass(frozen=True)
class Job:
    """A program of a library: its arrays, and what its modes compute; or what its check finds."""

    program: str
    manifest: dict[str, Any]
    arrays: dict[str, np.ndarray]
    sizes: dict[str, int]
    expected: dict[str, dict[str, Any]]  # of each mode
    outside: tuple[str, tuple[int, ...]] | None = None  # the index tensor, and the place in it


def run_sanitized(library: Path, jobs: list[Job]) -> None:
    """Runs all jobs. Raises `HostError` with the report of what went wrong."""
    question = ["g++", "-print-file-name=libasan.so"]
    runtime = subprocess.run(question, capture_output=True, text=True, check=True).stdout.strip()
    options = {
        "LD_PRELOAD": runtime,
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "jobs")
        path.write_bytes(pickle.dumps((library, jobs)))
        command = [sys.executable, __file__, str(path)]
        made = subprocess.run(command, env=os.environ | options, capture_output=True, text=True)
    if made.returncode or "runtime error" in made.stderr:
        raise host_run.HostError(f"{made.stdout}\n{made.stderr}")


def _main(path: str) -> None:
    from tests.data.launchers import checked, run_without_lists, with_lists

    library_path, jobs = pickle.loads(Path(path).read_bytes())
    library = ctypes.CDLL(str(library_path))
    for job in jobs:
        print(job.program, flush=True)
        if job.outside is not None:
            tensor, place = job.outside
            status, (number, position) = checked(library, job.manifest, job.arrays, job.sizes)
            check = job.manifest["modes"]["primal"]["check"]["checks"][number]
            assert (status, check["tensor"]) == (2, tensor)
            assert np.unravel_index(position, job.arrays[tensor].shape) == place
            continue
        if "check" in job.manifest["modes"]["primal"]:
            assert checked(library, job.manifest, job.arrays, job.sizes)[0] == 0
        for mode, expected in job.expected.items():
            given, sizes = with_lists(library, job.manifest, mode, job.arrays, job.sizes)
            ran = host_run.Job(library_path, job.manifest, True, mode, given, sizes, "backward")
            found = host_run._run(ran, 0)  # the sanitizer guards what stands beside arrays
            for name, value in expected.items():
                np.testing.assert_allclose(found[name], value, rtol=1e-12, atol=1e-14)
            if job.manifest["modes"][mode].get("lists"):
                same = run_without_lists(library, job.manifest, mode, job.arrays, job.sizes, None)
                for name, value in found.items():
                    np.testing.assert_array_equal(same[name], value)


if __name__ == "__main__":
    import __main__

    __main__.__dict__["__name__"] = "tests.data.sanitized"
    sys.modules["tests.data.sanitized"] = __main__
    _main(sys.argv[1])
