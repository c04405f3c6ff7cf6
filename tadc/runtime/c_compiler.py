"""The machine's C compiler, and a cache of what it made."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from platform import machine, processor

from tadc.cache import digest, folder, kept_small
from tadc.errors import BackendError

__all__ = ["compiler", "loaded"]

FLAGS = [
    "-std=c11",
    "-O2",  # with the vectoriser of -O3: as fast, and compiled in two thirds of the time
    "-ftree-vectorize",
    "-fvect-cost-model=dynamic",
    "-march=native",
    "-fopenmp",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-fPIC",
    "-shared",
]
# What a compiler may not know; without it a program is slower and not another one.
OPTIONAL = ("-fvect-cost-model=dynamic", "-fopenmp", "-march=native")
SECONDS = 300  # for one file


@cache
def compiler() -> tuple[str, ...] | None:
    """The command of `CC`, else `cc`, `gcc` or `clang`; None where there is none."""
    given = shlex.split(os.environ.get("CC", ""))
    for command in [given] if given else [["cc"], ["gcc"], ["clang"]]:
        found = shutil.which(command[0])
        if found:
            return (found, *command[1:])
    return None


def loaded(text: str) -> ctypes.CDLL:
    """The library of a C file, compiled unless it has been before. Raises BackendError where that cannot be."""
    command = compiler()
    if command is None:
        raise BackendError(
            None,
            "there is no C compiler for `backend='native'`: neither `$CC` nor `cc` is found",
            fix="install one (`apt install gcc`), or use `backend='numpy'`",
        )
    flags = (*FLAGS, *shlex.split(os.environ.get("CFLAGS", "")))
    place = folder()
    if place is None:
        with tempfile.TemporaryDirectory() as temporary:  # the file may go once it is loaded
            return ctypes.CDLL(str(_built(text, command, flags, Path(temporary, "program.so"))))
    path = place / f"native-{digest(text, *command, _identity(command), *flags, _cpu())}.so"
    if path.exists():
        try:
            library = ctypes.CDLL(str(path))
            path.touch()  # that it was used
            return library
        except OSError:  # cut off, by a full disk or a crash
            path.unlink(missing_ok=True)
    _built(text, command, flags, path)
    kept_small(place)
    return ctypes.CDLL(str(path))


def _built(text: str, command: tuple[str, ...], flags: tuple[str, ...], path: Path) -> Path:
    """Compile to `path`, which appears whole or not at all."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="native-") as temporary:
        source, library = Path(temporary, "program.c"), Path(temporary, "program.so")
        source.write_text(text, "utf-8")
        for left_out in ((), *((f,) for f in OPTIONAL), OPTIONAL):
            chosen = [f for f in flags if f not in left_out]
            report = _run([*command, *chosen, str(source), "-o", str(library), "-lm"])
            if not report:
                os.replace(library, path)
                return path
    raise BackendError(
        None,
        f"the C compiler `{command[0]}` does not compile what tadc wrote: {report.splitlines()[0]:.200}",
        fix="choose another one with `$CC`, or use `backend='numpy'`",
    )


def _run(command: list[str]) -> str:
    """Run a compiler. The text of its failure, empty if there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"it ran for {SECONDS} seconds"
    except OSError as error:
        return str(error)
    return (done.stderr.strip() or f"status {done.returncode}") if done.returncode else ""


@cache
def _identity(command: tuple[str, ...]) -> str:
    """What changes when the compiler does."""
    try:
        status = Path(command[0]).resolve().stat()
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


@cache
def _cpu() -> str:
    """What `-march=native` depends on: a cache may be shared between machines."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return "\n".join(
            dict.fromkeys(
                line for line in lines if line.startswith(("flags", "model name", "Features"))
            )
        )
    return f"{machine()} {processor()}"
