"""Files that commands read and write: arrays as `.npy`, and outputs of a command all or none, never over an input."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from tadc.errors import FileError

if TYPE_CHECKING:  # files of text are written without numpy
    from numpy.typing import NDArray

__all__ = [
    "Writer",
    "array_writer",
    "read_npy",
    "read_text",
    "refuse_collisions",
    "text_writer",
    "write_all",
]

Writer: TypeAlias = Callable[[BinaryIO], object]  # writes the contents of one file

ELSEWHERE = "choose another place with `-o`"


def read_npy(path: str) -> NDArray[Any]:
    """The array in a `.npy` file. Raises FileError where there is none."""
    from numpy.lib.format import read_array

    try:
        with open(path, "rb") as file:
            array: NDArray[Any] = read_array(file, allow_pickle=False)
            return array
    except MemoryError:
        raise
    except OSError as error:
        raise _file_error(path, error, fix="check the path") from None
    except Exception as error:  # whatever a damaged header makes of itself
        raise FileError(
            None,
            f"{path} is not a .npy file of numbers: {error}",
            fix="write it with `numpy.save`",
        ) from None


def read_text(path: str | Path, encoding: str = "utf-8") -> str:
    """The text in a file. Raises FileError where there is none."""
    try:
        return Path(path).read_text(encoding)
    except OSError as error:
        raise _file_error(path, error, fix="check the path") from None
    except UnicodeDecodeError:
        raise FileError(None, f"{path} is not UTF-8 text", fix="save it as UTF-8") from None
    except ValueError as error:  # a null character
        raise FileError(None, f"{path!r} is no path: {error}", fix="check the path") from None


def text_writer(text: str) -> Writer:
    return lambda file: file.write(text.encode("utf-8"))


def array_writer(array: NDArray[Any]) -> Writer:
    from numpy.lib.format import write_array

    return lambda file: write_array(file, array, allow_pickle=False)


def refuse_collisions(inputs: Iterable[Path], outputs: Iterable[tuple[Path, Path]]) -> None:
    """Raise FileError where an output, a pair `(made from, path)`, is an input or another output."""
    read = {os.path.realpath(path): path for path in inputs}
    written: dict[str, Path] = {}
    for source, path in outputs:
        place = os.path.realpath(path)
        if place in read:
            raise FileError(
                None,
                f"the output {path} of {source} would overwrite the input {read[place]}",
                fix=ELSEWHERE,
            )
        if place in written:
            raise FileError(
                None,
                f"{written[place]} and {source} would both write {path}",
                fix="rename one of them, or run a command for each with its own `-o`",
            )
        written[place] = source


def write_all(files: Mapping[Path, Writer]) -> None:
    """Write all files or, raising FileError, none.

    Failures for want of space or of permission occur on temporary files next to the final ones, which take
    their places at the end.
    """
    staged: list[tuple[Path, Path]] = []
    path = Path()
    try:
        for path, write in files.items():
            final = _writable(path)
            temporary = final.with_name(f".{final.name}.{os.urandom(4).hex()}")
            with temporary.open("xb") as file:
                staged.append((temporary, final))
                write(file)
        for temporary, final in staged:
            os.replace(temporary, final)
    except FileError:
        raise
    except OSError as error:
        raise _file_error(path, error, fix=ELSEWHERE) from None
    finally:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)


def _writable(path: Path) -> Path:
    """The target of `path`, in a folder that exists now: a regular file that may be written, or none yet."""
    final = Path(os.path.realpath(path))
    final.parent.mkdir(parents=True, exist_ok=True)
    if final.exists() and not final.is_file():
        # A folder; or a device, which renaming would replace.
        raise FileError(None, f"{path} exists and is not a file", fix=ELSEWHERE)
    if final.exists() and not os.access(final, os.W_OK):
        raise FileError(None, f"{path} is write-protected", fix=ELSEWHERE)
    return final


def _file_error(path: str | Path, error: OSError, fix: str) -> FileError:
    return FileError(None, f"{path}: {error.strerror or error}", fix=fix)
