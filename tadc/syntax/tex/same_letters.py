r"""One letter for a number and for a tensor, or for two tensors: one is named as it is printed.

V = \sum_n V_n                  `V`, and the tensor `V_n`
N_k = \sum_{n=1}^{N} r_{nk}     the size `N`, and the tensor `N_k`
\gamma_{ij} p_j - \gamma_i p_i  the tensor `gamma`, and the tensor `gamma_i`: no document of vectors, where it is a row
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeAlias

from tadc.syntax.tex.left_lists import COUNTED
from tadc.syntax.tex.script_tokens import (
    Guess,
    bound_names,
    left_indices,
    numbers_in_bounds,
    scripted,
)
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import Token

__all__ = ["letters_apart"]

_Place: TypeAlias = tuple[str, Token, int]  # a name with its letters, where it stands, and its end


def letters_apart(
    definitions: Sequence[Statement], ranks: Mapping[str, int], guesses: list[Guess]
) -> list[Statement]:
    """The definitions with other names for one of the two; what is declared with dimensions, by `ranks`, keeps its name."""
    definitions = _as_declared(definitions, ranks)
    definitions = _pairs_apart(definitions, ranks, guesses)
    tensors = {name for name, rank in ranks.items() if rank}
    definitions = _ranks_apart(definitions, tensors, guesses)
    elements: dict[str, str] = {}  # names with subscripts, and those as they are printed
    for d in definitions:
        for name, _, inner in scripted(d.tokens, "SUB"):
            letters = "".join(t.value for t in inner if t.type == "NAME")
            if letters:
                elements.setdefault(name.value, f"{name.value}_{letters}")
    totals = {d.target for d in definitions if _is_total(d)}
    sizes = numbers_in_bounds(d.tokens for d in definitions) - tensors
    taken = {t.value for d in definitions for t in d.tokens if t.type == "NAME"} | tensors
    of_elements = {n: new for n, new in elements.items() if n in (totals | sizes) - tensors}
    of_totals = {n: f"{n}_total" for n in totals & tensors}
    of_elements = {n: new for n, new in of_elements.items() if new not in taken}
    of_totals = {n: new for n, new in of_totals.items() if new not in taken}
    if not of_elements and not of_totals:
        return list(definitions)
    return [
        replace(d, tokens=tuple(_renamed(d.tokens, of_elements, of_totals))) for d in definitions
    ]


def _as_declared(definitions: Sequence[Statement], ranks: Mapping[str, int]) -> list[Statement]:
    """The definitions with the elements `n_{ij}` of a declared `n_ij` of as many dimensions, beside another `n`; the `n_{jk}` are its
    elements, too, unless `i` or `j` is a label, or another one is declared.
    """
    own: dict[tuple[str, int], list[str]] = {}  # names by their letters and numbers of dimensions
    for name, rank in ranks.items():
        base, _, letters = name.rpartition("_")
        if base and len(letters) == rank and {*letters} <= COUNTED:
            own.setdefault((base, rank), []).append(name)
    labelled = {t.value for d in definitions for t in d.tokens if t.type == "NAME"}
    for d in definitions:
        bound = {*bound_names(d.tokens), *(t.value for t in left_indices(d.tokens))}
        labelled |= {
            _with_letters(name, inner)
            for name, _, inner in scripted(d.tokens, "SUB")
            if not {t.value for t in inner if t.type == "NAME"} <= bound
        }
    alone = {key: names[0] for key, names in own.items() if len(names) == 1}
    alone = {key: name for key, name in alone.items() if name not in labelled}

    def renamed(tokens: Sequence[Token]) -> tuple[Token, ...]:
        names = {}
        for name, _, inner in scripted(tokens, "SUB"):
            if ranks.get(name.value):
                continue
            if ranks.get(new := _with_letters(name, inner)) == _count(inner):
                names[id(name)] = new
            elif (name.value, _places(inner)) in alone and new not in ranks:
                names[id(name)] = alone[name.value, _places(inner)]
        return tuple(replace(t, value=names.get(id(t), t.value)) for t in tokens)

    return [replace(d, tokens=renamed(d.tokens)) for d in definitions]


def _with_letters(name: Token, inner: Sequence[Token]) -> str:
    return f"{name.value}_{''.join(t.value for t in inner)}"


def _places(inner: Sequence[Token]) -> int:
    """How many indices stand in a subscript: letters side by side are one each."""
    commas = sum(depth == 0 and t.type == "COMMA" for t, depth in depths(inner))
    return commas + 1 if commas else _count(inner) or 1


def _pairs_apart(
    definitions: Sequence[Statement], ranks: Mapping[str, int], guesses: list[Guess]
) -> list[Statement]:
    r"""The definitions with a name of its own for the tensor of pairs of `\mathbf{r}_{ij} = \mathbf{r}_i - \mathbf{r}_j`, beside the one
    that it is made of, in a document of vectors or where that one is declared.
    """
    taken = {t.value for d in definitions for t in d.tokens if t.type == "NAME"} | {*ranks}
    kinds = {t.type for d in definitions for t in d.tokens}
    has_vectors = bool(kinds & _OF_VECTORS) or any(
        t.note == "bold" for d in definitions for t in d.tokens
    )
    names: dict[str, str] = {}
    for d in definitions:
        base = d.target
        if base in names or base not in _of_pairs([d]) or not (has_vectors or base in ranks):
            continue
        letters = "".join(t.value for t in left_indices(d.tokens))
        new = next(n for n in (f"{base}_{letters}", f"{base}_of_pairs") if n not in taken)
        names[base] = new
        text = f"`{new}` is a tensor of its own, beside `{base}` with one index"
        guesses.append(Guess(text, d.tokens[0].start, d.tokens[0].end))
    if not names:
        return list(definitions)

    def renamed(tokens: Sequence[Token]) -> tuple[Token, ...]:
        pairs = {
            id(name)
            for name, _, inner in scripted(tokens, "SUB")
            if name.value in names and _count(inner) == 2
        }
        return tuple(replace(t, value=names[t.value]) if id(t) in pairs else t for t in tokens)

    return [replace(d, tokens=renamed(d.tokens)) for d in definitions]


def _ranks_apart(
    definitions: Sequence[Statement], tensors: Set[str], guesses: list[Guess]
) -> list[Statement]:
    """The definitions with a name of its own for what has one index below a letter that has two elsewhere."""
    kinds = {t.type for d in definitions for t in d.tokens}
    if kinds & _OF_VECTORS or any(t.note == "bold" for d in definitions for t in d.right):
        return list(definitions)
    found: dict[str, dict[int, _Place]] = {}
    single: dict[str, set[str]] = {}
    for d in definitions:
        for name, _, inner in scripted(d.tokens, "SUB"):
            letters = "".join(t.value for t in inner if t.type == "NAME")
            place = (f"{name.value}_{letters}", name, inner[-1].end if inner else name.end)
            found.setdefault(name.value, {}).setdefault(_count(inner), place)
            if _count(inner) == 1:
                single.setdefault(name.value, set()).add(letters)
    taken = {t.value for d in definitions for t in d.tokens if t.type == "NAME"} | tensors
    names: dict[str, str] = {}
    unclear: dict[str, Token] = {}
    for base, places in found.items():
        ones = single.get(base, set())
        if len(ones) > 1 and base not in _of_pairs(definitions):
            # The `p_i` and the `p_j` of `p_{ij} / (p_i p_j)` are two marginals, or one vector.
            if places.keys() == {1, 2} and not {base, *_declared_as(base, ones)} & tensors:
                unclear[base] = _of_two_ranks(base, sorted(ones), places)
            continue
        if places.keys() == {1, 2} and base not in tensors and places[1][0] not in taken:
            new, name, end = places[1]
            names[base] = new
            text = f"`{new}` is a tensor of its own, beside `{base}` with two indices"
            guesses.append(Guess(text, name.start, end))
    definitions = [replace(d, tokens=tuple(_with_one_index(d.tokens, names))) for d in definitions]
    return [_with_errors(d, unclear) for d in definitions]


def _declared_as(base: str, letters: Set[str]) -> set[str]:
    return {f"{base}_{letter}" for letter in letters}


def _of_two_ranks(base: str, letters: Sequence[str], places: Mapping[int, _Place]) -> Token:
    """The error of a letter with one index, of several, and with two."""
    _, name, end = places[2]
    (first, *_), pair = letters, places[2][0].rpartition("_")[2]
    fact = f"`{base}` stands with two indices, and with one, `{'` and `'.join(letters)}`: these may be elements of one vector, or of several"
    vectors = ", ".join(f"{base}_{letter}[{letter.upper()}]" for letter in letters)
    fix = (
        f"declare the tensors with their letters: `%!tadc input {base}_{first}[N], {base}_{pair}[N, N]` for one vector,"
        f" `%!tadc input {vectors}, {base}_{pair}[N, M]` for several"
    )
    return Token("ERROR", fact, name.start, end, fix)


def _with_errors(definition: Statement, errors: Mapping[str, Token]) -> Statement:
    """The definition with an error behind the first subscript of two indices below one of these names."""
    for name, _, inner in scripted(definition.tokens, "SUB"):
        if name.value in errors and _count(inner) == 2:
            error = replace(errors[name.value], start=name.start, end=inner[-1].end)
            return replace(definition, tokens=(*definition.tokens, error))
    return definition


def _of_pairs(definitions: Sequence[Statement]) -> set[str]:
    r"""The `a` of `a_{ij} = \sqrt{a_i a_j}`, which cannot read itself."""
    return {
        d.target
        for d in definitions
        for name, _, inner in scripted(d.right, "SUB")
        if name.value == d.target and _count(inner) == 1 and len(left_indices(d.tokens)) == 2
    }


_OF_VECTORS = frozenset(("TOP", "NORM", "NORM_L", "ANGLE_L"))


def _count(inner: Sequence[Token]) -> int:
    """How many indices a subscript has; 0 where it has others than letters, or is no list of them."""
    kinds = [t.type for t in inner]
    if {*kinds} <= {"NAME"} or (
        kinds[::2] == ["NAME"] * len(kinds[::2]) and {*kinds[1::2]} == {"COMMA"}
    ):
        return kinds.count("NAME")
    return 0


def _with_one_index(tokens: Sequence[Token], names: Mapping[str, str]) -> list[Token]:
    single = {
        name
        for name, _, inner in scripted(tokens, "SUB")
        if name.value in names and _count(inner) == 1
    }
    return [replace(t, value=names[t.value]) if t in single else t for t in tokens]


def _is_total(definition: Statement) -> bool:
    """Whether a name without subscripts is defined by its elements."""
    right = definition.tokens[definition.equal :]
    reads_itself = any(name.value == definition.target for name, _, _ in scripted(right, "SUB"))
    return definition.is_scalar and reads_itself


def _renamed(
    tokens: Sequence[Token], of_elements: Mapping[str, str], of_totals: Mapping[str, str]
) -> list[Token]:
    with_subscript = {name for name, _, _ in scripted(tokens, "SUB")}
    result: list[Token] = []
    for token in tokens:
        names = of_elements if token in with_subscript else of_totals
        is_other = token.type == "NAME" and token.value in names
        result.append(replace(token, value=names[token.value]) if is_other else token)
    return result
