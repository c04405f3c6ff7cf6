"""The machine's C compiler, and a cache of its libraries."""

from __future__ import annotations

import _ctypes
import ctypes
import gc
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from platform import machine
from platform import processor as processor_name
from subprocess import DEVNULL
from types import FrameType
from typing import Any, ClassVar
from weakref import WeakSet, finalize

from tadc.cache import STALE, digest, folder, read, remove, write
from tadc.errors import BackendError
from tadc.progress import stage
from tadc.schedule.cpu.machine import AVX2, AVX512, NEON, SSE, Processor

__all__ = ["CannotCompile", "Library", "compiler", "loaded", "processor"]

PLATFORM = sys.platform
FLAGS = [
    "-std=c11",
    "-O2",  # with the vectoriser of -O3: as fast, and compiled in two thirds of the time
    "-ftree-vectorize",
    "-fpeel-loops",  # loops over the two vectors of lanes are written out, and their sums stay in registers
    "-fira-region=all",  # which inner loops are given before those around them
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
    "-Wl,-z,noseparate-code,-z,norelro",  # two mappings of memory, and not five
]
WIDE = "-mprefer-vector-width=512"  # for some processors compilers prefer half of it, for which there are too many sums
# Flags that a compiler may not know; without them a program is slower, with the same results.
OPTIONAL = (
    FLAGS[-1],
    WIDE,
    "-fpeel-loops",
    "-fira-region=all",
    "-fvect-cost-model=dynamic",
    "-fopenmp",
    "-march=native",
)
# Flags that are not meant for a platform.
UNUSED = {
    "darwin": (FLAGS[-1],),  # its files are not ELF
    # Code of a DLL is always movable; for vectors of AVX GCC does not align the stack, and they crash (its bug 54412).
    "win32": (FLAGS[-1], "-fPIC", "-march=native"),
}
SECONDS = 300  # for one file
SECONDS_FOR_A_LINE = 30  # by which a compiler that hangs differs from one with a long text
BUILDING = "tadc-build-"  # how the names of folders for temporary files begin

MANY = 500  # libraries

# Compilers that did not end and are not asked again, at all or (with its digest) for one text.
_stuck: dict[tuple[str, ...], str] = {}
_unload = getattr(_ctypes, "dlclose" if hasattr(_ctypes, "dlclose") else "FreeLibrary")


class CannotCompile(BackendError):
    """There is no native code for a program, through no fault of its own: `auto` computes it with numpy."""


class Library(ctypes.CDLL):
    """A library that is unloaded when nothing refers to it or to its functions (by `library[name]`) any more.

    Loaded libraries take mappings of memory, of which Linux gives a process 65,530. Functions of tadc are in cycles of
    references: when many libraries are loaded, garbage is collected. The first library with an OpenMP runtime stays:
    the runtime would be unloaded with the last one, and its threads wait inside of it.
    """

    _runtimes: ClassVar[set[int]] = set()
    _loaded: ClassVar[WeakSet[Library]] = WeakSet()
    _many: ClassVar[int] = MANY

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        runtimes = {ctypes.cast(f, ctypes.c_void_p).value or 0 for f in self._starts_of_threads()}
        if not runtimes <= Library._runtimes:
            Library._runtimes |= runtimes
            return
        finalize(self, _unload, self._handle).atexit = False  # other threads may still be in it
        Library._loaded.add(self)
        if len(Library._loaded) > Library._many:
            gc.collect()
            Library._many = max(MANY, 2 * len(Library._loaded))

    def _starts_of_threads(self) -> Iterator[Any]:
        """The functions of OpenMP runtimes (GCC's, LLVM's) that the library or its dependencies have."""
        for name in ("GOMP_parallel", "__kmpc_fork_call"):
            with suppress(AttributeError):
                yield super().__getitem__(name)

    def __getitem__(self, name: str) -> Any:
        """The function of this name, which keeps the library. Raises BackendError where there is none."""
        try:
            return super().__getitem__(name)
        except AttributeError as error:
            raise CannotCompile(
                None,
                f"what the C compiler made has no function `{name}`: {error}",
                fix="choose another one with `$CC`, or use `backend='numpy'`",
            ) from None


