r"""The indices that a list on a left side names: `h` in `\hat\gamma(h) =`, `p` and `q` in `k(x_p, x_q) =`, `i` in `A(q_i, K, V) =`."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import zip_longest

from tadc.syntax.tex.calls import calls_in, listed
from tadc.syntax.tex.commands import GREEK
from tadc.syntax.tex.names import closing_braces, limit_names
from tadc.syntax.tex.script_tokens import bound_names, has_style, scripted
from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = [
    "COUNTED",
    "alone_in_brackets",
    "below_elements",
    "function_of_value",
    "indices_in",
    "names_in_subscripts",
    "unclear_index",
    "unclear_parameter",
]


def indices_in(
    arguments: Sequence[Token],
    right: Sequence[Token],
    known: set[str],
    tensors: Set[str],
    labels: Set[str],
) -> list[Token]:
    r"""The indices that an argument list names: `h` that the right side has in subscripts, `p` and `q` of `x_p, x_q`, and `i` and
    `c` of `F_{i,c} \mid \gamma_{i,c}`.
    """
    parts = listed([replace(t, type="COMMA") if t.type == "GIVEN" else t for t in arguments])
    parts = _without_variables(parts)
    hidden = alone_in_brackets(right) & bound_names(right)  # by sums over the same letter
    in_subscripts = (names_in_subscripts(right) | known | hidden) - tensors
    in_subscripts -= _parameters_of_functions(right) - known
    if all(len(p) == 1 and p[0].type == "NAME" for p in parts):
        names = [p[0] for p in parts]
        indices = [t for t in names if t.value in in_subscripts and t.note != "bold"]
        if len(indices) == len(names):
            return indices
        before = [t.value for t in itertools.takewhile(lambda t: t.value != ";", arguments)]
        are_told = [t.value for t in indices] == [n for n in before if n != ","]  # `f(k; s, N)`
        are_clear = all(map(_is_letter, indices)) and (
            are_told or not _numbers_beside(names, indices, right)
        )
        return indices if are_clear else []
    elements: dict[tuple[str, ...], list[Token]] = {}
    for part in parts:
        kinds = [t.type for t in part]
        if kinds == ["NAME", "LPAR", "NAME", "RPAR"]:  # `\Psi[x(n)]`
            elements[(part[2].value,)] = [part[2]]
            continue
        if kinds == ["NAME"] and (part[0].value in labels or _is_whole(part[0], in_subscripts)):
            continue  # the `q` of `sim(d_j, q)`, where `w_q` is declared
        if kinds[:3] != ["NAME", "SUB", "LBRACE"] or kinds[-1] != "RBRACE":
            return []
        if not {*kinds[3:-1]} <= {"NAME", "COMMA"}:
            return []
        below = [t for t in part[3:-1] if t.type == "NAME"]
        letters = tuple(t.value for t in below)
        if letters in elements and len(letters) < 2 and not {*letters} <= known:
            return []
        elements[letters] = below
    indices = [t for below in elements.values() for t in below]
    distinct = {t.value for t in indices}
    return indices if len(distinct) == len(indices) and distinct <= in_subscripts else []


def _parameters_of_functions(right: Sequence[Token]) -> set[str]:
    r"""The Greek letters that stand below functions alone, the `\theta` of `L(\theta) = \sum_i \log p_\theta(x_i)`."""
    below = Counter(t.value for call in calls_in(right) for t in call.below if t.value in GREEK)
    every = Counter(t.value for t in right if t.value in GREEK)
    return {n for n, count in below.items() if count == every[n]}


def _numbers_beside(
    names: Sequence[Token], indices: Sequence[Token], right: Sequence[Token]
) -> set[str]:
    r"""The names of a list that the right side has as values: the `x` of `f(x, k) = x w_k`, but no Greek letters, which are parameters."""
    pairs = zip_longest(right, right[1:])
    values = {
        t.value for t, after in pairs if t.type == "NAME" and (after is None or after.type != "SUB")
    }
    return {t.value for t in names if t not in indices and t.value in values - GREEK}


def _is_letter(name: Token) -> bool:
    r"""Whether it is the `k` of `P(k, \theta) = \theta e^{z_k}`: beside it a list may have what is no index."""
    return len(name.value) == 1 and name.value.islower()


def _without_variables(parts: Sequence[list[Token]]) -> list[list[Token]]:
    r"""The parts with `k` for the `y = k` of `P(y = k \mid x)`, with `i` and `k` for `y_i = k`, of which `x_i` says nothing more, and with
    `j` for `h_j = 1`.
    """
    result: list[list[Token]] = []
    known: set[str] = set()
    for part in parts:
        place = next((n for n, t in enumerate(part) if t.type == "EQ"), None)
        kinds = [t.type for t in part[place + 1 :]] if place is not None else []
        below = [t for t in part[1:place] if t.type == "NAME"]
        if kinds not in (["NAME"], ["NUM"]) or (kinds == ["NUM"] and not below):
            result.append(part)
            continue
        known |= {t.value for t in below}
        result += [[t] for t in (*below, part[-1]) if t.type == "NAME"]
    return [
        p for p in result if len(p) == 1 or not known or not {t.value for t in p[3:-1]} <= known
    ]


_INTEGERS = frozenset("ijklmnpq")
COUNTED = _INTEGERS | {"t"}


def names_in_subscripts(tokens: Sequence[Token]) -> set[str]:
    """The names in subscripts, in brackets that hold indices, and in limits that the limits do not bind themselves."""
    closing = closing_braces(tokens)
    names: set[str] = set()
    bound: set[str] = set()
    bounds_end = 0  # behind what stands above a reduction: letters below a size are labels
    for place, token in enumerate(tokens[:-1]):
        if token.type == "SUP" and tokens[closing.get(place + 1, 0)].note == "RED":
            bounds_end = closing[place + 1]
        if token.type == "SUB" and place + 1 in closing and place >= bounds_end:
            inside = {t.value for t in tokens[place + 2 : closing[place + 1]] if t.type == "NAME"}
            names |= inside
            if tokens[place - 1].type == "RED":
                bound.update(limit_names(tokens, place + 1, closing))
    all_closing = closing_brackets(tokens)
    for place, token in enumerate(tokens[:-1]):
        end = all_closing.get(place + 1, 0)
        if token.type == "NAME" and tokens[place + 1].type in ("LPAR", "LSQB") and end < place + 20:
            inner = tokens[place + 2 : end]
            inside = {t.value for t in inner if t.type == "NAME"}
            is_index = {t.type for t in inner} <= {"NAME", "NUM", "PLUS", "MINUS", "COMMA"}
            if is_index and (inside & bound or tokens[place + 1].type == "LSQB"):
                names |= inside
    return (names | _points_of_maps(tokens, all_closing, bound)) - bound


def _points_of_maps(tokens: Sequence[Token], closing: dict[int, int], bound: set[str]) -> set[str]:
    """The `i` and `j` of each `X_c(i, j)` with a `c` that a sum binds, if they are letters of integers."""
    found: set[str] = set()
    for place, token in enumerate(tokens[:-1]):
        end = closing.get(place + 2, 0) if tokens[place + 1].type == "SUB" else 0
        if token.type != "NAME" or closing.get(end + 1, 0) <= end or tokens[end + 1].type != "LPAR":
            continue
        below = {t.value for t in tokens[place + 2 : end] if t.type == "NAME"}
        inner = tokens[end + 2 : closing[end + 1]]
        letters = {t.value for t in inner if t.type == "NAME"}
        if below & bound and letters <= _INTEGERS and {t.type for t in inner} <= {"NAME", "COMMA"}:
            found |= letters
    return found


def alone_in_brackets(tokens: Sequence[Token]) -> set[str]:
    """The `t` of `b_j(t)`."""
    triples = zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False)
    return {
        name.value
        for base, opening, name, closing in triples
        if base.type in ("NAME", "RBRACE")
        and (opening.type, name.type, closing.type) == ("LPAR", "NAME", "RPAR")
    }


def below_elements(tokens: Sequence[Token], indices: Set[str]) -> set[str]:
    r"""The `t` of each `\alpha_t(i)` with one of the indices in its bracket."""
    return {
        t.value
        for call in calls_in(tokens)
        if indices & {t.value for t in call.inner}
        for t in call.below
        if t.type == "NAME"
    }


def _is_whole(name: Token, in_subscripts: Set[str]) -> bool:
    """Whether a name in a list beside elements is a tensor or a parameter: a capital, bold or Greek letter that is no index."""
    is_other = name.value.isupper() or name.note == "bold" or len(name.value) > 1
    return is_other and name.value not in in_subscripts


def unclear_parameter(arguments: Sequence[Token], right: Sequence[Token]) -> Token | None:
    r"""The error of a `k` in the list of `f(x, k) = x w_k`, which stands below names alone: the element for one `k`, or an index?"""
    parts = listed([replace(t, type="COMMA") if t.type == "GIVEN" else t for t in arguments])
    names = [p[0] for p in parts if [t.type for t in p] == ["NAME"]]
    below = names_in_subscripts(right)
    indices = [t for t in names if t.value in below and t.value in COUNTED]
    inside = {id(t) for _, _, inner in scripted(right, "SUB") for t in inner}
    values = {t.value for t in right if id(t) not in inside}
    indices = [t for t in indices if t.value not in values]
    if len(names) < len(parts) or not indices or not _numbers_beside(names, indices, right):
        return None
    letter = indices[0]
    fact = f"`{letter.value}` stands in the list on the left side, and below names on the right: is it an index?"
    fix = f"write an index below the name, `y_{{{letter.value}}}(..) = ..`, or leave out the list"
    return Token("ERROR", fact, letter.start, letter.end, fix)


def unclear_index(arguments: Sequence[Token], right: Sequence[Token]) -> Token | None:
    r"""The error of an `i` in a list of elements, `E(r_i) = \sum_{i < j}`, which a condition on the right would bind: for each `i`, or over all?"""
    related = {*_related(right)}
    for part in listed(arguments):  # not the `\{s_i\}` of all elements
        is_element = [t.type for t in part[:3]] == ["NAME", "SUB", "LBRACE"]
        is_plain = is_element and part[-1].type == "RBRACE" and not has_style(part[0])
        for letter in part[3:-1] if is_plain else ():
            if letter.type == "NAME" and letter.value in related:
                i = letter.value
                fact = f"`{i}` stands in the list on the left side and in a condition below a sum: one value for each `{i}`, or the sum over all of them?"
                fix = f"write the index below the name for the first, `y_{i} = ..`, and no list for the second"
                return Token("ERROR", fact, letter.start, letter.end, fix)
    return None


def _related(tokens: Sequence[Token]) -> Iterator[str]:
    """The names in conditions below reductions."""
    closing = closing_braces(tokens)
    for place, token in enumerate(tokens[:-2]):
        if token.type == "RED" and tokens[place + 1].type == "SUB" and place + 2 in closing:
            inner = tokens[place + 3 : closing[place + 2]]
            if any(t.type == "REL" for t in inner):
                yield from (t.value for t in inner if t.type == "NAME")


def function_of_value(arguments: Sequence[Token]) -> Token | None:
    r"""The error of `f(x_i + h) = g_i`, which says what a function is at a value, and defines neither the function nor a number."""
    parts = listed(arguments)
    signs_of_values = _ARITHMETIC if len(parts) == 1 else {"PLUS"}  # `C(c, \lambda / \mu) =`
    for part in parts:
        signs = [t for t, depth in depths(part) if depth == 0 and t.type in signs_of_values]
        has_factor = len(parts) == 1 and [t.type for t in part[:2]] == ["NUM", "NAME"]
        if (signs or has_factor) and any(t.type == "NAME" for t in part):
            fact = "the left side is a function at a value, and defines no tensor"
            fix = "write the function of a letter, `f(x) = ..`, or a name for what is computed, `y_i = ..`"
            return Token("ERROR", fact, part[0].start, part[-1].end, fix)
    return None


_ARITHMETIC = frozenset(("PLUS", "CDOT", "SLASH"))
