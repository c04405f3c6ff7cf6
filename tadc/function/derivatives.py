"""Derivatives of functions, by mode: their programs, and their requirements on a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from tadc import compiler
from tadc.blocks.block import Blocked
from tadc.cache import disk_cached
from tadc.derive.coloured import Colouring
from tadc.errors import ArgumentError, DerivativeError, counted
from tadc.ir.program import Program
from tadc.normalize.live import only, part, with_inputs

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = [
    "MODES",
    "Wrt",
    "blocked_of",
    "chosen_inputs",
    "derivative",
    "derived_programs",
    "in_mode",
]

Wrt: TypeAlias = str | Sequence[str] | None
Derive: TypeAlias = Callable[[Program, tuple[str, ...]], Program]

HALVES = ("forward", "backward")  # of "vjp", which calls run one after the other


class HasInputs(Protocol):
    @property
    def inputs(self) -> tuple[str, ...]: ...

    @property
    def index_inputs(self) -> tuple[str, ...]: ...


class Mode(NamedTuple):
    """A derivative: its program, how many outputs it is of, and by how many inputs at once."""

    program: Derive
    outputs: Literal["all", "one", "one scalar"] = "all"
    inputs: Literal["all", "one"] = "all"


def _jacobian(program: Program, wrt: tuple[str, ...]) -> Program:
    return compiler.jacobian_program(program, wrt[0], f"d{program.outputs[0]}_d{wrt[0]}")


def _hessian(program: Program, wrt: tuple[str, ...]) -> Program:
    gradient = compiler.gradient_program(program, wrt)
    return compiler.jacobian_program(gradient, wrt[0], f"d2{program.outputs[0]}_d{wrt[0]}")


def _fixed(program: Program, numbers: Sequence[str]) -> Program:
    pairs = (text.split("=") for text in numbers)
    return program.specialised({size: int(n) for size, n in pairs})


def _part(program: Program, names: Sequence[str]) -> Program:
    """The part from the values after `|` to those before it."""
    bar = names.index("|")
    return part(program, names[:bar], names[bar + 1 :])


def _coloured(program: Program, names: Sequence[str]) -> Program:
    """The tangent by one input, for each colour of its elements."""
    x, *colourings = names
    return compiler.coloured_program(program, x, [Colouring.parsed(c) for c in colourings])


def _block(program: Program, names: Sequence[str]) -> Program:
    return blocked_of(program, names).program


def blocked_of(program: Program, names: Sequence[str]) -> Blocked:
    """The block of the first name, by the reduction indices after it, and after `|` through these tensors."""
    bar = names.index("|")
    split, through = tuple(names[1:bar]), tuple(names[bar + 1 :])
    return compiler.blocked_program(program, names[0], (), split, through)


def _inverse(mode: str) -> Derive:
    """The program of an inverse mode, from the inputs before `|` to the outputs after it."""

    def derive(program: Program, names: tuple[str, ...]) -> Program:
        bar = names.index("|")
        return compiler.inverse_program(program, mode, names[:bar], names[bar + 1 :])

    return derive


# fmt: off
MODES: Mapping[str, Mode] = {
    "adjoint":  Mode(compiler.adjoint_program),
    "tangent":  Mode(compiler.tangent_program),
    "jacobian": Mode(_jacobian,                 "one", "one"),
    "gradient": Mode(compiler.gradient_program, "one scalar"),
    "hessian":  Mode(_hessian,                  "one scalar", "one"),
    "hvp":      Mode(compiler.hvp_program,      "one scalar"),
    "vjp":      Mode(compiler.vjp_program),  # value and gradients together
}
# fmt: on
PROGRAMS: Mapping[str, Derive] = {
    **{name: mode.program for name, mode in MODES.items()},
    "jvp": compiler.jvp_program,
    # No derivatives: for many values of the named inputs; with the named outputs or inputs alone; the part from some
    # values to others; of a block; for sizes `N=4`.
    "batched": compiler.batched_program,
    "only": only,
    "pruned": with_inputs,
    "part": _part,
    "coloured": _coloured,
    "diagonal": lambda program, names: compiler.diagonal_program(program, names[0]),
    "substitution": lambda program, names: compiler.substitution_program(
        program, names[0], transposed=False
    ),
    "substitution-transposed": lambda program, names: compiler.substitution_program(
        program, names[0], transposed=True
    ),
    "block": _block,
    **{mode: _inverse(mode) for mode in compiler.EXPLICIT},
    "fixed": _fixed,
}


def derived_programs(
    key: object, program: Program, mode: str, wrt: tuple[str, ...]
) -> dict[str, Program]:
    """The derivative's program by its mode, and with one half of "vjp" the other. `key` is that of the program."""
    if mode not in HALVES:
        derive = PROGRAMS[mode]
        return {mode: disk_cached((key, mode, wrt), lambda: derive(program, wrt))}
    halves = disk_cached((key, HALVES, wrt), lambda: compiler.vjp_programs(program, wrt))
    return dict(zip(HALVES, halves, strict=True))