@cache
def compiler() -> tuple[str, ...] | None:
    """The command of `CC`, else `cc`, `gcc` or `clang`; None where there is none. Raises BackendError for a `CC` that
    is no command.
    """
    given = _words("CC")
    for command in [given] if given else [["cc"], ["gcc"], ["clang"]]:
        executable = shutil.which(command[0])
        if executable:
            return (os.path.abspath(executable), *command[1:])
    return None


def _words(variable: str) -> list[str]:
    given = os.environ.get(variable, "")
    try:
        if PLATFORM == "win32":  # where a backslash is part of a path
            return [word.strip("\"'") for word in shlex.split(given, posix=False)]
        return shlex.split(given)
    except ValueError as error:
        raise CannotCompile(
            None,
            f"the environment says `{variable}={given}`, which is no list of words: {error}",
            fix="close the quotation, or use `backend='numpy'`",
        ) from None


def loaded(text: str) -> Library:
    """The library of a C file, compiled unless it has been before. Raises BackendError where that cannot be."""
    command = compiler()
    if command is None:
        raise CannotCompile(
            None,
            "there is no C compiler for `backend='native'`: neither `$CC` nor `cc` is found",
            fix="install one (`apt install gcc`), or use `backend='numpy'`",
        )
    flags, given = _flags(), tuple(_words("CFLAGS"))
    name = f"native-{digest(text, *command, _identity(command), *flags, *given, _cpu())}{_suffix()}"
    _show_runtime(command)
    return _kept(name) or _made(text, command, flags, given, name)


def _flags() -> tuple[str, ...]:
    wide = (WIDE,) if vectors() is AVX512 else ()
    return (*(f for f in FLAGS if f not in UNUSED.get(PLATFORM, ())), *wide)


def _suffix() -> str:
    return ".dll" if PLATFORM == "win32" else ".so"


@cache
def _show_runtime(command: tuple[str, ...]) -> None:
    """Let Windows find the compiler's OpenMP runtime, which is next to it: dependencies of a library are not looked up in PATH."""
    add = getattr(os, "add_dll_directory", None)
    if add is not None:
        add(os.path.dirname(command[0]))


def _kept(name: str) -> Library | None:
    """The library of the cache; None where there is none that can be loaded."""
    content, place = read(name), folder()
    if content is None or place is None:
        return None
    with suppress(OSError):
        return Library(place / name)
    with (
        suppress(OSError),
        _building() as build_folder,
    ):  # the cache is on a disk that nothing is run from
        copy = build_folder / name
        copy.write_bytes(content)
        return Library(copy)
    remove(name)
    return None


def _made(
    text: str, command: tuple[str, ...], flags: tuple[str, ...], given: tuple[str, ...], name: str
) -> Library:
    try:
        with _building() as place:
            built = _built(text, command, flags, given, place)
            kept = write(name, built.read_bytes())
            try:
                return Library(built)  # its file may go once it is loaded
            except OSError as error:
                with suppress(OSError):
                    if kept:  # here nothing is run from the folder for temporary files
                        return Library(kept)
                remove(name)
                raise _failed(command, f"makes what cannot be loaded: {error}", place) from None
    except OSError as error:
        raise CannotCompile(
            None,
            f"there is no folder for temporary files to build in: {error}",
            fix="set `TMPDIR` to one that can be written, or use `backend='numpy'`",
        ) from None


@contextmanager
def _building() -> Iterator[Path]:
    """A folder for temporary files, which is gone afterwards."""
    _sweep()
    with tempfile.TemporaryDirectory(prefix=BUILDING, ignore_cleanup_errors=True) as place:
        yield Path(os.path.abspath(place))


@cache
def _sweep() -> None:
    """Remove the folders of processes that were killed while they built."""
    with suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            is_building = entry.name.startswith(BUILDING) and entry.is_dir(follow_symlinks=False)
            if is_building and time.time() - entry.stat(follow_symlinks=False).st_mtime > STALE:
                shutil.rmtree(entry.path, ignore_errors=True)


def _built(
    text: str, command: tuple[str, ...], flags: tuple[str, ...], given: tuple[str, ...], place: Path
) -> Path:
    """The file that the compiler makes of the text. Flags of our own that it may not know are left out where it fails."""
    source, library = place / "program.c", place / f"program{_suffix()}"
    source.write_text(text, "utf-8")
    first = ""
    for left_out in ((), *((f,) for f in OPTIONAL), OPTIONAL):
        chosen = [f for f in flags if f not in left_out]
        with stage(f"compiling {len(text) // 1024 + 1} KB of C"):
            files = [str(source), "-o", str(library), "-lm"]
            report = _asked(text, command, (*chosen, *given, *files), place)
        if not report:
            if library.is_file():
                return library
            raise _failed(command, "reports success and writes no file", place)
        first = first or report
    raise _failed(command, f"does not compile what tadc wrote: {first}", place)


