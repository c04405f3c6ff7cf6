r"""The `\pi` of a document in which `\pi_k` are weights, or `\pi^*` a target: a letter of its own there, and the number in `2\pi\sigma^2`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, scripted
from tadc.syntax.tex.token_list import CLOSERS, Token

__all__ = ["CircleNumbers"]

_DIGITS = "3.141592653589793"


@dataclass(frozen=True, slots=True)
class CircleNumbers:
    r"""Whether a line declares the letter as a tensor, and whether formulas have elements `\pi_k`; else they have it with a mark, `\pi^*`."""

    is_declared: bool
    has_elements: bool

    @classmethod
    def of(
        cls, displays: Sequence[Sequence[Token]], ranks: Mapping[str, int]
    ) -> CircleNumbers | None:
        """None where the letter is the number alone, or a line declares it as one."""
        if ranks.get("pi") == 0:
            return None
        names = {t.value for tokens in displays for t in tokens if t.type == "NAME"}
        has_elements = any(
            name.value == "pi" and any(t.type == "NAME" for t in inner)
            for tokens in displays
            for name, _, inner in scripted(tokens, "SUB")
        )
        has_marks = any(n.startswith("pi_") for n in names) or any(
            name.value == "pi" and _is_mark(inner)
            for tokens in displays
            for name, _, inner in scripted(tokens, "SUP")
        )
        is_declared = ranks.get("pi", 0) > 0
        return cls(is_declared, has_elements) if is_declared or has_elements or has_marks else None

    def applied(self, tokens: Sequence[Token], guesses: list[Guess]) -> list[Token]:
        """The tokens with the number where one stands in front, and an error for each other one that may be it."""
        result = list(tokens)
        for place in _bare(tokens):
            token = tokens[place]
            if _is_behind_number(tokens, place):
                result[place] = replace(token, type="NUM", value=_DIGITS, note="")
                text = r"the `\pi` behind a number is 3.14159.."
                if all(guess.text != text for guess in guesses):
                    guesses.append(Guess(text, token.start, token.end))
            elif not self.is_declared:
                fact = r"`\pi` may be the number 3.14159.. here, or a letter of its own as elsewhere in the document"
                letter = "write `%!tadc input pi[]`"
                if self.has_elements:
                    letter = r"write its elements, `\pi_i`, or declare it, `%!tadc input pi[N]`"
                fix = f"for the letter {letter}; for the number write its digits, or `1 \\pi`"
                result[place] = Token("ERROR", fact, token.start, token.end, fix)
        return result


def _bare(tokens: Sequence[Token]) -> Iterator[int]:
    r"""The places of the letter outside of scripts and lists, without a script or list of its own; powers aside, `\pi^2`."""
    marked = {id(name) for name, _, inner in scripted(tokens, "SUP") if _is_mark(inner)}
    for place, token in enumerate(tokens):
        following = tokens[place + 1].type if place + 1 < len(tokens) else ""
        is_bare = token.type == "NAME" and token.value == "pi" and following not in _BEHIND
        if is_bare and id(token) not in marked and not _is_label(tokens, place):
            yield place


_BEHIND = frozenset(("SUB", "LPAR", "LSQB", "TOP", "PRIME", "EQ", "DEF", "IN", "COMMA"))


def _is_mark(above: Sequence[Token]) -> bool:
    r"""Whether it is the `*` of `\pi^*`, the `\top` of `\pi^\top` or a word, and no power."""
    is_word = len(above) == 1 and above[0].note == "upright"
    return is_word or (bool(above) and {t.type for t in above} <= {"CDOT", "TOP", "PRIME", "PLUS"})


def _is_label(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether it is all of a script or a list, `V^\pi` or `L(\pi)`."""
    before = tokens[place - 1].type if place else ""
    behind = tokens[place + 1].type if place + 1 < len(tokens) else ""
    is_first = before in ("LBRACE", "LPAR", "COMMA", "LSQB", "GIVEN", "")
    return is_first and (behind in CLOSERS or behind in ("COMMA", "GIVEN", ""))


def _is_behind_number(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether it is the letter of `2\pi`, `2 \cdot \pi` or `\frac{4}{3} \pi`."""
    at = place - 1
    while at >= 0 and tokens[at].type in ("CDOT", "THIN"):
        at -= 1
    if at >= 0 and tokens[at].type == "NUM":
        return True
    opening = {end: start for start, end in closing_braces(tokens).items()}
    low = opening.get(at, 0)
    high = opening.get(low - 1, 0)
    is_fraction = high > 0 and tokens[high - 1].type == "FRAC"
    return is_fraction and {t.type for t in tokens[high:at]} <= {"NUM", "LBRACE", "RBRACE"}
