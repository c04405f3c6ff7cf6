"""Launchers, builders of lists and checks of an emitted file, called as its manifest says. Nothing here loads a driver."""

import ctypes

import numpy as np
from host_run import size_value, size_values

__all__ = ["checked", "run_without_lists", "with_lists"]


def with_lists(library, manifest, mode, arrays, sizes):
    """The arrays and sizes of a launcher: lists are made by the library's functions, as the manifest says."""
    arrays = {n: a.astype(np.int32) if a.dtype.kind == "i" else a for n, a in arrays.items()}
    sizes = size_values(manifest, sizes)
    numbers = [ctypes.c_longlong(sizes[s]) for s in manifest["sizes"]]
    for each in manifest["modes"][mode].get("lists", ()):
        sizes |= {n: size_value(e, sizes) for n, e in each["sizes"].items()}
        for builder in each["builders"]:
            function = library[builder["function"]]
            function.restype = ctypes.c_longlong
            first, *others = (manifest["tensors"][n]["shape"] for n in builder["writes"])
            arrays[builder["writes"][0]] = np.full(
                [size_value(e, sizes) for e in first], -9, np.int32
            )

            # Its first array has as many elements as there are keys, the others as it returns: first it counts.
            sizes[builder["returns"]] = max(1, built(function, builder, arrays, numbers))
            arrays |= {
                n: np.zeros([size_value(e, sizes) for e in shape], np.int32)
                for n, shape in zip(builder["writes"][1:], others, strict=True)
            }
            built(function, builder, arrays, numbers)
    return arrays, sizes


def built(function, builder, arrays, numbers):
    """What a builder returns; without those of its arrays that are not there it only counts."""
    given = [*builder["reads"], *builder["writes"]]
    present = [np.ascontiguousarray(arrays[n]) if n in arrays else None for n in given]
    pointers = [None if a is None else ctypes.c_void_p(a.ctypes.data) for a in present]
    return function(*pointers, *numbers, ctypes.c_int(2))


def run_without_lists(library, manifest, mode, arrays, sizes, last):
    """The outputs of a launcher given nulls for lists and the workspace, no sizes of lists, and its last argument."""
    described = manifest["modes"][mode]
    arrays = {n: a.astype(np.int32) if a.dtype.kind == "i" else a for n, a in arrays.items()}
    sizes = size_values(manifest, sizes)
    types = {n: t["dtype"] for n, t in manifest["tensors"].items()}
    given = [
        np.ascontiguousarray(arrays[n], types[n]) if n in arrays else None
        for n in described["inputs"]
    ]
    outputs = [
        np.zeros([size_value(e, sizes) for e in manifest["tensors"][n]["shape"]])
        for n in described["outputs"]
    ]
    integer = ctypes.c_longlong if "64" in manifest["index_type"] else ctypes.c_int
    numbers = [integer(sizes.get(s, 0)) for s in described["sizes"]]
    pointers = [None if a is None else ctypes.c_void_p(a.ctypes.data) for a in (*given, *outputs)]
    assert library[described["launcher"]](*pointers, None, *numbers, last) == 0
    return dict(zip(described["outputs"], outputs, strict=True))


def checked(library, manifest, arrays, sizes):
    """What the check function of the primal returns, and where it says that the first element is."""
    check = manifest["modes"]["primal"]["check"]
    given = [np.ascontiguousarray(arrays[n], np.int32) for n in check["reads"]]
    where = (ctypes.c_longlong * 2)(-1, -1)
    numbers = [ctypes.c_longlong(sizes[s]) for s in check["sizes"]]
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in given]
    return library[check["function"]](*pointers, where, *numbers), tuple(where)
