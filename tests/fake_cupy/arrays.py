"""Arrays of the double. They are none of numpy: what makes one of them without being asked to is an error, as it is to CuPy.

Copies between host and device, and products, are work of a stream. What else CuPy computes by kernels of its own is done at once, behind
all that the current stream has to do: one of the times when a GPU may do it.
"""

from __future__ import annotations

import ctypes
from math import prod
from types import SimpleNamespace

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from fake_cupy.memory import DLPackMemory, MemoryPointer, UnownedMemory, allocate
from fake_cupy.state import STATE, Device, ensure_context
from fake_cupy.streams import is_capturing, put, synchronize

# Functions that it has of numpy.
OF_NUMPY = (
    *("abs", "arange", "argwhere", "concatenate", "empty_like", "flatnonzero", "full_like", "isfinite", "log"),
    *("may_share_memory", "result_type", "searchsorted", "shares_memory", "sort", "stack", "unravel_index", "where"),
    *("zeros", "zeros_like", "ones", "eye", "shape", "ndim"),
)  # fmt: skip
METHODS = ("all", "any", "copy", "max", "min", "prod", "sum", "mean", "conj", "cumsum")
VIEWS = ("reshape", "swapaxes", "transpose", "squeeze", "diagonal")


class ndarray(NDArrayOperatorsMixin):  # noqa: N801
    __array_priority__ = 100

    def __init__(self, shape, dtype=np.float64, memptr=None, strides=None, order="C"):
        shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
        dtype = np.dtype(dtype)
        self.data = allocate(prod(shape) * dtype.itemsize) if memptr is None else memptr
        self._host = host_view(self.data.ptr, shape, dtype, strides, order)

    def _view(self, host):
        """An array in this one's memory."""
        view = object.__new__(ndarray)
        view._host = host
        view.data = MemoryPointer(self.data.mem, 0)
        view.data.ptr = host.ctypes.data if host.size else self.data.ptr
        return view

    # ------------------------------------------------------------------ facts

    shape = property(lambda self: self._host.shape)
    dtype = property(lambda self: self._host.dtype)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    strides = property(lambda self: self._host.strides)
    itemsize = property(lambda self: self._host.itemsize)
    nbytes = property(lambda self: self._host.nbytes)
    T = property(lambda self: self._view(self._host.T))

    @property
    def flags(self):
        own = self._host.flags
        return SimpleNamespace(c_contiguous=own.c_contiguous, f_contiguous=own.f_contiguous, owndata=True)  # fmt: skip

    @property
    def device(self):
        return (
            Device(self.data.mem.device_id)
            if self.data.mem is not None
            else Device(self._empty_device)
        )

    _empty_device = 0

    def __len__(self):
        return len(self._host)

    def __repr__(self):
        return f"array({self.get()!r})"

    __hash__ = None

    # ------------------------------------------------------------------ values

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
        )

    def get(self, stream=None):
        with Device(self.device.id):
            synchronize(STATE.own.stream if stream is None else stream.ptr)
            return self._host.copy()

    def __reduce__(self):
        return asarray, (self.get(),)

    def item(self, *args):
        return self.get().item(*args)

    def tolist(self):
        return self.get().tolist()

    def __bool__(self):
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __float__(self):
        return float(self.get())

    def __index__(self):
        return self.get().__index__()

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key):
        if any(
            isinstance(k, ndarray | np.ndarray | list)
            for k in (key if isinstance(key, tuple) else (key,))
        ):
            return computed(lambda a, k: a[k], self, key)
        whole = (*key, ...) if isinstance(key, tuple) else (key, ...)
        return self._view(
            self._host[
                key
                if any(k is Ellipsis for k in (key if isinstance(key, tuple) else (key,)))
                else whole
            ]
        )

    def __setitem__(self, key, value):
        if isinstance(value, np.ndarray) and value.ndim:
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        run_now(lambda a, k, v: a.__setitem__(k, v), self, key, value)

    def fill(self, value):
        self[...] = value

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        if not copy and self.dtype == dtype:
            return self
        return computed(lambda a: a.astype(dtype), self)

    def view(self, dtype=None):
        return self._view(self._host.view(dtype or self.dtype))

    def ravel(self, order="C"):
        return self.reshape(-1)

    flatten = ravel

    # ------------------------------------------------------------------ numpy's protocols

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **options):
        if out:
            (target,) = out
            run_now(lambda *each: getattr(ufunc, method)(*each[:-1], out=each[-1], **options), *inputs, target)  # fmt: skip
            return target
        return computed(lambda *each: getattr(ufunc, method)(*each, **options), *inputs)

    def __array_function__(self, function, types, arguments, options):
        import cupy

        own = getattr(cupy, function.__name__, None)
        return NotImplemented if own is None else own(*arguments, **options)

    # ------------------------------------------------------------------ exchange

    def __dlpack_device__(self):
        return 2, self.device.id

    def __dlpack__(self, stream=None, **_):
        if stream not in (None, -1):
            from fake_cupy.streams import Stream, get_current_stream

            Stream.at(stream).wait_event(get_current_stream().record())
        return Capsule(self._host, self)

    @property
    def __cuda_array_interface__(self):
        host = self._host
        return {"shape": host.shape, "typestr": host.dtype.str, "data": (self.data.ptr, False), "version": 3, "strides": None if host.flags.c_contiguous else host.strides, "stream": STATE.own.stream or 1}  # fmt: skip


