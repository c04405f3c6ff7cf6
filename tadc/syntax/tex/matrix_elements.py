r"""Matrices and the letters of their elements: `$\mathbf{W} = (w_{ij}) \in \mathbb{R}^{m \times n}$`, or `w_{ij}` beside a declared `W`.

The first says what the elements are called, and defines nothing; the second is a guess. Elements then have the name of the matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from tadc.syntax.tex.script_tokens import Guess, left_indices, scripted
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["MatrixElements"]


@dataclass(frozen=True, slots=True)
class MatrixElements:
    """The matrices by the letters of their elements: those that the prose names, and those that are guessed."""

    told: Mapping[str, str]
    guessed: Mapping[str, str]

    @classmethod
    def of(
        cls,
        streams: Sequence[Sequence[Token]],
        in_prose: Sequence[bool],
        declared: Set[str],
        ranks: Mapping[str, int],
    ) -> MatrixElements:
        prose = [t for t, is_prose in zip(streams, in_prose, strict=True) if is_prose]
        displays = [t for t, is_prose in zip(streams, in_prose, strict=True) if not is_prose]
        shown = {t.value for tokens in displays for t in tokens if t.type == "NAME"}
        told = {
            element.value: matrix.value
            for tokens in prose
            for matrix, element, end in _named(tokens)
            if element.value not in declared and (end < len(tokens) or matrix.value in shown)
        }
        matrices = {name for tokens in streams for name in _declared(tokens)}
        matrices |= {name for name, rank in ranks.items() if rank == 2}
        guessed = {
            m.lower(): m
            for m in matrices
            if len(m) == 1 and m.isupper() and m.lower() not in declared | told.keys()
            if _are_elements(m, displays) and not _is_shaped(m.lower(), prose)
        }
        return cls(told, guessed)

    def applied(
        self, tokens: Sequence[Token], guesses: list[Guess], *, is_prose: bool
    ) -> list[Token]:
        """The tokens with the names of matrices for those of their elements, and without what only names these."""
        result = list(tokens)
        if is_prose:
            for name, _, end in _named(tokens):
                place = tokens.index(name)
                return [*result[: place + 1], *result[end:]]
            return result
        names = {**self.told, **self.guessed}
        elements = {
            id(name): names[name.value]
            for name, _, inner in scripted(tokens, "SUB")
            if name.value in names and _count(inner) == 2 and name.note in ("", "bold")
        }
        for name in tokens:
            if id(name) in elements and name.value in self.guessed:
                text = f"`{name.value}` with two indices is an element of `{elements[id(name)]}`"
                if all(guess.text != text for guess in guesses):
                    guesses.append(Guess(text, name.start, name.end))
        return [replace(t, value=elements[id(t)]) if id(t) in elements else t for t in tokens]


def _named(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token, int]]:
    r"""The `W` and the `w` of `W = (w_{ij})`, and the place behind that, where nothing follows but what it is an element of."""
    closing = closing_brackets(tokens)
    for place, four in enumerate(zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False)):
        name, element = four[0], four[3]
        end = closing.get(place + 2, 0)
        kinds = [t.type for t in four]
        is_named = kinds in (
            ["NAME", s, b, "NAME"] for s in ("EQ", "DEF") for b in ("LPAR", "LSQB")
        )
        if not is_named or not end or behind_scripts(tokens, place + 4, closing) != end:
            continue
        below = [inner for e, _, inner in scripted(tokens[place : end + 1], "SUB") if e is element]
        behind = behind_scripts(tokens, end + 1, closing)
        is_whole = behind == len(tokens) or tokens[behind].type in ("IN", "COMMA")
        is_other = element.value.lower() == name.value.lower() or name.note == "bold"
        if is_whole and is_other and len(below) == 1 and _count(below[0]) == 2:
            yield name, element, behind


def _declared(tokens: Sequence[Token]) -> Iterator[str]:
    r"""The names of `W, V \in \mathbb{R}^{m \times n}`, of two dimensions."""
    kinds = [t.type for t in tokens]
    place = kinds.index("IN") if "IN" in kinds else len(kinds)
    if kinds[place : place + 4] == ["IN", "RR", "SUP", "LBRACE"]:
        extents = tokens[place + 4 :]
        is_matrix = sum(t.type == "BY" or t.value == r"\times" for t in extents) == 1
        if is_matrix and {*kinds[:place]} <= {"NAME", "COMMA"}:
            yield from (t.value for t in tokens[:place] if t.type == "NAME")


def _are_elements(matrix: str, displays: Sequence[Sequence[Token]]) -> bool:
    r"""Whether right sides have the matrix whole, never with a subscript, and its small letter with two indices alone."""
    small, whole, below = 0, 0, 0
    for tokens in displays:
        elements = [*scripted(tokens, "SUB")]
        small += sum(t.type == "NAME" and t.value == matrix.lower() for t in tokens)
        small -= sum(n.value == matrix.lower() and _count(inner) == 2 for n, _, inner in elements)
        below += sum(n.value == matrix.lower() for n, _, _ in elements)
        whole += sum(t.type == "NAME" and t.value == matrix for t in tokens)
        is_left = bool(tokens) and tokens[0].value == matrix.lower() and left_indices(tokens)
        if any(n.value == matrix for n, _, _ in elements) or is_left:
            return False
    return small == 0 and below > 0 and whole > 0


def _is_shaped(name: str, prose: Sequence[Sequence[Token]]) -> bool:
    """Whether the prose says what the letter is an element of."""
    return any(
        any(t.type == "IN" for t in tokens) and tokens[0].value == name
        for tokens in prose
        if tokens
    )


def _count(inner: Sequence[Token]) -> int:
    """How many letters a subscript has; 0 where it has others than letters."""
    letters = [t for t in inner if t.type != "COMMA"]
    return len(letters) if all(t.type == "NAME" and len(t.value) == 1 for t in letters) else 0
