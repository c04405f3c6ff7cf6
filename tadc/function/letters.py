r"""The letters of a function's LaTeX: those of its document, `\bar{x}` and `\dot{x}` in derivatives, and free letters for sums.

A derivative knows the function that it is of: what that calls `x` has the adjoint `dx` or the tangent `dx`, and the accent tells
which. What the compiler gave a name, `y_sum`, is a letter that nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tadc.ir.element_types import INDEX
from tadc.ir.expr import Reduce
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.printing.tex_names import Own, TexNames
from tadc.syntax.base import declared_base
from tadc.syntax.letters import Letter
from tadc.syntax.nodes import names_of
from tadc.syntax.tex.commands import ACCENTS

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["own_letters"]

_POOL = [
    "s",
    "t",
    "u",
    "v",
    "w",
    "q",
    "r",
    "p",
    "z",
    "g",
    "h",
    "c",
    "b",
    "a",
    "S",
    "T",
    "U",
    "V",
    "W",
    "Q",
    "R",
    "P",
    "Z",
    "G",
    "H",
    "C",
    "B",
    "A",
]
_SIZES = [
    "M",
    "N",
    "K",
    "L",
    "P",
    "D",
    "Q",
    "H",
    "G",
]  # of extents that only the compiler has named
_OF_MODES = {  # in the order of preference
    "adjoint": ("bar", "check", "breve"), "gradient": ("bar", "check", "breve"), "vjp": ("bar", "check", "breve"),
    "tangent": ("dot", "acute", "mathring"),
}  # fmt: skip
_REMARKS = {
    "bar": "Bars mark adjoints, the derivatives of a number by what they stand above.",
    "dot": "Dots mark tangents, the derivatives along a curve of what they stand above.",
}


def own_letters(f: Function) -> Own:
    """The letters of this function's program, its first index, and what accents mean."""
    chain = [f]
    while (of := chain[-1]._base) is not None:
        chain.append(of)
    base = 0
    letters: dict[str, Letter] = {}
    accents: dict[str, str] = {}
    known: frozenset[str] = frozenset()
    for g in reversed(chain):
        program = g.program
        if g._base is None:
            tree = g._origin.tree()
            letters = dict(tree.letters)
            known = frozenset(names_of(tree.items)) | {t.name for t in program.inputs}
            base = declared_base(tree.items) or 0
        else:
            accent = _accent(g._mode, letters)
            derived = _derivatives(program, known) if accent else {}
            _add_free(program, letters, known | derived.keys() | set(_outside(program)))
            for name, under in derived.items():
                letters[name] = _plain(under, letters).accented(accent)
            accents |= {accent: ""} if derived else {}
        _add_free(program, letters, known | set(_outside(program)))
        known |= program.tensors.keys()
    program = f.program
    letters = {n: letter for n, letter in letters.items() if n in program.names} | _primed(
        program, letters
    )
    remarks = tuple(_REMARKS[a] for a in accents if a in _REMARKS)
    return Own(_distinct(letters, program), base if _may_start_at_one(program) else 0, remarks)


def _plain(name: str, letters: Mapping[str, Letter]) -> Letter:
    return letters[name] if name in letters else TexNames.written([name], (), ()).tensors[name]


def _accent(mode: str, letters: Mapping[str, Letter]) -> str:
    """The accent of the mode's derivatives that no letter has; empty for a mode without one."""
    every = (a for letter in letters.values() for a in re.findall(r"\\([a-z]+)\{", letter.base))
    used = {ACCENTS.get(a, a) for a in every}
    return next((a for a in _OF_MODES.get(mode, ()) if a not in used), "")


def _derivatives(program: Program, known: frozenset[str]) -> dict[str, str]:
    """The tensors that are derivatives of others: `dx` of `x`, or `dx_` where that was taken.

    Of what the compiler named itself, `dx_sum` is none where it is a sum of `dx`, and not the derivative of `x_sum`.
    """
    found = {}
    order = {name: n for n, name in enumerate(program.tensors)}
    for name in program.tensors:
        plain = name.rstrip("_")
        if name in known or not plain.startswith("d"):
            continue
        ends = (plain[1:] + "_" * n for n in range(len(name) - len(plain) + 1))
        of = next((o for o in ends if o in known or o in program.tensors), None)
        is_told = of in known or name in _outside(program)
        made = re.fullmatch(r"(.+?)_[a-z]+(?:_[0-9]+)?", plain)
        others = [o for o in order if made is not None and o == made[1]]
        is_sum = any(order[o] > order[name] for o in others)  # which stands before what reads it
        if of is not None and (is_told or not is_sum):
            found[name] = of
    return found


def _outside(program: Program) -> Iterable[str]:
    return (*(t.name for t in program.inputs), *program.outputs)


def _add_free(program: Program, letters: dict[str, Letter], known: frozenset[str]) -> None:
    """Give each tensor that nobody named a letter that nothing else has."""
    taken = {c for name in program.names | program.symbols for c in name.split("_")}
    taken |= {c for letter in letters.values() for c in re.findall(r"[A-Za-z]", letter.element(""))}
    for size in program.parameters:
        made = re.fullmatch(r"(.+)_[0-9]+", size)
        if size not in letters and made is not None and made[1] in program.tensors:
            letter = next((c for c in _SIZES if c not in taken), None)
            letters |= {size: Letter(letter)} if letter else {}
            taken |= {letter or ""}
    free = iter([c for c in _POOL if c not in taken])
    for statement in program.statements:
        name = statement.target.name
        if name not in known and name not in letters and (letter := next(free, None)):
            letters[name] = Letter(letter)


def _primed(program: Program, letters: Mapping[str, Letter]) -> dict[str, Letter]:
    """`i'` for an index `i_1` that was made of `i`."""
    bound: dict[str, None] = {}
    for statement in program.statements:
        bound |= dict.fromkeys(statement.indices)
        for node in postorder(statement.body):
            bound |= dict.fromkeys(node.indices if isinstance(node, Reduce) else ())
    found = {}
    for index in bound:
        base, _, number = index.rpartition("_")
        if number in ("1", "2", "3") and base not in program.tensors and base in bound:
            found[index] = Letter(_plain(base, letters).base, above="'" * int(number))
    return found


def _distinct(letters: Mapping[str, Letter], program: Program) -> dict[str, Letter]:
    """The letters without those that two names have, or that are an element or a power of another one; a number stands above then."""
    names = TexNames.of(program)
    printed: dict[str, int] = {}
    every = {**names.tensors, **{s: Letter(tex) for s, tex in names.symbols.items()}, **letters}
    for letter in every.values():
        printed[letter.tex] = printed.get(letter.tex, 0) + 1
    bases = {letter.base for letter in every.values() if not letter.below and not letter.above}
    kept = {}
    for name, letter in letters.items():
        below = {part.strip() for part in letter.below.split(",")}
        is_element = any(part.isdigit() or part in names.symbols for part in below)
        is_number = letter.above.isdigit() or is_element
        if is_number and letter.base in bases:  # `\beta_0` beside a tensor `\beta`
            if not letter.below.isdigit() or letter.above:
                continue
            letter = Letter(letter.base, above=f"({letter.below})")
        if printed.get(letter.tex, 0) <= 1:
            kept[name] = letter
    return kept


def _may_start_at_one(program: Program) -> bool:
    """Whether nothing in the program counts from 0 by itself: no element is an index, and no result is one."""
    reductions = (n for s in program.statements for n in postorder(s.body) if isinstance(n, Reduce))
    return all(t.dtype != INDEX for t in program.tensors.values()) and not any(
        n.op in ("argmax", "argmin") for n in reductions
    )