class Capsule:
    """What `__dlpack__` returns: the array in memory that an owner keeps."""

    def __init__(self, host, owner):
        self.host, self.owner = host, owner


for name in METHODS:
    setattr(ndarray, name, lambda self, *args, _name=name, **named: computed(lambda a: getattr(a, _name)(*args, **named), self))  # fmt: skip
for name in VIEWS:

    def _viewed(self, *args, _name=name, **named):
        found = getattr(self._host, _name)(*args, **named)
        if np.shares_memory(found, self._host) or not found.size:
            return self._view(found)
        return computed(lambda a: getattr(a, _name)(*args, **named), self)

    setattr(ndarray, name, _viewed)


def host_view(address, shape, dtype, strides=None, order="C"):
    """The array of numpy at an address."""
    count = prod(shape) * dtype.itemsize
    if not count:
        return np.empty(shape, dtype)
    if strides is not None:
        count = dtype.itemsize + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    memory = (ctypes.c_char * count).from_address(address)
    return np.ndarray(shape, dtype, memory, strides=strides, order=order)


# ---------------------------------------------------------------------- computation


def hosts(values):
    """Values with arrays of numpy for those of the double. Arrays of numpy among them are an error, as they are to CuPy."""
    found = []
    for v in values:
        if isinstance(v, ndarray):
            found.append(v._host)
        elif isinstance(v, np.ndarray) and v.ndim:
            raise TypeError(f"Unsupported type {type(v)}")
        elif isinstance(v, tuple | list):
            found.append(type(v)(hosts(v)))
        else:
            found.append(v)
    return found


def run_now(function, *values):
    """The function of the values, behind what the current stream has to do."""
    given = hosts(values)
    assert not is_capturing(), "the double captures kernels alone"
    ensure_context()
    synchronize(STATE.own.stream)
    return function(*given)


def computed(function, *values):
    """The results of the function as new arrays."""
    return made(run_now(function, *values))


def made(results):
    if isinstance(results, tuple):
        return tuple(map(made, results))
    if not isinstance(results, np.ndarray | np.generic):
        return results
    array = ndarray(results.shape, results.dtype)
    synchronize(STATE.own.stream)  # memory that is used again
    array._host[...] = results
    return array


def of_numpy(function):
    """A function of numpy as CuPy has it."""

    def called(*arguments, **options):
        names = list(options)
        return computed(
            lambda *each: function(*each[: len(arguments)], **dict(zip(names, each[len(arguments) :], strict=True))),
            *arguments,
            *options.values(),
        )  # fmt: skip

    return called


def empty(shape, dtype=np.float64):
    return ndarray(shape, dtype)


def asarray(a, dtype=None, **_):
    """The array itself, or a copy that the current stream makes."""
    if isinstance(a, ndarray):
        return a if dtype is None or a.dtype == dtype else a.astype(dtype)
    if hasattr(a, "__cuda_array_interface__"):
        return _of_interface(a)
    if isinstance(a, list | tuple) and any(isinstance(each, ndarray) for each in a):
        return computed(lambda each: np.array(each, dtype), list(a))
    staged = np.array(a, dtype, order="C")
    array = ndarray(staged.shape, staged.dtype)
    to = array.data.ptr  # the copy does not keep the array
    put(STATE.own.stream, lambda: ctypes.memmove(to, staged.ctypes.data, staged.nbytes))
    return array


def _of_interface(a):
    interface = a.__cuda_array_interface__
    if interface.get("stream"):
        synchronize(interface["stream"])
    dtype, shape = np.dtype(interface["typestr"]), interface["shape"]
    memory = UnownedMemory(interface["data"][0], prod(shape) * dtype.itemsize, a)
    return ndarray(shape, dtype, MemoryPointer(memory, 0), interface.get("strides"))


def ascontiguousarray(a, dtype=None):
    return (
        a
        if a.flags.c_contiguous and dtype in (None, a.dtype)
        else computed(np.ascontiguousarray, a)
    )


def from_dlpack(value):
    """The array in its owner's memory, behind what the owner's stream has to do."""
    _, device = value.__dlpack_device__()
    with Device(device):
        capsule = value.__dlpack__(stream=STATE.own.stream or 1)
    host = capsule.host
    memory = DLPackMemory(host.ctypes.data, host.nbytes, capsule.owner, device)
    return ndarray(host.shape, host.dtype, MemoryPointer(memory, 0), host.strides)


def asnumpy(a):
    return a.get() if isinstance(a, ndarray) else np.asarray(a)


def as_strided(x, shape, strides):
    return ndarray(shape, x.dtype, x.data, strides)


def solve(matrices, right):
    """As CuPy's, which has no batch of vectors."""
    assert matrices.ndim == right.ndim
    STATE.solved += len(matrices)
    return computed(np.linalg.solve, matrices, right)
