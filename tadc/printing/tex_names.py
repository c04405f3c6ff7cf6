r"""Names and index expressions in LaTeX: `d_{in}`, `\mathit{center}`, `\hat{x}`, `\lfloor (i + 1)/2 \rfloor`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Derived, Determined, Looked
from tadc.ir.expr import Reduce
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.syntax.tex import commands

__all__ = [
    "ATOM",
    "FACTOR",
    "PRODUCT",
    "SIGN",
    "SUM",
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
class TexNames:
    r"""LaTeX spellings of tensors, indices and sizes. A name that is no letter with a mark is a word, `\mathit{d\_x}`."""

    tensors: Mapping[str, Text]
    symbols: Spelled
    sizes: frozenset[Symbol]

    @classmethod
    def of(cls, program: Program) -> TexNames:
        bound: list[Symbol] = []
        for statement in program.statements:
            bound += statement.indices
            for node in postorder(statement.body):
                bound += node.indices if isinstance(node, Reduce) else ()
        return cls.written(program.tensors, program.parameters, bound)

    @classmethod
    def written(
        cls, tensors: Iterable[str], sizes: Iterable[Symbol], indices: Iterable[Symbol]
    ) -> TexNames:
        """The names of these tensors, sizes and indices."""
        written = {name: _tensor_name(name) for name in tensors}
        symbols = {s: _symbol_name(s, written, is_size=True) for s in sizes}
        known = frozenset(symbols)
        symbols |= {s: _symbol_name(s, written, is_size=False) for s in indices}
        return cls(written, symbols, known)

    def knows(self, name: str) -> bool:
        return name in self.tensors or name in self.symbols

    def with_derived(self, derived: Iterable[Determined]) -> TexNames:
        """The names with every derived index as the floor that it is, and every data index as its element."""
        symbols = dict(self.symbols)
        for d in derived:
            match d:
                case Derived(name, form, modulus):
                    symbols[name] = floor_tex(affine_tex(form, symbols), modulus)
                case Looked(name, tensor, subscripts):
                    inner = TexNames(self.tensors, symbols, self.sizes).listed(subscripts)
                    symbols[name] = f"{self.tensors[tensor].tex}_{{{inner}}}"
        return TexNames(self.tensors, symbols, self.sizes)

    def listed(self, subscripts: Iterable[Affine]) -> str:
        """`ij`, but `i, j + 1`; and `N, i`, because `Ni` is a product."""
        return self.joined([affine_tex(s, self.symbols) for s in subscripts])

    def joined(self, texts: Sequence[str]) -> str:
        """The subscripts, with commas where they would read otherwise without."""
        is_word = all(len(t) == 1 and t.isalpha() and t not in self.sizes for t in texts)
        return ("" if is_word else ", ").join(texts)


def _tensor_name(name: str) -> Text:
    base, _, mark = name.rpartition("_")
    if len(base) == 1 or base in commands.GREEK:
        if mark == "prime":
            return Text(f"{_word(base)}'", FACTOR)
        if mark in _ACCENTS:
            return Text(f"\\{_ACCENTS[mark]}{{{_word(base)}}}", ATOM)
    if base and "_" not in base:
        if mark.isdecimal() and mark.isascii():
            return Text(f"{_word(base)}^{{({mark})}}", FACTOR)
        if len(mark) > 1 and mark.isalpha() and mark not in commands.WORDS:
            return Text(f"{_word(base)}^{{\\mathrm{{{mark}}}}}", FACTOR)
    return Text(_word(name), ATOM)


def _symbol_name(name: Symbol, tensors: Mapping[str, Text], *, is_size: bool) -> str:
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
