r"""Names and index expressions in LaTeX: `d_{in}`, `\mathit{center}`, `\hat{x}`, `\lfloor (i + 1)/2 \rfloor`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Derived, Determined, Looked
from tadc.ir.expr import Reduce
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.syntax.letters import Letter
from tadc.syntax.tex import commands

__all__ = [
    "ATOM",
    "FACTOR",
    "NOTHING",
    "PRODUCT",
    "ROOMS",
    "SIGN",
    "SUM",
    "WIDE",
    "Own",
    "Room",
    "Spelled",
    "TexNames",
    "Text",
    "affine_tex",
    "ceiling_tex",
    "floor_tex",
    "is_sum",
]

# Binding strengths of a text. A sign may begin a sum or a product; a factor may not be raised to a power.
SUM, SIGN, PRODUCT, FACTOR, ATOM = range(5)


class Text(NamedTuple):
    """`is_open`: ends with the body of a reduction, which would take the factors that follow, too."""

    tex: str
    level: int
    is_open: bool = False


Spelled: TypeAlias = Mapping[Symbol, str]

_ACCENTS = {name: command for command, name in reversed(commands.ACCENTS.items())}
_WORDS = {*commands.FUNCTIONS, *commands.CALLED, *commands.REDUCTIONS, *commands.WORDS}


@dataclass(frozen=True, slots=True)
class Own:
    r"""What a document, or what was made of it, prints: letters of tensors, sizes and indices, the first index, and remarks in words.

    A name that its letter does not tell by itself, `\bar{x}` for `dx`, gets a line that says so.
    """

    letters: Mapping[str, Letter]
    base: int = 0
    remarks: tuple[str, ...] = ()


NOTHING = Own({})


class Room(NamedTuple):
    """Points after which a part of a formula is set otherwise: a numerator in a row with its denominator, brackets so that a row may
    end inside, the value of a case, or a product that is a factor, in rows of its own.
    """

    part: float
    brackets: float
    case: float


WIDE = Room(200.0, 60.0, 150.0)
ROOMS = (WIDE, Room(120.0, 45.0, 100.0), Room(70.0, 30.0, 60.0))  # what is tried in turn


@dataclass(frozen=True, slots=True)
class TexNames:
    r"""LaTeX spellings of tensors, indices and sizes. A name that is no letter with a mark is a word, `\mathit{d\_x}`.

    `told` are the letters that lines give names; `shift` has each index as what is counted from 0, where `base` is 1.
    """

    tensors: Mapping[str, Letter]
    symbols: Spelled
    sizes: frozenset[Symbol]
    told: Mapping[str, str] = field(default_factory=dict)
    shift: Mapping[Symbol, Affine] = field(default_factory=dict)
    base: int = 0
    room: Room = WIDE

    @classmethod
    def of(cls, program: Program, own: Own = NOTHING) -> TexNames:
        bound: list[Symbol] = []
        for statement in program.statements:
            bound += statement.indices
            for node in postorder(statement.body):
                bound += node.indices if isinstance(node, Reduce) else ()
        return cls.written(program.tensors, program.parameters, bound, own)

    @classmethod
    def written(
        cls,
        tensors: Iterable[str],
        sizes: Iterable[Symbol],
        indices: Iterable[Symbol],
        own: Own = NOTHING,
    ) -> TexNames:
        """The names of these tensors, sizes and indices."""
        tensors, indices = list(tensors), list(dict.fromkeys(indices))
        plain = {name: _tensor_name(name) for name in tensors}
        letters = {name: own.letters.get(name, letter) for name, letter in plain.items()}
        symbols = {s: _symbol_name(s, letters, is_size=True) for s in sizes}
        known = frozenset(symbols)
        symbols |= {s: _symbol_name(s, letters, is_size=False) for s in indices}
        own_symbols = {s: own.letters[s].tex for s in symbols if s in own.letters}
        told = {
            n: letters[n].tex
            for n in tensors
            if n in own.letters and not _is_told(n, letters[n].tex)
        }
        told |= {s: tex for s, tex in own_symbols.items() if not _is_told(s, tex)}
        shift = {i: symbol(i) - own.base for i in indices} if own.base else {}
        return cls(letters, symbols | own_symbols, known, told, shift, own.base)

    def knows(self, name: str) -> bool:
        return name in self.tensors or name in self.symbols

    def with_derived(self, derived: Iterable[Determined]) -> TexNames:
        """The names with every derived index as the floor that it is, and every data index as its element."""
        symbols = dict(self.symbols)
        for d in derived:
            match d:
                case Derived(name, form, modulus):
                    symbols[name] = floor_tex(affine_tex(self.form(form), symbols), modulus)
                case Looked(name, tensor, subscripts):
                    inner = replace(self, symbols=symbols).listed(subscripts)
                    symbols[name] = self.tensors[tensor].element(inner)
        return replace(self, symbols=symbols)

    def form(self, form: Affine) -> Affine:
        """What is made of indices that are counted from 0, in those of the text."""
        return form.substitute(self.shift) if self.shift else form

    def element(self, tensor: str, subscripts: Iterable[Affine]) -> Text:
        letter = self.tensors[tensor]
        return Text(letter.element(self.listed(subscripts)), FACTOR if letter.above else ATOM)

    def listed(self, subscripts: Iterable[Affine]) -> str:
        """`ij`, but `i, j + 1`; and `N, i`, because `Ni` is a product."""
        return self.joined([affine_tex(self.form(s) + self.base, self.symbols) for s in subscripts])

    def joined(self, texts: Sequence[str]) -> str:
        """The subscripts, with commas where they would read otherwise without."""
        is_word = all(len(t) == 1 and t.isalpha() and t not in self.sizes for t in texts)
        return ("" if is_word else ", ").join(texts)


def _is_told(name: str, tex: str) -> bool:
    """Whether the letter is read as this name without a line."""
    return tex == _word(name) and (len(name) == 1 or name in commands.GREEK)


def _tensor_name(name: str) -> Letter:
    base, _, mark = name.rpartition("_")
    if len(base) == 1 or base in commands.GREEK:
        if mark == "prime":
            return Letter(_word(base), above="'")
        if mark in _ACCENTS:
            return Letter(_word(base)).accented(_ACCENTS[mark])
    if base and "_" not in base:
        if mark.isdecimal() and mark.isascii():
            return Letter(_word(base), above=f"({mark})")
        if len(mark) > 1 and mark.isalpha() and mark not in commands.WORDS:
            return Letter(_word(base), above=f"\\mathrm{{{mark}}}")
    return Letter(_word(name))


def _symbol_name(name: Symbol, tensors: Mapping[str, Letter], *, is_size: bool) -> str:
    """`i_1` and `d_{in}` where no tensor `i` or `d` could have these as elements."""
    base, _, mark = name.rpartition("_")
    if (len(base) == 1 or base in commands.GREEK) and base not in tensors:
        if mark.isdecimal() and mark.isascii():
            return f"{_word(base)}_{{{mark}}}"
        if is_size and mark.isascii() and mark.isalpha() and mark not in _WORDS:
            mark = mark if len(mark) == 1 else f"\\mathrm{{{mark}}}"
            return f"{_word(base)}_{{{mark}}}"
    return _word(name)


def _word(name: str) -> str:
    if name in commands.GREEK:
        return f"\\{name}"
    spelled = name.replace("_", "\\_")
    return name if len(name) == 1 else f"\\mathit{{{spelled}}}"


def affine_tex(form: Affine, symbols: Spelled) -> str:
    return form.text(symbols).replace("*", " ")


def is_sum(form: Affine) -> bool:
    return len(form.terms) + bool(form.constant) > 1


def floor_tex(form: str, divisor: int) -> str:
    return form if divisor == 1 else f"\\lfloor {_divided(form, divisor)} \\rfloor"


def ceiling_tex(form: str, divisor: int) -> str:
    return f"\\lceil {_divided(form, divisor)} \\rceil"


def _divided(form: str, divisor: int) -> str:
    return f"{form}/{divisor}" if " " not in form and "-" not in form else f"({form})/{divisor}"