def in_mode(f: Function, mode: str, wrt: Wrt = None) -> Function:
    """The function itself for "primal", else a derivative."""
    if mode == "primal":
        chosen_inputs(f, wrt, ())
        return f
    return derivative(f, mode, wrt)


def derivative(f: Function, mode: str, wrt: Wrt) -> Function:
    """The derivative by the inputs `wrt`, by default all. Raises DerivativeError and ArgumentError where there is none."""
    f = f.with_values((), {}, wrt)
    _, outputs, inputs = MODES[mode]
    if outputs != "all":
        _check_outputs(f, mode, scalar=outputs == "one scalar")
    names = chosen_inputs(f, wrt, f.inputs)
    if inputs == "one" and len(names) != 1:
        raise ArgumentError(
            None, f"the {mode} is by one input", fix=f"say which: {', '.join(f.inputs)}"
        )
    return f._derivative(mode, names)


def chosen_inputs(f: HasInputs, wrt: Wrt, default: Sequence[str]) -> tuple[str, ...]:
    """The inputs that are named, by default those of `default` that are no index tensors. Raises ArgumentError for names of no input, and for an input named twice."""
    if not isinstance(wrt, (str, Iterable, NoneType)):
        raise ArgumentError(None, f"`wrt` is {wrt!r}", fix="give the name of an input, or several")
    real = (n for n in default if n not in f.index_inputs)
    names = tuple(real) if wrt is None else (wrt,) if isinstance(wrt, str) else tuple(wrt)
    for k, name in enumerate(names):
        if not isinstance(name, str) or name not in f.inputs:
            raise ArgumentError(
                None, f"`{name}` is no input", fix=f"the inputs are {', '.join(f.inputs)}"
            )
        if name in f.index_inputs:
            raise DerivativeError(
                None,
                f"`{name}` is an index tensor, and there is no derivative by it",
                fix="leave it out of `wrt`",
            )
        if name in names[:k]:
            raise ArgumentError(None, f"`{name}` stands twice in `wrt`", fix="name it once")
    return names


def _check_outputs(f: Function, mode: str, *, scalar: bool) -> None:
    if len(f.outputs) != 1:
        line = "%!tadc output" if f._origin.lang == "tex" else "output"
        raise DerivativeError(
            None,
            f"the {mode} needs one output, and there are {len(f.outputs)}: {', '.join(f.outputs)}",
            fix=f"name one, `{line} {f.outputs[0]}`, or use `adjoint`",
        )
    rank = f.rank(f.outputs[0])
    if scalar and rank:
        raise DerivativeError(
            None,
            f"the {mode} needs a scalar output, and {f.outputs[0]} has {counted(rank, 'dimension')}",
            fix="sum over it, or use `adjoint` or `jacobian`",
        )
