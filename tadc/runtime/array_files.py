"""Arrays in files: `.npy`, `.npz` by name, and `.csv`, which holds numbers and commas alone."""

from __future__ import annotations

import csv
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import NDArray

from tadc.errors import FileError, counted
from tadc.runtime.files import Writer, array_writer, read_npy, read_text, text_writer

__all__ = ["SUFFIXES", "array_writers", "csv_text", "output_paths", "read_array"]

SUFFIXES = (".npy", ".csv", ".npz")  # of files, where another path is a folder


def read_array(path: str, name: str, rank: int | None) -> NDArray[Any]:
    """The array for the input `name`, which has `rank` dimensions if there is such an input. Raises FileError."""
    match Path(path).suffix.lower():
        case ".csv":
            return _read_csv(path, name, rank)
        case ".npz":
            return _read_npz(path, name)
        case _:
            return read_npy(path)


def read_integers(array: NDArray[Any]) -> NDArray[Any]:
    """An array for an index tensor: a .csv file has no types, so that whole numbers in it are integers."""
    whole = array.dtype.kind == "f" and bool((array == np.trunc(array)).all())
    return array.astype(np.int64) if whole and bool((abs(array) < 2**53).all()) else array


def read_sparse(path: str, name: str) -> Any:
    """The sparse array in a .npz file of scipy, for the input `name`. Raises FileError."""
    from scipy.sparse import load_npz

    is_not = f"holds no sparse array for `{name}`"
    with _reading(path, is_not, fix="write it with `scipy.sparse.save_npz`"):
        return load_npz(path)


@contextmanager
def _reading(path: str, is_not: str, fix: str) -> Iterator[None]:
    """Raises FileError where there is no archive, or a damaged one."""
    try:
        yield
    except MemoryError:
        raise
    except FileNotFoundError as error:
        raise FileError(None, f"{path}: {error.strerror}", fix="check the path") from None
    except Exception as error:  # whatever a damaged archive makes of itself
        raise FileError(None, f"{path} {is_not}: {error}", fix=fix) from None


def output_paths(
    output: Path, names: Sequence[str], sparse: Container[str] = ()
) -> tuple[Path, ...]:
    """The files for outputs of these names: `output` itself where it has one of the suffixes, else a folder's.

    Those that are `sparse` are .npz files of scipy, each a file of its own. Raises FileError for one file of several kinds.
    """
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        return tuple(output / f"{n}{'.npz' if n in sparse else '.npy'}" for n in names)
    lone = next((n for n in names if n in sparse), None)
    if lone is not None and (suffix != ".npz" or len(names) > 1):
        raise FileError(
            None,
            f"`{lone}` is sparse, and has a `.npz` file of its own",
            fix="name a folder with `-o`" if len(names) > 1 else "name a `.npz` file",
        )
    if suffix != ".npz" and len(names) > 1:
        raise FileError(
            None,
            f"{output} is one file, and there are {len(names)} outputs: {', '.join(names)}",
            fix="name a folder with `-o`, or a `.npz` file",
        )
    return (output,) if names else ()


def array_writers(output: Path, arrays: Mapping[str, Any]) -> dict[Path, Writer]:
    """The writers of the files of `output_paths`. Raises FileError for arrays that a file cannot hold."""
    sparse = [n for n, a in arrays.items() if hasattr(a, "tocoo")]
    paths = output_paths(output, tuple(arrays), sparse)
    if sparse:
        writers = (_sparse_writer(a) if n in sparse else array_writer(a) for n, a in arrays.items())
        return dict(zip(paths, writers, strict=True))
    match output.suffix.lower():
        case ".npz":
            return {path: lambda file: _write_npz(file, arrays) for path in paths}
        case ".csv":
            texts = [csv_text(name, a) for name, a in arrays.items()]
            return dict(zip(paths, map(text_writer, texts), strict=True))
        case _:
            return dict(zip(paths, map(array_writer, arrays.values()), strict=True))


def _sparse_writer(array: Any) -> Writer:
    from scipy.sparse import save_npz

    return lambda file: save_npz(file, array.tocoo() if array.format in ("lil", "dok") else array)


def csv_text(name: str, array: NDArray[Any]) -> str:
    """The array as lines of numbers, a vector as one number per line. Raises FileError for three dimensions and more."""
    if array.ndim > 2:
        raise FileError(
            None,
            f"the output `{name}` has {counted(array.ndim, 'dimension')}, and a .csv file has lines and columns",
            fix="write a `.npy` file",
        )
    rows = array.reshape(-1, 1) if array.ndim < 2 else array
    return "".join(f"{','.join(map(str, row))}\n" for row in rows)


def _write_npz(file: BinaryIO, arrays: Mapping[str, NDArray[Any]]) -> None:
    with ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                write_array(member, np.asanyarray(array), allow_pickle=False)


def _read_npz(path: str, name: str) -> NDArray[Any]:
    """The member of that name, or the only one."""
    with (
        _reading(path, "is not a .npz file of numbers", fix="write it with `numpy.savez`"),
        np.load(path, allow_pickle=False) as archive,
    ):
        members = list(getattr(archive, "files", ()))
        chosen = name if name in members else members[0] if len(members) == 1 else None
        if chosen is not None:
            array: NDArray[Any] = archive[chosen]
            return array
    raise FileError(
        None,
        f"{path} has no array `{name}`, but {', '.join(members) or 'none'}",
        fix=f"write it with `numpy.savez(.., {name}={name})`",
    )


def _read_csv(path: str, name: str, rank: int | None) -> NDArray[Any]:
    rows = _numbers(path)
    array = np.array([row for _, row in rows])
    if rank == 1 and 1 in array.shape:
        return array.reshape(-1)
    if rank == 0 and array.size == 1:
        return array.reshape(())
    if rank in (None, 2):
        return array
    lines, columns = array.shape
    raise FileError(
        None,
        f"{path} has {lines} x {columns} numbers, and `{name}` has {counted(rank, 'dimension')}",
        fix="write a `.npy` file" if rank > 2 else "give it one line, or one column",
    )


def _numbers(path: str) -> list[tuple[int, list[float]]]:
    """The numbers of each line that is not blank, with the line's number."""
    rows: list[tuple[int, list[float]]] = []
    reader = csv.reader(StringIO(read_text(path, "utf-8-sig")), skipinitialspace=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                row = [_number(path, reader.line_num, cell) for cell in cells]
                if rows and len(row) != len(rows[0][1]):
                    raise FileError(
                        None,
                        f"{path}:{reader.line_num}: {counted(len(row), 'number')}, and line {rows[0][0]} has {len(rows[0][1])}",
                        fix="give every line as many numbers",
                    )
                rows.append((reader.line_num, row))
    except csv.Error as error:
        raise FileError(
            None, f"{path}:{reader.line_num}: {error}", fix="write numbers and commas"
        ) from None
    if not rows:
        raise FileError(None, f"{path} has no numbers", fix="write a line of them, with commas")
    return rows


def _number(path: str, line: int, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise FileError(
            None,
            f"{path}:{line}: `{cell.strip():.40}` is no number",
            fix="write numbers and commas alone, without a heading",
        ) from None
