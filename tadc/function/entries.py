"""`tadc.compile` and `tadc.load`: functions from texts and from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Unpack

from tadc.errors import ArgumentError, Source
from tadc.function.function import Function
from tadc.function.origin import Origin
from tadc.function.signature import with_argument_errors
from tadc.function.sparse import with_sparse
from tadc.options import Given, Options, with_options
from tadc.runtime.files import read_text
from tadc.syntax.ast import Request

__all__ = ["compile", "load"]


@with_argument_errors
@with_options
def compile(
    source: str, *, lang: Literal["idx", "tex"] = "idx", **options: Unpack[Given]
) -> Function:
    """A function of arrays from the text of a program.

    Parameters
    ----------
    source, lang
        The text, and its spelling: "idx", or "tex" for LaTeX.
    dtype
        The element type of tensors that declare none: "float32", "float64", on GPUs "float16" and "bfloat16", or what
        `numpy.dtype` takes for one of these. None: that of the arrays of a call, float32 in generated text.
    sizes
        Numbers for symbolic sizes.
    backend
        "auto", "numpy", "native", "cuda", "opencl", or "interpreter", which is the oracle.
    memory, memory_limit
        What happens to intermediate tensors: "auto", "recompute", "materialize"; and the bytes they may have together.
    blas
        Whether matrix products are left to BLAS, or to cuBLAS.
    index_base
        The first index, 0 or 1, where the text does not say.
    name
        That of the program in generated code.
    threads
        How many threads of the CPU a call may use.
    fast_math
        Approximate divisions, roots and functions of float32 on GPUs, and no subnormals there.
    tensor_cores
        Whether cuBLAS may multiply float32 in TF32, with 10 bits of each factor, on GPUs that can.
    bounds, list_limit
        Of index tensors: what an element does that leads out of a tensor, "check", "nan", "trust"; and the most
        entries of a list of their positions.

    Raises
    ------
    SyntaxError, ShapeError, RangeError
        With the place in the text.
    ArgumentError
        For options that are none, or of another kind.
    BackendError
        For an option that an explicitly named backend has no use for.
    """
    checked = Options.of(**options)
    return _requested(
        with_sparse(Function._of(Origin.of(Source(_text(source), "<string>"), lang, checked)))
    )


@with_argument_errors
@with_options
def load(
    path: str | Path, *, lang: Literal["idx", "tex"] | None = None, **options: Unpack[Given]
) -> Function:
    """A function of arrays from an `.idx` or `.tex` file; `lang` says otherwise than its name. The rest as `compile`.

    Raises what `compile` does, and FileError for a file that cannot be read.
    """
    if not isinstance(path, (str, Path)):
        raise ArgumentError(None, f"the path is {path!r:.40}", fix="pass a string or a `Path`")
    name = options.get("name")
    if name is None or name == "":
        options["name"] = Path(path).stem
    checked = Options.of(**options)
    if lang is None:
        lang = "tex" if Path(path).suffix.lower() == ".tex" else "idx"
    return _requested(
        with_sparse(Function._of(Origin.of(Source(read_text(path), str(path)), lang, checked)))
    )


def _requested(f: Function) -> Function:
    """The derivative that a LaTeX document asks for; the function itself where it asks for none."""
    match f.request:
        case Request("gradient", _, wrt):
            return f.gradient(wrt)
        case Request("jacobian", _, (x,)):
            return f.jacobian(x)
        case Request("hessian", _, (x,)):
            return f.hessian(x)
        case _:
            return f


def _text(source: Any) -> str:
    if not isinstance(source, str):
        raise ArgumentError(
            None,
            f"the source is of type `{type(source).__name__}`",
            fix="pass a string, and for a file `tadc.load(path)`",
        )
    return source
