"""Names in generated C: those of the formula, unless C or CUDA has other plans for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from unicodedata import normalize

from tadc.emit.c_spelling import reserved_names
from tadc.ir.names import Names

__all__ = ["c_names", "identifier"]

# Keywords of C++ (the host compiles launchers as C++), and what CUDA and the launchers use.
_TAKEN = frozenset(
    [
        "alignas",
        "alignof",
        "and",
        "and_eq",
        "asm",
        "auto",
        "bitand",
        "bitor",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "char8_t",
        "char16_t",
        "char32_t",
        "class",
        "compl",
        "concept",
        "const",
        "consteval",
        "constexpr",
        "constinit",
        "const_cast",
        "continue",
        "co_await",
        "co_return",
        "co_yield",
        "decltype",
        "default",
        "delete",
        "do",
        "double",
        "dynamic_cast",
        "else",
        "enum",
        "explicit",
        "export",
        "extern",
        "false",
        "float",
        "for",
        "friend",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "not_eq",
        "nullptr",
        "operator",
        "or",
        "or_eq",
        "private",
        "protected",
        "public",
        "register",
        "reinterpret_cast",
        "requires",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "static_assert",
        "static_cast",
        "struct",
        "switch",
        "template",
        "this",
        "thread_local",
        "throw",
        "true",
        "try",
        "typedef",
        "typeid",
        "typename",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "wchar_t",
        "while",
        "xor",
        "xor_eq",
        "threadIdx",
        "blockIdx",
        "blockDim",
        "gridDim",
        "warpSize",
        "dim3",
        "stream",
        "workspace",
        "cudaStream_t",
        "cudaError_t",
        "cudaLaunchKernel",
        "cudaSuccess",
        "cudaErrorInvalidValue",
        "NULL",
        "size_t",
        "main",
        "gamma",
        "j0",
        "j1",
        "jn",
        "y0",
        "y1",
        "yn",
        "int2",
        "int3",
        "int4",
        "float1",
        "float2",
        "float3",
        "float4",
        "double1",
        "double2",
        "double3",
        "double4",
        "half",
        "unix",
        "linux",
        "thread_id",
    ]
)


def c_names(*groups: Iterable[str]) -> Mapping[str, str]:
    """A C identifier for every name. The earlier a group, the more its names stay what they are.

    A name that occurs in several groups is one name.
    """
    taken = Names((*_TAKEN, *reserved_names()))
    result: dict[str, str] = {}
    for name in (n for group in groups for n in group):
        if name not in result:
            result[name] = taken.derivative(identifier(name))
    return result


def identifier(name: str) -> str:
    """`name` in the letters of C: accents are dropped, other letters become their code."""
    plain = "".join(c for c in normalize("NFKD", name) if ord(c) < 128 or c.isalnum())
    text = "".join(
        c if c.isascii() and (c.isalnum() or c == "_") else f"u{ord(c):x}" for c in plain
    )
    return f"x{text}" if not text or text[0].isdigit() else text
