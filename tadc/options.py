"""What a user may choose when compiling. Decided once, at the edge; nothing further in reads an environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from types import NoneType
from typing import Any

from tadc.errors import ArgumentError, BackendError

__all__ = [
    "BACKENDS",
    "DERIVED",
    "DTYPES",
    "ON_DEVICES",
    "Options",
    "checked_options",
    "element_type",
    "size_number",
]

BACKENDS = ("auto", "numpy", "native", "cuda", "opencl", "interpreter")
ON_DEVICES = ("cuda", "opencl")  # backends that compute in the memory of a device
DTYPES = ("float32", "float64", "float16", "bfloat16")
MEMORY = ("auto", "recompute", "materialize")
DERIVED = ("primal", "adjoint", "tangent", "jacobian", "gradient", "hessian", "hvp", "vjp")  # modes

# The options that some backends have no use for, and those that have one. Under "auto" they are hints.
USERS = {
    "threads": ("native",),
    "blas": ("native", "cuda"),
    "memory": ("numpy", "native", "cuda", "opencl"),
    "memory_limit": ("numpy", "native", "cuda", "opencl"),
    "fast_math": ("cuda", "opencl"),
}


@dataclass(frozen=True, slots=True)
class Options:
    """`dtype` None: that of the arrays of a call, float32 in generated text. `sizes` are numbers for sizes."""

    dtype: str | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    backend: str = "auto"
    memory: str = "auto"
    blas: bool = True
    index_base: int = 0
    name: str | None = None
    threads: int | None = None
    memory_limit: int | None = None
    fast_math: bool = False


def checked_options(**given: Any) -> Options:
    """The options, each of the right kind. Raises ArgumentError; BackendError for one that the backend has no use for."""
    given["dtype"] = element_type(given["dtype"])
    for what, allowed in (
        ("backend", BACKENDS),
        ("memory", MEMORY),
        ("blas", (False, True)),
        ("index_base", (0, 1)),
        ("fast_math", (False, True)),
    ):
        if not isinstance(given[what], (str, Integral)) or given[what] not in allowed:
            choices = ", ".join(repr(a) for a in allowed)
            raise ArgumentError(
                None, f"`{what}` is {given[what]!r:.40}", fix=f"use one of {choices}"
            )
    threads, sizes = given["threads"], given["sizes"]
    if threads is not None and (not isinstance(threads, int) or threads is True or threads < 1):
        raise ArgumentError(None, f"`threads` is {threads!r:.40}", fix="give a positive integer")
    if not isinstance(given["name"], (str, NoneType)):
        raise ArgumentError(None, f"`name` is {given['name']!r:.40}", fix="give a string")
    if not isinstance(sizes, (Mapping, NoneType)):
        raise ArgumentError(None, f"`sizes` is {sizes!r:.40}", fix="give a dict, such as {'N': 4}")
    given["sizes"] = {s: size_number(f"the size `{s}`", n) for s, n in (sizes or {}).items()}
    if given["memory_limit"] is not None:
        given["memory_limit"] = size_number("`memory_limit`", given["memory_limit"])
    options = Options(**given)
    _refuse_unused(options)
    return options


def _refuse_unused(options: Options) -> None:
    plain = Options()
    for name, users in USERS.items():
        value = getattr(options, name)
        if options.backend not in ("auto", *users) and value != getattr(plain, name):
            raise BackendError(
                None,
                f"`{name}={value!r}` has no meaning for `backend='{options.backend}'`",
                fix=f"leave `{name}` out, or use {' or '.join(map(repr, ('auto', *users)))}",
            )


def element_type(dtype: Any) -> str | None:
    """The name of an element type: "float32", or anything that `numpy.dtype` takes for one that is supported."""
    if dtype is None:
        return None
    if isinstance(dtype, str) and dtype in DTYPES:
        return str(dtype)
    import numpy as np  # text is compiled without it

    try:
        name = str(np.dtype(dtype).name)
    except Exception:  # whatever a foreign object raises
        name = ""
    if name not in DTYPES:
        raise ArgumentError(
            None,
            f"`dtype` is {dtype!r:.40}",
            fix=f"use one of {', '.join(map(repr, DTYPES))}, or numpy's type of that name",
        )
    return name


def size_number(what: str, n: object) -> int:
    """A size that is given. Raises ArgumentError for what is no integer from 0 to 2**63 - 1."""
    if not isinstance(n, Integral) or isinstance(n, bool) or not 0 <= int(n) < 2**63:
        raise ArgumentError(None, f"{what} is {n!r:.40}", fix="give an integer from 0 to 2**63 - 1")
    return int(n)
