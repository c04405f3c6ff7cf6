r"""Left sides as papers print them, brought to the form of the grammar, `f_{ij}(a, b) =`.

\hat\gamma(h) =             an index in brackets, where the right side uses it as one
k(x_p, x_q) =               the indices of what the function is applied to
(\nabla u)_{i,j} =          brackets with subscripts are a name
W_{ia} \gets W_{ia} ..      the new value of a tensor is another tensor, unless it is a state
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.brackets import indexed_names
from tadc.syntax.tex.calls import calls_in, listed
from tadc.syntax.tex.definitions import is_integral
from tadc.syntax.tex.integrals import integral
from tadc.syntax.tex.left_lists import (
    COUNTED,
    alone_in_brackets,
    below_elements,
    function_of_value,
    indices_in,
    names_in_subscripts,
    unclear_index,
    unclear_parameter,
)
from tadc.syntax.tex.ranges import said_ranges
from tadc.syntax.tex.script_tokens import (
    Guess,
    bound_names,
    left_indices,
    scripted,
)
from tadc.syntax.tex.sequences import GETS
from tadc.syntax.tex.sides import sides_of, with_single_right_sides
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = [
    "at_points",
    "with_plain_targets",
]


def with_plain_targets(
    definitions: Sequence[Statement],
    states: Set[str],
    ranks: Mapping[str, int],
    functions: Set[str],
    of_tensors: Set[str],
    guesses: list[Guess],
) -> list[Statement]:
    """The definitions with left sides that the grammar reads, and with one right side each. Those of `states` have updates;
    `ranks` are the declared numbers of dimensions, `functions` those that the document defines; `of_tensors` have no index below.
    """
    definitions = with_single_right_sides(definitions, ranks.keys(), functions, guesses)
    indexed = indexed_names(definitions) - functions - ranks.keys()
    tensors = {name for d in definitions for name in _tensors(d)}
    elements = {pair for d in definitions for pair in _elements(d)}
    while True:  # `y(n) = w(n) x(n)` once `w(n)` is known as an element
        result = [
            _with_plain_target(d, indexed, tensors, elements, states, ranks, functions, of_tensors)
            for d in definitions
        ]
        pairs = zip(definitions, result, strict=True)
        found = {new.target for old, new in pairs if old.is_scalar and not new.is_scalar}
        if found <= indexed:
            return result
        indexed |= found


def _tensors(definition: Statement) -> Iterator[str]:
    """The names with an index below them that the definition binds: no indices themselves."""
    bound = bound_names(definition.tokens)
    for name, _, inner in scripted(definition.tokens, "SUB"):
        if any(t.type == "NAME" and t.value in bound for t in inner):
            yield name.value


def _elements(definition: Statement) -> Iterator[tuple[str, str]]:
    """The names with a letter of integers below them on the right side that the left side binds."""
    left = {t.value for t in left_indices(definition.tokens)}
    for name, _, inner in scripted(definition.right, "SUB"):
        yield from ((name.value, t.value) for t in inner if t.value in left & COUNTED)


def _with_plain_target(
    statement: Statement,
    indexed: set[str],
    tensors: Set[str],
    elements: Set[tuple[str, str]],
    states: Set[str],
    ranks: Mapping[str, int],
    functions: Set[str],
    of_tensors: Set[str],
) -> Statement:
    sides, signs = sides_of(statement.tokens)
    if len(sides) < 2:
        return statement
    if len(sides) > 2:
        return _with_plain_chain(statement, sides, signs)
    left, right = _with_declared_arguments(sides[0], ranks), sides[1]
    ranged = {s.name.value for s in said_ranges(statement.ranges) or ()}
    known = (
        ranged | _arguments_of(indexed, right, ranks, functions) | _declared_arguments(left, ranks)
    )
    running = _running_length(left, right, indexed)
    if running and not statement.ranges:
        statement = replace(statement, ranges=running)
        known |= {running[0].value}
    labels = {name.rpartition("_")[2] for name in ranks if "_" in name}
    numbers = {name for name, rank in ranks.items() if rank == 0}
    left = _left(
        left,
        _without_subscripts(right, of_tensors),
        known - numbers,
        tensors | numbers,
        labels,
        elements,
    )
    if left and left[0].type in ("SOFTMAX", "FUNC", "CALLED"):
        left = [replace(left[0], type="NAME", value=left[0].note or left[0].value), *left[1:]]
    sign = signs[0]
    if sign.value in GETS and left and left[0].type == "NAME":
        name = left[0].value
        if name not in states and any(t.type == "NAME" and t.value == name for t in right):
            left = [replace(left[0], value=f"{name}_new"), *left[1:]]
    return replace(statement, tokens=(*left, replace(sign, type="EQ"), *right))


def _with_declared_arguments(left: Sequence[Token], ranks: Mapping[str, int]) -> list[Token]:
    r"""The left side with one name for the `R_c` in the list of `E(R_c) = ..`, where a line declares the number `R_c`: its `c` is no index."""
    start = next((n for n, t in enumerate(left) if t.type in ("LPAR", "LSQB")), len(left))
    result = [*left[:start]]
    place = start
    while place < len(left):
        part = left[place : place + 5]
        is_element = [t.type for t in part] == _ELEMENT
        if is_element and ranks.get(whole := f"{part[0].value}_{part[3].value}") == 0:
            result.append(replace(part[0], value=whole, end=part[4].end))
            place += 5
        else:
            result.append(left[place])
            place += 1
    return result


def _without_subscripts(tokens: Sequence[Token], names: Set[str]) -> Sequence[Token]:
    """The tokens without what stands below these names."""
    dropped = {
        n
        for name, place, inner in scripted(tokens, "SUB")
        if name.value in names
        for n in range(place, place + len(inner) + 3)
    }
    return [t for n, t in enumerate(tokens) if n not in dropped] if dropped else tokens


def _with_plain_chain(
    statement: Statement, sides: Sequence[list[Token]], signs: Sequence[Token]
) -> Statement:
    """The chain with its left side alone in the form of the grammar, which then refuses the chain and nothing else."""
    rest = [t for sign, side in zip(signs[1:], sides[2:], strict=True) for t in (sign, *side)]
    left = _left(sides[0], sides[1], set(), set())
    return replace(statement, tokens=(*left, signs[0], *sides[1], *rest))


# ---------------------------------------------------------------------- the left side


def _arguments_of(
    indexed: set[str], right: Sequence[Token], ranks: Mapping[str, int], functions: Set[str]
) -> set[str]:
    """The letters in lists behind these names, and behind declared ones with room for as many indices: alone, or moved, `L(x + 1, y)`;
    and what stands below those that are declared with room for both.
    """
    found: set[str] = set()
    for call in calls_in(right):
        parts = listed(call.inner)
        kinds = [[t.type for t in part] for part in parts]
        are_letters = all(k == ["NAME"] or (k[:1] == ["NAME"] and k[1:] in _MOVED) for k in kinds)
        if not are_letters or call.is_raised:
            continue
        below = sum(t.type in ("NAME", "NUM") for t in call.below)
        is_indexed = call.name.value in indexed and all(p[0].note != "bold" for p in parts)
        is_indexed = is_indexed and all(len(part) == 1 for part in parts)
        is_moved = len(parts) > 1 and any(len(part) > 1 for part in parts)
        is_moved = is_moved and call.name.value not in functions
        if is_indexed or is_moved or ranks.get(call.name.value, 0) == below + len(parts):
            found |= {part[0].value for part in parts}
        if below and ranks.get(call.name.value, 0) == below + len(parts):
            found |= {t.value for t in call.below if t.type == "NAME"}
    return found


_MOVED = (["PLUS", "NUM"], ["MINUS", "NUM"])


def _running_length(
    left: Sequence[Token], right: Sequence[Token], indexed: Set[str]
) -> tuple[Token, ...]:
    r"""The `k \ge 1` of `y(k) = \sum_{i=1}^{k} B(i)`, of a document that writes indices in brackets."""
    calls = [call for call in calls_in(left) if call.start == 0 and not call.below]
    inner = calls[0].inner if calls else ()
    is_letter = [t.type for t in inner] == ["NAME"] and inner[0].value in COUNTED
    in_brackets = any(call.name.value in indexed for call in calls_in(right))
    if not is_letter or not in_brackets:
        return ()
    (letter,) = inner
    for place in range(len(right)):
        part = right[place : place + len(_RUNNING)]
        if [t.type for t in part] == _RUNNING and part[9].value == letter.value:
            return (letter, Token("REL", ">=", letter.start, letter.end), part[5])
    return ()


_RUNNING = [
    *("RED", "SUB", "LBRACE", "NAME", "EQ", "NUM", "RBRACE"),
    *("SUP", "LBRACE", "NAME", "RBRACE"),
]


def _declared_arguments(left: Sequence[Token], ranks: Mapping[str, int]) -> set[str]:
    """The `u` and `v` of `F(u, v) = ..`, where `F` is declared with as many dimensions; the `p` of `f(x_p, y_p)` with vectors `x` and `y`."""
    calls = [call for call in calls_in(left) if call.start == 0 and not call.below]
    parts = listed(calls[0].inner) if calls else []
    is_list = bool(parts) and all([t.type for t in part] == ["NAME"] for part in parts)
    letters = {part[0].value for part in parts if part}
    is_declared = is_list and ranks.get(left[0].value, 0) == len(parts) == len(letters)
    are_elements = bool(parts) and all(
        [t.type for t in part] == _ELEMENT and ranks.get(part[0].value) == 1 for part in parts
    )
    if are_elements:
        return {part[3].value for part in parts}
    return letters if is_declared else set()


_ELEMENT = ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"]


def _left(
    left: list[Token],
    right: Sequence[Token],
    known: set[str],
    tensors: Set[str],
    labels: Set[str] = frozenset(),
    elements: Set[tuple[str, str]] = frozenset(),
) -> list[Token]:
    """The left side; `known` are letters that are indices for sure, `tensors` those that are none, `labels` parts of declared names;
    `elements` are names with the letters that are indices below them in other formulas.
    """
    left = _subscript_first(_without_braces(left))
    if is_integral(left):  # in other orbitals, if there are some on the right side
        has_others = any(is_integral(right[n : n + len(left)]) for n in range(len(right)))
        return integral(left, "eri_new") if has_others else integral(left)
    if [t.type for t in left[:2]] == ["FUNC", "NAME"]:
        function, name = left[:2]
        left = [
            replace(name, value=f"{function.value}_{name.value}", start=function.start),
            *left[2:],
        ]
    closing = closing_brackets(left)
    if left and left[0].type in ("LPAR", "LSQB") and 0 in closing:
        left = _named_brackets(left, closing[0])
        closing = closing_brackets(left)
    place = behind_scripts(left, 1, closing)
    has_list = place < len(left) and left[place].type in ("LPAR", "LSQB") and place in closing
    if not left or left[0].type not in ("NAME", "SOFTMAX", "FUNC", "CALLED") or not has_list:
        return left
    head, listed = left[:place], left[place + 1 : closing[place]]
    behind = left[closing[place] + 1 :]
    if behind and left[place].type == "LSQB" and behind[0].type == "LPAR":  # `F[v](i)`
        return _left([*head, *behind], right, known, tensors, labels, elements)
    if behind:  # `f(x)_i`
        return [*head, *behind] if len(head) == 1 else left
    if indices := indices_in(listed, right, known, tensors - known, labels):
        if {t.value for t in indices} <= {t.value for t in head[1:]}:
            return head  # `P_{ij}(x_i) =`
        power = next((n for n, t in enumerate(head) if t.type == "SUP"), len(head))
        is_last = power == len(head) or closing_brackets(head).get(power + 1) == len(head) - 1
        end = power if is_last else len(head)  # `\sigma_B^2(k) =`
        return [*_with_indices(head[:end], indices, right, elements, known), *head[end:]]
    listed = [replace(t, type="COMMA") if t.type == "GIVEN" else t for t in listed]
    if (error := unclear_parameter(listed, right)) is not None:
        return [*head, error]
    names = [t for t in listed if t.type == "NAME"]
    is_list = len(listed) % 2 == 1 and names == listed[::2]
    is_used = {t.value for t in names} <= {t.value for t in right if t.type == "NAME"}
    if is_list and is_used:
        return [*head, replace(left[place], type="LPAR"), *listed, replace(left[-1], type="RPAR")]
    error = unclear_index(listed, right) or function_of_value(listed)
    return head if error is None else [*head, error]


def _subscript_first(left: list[Token]) -> list[Token]:
    """`M^2_u` as `M_u^2`: on a left side both are the square of one name."""
    closing = closing_brackets(left)
    if [t.type for t in left[:2]] != ["NAME", "SUP"] or 2 not in closing:
        return left
    end = closing[2] + 1
    if end >= len(left) or left[end].type != "SUB" or end + 1 not in closing:
        return left
    behind = closing[end + 1] + 1
    return [left[0], *left[end:behind], *left[1:end], *left[behind:]]


def _without_braces(left: list[Token]) -> list[Token]:
    return [t for t in left if t.type not in ("LGROUP", "RGROUP")]


def _named_brackets(left: list[Token], end: int) -> list[Token]:
    r"""`(\nabla u)_{i,j}^1` as the element of a tensor `nabla_u_1`; only where there are subscripts."""
    rest = left[end + 1 :]
    if not rest or rest[0].type not in ("SUB", "SUP", "LPAR", "LSQB"):
        return left
    inner = left[1:end]
    inner = _with_joined_subscripts(inner)
    if [t.type for t in inner[:5]] == ["NABLA", "SUP", "LBRACE", "NUM", "RBRACE"]:
        inner = [replace(inner[0], value=f"nabla{inner[3].value}"), *inner[5:]]
    words = [t.value.lstrip("\\") for t in inner if t.type in ("NAME", "NABLA")]
    if not words or any(t.type in ("SUB", "SUP") for t in inner):
        return left
    closing = closing_brackets(rest)
    label = ""
    kept: list[Token] = []
    place = 0
    while place < len(rest) and rest[place].type in ("SUB", "SUP"):
        close = closing.get(place + 1, len(rest) - 1)
        script = rest[place : close + 1]
        if script[0].type == "SUB":
            kept += [script[0], replace(script[1], note="indices"), *script[2:]]
        elif all(t.type in ("NUM", "NAME") for t in script[2:-1]):
            label = "_" + "".join(t.value for t in script[2:-1])
        else:
            return left
        place = close + 1
    name = Token("NAME", "_".join(words) + label, left[0].start, left[end].end)
    return [name, *kept, *rest[place:]]


def _with_joined_subscripts(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with one name for each that has a letter below it."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token, five = tokens[place], tokens[place : place + 5]
        kinds = [t.type for t in five]
        if kinds in (_LABELLED, [*_LABELLED[:3], "NUM", "RBRACE"]):
            token, place = replace(token, value=f"{token.value}_{five[3].value}"), place + 4
        result.append(token)
        place += 1
    return result


_LABELLED = ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"]


def _with_indices(
    head: list[Token],
    indices: Sequence[Token],
    right: Sequence[Token],
    elements: Set[tuple[str, str]],
    known: Set[str],
) -> list[Token]:
    """`k_y` with the indices as its subscript: what stands there already is a label that the right side lacks, or comes first."""
    listed: list[Token] = []
    for token in indices:
        listed += [Token("COMMA", "", token.start, token.start), token]
    kinds = [t.type for t in head]
    if kinds[1:3] == ["SUB", "LBRACE"] and kinds[-1] == "RBRACE" and len(head) > 4:
        letters = [t.value for t in head[3:-1]]
        others = {t.value for t in indices} | alone_in_brackets(right)
        others |= below_elements(right, {t.value for t in indices})
        if len(letters) > 1 or letters[0] in COUNTED:
            others |= names_in_subscripts(right)
        others |= known | {letter for name, letter in elements if name == head[0].value}
        if set(kinds[3:-1]) == {"NAME"} and not others & {*letters}:
            name = replace(head[0], value=f"{head[0].value}_{''.join(letters)}")
            return _with_indices([name], indices, right, elements, known)
        return [*head[:-1], *listed, head[-1]]
    start, end = indices[0].start, indices[-1].end
    sub = Token("SUB", "_", start, start)
    opening = Token("LBRACE", "", start, start, "indices")
    return [*head, sub, opening, *listed[1:], Token("RBRACE", "", end, end, "NAME")]


def at_points(definition: Statement) -> bool:
    r"""Whether its left side is `\rho(\mathbf{r}_g)`, a list of elements."""
    kinds = [t.type for t in definition.tokens[: definition.equal]]
    place = next((n for n, kind in enumerate(kinds) if kind in ("LPAR", "LSQB")), len(kinds))
    return kinds[place + 1 : place + 3] == ["NAME", "SUB"]
