r"""What stands between the equality signs of a definition, brought to one right side.

z_c = F(u_c) = ..           the function that an author names in between is passed over
P = a + b = \sum_i x_i      two formulas for one thing: the one with sums is read, or that needs no shapes, or the first
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.calls import calls_in, listed
from tadc.syntax.tex.commands import FUNCTION_LETTERS, UNKNOWN, words
from tadc.syntax.tex.diagonals import AXES
from tadc.syntax.tex.script_tokens import Guess, bound_names, scripted
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = [
    "is_about_probabilities",
    "sides_of",
    "with_single_right_sides",
    "without_named_functions",
]


def with_single_right_sides(
    definitions: Sequence[Statement],
    declared: Set[str],
    functions: Set[str],
    guesses: list[Guess],
) -> list[Statement]:
    """The definitions with one right side each; a chain that may define several things is left. The document defines `functions`."""
    return [
        _with_single_right_side(
            d, _names_in([o for o in definitions if o is not d]), declared, functions, guesses
        )
        if len(sides_of(d.tokens)[1]) > 1
        else d
        for d in definitions
    ]


def sides_of(tokens: Sequence[Token]) -> tuple[list[list[Token]], list[Token]]:
    """What stands between the equality signs outside of brackets, and the signs."""
    sides: list[list[Token]] = [[]]
    signs: list[Token] = []
    for token, depth in depths(tokens):
        if depth == 0 and token.type in ("EQ", "DEF", "APPROX"):
            sides.append([])
            signs.append(token)
        else:
            sides[-1].append(token)
    return sides, signs


def without_named_functions(
    definitions: Sequence[Statement], others: Set[str], functions: Set[str]
) -> list[Statement]:
    r"""The definitions without those that only say of which function something is the value, `y = g(x; \theta)`, with a `g` that is
    none of the document's `functions`, where what they define is given elsewhere: `others`, or elements that another one defines.
    """
    elements = {d.target for d in definitions if not d.is_scalar}
    return [
        d
        for d in definitions
        if not _is_of_unknown_function(d, functions)
        or not (d.target in others or (d.is_scalar and d.target in elements))
    ]


def _is_of_unknown_function(definition: Statement, functions: Set[str]) -> bool:
    """Whether the right side is one application of a letter for functions, or of a word, that nothing defines."""
    sides, _ = sides_of(definition.tokens)
    if len(sides) != 2 or not sides[1] or not _is_head(sides[1]):
        return False
    name = sides[1][0]
    is_word = name.type == "NAME" and name.note == "upright" and len(name.value) > 1
    parts = [part for call in calls_in(sides[1])[:1] for part in listed(call.inner)]
    is_of_elements = len(parts) > 1 and all(_is_indexed(part) for part in parts)
    is_function = is_word or is_of_elements or name.value in FUNCTION_LETTERS
    return name.value not in functions and is_function


def _is_indexed(part: Sequence[Token]) -> bool:
    r"""Whether it is an element such as the `s_{i-1}` of `a(s_{i-1}, h_j)`."""
    return len(part) > 1 and part[1].type == "SUB" and _is_element(part)


def is_about_probabilities(definition: Statement) -> bool:
    r"""Whether the right side has the `p(y_i \mid x_i, \theta)` of a model: a conditional of more than indices, which is no element."""
    if definition.kind != "definition":
        return False
    bound = bound_names(definition.tokens)
    for call in calls_in(definition.right):
        parts = listed([replace(t, type="COMMA") if t.type == "GIVEN" else t for t in call.inner])
        is_conditional = any(t.type == "GIVEN" for t, depth in depths(call.inner) if depth == 0)
        are_indices = all(len(p) == 1 and p[0].value in bound for p in parts)
        if is_conditional and not are_indices and len(call.name.value) == 1:
            return True
    return False


def _names_in(definitions: Sequence[Statement]) -> set[str]:
    return {t.value for d in definitions for t in d.tokens if t.type == "NAME"}


def _with_single_right_side(
    definition: Statement,
    elsewhere: Set[str],
    declared: Set[str],
    functions: Set[str],
    guesses: list[Guess],
) -> Statement:
    sides, signs = sides_of(definition.tokens)
    if any(_may_separate(t) for side in sides[1:] for t, depth in depths(side) if depth == 0):
        return definition
    others = [side for side in sides[1:] if not _is_same_in_other_order(side, sides[0])]
    formulas = [side for side in others if not _is_head(side) and not _is_abstract(side)]
    if not formulas:
        formulas = [side for side in sides[1:] if _is_sigmoid_of_formula(side)]
    if len(formulas) == 1:
        return replace(definition, tokens=(*sides[0], signs[0], *formulas[0]))
    known = declared | {name.partition("_")[0] for name in declared}
    known |= bound_names(definition.tokens)
    chosen = _chosen(formulas, elsewhere, known, functions)
    if chosen is None:
        return definition
    text = "the sides of the equation are equal, and one of them is read"
    guesses.append(Guess(text, chosen[0].start, chosen[-1].end))
    return replace(definition, tokens=(*sides[0], signs[0], *chosen))


def _is_same_in_other_order(side: Sequence[Token], left: Sequence[Token]) -> bool:
    r"""Whether it is the `\rho_{ji}` of `\rho_{ij} = \rho_{ji} = ..`, which says that the tensor is symmetric."""
    first, second = (
        [(name, inner) for name, _, inner in scripted(tokens, "SUB")][:1] for tokens in (left, side)
    )
    if not first or not second or len(left) != len(side) or not _is_element(side):
        return False
    (name, below), (other, permuted) = first[0], second[0]
    letters = [t.value for t in below if t.type == "NAME"]
    same = sorted(letters) == sorted(t.value for t in permuted if t.type == "NAME")
    return name.value == other.value == left[0].value and len(letters) > 1 and same


def _chosen(
    formulas: Sequence[list[Token]], elsewhere: Set[str], known: Set[str], functions: Set[str]
) -> list[Token] | None:
    """The formula that is read, of several: one that reads nothing but what is `known` first. None where one is a number, or a name
    that other formulas read, so that the chain defines more than one thing.
    """
    if any(not side or [t.type for t in side] == ["NUM"] for side in formulas):
        return None
    composed = [side for side in formulas if not _is_element(side)]
    if any(side[0].value in elsewhere for side in formulas if side not in composed):
        return None
    return min(
        composed,
        key=lambda side: (
            not {t.value for t in side if t.type == "NAME"} <= known,
            _names_function(side, functions),
            _only_names(side),
            _has_components(side),
            not _has_sum(side),
            _of_vectors(side),
        ),
        default=None,
    )


def _has_components(side: Sequence[Token]) -> bool:
    r"""Whether it is written in components, `(v_{ix} - w_{ix})^2 + ..`, of what another side has as vectors."""
    bound = bound_names(side)
    return any(
        len(letters) > 1 and letters[-1] in AXES - bound
        for _, _, inner in scripted(side, "SUB")
        for letters in [[t.value for t in inner if t.type == "NAME"]]
    )


def _only_names(side: Sequence[Token]) -> bool:
    r"""Whether it is `\mathcal{L}_c + \mathcal{L}_o`, parts with names that the sides behind it write out."""
    kinds = {t.type for t in side}
    below = {t.type for _, _, inner in scripted(side, "SUB") for t in inner}
    is_sum = bool(kinds & {"PLUS", "MINUS"}) and kinds <= _OF_NAMES
    return is_sum and below <= {"NAME"}


_OF_NAMES = words("NAME SUB LBRACE RBRACE PLUS MINUS")


def _is_sigmoid_of_formula(side: Sequence[Token]) -> bool:
    r"""Whether it is `\sigma(W_2 f(x))`, of more than the arguments of a function that it could name."""
    inner = side[2:-1]
    is_sigmoid = bool(side) and side[0].type == "NAME" and side[0].value == "sigma"
    is_formula = not all(
        [t.type for t in part][:1] == ["NAME"] and _is_element(part) for part in listed(inner)
    )
    return is_sigmoid and is_formula and not _names_function(inner, frozenset())


def _names_function(side: Sequence[Token], functions: Set[str]) -> bool:
    r"""Whether it has the `g(z, W)` or `f(x_i)` of a function that it only names, none of these."""
    return any(
        call.name.value in FUNCTION_LETTERS - functions and _are_arguments(listed(call.inner))
        for call in calls_in(side)
    )


def _are_arguments(parts: Sequence[Sequence[Token]]) -> bool:
    """Whether these are plain names, or one element."""
    are_elements = all(bool(p) and _is_element(p) for p in parts)
    return are_elements and (len(parts) == 1 or all(len(p) == 1 for p in parts))


def _is_element(side: Sequence[Token]) -> bool:
    """Whether it is a name with its scripts, and nothing else."""
    return side[0].type == "NAME" and behind_scripts(side, 1, closing_brackets(side)) == len(side)


def _has_sum(side: Sequence[Token]) -> bool:
    return any(t.type == "RED" for t in side)


def _of_vectors(side: Sequence[Token]) -> int:
    """How many signs it has that need shapes."""
    return sum(t.type in _SIGNS for t in side)


_SIGNS = words("TOP NORM_L ANGLE_L ODOT")


def _may_separate(token: Token) -> bool:
    r"""Whether it may stand between two equations: an arrow, or a command that is not known, `x = a \leadsto y = b`."""
    is_unknown = token.type == "ERROR" and token.value.endswith(UNKNOWN)
    return token.type == "ARROW" or is_unknown


def _is_abstract(side: Sequence[Token]) -> bool:
    r"""Whether it has what no formula of tensors has: an expectation, a derivative, or a conditional such as `p(y \mid x)`."""
    given = (t for call in calls_in(side) for t, depth in depths(call.inner) if depth == 0)
    return any(t.type in _ABSTRACT for t in side) or any(t.type == "GIVEN" for t in given)


_ABSTRACT = words("ERROR PROPTO PARTIAL NABLA")


def _is_head(side: Sequence[Token]) -> bool:
    r"""Whether it is `F(u_c)` or `c(K, V, s)_{i,j}`, the name of a function that is not defined by this."""
    closing = closing_brackets(side)
    in_brackets = bool(side) and side[0].type == "LPAR" and 0 in closing
    if not side or not (in_brackets or side[0].type in ("NAME", "ERROR", "SOFTMAX")):
        return False
    place = closing[0] + 1 if in_brackets else behind_scripts(side, 1, closing)
    if place >= len(side) or side[place].type not in ("LPAR", "LSQB") or place not in closing:
        return False
    return behind_scripts(side, closing[place] + 1, closing) == len(side)
