"""Spellings of scalar functions, operators and constants in C and CUDA: a row per function, for every element type.

An expression in text is a `Text`; `spell` and its kin put one together from others with the brackets that are needed
and no more:

    >>> x, n = atom("x[i]"), literal(2, "float32")
    >>> spell("mul", [x, spell("add", [x, n], "float32")], "float32").text
    'x[i] * (x[i] + 2.0f)'
    >>> spell("tanh", [x], "float32").text, spell("pow", [x, n], "float64").text
    ('tanhf(x[i])', 'square(x[i])')

Functions that neither C nor CUDA has are in `templates/cuda/functions.cuh`: `device_functions` gives those that
a text calls. Compile without contraction, and host and GPU do the same operations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import cache
from math import copysign, inf, isinf, isnan
from struct import pack, unpack
from typing import Literal, NamedTuple, TypeAlias

from tadc.emit.templates import template
from tadc.ir.element_types import ARITHMETIC_TYPES, ELEMENT_TYPES, HALF_TYPES, item_bytes
from tadc.ir.expr import Relation
from tadc.ir.functions import FUNCTIONS, OPERATORS

__all__ = [
    "DType",
    "Precedence",
    "Target",
    "Text",
    "atom",
    "bracketed",
    "chosen",
    "comparison",
    "conditional",
    "device_functions",
    "integer_type",
    "lane_functions",
    "literal",
    "long_suffix",
    "name",
    "number",
    "once",
    "opencl_names",
    "reserved_names",
    "shared_quotient",
    "spell",
]

DType: TypeAlias = Literal["float32", "float64", "float16", "bfloat16", "int32", "int64"]
Target: TypeAlias = Literal["cuda", "opencl", "c"]


class Precedence(IntEnum):
    """Binding strength of the outermost operator of a text, loosest first.

    A minus binds as other unary operators do, but `--x` would be another one; a name alone costs nothing to repeat.
    """

    CONDITIONAL, OR, AND, EQUALITY, RELATION, SUM, PRODUCT, MINUS, UNARY, PRIMARY, NAME = range(11)


class Text(NamedTuple):
    """An expression in text. `value` is that of a number: `x**2` and `polygamma(1, x)` are spelled by it."""

    text: str
    precedence: Precedence
    value: int | float | None = None


_CALLED = re.compile(r"\b(\w+)\(")
_SUFFIX = {"int32": "", "int64": "", **{name: row.suffix for name, row in ELEMENT_TYPES.items()}}

# fmt: off
_NON_FINITE = {
    ("cuda", "float32"): ("__int_as_float(0x7f800000)", "__int_as_float(0x7fffffff)"),
    ("cuda", "float64"): ("__longlong_as_double(0x7ff0000000000000LL)", "__longlong_as_double(0x7fffffffffffffffLL)"),
    ("c", "float32"):    ("INFINITY", "NAN"),
    ("c", "float64"):    ("((double)INFINITY)", "((double)NAN)"),
    ("opencl", "float32"): ("INFINITY", "NAN"),
    ("opencl", "float64"): ("((double)INFINITY)", "((double)NAN)"),
}

_OPERATORS = {
    #       symbol  result              left                right: of the same precedence it keeps its brackets
    "add": (" + ",  Precedence.SUM,     Precedence.SUM,     Precedence.PRODUCT),
    "sub": (" - ",  Precedence.SUM,     Precedence.SUM,     Precedence.PRODUCT),
    "mul": (" * ",  Precedence.PRODUCT, Precedence.PRODUCT, Precedence.MINUS),
    "div": (" / ",  Precedence.PRODUCT, Precedence.PRODUCT, Precedence.MINUS),
}

# Functions of which C, or functions.cuh, has another name; that of float32 ends in `f`.
_NAMES = {"abs": "fabs", "round": "rint", "max": "maximum", "min": "minimum"}

# The specifiers of a function of a kernel, and of one that launchers call too; templates of functions of teams.
_QUALIFIERS: dict[Target, tuple[str, str, tuple[str, ...]]] = {
    "cuda":   ("static __device__ inline", "static __host__ __device__ inline", ("cuda/teams.cuh", "cuda/copies.cuh", "cuda/matrices.cuh")),
    "opencl": ("static inline", "static inline", ("opencl/teams.cl",)),
    "c":      ("static inline INLINED", "static inline", ()),
}

_INTEGER_FUNCTIONS = ("max", "min", "floor_div", "floor_mod")
# fmt: on

# Of `templates/c/functions/`, each with what the later ones call.
_LANE_FILES = [
    "exponential",
    "logarithm",
    "power",
    "trigonometric",
    "arc",
    "gamma",
    "strided",
    "row",
    "shared_quotient",
    "choice",
]

_PRODUCTS = range(
    -16, 17
)  # in larger powers the multiplications would lose digits that `pow` keeps


def name(text: str) -> Text:
    """A name."""
    return Text(text, Precedence.NAME)


def atom(text: str) -> Text:
    """An element `x[i]`, a call, or anything else that no operator can break up."""
    return Text(text, Precedence.PRIMARY)


def integer_type(dtype: DType, target: Target) -> str:
    """The name of a type of index arithmetic."""
    long = "long" if target == "opencl" else "long long"
    return long if dtype == "int64" else "int"


def long_suffix(target: Target) -> str:
    """The suffix of a literal of 64 bits."""
    return "L" if target == "opencl" else "LL"


def literal(value: int | float, dtype: DType, target: Target = "cuda") -> Text:
    """A constant of the element type, in the fewest digits that give it back."""
    if dtype in ("int32", "int64"):
        assert isinstance(value, int), f"{value} is no integer"
        suffix = long_suffix(target) if dtype == "int64" else ""
        return number(value, suffix)
    rounded = _rounded(value, dtype)
    infinity, nan = _NON_FINITE[target, dtype]
    if isnan(rounded):
        return Text(nan, Precedence.PRIMARY, value)
    digits = infinity if isinf(rounded) else _digits(abs(rounded), dtype) + _SUFFIX[dtype]
    if copysign(1, rounded) < 0:
        return Text(f"-{digits}", Precedence.MINUS, value)
    return Text(digits, Precedence.PRIMARY, value)


def number(value: int, suffix: str = "") -> Text:
    """An integer."""
    precedence = Precedence.PRIMARY if value >= 0 else Precedence.MINUS
    return Text(f"{value}{suffix}", precedence, value)


def _rounded(value: int | float, dtype: DType) -> float:
    """The value in the element type."""
    try:
        number = float(value)
        single: float = unpack("f", pack("f", number))[0] if dtype == "float32" else number
        return single
    except OverflowError:
        return copysign(inf, value)


def _digits(value: float, dtype: DType) -> str:
    """A positive value of the element type in the fewest digits that give it back."""
    texts = (repr(float(f"{value:.{n}g}")) for n in range(1, 18))
    return next(text for text in texts if _rounded(float(text), dtype) == value)


def spell(function: str, args: Sequence[Text], dtype: DType) -> Text:
    """A call of a function of the table in `ir/functions.py`, whose arguments and result have the element type.

    For integers: `add sub mul neg min max`, and `floor_div floor_mod`, which round down and whose divisor is
    positive. `min` and `max` of integers are CUDA's own and want both arguments of one type.
    """
    if function in _OPERATORS:
        symbol, result, left, right = _OPERATORS[function]
        a, b = args
        return Text(bracketed(a, left) + symbol + bracketed(b, right), result)
    match function:
        case "neg":
            return _negated(*args)
        case "pow":
            base, exponent = args
            return _power(base, exponent, dtype)
        case "detached":
            (x,) = args
            return x
        case "rsqrt":
            return spell("div", [literal(1, dtype), spell("sqrt", args, dtype)], dtype)
        case "polygamma":
            order, x = args
            return _polygamma(order, x, dtype)
        case _:
            is_integer = dtype in ("int32", "int64")
            called = function if is_integer else _NAMES.get(function, function)
            return _call(called, [a.text for a in args], dtype)


def comparison(relation: Relation, left: Text, right: Text) -> Text:
    """`left relation right`, which is false where one of them is NaN, or true for `!=`."""
    result = Precedence.EQUALITY if relation in ("==", "!=") else Precedence.RELATION
    sides = (bracketed(side, Precedence.SUM) for side in (left, right))
    return Text(f" {relation} ".join(sides), result)


def conditional(condition: Text, then: Text, otherwise: Text) -> Text:
    """`condition ? then : otherwise`; only the branch taken is evaluated."""
    parts = (bracketed(part, Precedence.OR) for part in (condition, then, otherwise))
    return Text("{} ? {} : {}".format(*parts), Precedence.CONDITIONAL)


def bracketed(part: Text, at_least: Precedence) -> str:
    """The text, in brackets if it binds less tightly than `at_least`."""
    return part.text if part.precedence >= at_least else f"({part.text})"


def device_functions(text: str, index_type: DType = "int32", target: Target = "cuda") -> str:
    """The functions of the templates that `text` calls, with those they call, in the order of their files."""
    return "\n\n".join(_needed(text, _functions(index_type, target)))


def opencl_names(text: str) -> str:
    """The names of C that `text` calls by those of OpenCL, whose functions take every type."""
    called = set(_CALLED.findall(text))
    functions_of_int = _functions("int32", "opencl")
    plain = ["fma", "copysign", *(_NAMES.get(f, f) for f in FUNCTIONS if f not in OPERATORS)]
    names = [
        f"#define {n}f {n}" for n in plain if f"{n}f" in called and f"{n}f" not in functions_of_int
    ]
    return "\n".join([*names, *(["#undef sign\n#define sign sign_of"] if "sign" in called else [])])


def once(call: Text) -> Text:
    """A call that is the same in all lanes. Where `templates/c/functions/` has its function, that is not inlined: the compiler
    moves a call out of a loop over lanes, but not the choices that an inlined one leaves, and these keep it from vectors.
    """
    called = call.text.partition("(")[0]
    return atom(f"once_{call.text}") if f"lane_{called}" in _lane_functions() else call


def shared_quotient(a: Text, b: Text, dtype: DType) -> Text:
    """`a / b` in lanes that share `b`."""
    return _call("quotient", [a.text, b.text], dtype)


def chosen(condition: Text, then: Text, otherwise: Text, dtype: DType) -> Text:
    """`condition ? then : otherwise` in lanes, each of which computes both."""
    return _call("chosen_of", [condition.text, then.text, otherwise.text], dtype)


def lane_functions(text: str) -> str:
    """Definitions that replace functions of the C library called by `text` with those of `templates/c/functions/`."""
    functions = _lane_functions()
    by_c_name = {name.removeprefix("lane_"): name for name in functions if name.startswith("lane_")}
    mentioned = set(_CALLED.findall(text))
    called = [name for name in by_c_name if name in mentioned]
    called_once = [name for name in by_c_name if f"once_{name}" in mentioned]
    lanes = " ".join(f"lane_{name}(" for name in (*called, *called_once))
    needed = _needed(f"{text} {lanes}", functions)
    single = [_once(name, functions[by_c_name[name]]) for name in called_once]
    return "\n\n".join(
        [*needed, *single, *(f"#define {name} {by_c_name[name]}" for name in called)]
    )


def _once(name: str, lane_function: str) -> str:
    """The function `once_name`, which calls the one of lanes."""
    head = re.search(
        rf"^static inline INLINED (\w+) lane_{name}\((.*?)\)", lane_function, re.MULTILINE
    )
    assert head, f"no head of lane_{name}"
    real, parameters = head.groups()
    given = ", ".join(p.split()[-1] for p in parameters.split(","))
    return f"static ONCE {real} once_{name}({parameters}) {{ return lane_{name}({given}); }}"


def _needed(text: str, functions: Mapping[str, str]) -> list[str]:
    """The functions that `text` calls, with those they call, in their order."""
    needed: dict[str, None] = {}
    waiting = [text]
    while waiting:
        code = re.sub(r"//.*|/\*[\s\S]*?\*/", "", waiting.pop())
        for called in dict.fromkeys(_CALLED.findall(code)):
            if called in functions and called not in needed:
                needed[called] = None
                waiting.append(functions[called])
    return [body for called, body in functions.items() if called in needed]


@cache
def reserved_names() -> frozenset[str]:
    """The names that spelled text uses: no variable may have one."""
    called = ["fma", *(_NAMES.get(f, f) for f in FUNCTIONS if f not in OPERATORS)]
    with_suffixes = [name + suffix for name in called for suffix in ("", "f")]
    constants = ["__int_as_float", "__longlong_as_double", "INFINITY", "NAN"]
    return frozenset(
        [
            *with_suffixes,
            *_lane_functions(),
            *(name.replace("lane_", "once_") for name in _lane_functions()),
            *_functions("int32", "cuda"),
            *_INTEGER_FUNCTIONS,
            *constants,
            *HALF_TYPES,
        ]
    )


@cache
def _functions(index_type: DType, target: Target) -> dict[str, str]:
    """Every function of the templates by its name, for both element types, in the order of the files."""
    device, anywhere, teams = _QUALIFIERS[target]
    rendered = [
        template(file).render(
            real=ELEMENT_TYPES[dtype].c,
            f=_SUFFIX[dtype],
            bytes=item_bytes(dtype),
            integer=integer_type(index_type, target),
            infinity=_NON_FINITE[target, dtype][0],
            device=device,
            anywhere=anywhere,
        )
        for file in ("cuda/functions.cuh", *teams)
        for dtype in ARITHMETIC_TYPES
    ]
    bodies = [body.strip() for text in rendered for body in text.split("\n\n")]
    functions = {_defined(body): body for body in bodies if body}
    of_lanes = _lane_functions() if target == "c" else {}
    return {name: body for name, body in functions.items() if f"lane_{name}" not in of_lanes}


@cache
def _lane_functions() -> dict[str, str]:
    """Every function of `templates/c/functions/` by its name."""
    files = (f"c/functions/{file}.c" for file in _LANE_FILES)
    bodies = [body.strip() for file in files for body in template(file).render().split("\n\n")]
    return {_defined(body): body for body in bodies if body}


def _defined(body: str) -> str:
    """The name of the function or macro that `body` defines: the first on a line that is no comment."""
    match = re.search(r"^(?:static [^(]*\b|#define )(\w+)\(", body, re.MULTILINE)
    assert match, f"no function in: {body}"
    return match[1]


def _call(function: str, args: Sequence[str], dtype: DType) -> Text:
    return atom(f"{function}{_SUFFIX[dtype]}({', '.join(args)})")


def _negated(x: Text) -> Text:
    return Text(f"-{bracketed(x, Precedence.UNARY)}", Precedence.MINUS)


def _power(x: Text, n: Text, dtype: DType) -> Text:
    """Multiplications for a small integer exponent that is a literal, else `pow`."""
    if n.value is None or n.value not in _PRODUCTS:
        return _call("pow", [x.text, n.text], dtype)
    match int(n.value):
        case 0:
            return literal(1, dtype)
        case exponent if exponent < 0:
            reciprocal = _power(x, literal(-exponent, dtype), dtype)
            return spell("div", [literal(1, dtype), reciprocal], dtype)
        case 1:
            return x
        case 2 | 3 as exponent if x.precedence == Precedence.NAME:
            return Text(" * ".join([x.text] * exponent), Precedence.PRODUCT)
        case 2:
            return _call("square", [x.text], dtype)
        case 3:
            return _call("cube", [x.text], dtype)
        case exponent:
            return atom(f"integer_power{_SUFFIX[dtype]}({x.text}, {exponent})")


def _polygamma(n: Text, x: Text, dtype: DType) -> Text:
    assert n.value is not None, "the order of polygamma is a literal"
    if n.value == 0:
        return _call("digamma", [x.text], dtype)
    return _call("polygamma", [str(int(n.value)), x.text], dtype)
