"""The user's cache folder, for values that take time to make and are the same every time.

An entry is its content, followed by a digest of its name and content: one that was truncated, changed or moved is not
read, but removed, and made again. The folder and the entries are the user's own, and nobody else may write to them: who could,
might have a library loaded in the user's name.
"""

from __future__ import annotations

import os
import pickle
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

from tadc.resources import resource

__all__ = [
    "digest",
    "disk_cached",
    "folder",
    "kept",
    "kept_small",
    "own_files",
    "place",
    "read",
    "remove",
    "unused",
    "write",
]

Made = TypeVar("Made")

MOST_BYTES = 256 * 2**20  # of all files with a name of KINDS
PART = ".part"  # suffix of files being written, or left by a process that ended
KINDS = (
    "native-*.so",
    "native-*.dll",
    "made-*.pickle",
    "grammar-*.pickle",
    "tuned-*.json",
    f"*{PART}",
)
STALE = 3600  # seconds after which a part is abandoned
SWEPT = "swept"  # the file that is as old as the last look at all entries
SWEPT_AGAIN = 300  # seconds after which there is another one
WORTH = 0.002  # seconds to make a value, below which it is not cached
MOST_PICKLED = 4 * 2**20  # bytes of one cached value
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


# ---------------------------------------------------------------------- the folder


@cache
def folder() -> Path | None:
    """The folder; None where it is not used. A relative path is one from where the process was when it first asked."""
    path = place()
    return None if unused(path) else path


def place() -> Path:
    """`TADC_CACHE_DIR`, else `tadc` in the user's cache folder."""
    given = os.environ.get("TADC_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.path.abspath(given or os.path.join(home, "tadc")))


def unused(path: Path) -> str:
    """The reason why the folder is not used; empty if it is. It is made if it does not exist."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        link, target = path.lstat(), path.stat()
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    if not (_is_own(link) and _is_own(target)):
        return "it belongs to another user"
    return "other users may write to it" if target.st_mode & OTHERS_MAY_WRITE else ""


def _is_own(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _usable() -> Path | None:
    """The folder as it is now: it may have been removed, or given to others."""
    path = folder()
    return None if path is None or unused(path) else path


# ---------------------------------------------------------------------- entries


def read(name: str) -> bytes | None:
    """The content of an entry as it was written; None where there is none."""
    within = _usable()
    if within is None:
        return None
    path = within / name
    try:
        # No link is followed, and a pipe is not waited for.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with open(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
            status = os.fstat(file.fileno())
            mode = status.st_mode
            if not (stat.S_ISREG(mode) and _is_own(status)) or mode & OTHERS_MAY_WRITE:
                return None
            stored = file.read()
    except OSError:
        return None
    length = len(stored) - sha256().digest_size
    content = stored[: max(0, length)]
    if stored[len(content) :] != _seal(name, content):
        remove(name)
        return None
    with suppress(OSError):
        path.touch()  # that it was used
    return content


def write(name: str, content: bytes) -> Path | None:
    """Keep the content: the path of the entry, which appears whole or not at all; None where it cannot be."""
    within = _usable()
    if within is None:
        return None
    path = within / name
    try:
        handle, part = tempfile.mkstemp(PART, f"{name}.", within)
        try:
            with open(handle, "wb") as file:
                file.write(content)
                file.write(_seal(name, content))
                file.flush()
                os.fsync(file.fileno())  # else a name may come to the disk before its content
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise
    except OSError:  # the disk is full, or the folder cannot be written
        return None
    _kept_small_at_times(within)
    return path


def remove(name: str) -> None:
    """Remove an entry that cannot be used, for it to be made again."""
    within = _usable()
    with suppress(OSError):
        if within is not None:
            (within / name).unlink()


def _seal(name: str, content: bytes) -> bytes:
    return sha256(name.encode() + b"\0" + content).digest()


def kept_small() -> None:
    """Remove files left half written by ended processes, and the least recently used entries where the total is too large."""
    within = _usable()
    if within is None:
        return
    entries: list[tuple[float, int, Path]] = []
    for path in (p for kind in KINDS for p in within.glob(kind)):
        with suppress(OSError):  # another process may remove them too
            status = path.lstat()
            entries.append((status.st_mtime, status.st_size, path))
    total = 0
    now = time.time()
    for used, size, path in sorted(entries, reverse=True):
        total += size
        if total > MOST_BYTES or (path.suffix == PART and now - used > STALE):
            with suppress(OSError):
                path.unlink()


def _kept_small_at_times(within: Path) -> None:
    """As `kept_small`, but not again soon: it looks at all entries, which may be tens of thousands."""
    marker = within / SWEPT
    with suppress(OSError):
        if marker.exists() and time.time() - marker.stat().st_mtime < SWEPT_AGAIN:
            return
        marker.touch()
        kept_small()


# ---------------------------------------------------------------------- cached values


def disk_cached(key: object, make: Callable[[], Made]) -> Made:
    """The value of `make()`, read from a file if this version made it before from the same `key`, whose `repr`
    identifies it completely. With `TADC_REMEMBER=0` it is always made.
    """
    if os.environ.get("TADC_REMEMBER") == "0":
        return make()
    return kept(f"made-{digest(own_files(), repr(key))}.pickle", make)


def kept(name: str, make: Callable[[], Made]) -> Made:
    """The value of `make()`, read from the entry of this name if there is one."""
    content = read(name)
    if content is not None:
        with suppress(Exception):  # it needs more than an entry may have
            made: Made = _Values(BytesIO(content)).load()
            return made
    start = time.perf_counter()
    made = make()
    if time.perf_counter() - start >= WORTH:
        with suppress(Exception):  # it has no pickle
            data = pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
            if len(data) <= MOST_PICKLED:
                write(name, data)
    return made


class _Values(pickle.Unpickler):
    """Reads values: built-in ones, and objects of tadc's own classes.

    Programs are graphs of such objects that share their parts, which pickle's format supports. The dangerous part of it
    is left out: a name that is looked up is that of a class of tadc, never of a function or of another
    module, so that reading an entry runs nothing but constructors of values.
    """

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("tadc.") and name.isidentifier():
            value = super().find_class(module, name)
            if isinstance(value, type) and value.__module__ == module:
                return value
        raise pickle.UnpicklingError(f"{module}.{name} is no value of tadc")


def digest(*texts: str) -> str:
    """A name for the texts, 32 characters long."""
    return sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


@cache
def own_files() -> str:
    """A digest that changes whenever tadc, or the Python that runs it, does."""
    places = [Path(__file__).parent, resource("grammar"), resource("templates")]
    states = []
    for path in sorted(p for place in places for p in place.rglob("*") if p.suffix != ".pyc"):
        with suppress(OSError):
            status = path.stat()
            states.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return digest(sys.version, *states)