def _failed(command: tuple[str, ...], what: str, place: Path) -> CannotCompile:
    """The error, in one line: the first that says so. `place` is of no interest."""
    lines = what.replace(f"{place}{os.sep}", "").strip().splitlines()
    line = next((line for line in lines[1:] if "error" in line), "")
    line = f"{lines[0]} {line}".strip() if line and "error" not in lines[0] else lines[0]
    return CannotCompile(
        None,
        f"the C compiler `{command[0]}` {line:.300}",
        fix="choose another one with `$CC`, or use `backend='numpy'`",
    )


def _asked(text: str, command: tuple[str, ...], arguments: tuple[str, ...], place: Path) -> str:
    """What the compiler says of the text. Raises BackendError if it does not end, which other flags would not change.

    It is not asked again for this text then, and for no other if it does not end with one line either.
    """
    this = (*command, digest(text))
    for key in (command, this):
        if key in _stuck:
            raise _failed(command, _stuck[key], place)
    try:
        return _run([*command, *arguments], place, SECONDS)
    except subprocess.TimeoutExpired:
        key = this if _ends_with_a_line(command, place) else command
        _stuck[key] = f"ran for {SECONDS} seconds, and was ended"
        raise _failed(command, _stuck[key], place) from None


def _ends_with_a_line(command: tuple[str, ...], place: Path) -> bool:
    line = place / "line.c"
    line.write_text("int line;\n", "utf-8")
    try:
        _run([*command, "-c", str(line), "-o", str(place / "line.o")], place, SECONDS_FOR_A_LINE)
    except subprocess.TimeoutExpired:
        return False
    return True


def _run(command: list[str], place: Path, seconds: float) -> str:
    """Run a compiler. The text of its failure, empty if there is none.

    Its output goes to a file, and it has a group of its own: neither what it leaves running nor what it waits for is
    waited for. Raises TimeoutExpired if it does not end in time.
    """
    output = place / "output"
    process = None
    try:
        with open(output, "wb") as file, _uninterrupted():
            process = subprocess.Popen(
                command, stdin=DEVNULL, stdout=file, stderr=file, start_new_session=True
            )
        status = process.wait(seconds)
    except (OSError, ValueError) as error:
        return str(error)
    finally:
        if process is not None:
            _end(process)
    report = output.read_bytes().decode("utf-8", "replace").strip()
    return (report or f"ends with status {status}") if status else ""


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until the process has begun: before, there is no process to end.

    The handler is replaced: a signal that this thread blocks is given to another one, of OpenBLAS for example, and
    Python still handles it here.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield  # Python handles signals in the main thread
        return
    held: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda *arguments: held.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(*held[0])


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a compiler that is still running, and all processes that it started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


@cache
def _identity(command: tuple[str, ...]) -> str:
    """A text that changes whenever the compiler does; empty if it cannot be found."""
    try:
        status = Path(command[0]).resolve().stat()
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


@cache
def processor() -> Processor:
    """The processor that `-march=native` compiles for, with its caches."""
    return vectors().with_second_cache(_second_cache_bytes())


@cache
def vectors() -> Processor:
    """The same, with caches as most have them."""
    words = set(_cpu().split())
    if "avx512f" in words:
        return AVX512
    if machine().lower() in ("aarch64", "arm64"):
        return NEON
    return AVX2 if "avx2" in words or not words else SSE


def _second_cache_bytes() -> int:
    """The bytes of a core's second cache, as Linux tells them; 0 where nothing does."""
    with suppress(OSError, ValueError):
        text = Path("/sys/devices/system/cpu/cpu0/cache/index2/size").read_text("utf-8").strip()
        units = {"K": 2**10, "M": 2**20}
        return int(text[:-1]) * units[text[-1]] if text[-1:] in units else int(text)
    return 0


@cache
def _cpu() -> str:
    """The CPU as `-march=native` sees it: a cache may be shared between machines."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return "\n".join(
            dict.fromkeys(
                line for line in lines if line.startswith(("flags", "model name", "Features"))
            )
        )
    return f"{machine()} {processor_name()}"
