r"""Primes of vectors and matrices: `X'y` is the transpose in statistics, and another tensor elsewhere.

A prime on what is declared with dimensions, with nothing else known by that name, is a transpose where it stands in front of another
vector or matrix (a guess), and unclear elsewhere. So is a `t` above it that stands nowhere else, and a `T` that is a size too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.script_tokens import Guess, bound_names, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets
from tadc.syntax.tex.undeclared_primes import with_undeclared_primes

__all__ = ["with_primes"]

_PRIME = "_prime"
_OF_SUMS = frozenset(
    ("NAME", "NUM", "PLUS", "MINUS", "SUB", "SUP", "LBRACE", "RBRACE", "COMMA", "TOP")
)


def with_primes(
    definitions: Sequence[Statement],
    ranks: Mapping[str, int],
    parameters: Mapping[int, Set[str]],
    guesses: list[Guess],
) -> list[Statement]:
    """The definitions with transposes for these primes, or errors; `ranks` are the numbers of dimensions that are declared, `parameters`
    those of functions, by the places of their definitions: the `x'` of `k(x, x') = ..` is one. Indices have no transposes.
    """
    tensors = {name for name, rank in ranks.items() if rank}
    targets = {d.target for d in definitions}
    elements = {name for d in definitions for name in _with_subscripts(d.tokens)}
    letters = {name for d in definitions for name in _outside_of_powers(d.tokens)}
    declared = set(ranks)
    matrices = {
        d.target
        for d in definitions
        if d.is_scalar and d.tokens[0].note == "bold" and d.target.isupper()
    }
    ranks = {**dict.fromkeys(sorted(matrices), 2), **ranks}
    result = []
    for d in definitions:
        known = tensors | targets | bound_names(d.tokens) | parameters.get(d.start, frozenset())
        primes = _Primes(ranks, known, targets, elements, letters, guesses)
        read = with_undeclared_primes(primes.read(d.tokens), known | declared, letters)
        result.append(replace(d, tokens=read))
    return result


def _with_subscripts(tokens: Sequence[Token]) -> set[str]:
    pairs = pairwise(tokens)
    return {t.value for t, after in pairs if t.type == "NAME" and after.type == "SUB"}


def _outside_of_powers(tokens: Sequence[Token]) -> set[str]:
    """The names that stand anywhere but alone above another."""
    alone = {id(inner[0]) for _, _, inner in scripted(tokens, "SUP") if len(inner) == 1}
    return {t.value for t in tokens if t.type == "NAME" and id(t) not in alone}


class _Primes:
    """What the document says of its names: their ranks, those that it declares or defines, those that it defines, those that have subscripts, and the letters that
    stand anywhere but alone above a name.
    """

    def __init__(
        self,
        ranks: Mapping[str, int],
        known: Set[str],
        targets: Set[str],
        elements: Set[str],
        letters: Set[str],
        guesses: list[Guess],
    ) -> None:
        self.ranks, self.known, self.elements, self.guesses = ranks, known, elements, guesses
        self.targets, self.letters = targets, letters

    def read(self, tokens: Sequence[Token]) -> list[Token]:
        closing = closing_brackets(tokens)
        result: list[Token] = []
        place = 0
        while place < len(tokens):
            token = tokens[place]
            if (raised := self._raised(tokens, place, closing)) is not None:
                result += self._transpose(tokens[place : raised[0]], token.value)
                place = raised[1]
                continue
            if token.type == "PRIME" and self._is_bracket_of_vectors(result):
                result += self._top(token)
                place += 1
                continue
            base = token.value.removesuffix(_PRIME)
            is_prime = token.type == "NAME" and base != token.value
            if is_prime and token.value not in self.known and not self.ranks.get(base):
                end = behind_scripts(tokens, place + 1, closing)
                if token.note == "bold" and _is_bold(tokens[end : end + 1]):
                    below = sum(t.type == "NAME" for t in tokens[place + 1 : end])
                    result.append(
                        _unclear(token, base, 1 + below)
                    )  # `\mathbf{x}_{it}'\boldsymbol\beta`
                    place += 1
                    continue
            if is_prime and token.value not in self.known | self.elements:
                following = tokens[place + 1 : place + 2]
                is_product = bool(following) and following[0].type == "NAME"
                is_defined = base in self.targets and not self.ranks.get(base)
                if is_product and (is_defined or (base == "e" and following[0].value == "e")):
                    result.append(_unclear(token, base, 1))  # `e'e` of a defined `e = y - X\beta`
                    place += 1
                    continue
            if not is_prime or not self.ranks.get(base) or token.value in self.known:
                result.append(token)
                place += 1
                continue
            end = behind_scripts(tokens, place + 1, closing)
            element = tokens[place:end]
            is_vector = self._dimensions(element, base) > 0
            if is_vector and (
                self._is_operand(tokens[end:])
                or self._is_behind(result)
                or self._is_behind_itself(result, element)
            ):
                result += self._transpose(element, base)
                place = end
            else:
                is_other = token.value in self.elements and not is_vector
                result.append(token if is_other else _unclear(token, base, self.ranks[base]))
                place += 1
        return result

    def _raised(
        self, tokens: Sequence[Token], place: int, closing: Mapping[int, int]
    ) -> tuple[int, int] | None:
        """Where the `t` or `T` above the vector at `place` begins and ends, if it is a transpose; subscripts stand before it."""
        token = tokens[place]
        if token.type != "NAME" or not self.ranks.get(token.value):
            return None
        start = place + 1
        if tokens[start : start + 1] and tokens[start].type == "SUB":
            start = closing.get(start + 1, len(tokens)) + 1
        inner = tokens[start + 2 : closing.get(start + 1, start)]
        is_letter = tokens[start : start + 1] and tokens[start].type == "SUP" and len(inner) == 1
        if not is_letter or inner[0].type != "NAME" or inner[0].value not in ("T", "t"):
            return None
        end = closing[start + 1] + 1
        if self._dimensions(tokens[place:start], token.value) < 1:
            return None
        if inner[0].value == "t" and ("t" in self.letters or not self._is_operand(tokens[end:])):
            return None
        return (start, end)

    def _dimensions(self, element: Sequence[Token], name: str) -> int:
        """How many dimensions are left of the tensor with these subscripts."""
        below = [t for t in element[1:] if t.type in ("NAME", "NUM")]
        return self.ranks.get(name, 0) - len(below)

    def _is_bracket_of_vectors(self, before: Sequence[Token]) -> bool:
        r"""Whether the bracket that ends here is a sum of vectors and matrices, as in `(x_t - \bar{x})'`: it has no derivative."""
        if not before or before[-1].type not in ("RPAR", "RSQB"):
            return False
        closing = closing_brackets(before)
        start = next((n for n, end in closing.items() if end == len(before) - 1), None)
        if start is None or (start and before[start - 1].type in ("NAME", "FUNC", "CALLED")):
            return False
        inner = before[start + 1 : -1]
        first = inner[1:] if inner and inner[0].type == "MINUS" else inner
        return self._is_operand(first) and {t.type for t in inner} <= _OF_SUMS

    def _top(self, prime: Token) -> list[Token]:
        self._say("a prime behind brackets around vectors or matrices is the transpose", prime)
        at = prime.end
        sign, opening = Token("SUP", "^", prime.start, at), Token("LBRACE", "", at, at)
        return [sign, opening, Token("TOP", r"\top", at, at), Token("RBRACE", "", at, at)]

    def _say(self, text: str, place: Token) -> None:
        if all(guess.text != text for guess in self.guesses):
            self.guesses.append(Guess(text, place.start, place.end))

    def _is_operand(self, following: Sequence[Token]) -> bool:
        """Whether a vector or matrix stands here, or brackets that begin with one."""
        while following and following[0].type in ("LPAR", "LSQB"):
            following = following[1:]
        if not following or following[0].type != "NAME":
            return False
        end = behind_scripts(following, 1, closing_brackets(following))
        name = following[0].value.removesuffix(_PRIME)
        return self._dimensions(following[:end], name) > 0

    def _is_behind(self, before: Sequence[Token]) -> bool:
        """Whether a vector or matrix without subscripts ends here."""
        return bool(before) and before[-1].type == "NAME" and bool(self.ranks.get(before[-1].value))

    def _is_behind_itself(self, before: Sequence[Token], element: Sequence[Token]) -> bool:
        r"""Whether it is the `x_i'` of `x_i x_i'`, or the `A'` of `A + A'`: what ends here is the same without the prime."""
        values = [element[0].value.removesuffix(_PRIME), *(t.value for t in element[1:])]
        is_matrix = self._dimensions(element, values[0]) > 1
        if is_matrix and before and before[-1].type == "PLUS":
            before = before[:-1]
        return [t.value for t in before[-len(values) :]] == values

    def _transpose(self, element: Sequence[Token], base: str) -> list[Token]:
        first, last = element[0], element[-1]
        text = f"`{base}` is transposed here, beside a vector or matrix"
        if all(guess.text != text for guess in self.guesses):
            self.guesses.append(Guess(text, first.start, last.end))
        at = last.end
        sign, opening = Token("SUP", "^", at, at), Token("LBRACE", "", at, at)
        top, closing = Token("TOP", r"\top", at, at), Token("RBRACE", "", at, at, "NAME")
        return [replace(first, value=base), *element[1:], sign, opening, top, closing]


def _is_bold(following: Sequence[Token]) -> bool:
    return bool(following) and following[0].type == "NAME" and following[0].note == "bold"


def _unclear(token: Token, base: str, rank: int) -> Token:
    """The error of a prime on a tensor of so many dimensions."""
    shown = as_printed(base)
    fact = f"`{base}'` may be the transpose of `{base}`, or another tensor"
    fix = (
        rf"write `{shown}^\top` for the transpose, or declare the other one: "
        f"`%!tadc input {token.value}[{', '.join(('N', 'M', 'K', 'L')[:rank])}]`"
    )
    return Token("ERROR", fact, token.start, token.end, fix)
