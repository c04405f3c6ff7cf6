r"""Superscripts of names: powers, indices, or labels.

X_{ij}^2                    a power of the element          x^{(i)}     an index, where i is one
V_i^c                       an index behind the lower ones, under `%!tadc upper`; else an error that shows both readings
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.raised_indices import OF_INDICES
from tadc.syntax.tex.script_tokens import Guess, comma, with_label
from tadc.syntax.tex.time_steps import remedy
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.upper_places import UpperPlaces

__all__ = ["Superscripts"]


@dataclass(frozen=True, slots=True)
class Superscripts:
    """What the document says of its names; `values` stand outside of scripts somewhere. Decisions add to `guesses`."""

    declared: Set[str]
    scalars: Set[str]
    values: Set[str]  # sizes and declared names too
    bounds: Set[str]  # names in bounds of sums
    is_upper: bool  # whether superscripts are indices behind the lower ones
    places: UpperPlaces
    guesses: dict[str, Guess]
    steps: Mapping[str, str] = field(default_factory=dict)  # what `x^{t+1} = ..` defines, and `t`
    targets: Set[str] = (
        frozenset()
    )  # what the document defines: the order of its dimensions is free

    def __call__(
        self,
        name: Token,
        below: Sequence[Token] | None,
        above: Sequence[Token] | None,
        bound: Set[str],
        whole: Sequence[Token],
        printed: Sequence[Token] | None,
        parameters: Set[str],
    ) -> list[Token]:
        """The tokens of the element; `above` are the braces of its superscript, `whole` all as it stands; `parameters` are those of
        a function that is defined here.
        """
        subscript = [] if below is None else [_sign(whole, "SUB", below), *below]
        if above is None:
            return [name, *subscript]
        inner = above[1:-1]
        power = [_sign(whole, "SUP", above), *above]
        plain = [name, *subscript, *power]
        names = [t for t in inner if t.type == "NAME"]
        kinds = [t.type for t in inner]
        in_brackets = kinds[:1] == ["LPAR"] and kinds[-1:] == ["RPAR"] and len(inner) > 2
        core = inner[1:-1] if in_brackets else inner
        indices = [t for t in core if t.type == "NAME" and t.value in bound]
        if _is_first(whole, "SUP") and self._is_unclear_power(inner, printed):
            fact = "a power between a name and its subscripts: of the matrix, or of the element?"
            fix = r"write `X_{ij}^2` for the power of the element; give a power or the inverse of a matrix a name of its own, `Y_{ij}`"
            return [_error(whole, fact, fix)]
        is_index = bool(indices) and {t.type for t in core} <= {
            "NAME",
            "COMMA",
            "NUM",
            "PLUS",
            "MINUS",
        }
        if is_index and not in_brackets and self._has_all_subscripts(name, below, bound):
            return plain
        if (
            is_index
            and not (name.value in bound and below is None)  # `x^p` of an index `x` is a power
            and name.value not in self.scalars
            and name.note != "euler"
            and (name.value != "e" or below is not None)
        ):
            is_declared = not in_brackets and below is None and self._is_element(name, core)
            if self.is_upper or is_declared or (in_brackets and below is None):
                listed = [*below[1:-1], comma(above[0])] if below else []
                braces = below or above
                return [
                    name,
                    Token("SUB", "_", braces[0].start, braces[0].start),
                    replace(braces[0], note="indices"),
                    *listed,
                    *core,
                    replace(braces[-1], note="NAME"),
                ]
            if in_brackets and (told := self._at_place(name, below, above)) is not None:
                return told
            if in_brackets and below is not None and name.value in self.targets - self.declared:
                text = f"`{name.value}` has the index in brackets behind those below"
                self.guesses.setdefault(text, Guess(text, name.start, above[-1].end))
                listed = [*below[1:-1], comma(above[0]), *core]
                sign = Token("SUB", "_", below[0].start, below[0].start)
                opening, closing = (
                    replace(below[0], note="indices"),
                    replace(above[-1], note="NAME"),
                )
                return [name, sign, opening, *listed, closing]
            number = name.value if below is None else ""
            if in_brackets and any(t.value not in bound for t in _names(below)):
                return [_error(whole, *_above_a_label(indices[0]))]
            return [_error(whole, *_two_readings(indices[0], in_brackets, name.value, number))]
        if in_brackets and len(core) == 1 and core[0].type == "NAME":
            label = core[0].value
            text = f"`^{{({label})}}` is a label, part of the name: nothing binds `{label}`"
            self.guesses.setdefault(text, Guess(text, name.start, above[-1].end))
            return [with_label(name, core, above[-1].end), *subscript]
        is_before = [t.type for t in core] == ["NAME", "MINUS", "NUM"]
        is_after = [t.type for t in core] == ["NAME", "PLUS", "NUM"]
        if in_brackets and (is_before or (is_after and name.value not in self.targets)):
            return self._of_other_step(name, subscript, core, whole)
        if kinds == ["NUM"] and inner[0].value == "1" and name.value not in self.targets:
            fact = f"`^1` above `{name.value}` is hardly a power, and nothing tells whether it is a label or an index"
            fix = f"write `{name.value}^{{(1)}}` for a label, or give it a name, and to each such number: `%!tadc {name.value}^1 is {name.value}_1`"
            return [_error(whole, fact, fix)]
        if [t.type for t in inner] == ["NAME"] and self._is_label(name, names[0], bound):
            return [with_label(name, names, above[-1].end), *subscript]
        if (
            [t.type for t in inner] == ["NAME"]
            and name.value != "e"
            and name.value not in self.scalars
            and not (name.value in bound | parameters and below is None)
            and not self._is_value(names[0])
        ):
            i = names[0].value
            if self.steps.get(name.value) == i:
                fact = f"`{name.value}` at the step `{i}` is read for the one at `{i}+1`: this is a step in time"
                fix = remedy(name.value, i, sum(t.type == "NAME" for t in below or ()))
                return [_error(whole, fact, fix)]
            is_counting = i in OF_INDICES
            what = "a power or a label, or an index" if is_counting else "a power or a label"
            fact = f"the superscript `{i}` may be {what}, and nothing in the document tells"
            fix = (
                f"declare the exponent, `%!tadc input {i}[]`, or write `(..)^{{{as_printed(i)}}}` with brackets for the power, or"
                f" `^{{\\mathrm{{{i}}}}}` for a label"
            )
            if is_counting:
                fix += "; `%!tadc upper` if superscripts are indices behind the lower ones"
            return [_error(whole, fact, fix)]
        return plain

    def _has_all_subscripts(
        self, name: Token, below: Sequence[Token] | None, bound: Set[str]
    ) -> bool:
        r"""Whether it is the `\sigma_i^l` of a declared `sigma[m]`: what stands above such an element is a power, also where it is an index."""
        inner = list(below[1:-1]) if below else []
        is_plain = {t.type for t in inner} <= {"NAME", "NUM", "COMMA"}
        is_plain = is_plain and all(t.value in bound for t in inner if t.type == "NAME")
        count = sum(t.type != "COMMA" for t in inner)
        extents = self.places.extents.get(name.value)
        is_whole = extents is not None and len(extents) == count > 0
        return is_plain and is_whole and not self.is_upper

    def _is_element(self, name: Token, core: Sequence[Token]) -> bool:
        r"""Whether it is the `s_n^j` of a declared `s_n[L]` and a `j` up to `L`: `n` is part of the name, and one index is left to stand
        above.
        """
        is_labelled = "_" in name.value and name.value in self.declared
        is_index = [t.type for t in core] == ["NAME"]
        return (
            is_labelled
            and is_index
            and self.places.place(name.value, core[0].value, []) is not None
        )

    def _of_other_step(
        self, name: Token, subscript: Sequence[Token], core: Sequence[Token], whole: Sequence[Token]
    ) -> list[Token]:
        """The `h^{(l-1)}` of a layer or a step before, or the one after; an error where `l` is a number, for it may be a power then."""
        letter, number = core[0].value, core[2].value
        sign, word = ("-", "minus") if core[1].type == "MINUS" else ("+", "plus")
        if self._is_value(core[0]) or letter in self.bounds:
            fact = f"`^{{({letter}{sign}{number})}}` may be a power or a label, since `{letter}` is a number here"
            fix = f"write the power without brackets, `^{{{letter}{sign}{number}}}`, or a name for the label, `^{{\\text{{old}}}}`"
            return [_error(whole, fact, fix)]
        new = f"{name.value}_{letter}_{word}_{number}"
        text = f"`{new}` is one name: nothing binds `{letter}`"
        self.guesses.setdefault(text, Guess(text, name.start, whole[-1].end))
        return [replace(name, value=new, end=whole[-1].end), *subscript]

    def _at_place(
        self, name: Token, below: Sequence[Token] | None, above: Sequence[Token]
    ) -> list[Token] | None:
        """The element with one index above in the dimension that the declared extents tell."""
        lower = [t for t in below or () if t.type == "NAME"]
        is_plain = below is not None and {t.type for t in below[1:-1]} <= {"NAME", "COMMA"}
        if not is_plain or len(above) != 5:
            return None
        index = above[2]
        place = self.places.place(name.value, index.value, [t.value for t in lower])
        if place is None:
            return None
        ordered = [*lower[:place], index, *lower[place:]]
        listed = [t for i in ordered for t in (comma(i), i)][1:]
        sign = Token("SUB", "_", above[0].start, above[0].start)
        opening, closing = replace(above[0], note="indices"), replace(above[-1], note="NAME")
        return [name, sign, opening, *listed, closing]

    def _is_label(self, name: Token, above: Token, bound: Set[str]) -> bool:
        """Whether the letter above is a label for sure: declared names have it, and nothing else gives it a meaning."""
        letter = above.value
        is_declared = any(d.endswith(f"_{letter}") for d in self.declared)
        is_own = f"{name.value}_{letter}" in self.declared
        is_free = letter not in bound and not self._is_value(above)
        return is_own or (is_declared and is_free)

    def _is_value(self, token: Token) -> bool:
        """Whether the document uses the letter as a number, so that it may be an exponent; a transpose is no letter."""
        base, _, number = token.value.rpartition("_")
        is_known = token.value in self.values or (number.isdigit() and base in self.values)
        return is_known or token.value in ("T", "H") or token.note == "upright"

    @staticmethod
    def _is_unclear_power(inner: Sequence[Token], printed: Sequence[Token] | None) -> bool:
        kinds = [t.type for t in inner]
        if kinds not in (["NUM"], ["MINUS", "NUM"]) or printed is None:
            return False
        count = sum(t.type in ("NAME", "NUM") for t in printed[1:-1])
        return count > 1 or kinds[0] == "MINUS"


def _names(below: Sequence[Token] | None) -> Sequence[Token]:
    return [t for t in below or () if t.type == "NAME"]


def _above_a_label(index: Token) -> tuple[str, str]:
    """The fact, and what to write, of an index in brackets above what may be labels or indices."""
    i = index.value
    return (
        f"the index `{i}` stands above other indices: which dimension is it?",
        f"write all indices in one subscript, `x_{{{i}, j}}`, and what is a label below as `\\mathrm{{s}}`",
    )


def _two_readings(index: Token, in_brackets: bool, name: str, number: str) -> tuple[str, str]:
    """The fact, and what to write; `name` is below the superscript, and `number` too where it may be one."""
    i = index.value
    if in_brackets:
        return (
            f"the index `{i}` stands above other indices: which dimension is it?",
            f"declare its shape, `%!tadc input {name}[.., ..]`, where the range of `{i}` is printed, `\\sum_{{{i}=1}}^{{N}}`; write"
            f" `%!tadc upper` if superscripts are indices behind the lower ones, or all in one subscript, `{name}_{{{i}, j}}`",
        )
    declared = f"; a number that is raised is declared: `%!tadc input {number}[]`" if number else ""
    return (
        f"`^{i}` may be a power or an index, since `{i}` is an index here",
        f"write `%!tadc upper` if superscripts are indices behind the lower ones, or `(..)^{{{i}}}` with brackets for the"
        f" power{declared}",
    )


def _is_first(whole: Sequence[Token], kind: str) -> bool:
    return len(whole) > 1 and whole[1].type == kind


def _sign(whole: Sequence[Token], kind: str, braces: Sequence[Token]) -> Token:
    """The sign in front of these braces."""
    at = braces[0].start
    return next((t for t in whole if t.type == kind), Token(kind, "_", at, at))


def _error(whole: Sequence[Token], fact: str, fix: str) -> Token:
    return Token("ERROR", fact, whole[0].start, whole[-1].end, fix)
