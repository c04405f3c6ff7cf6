"""The user's cache folder: what takes time to make and is the same every time."""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import TypeVar

from tadc.resources import resource

__all__ = ["cached_file", "digest", "folder", "kept_small", "own_files", "remembered"]

Made = TypeVar("Made")

MOST_BYTES = 256 * 2**20  # of all files with a name of KINDS
KINDS = ("native-*.so", "made-*.pickle", "tuned-*.json")
WORTH = 0.002  # seconds that something takes to make, if it is to be remembered
MOST_PICKLED = 4 * 2**20  # bytes of one thing that is remembered


@cache
def folder() -> Path | None:
    """`TADC_CACHE_DIR`, else `tadc` in the user's cache folder; None where it cannot be made."""
    given = os.environ.get("TADC_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = Path(given) if given else Path(home, "tadc")
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return path


def cached_file(name: str, make: Callable[[Path | None], Made]) -> Made:
    """What `make` gives for the path of a file that it reads if it is there, and else writes.

    A file appears whole or not at all: it is written under another name first. Where that fails `make` gets None.
    """
    place = folder()
    if place is None:
        return make(None)
    path = place / name
    if path.exists():
        return make(path)
    own = path.with_name(f"{name}.{os.getpid()}")
    try:
        made = make(own)
    except OSError:
        return make(None)
    try:
        os.replace(own, path)
    except OSError:
        own.unlink(missing_ok=True)
    return made


def remembered(key: object, make: Callable[[], Made]) -> Made:
    """What `make` gives, from a file if it was made before: by this version, from the same `key`, which has a `repr`
    that says all. With `TADC_REMEMBER=0` it is always made.
    """
    place = folder()
    if place is None or os.environ.get("TADC_REMEMBER") == "0":
        return make()
    path = place / f"made-{digest(own_files(), repr(key))}.pickle"
    with suppress(Exception):  # whatever is in a file that is cut off
        made: Made = pickle.loads(path.read_bytes())
        path.touch()  # that it was used
        return made
    start = time.perf_counter()
    made = make()
    if time.perf_counter() - start >= WORTH:
        with suppress(Exception):  # it has no pickle, or the disk is full
            data = pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
            if len(data) <= MOST_PICKLED:
                own = path.with_suffix(f".{os.getpid()}.{get_ident()}")
                own.write_bytes(data)
                os.replace(own, path)
                _kept_small_once(place)
    return made


def digest(*texts: str) -> str:
    """A name for the texts, 32 characters long."""
    return sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


@cache
def own_files() -> str:
    """What changes when tadc, or the Python that runs it, does."""
    places = [Path(__file__).parent, resource("grammar"), resource("templates")]
    found = []
    for path in sorted(p for place in places for p in place.rglob("*") if p.suffix != ".pyc"):
        with suppress(OSError):
            status = path.stat()
            found.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return digest(sys.version, *found)


@cache
def _kept_small_once(place: Path) -> None:
    kept_small(place)


def kept_small(place: Path) -> None:
    """Remove the files that were not used for longest, where all together are too large."""
    found: list[tuple[float, int, Path]] = []
    for path in (p for kind in KINDS for p in place.glob(kind)):
        with suppress(OSError):  # another process may remove them too
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    total = 0
    for _, size, path in sorted(found, reverse=True):
        total += size
        if total > MOST_BYTES:
            with suppress(OSError):
                path.unlink()
