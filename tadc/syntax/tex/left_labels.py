r"""Left sides whose subscripts are labels: the left side of a definition is a name, where its letters are no indices.

E_x \approx E_{i+1,j} - E_{ij}       nothing on the right side has an `x`, and it reads moved elements
\mu_p = \sum_i w_i \mu_i             with an index `p` it would read itself
P_c = \sum_i a_i p_i                 a letter that stands nowhere else, and is no usual index

Rules are tried in their order; those for several letters are in `left_letters`, those for lengths of sums in `left_lengths`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Set
from dataclasses import replace
from itertools import zip_longest
from typing import TypeAlias

from tadc.syntax.tex.commands import GREEK
from tadc.syntax.tex.defined_labels import with_defined_labels
from tadc.syntax.tex.diagonals import AXES
from tadc.syntax.tex.intercepts import first_of_sums
from tadc.syntax.tex.left_lengths import (
    with_count,
    with_length,
    with_length_of_read,
    with_size_beside_number,
)
from tadc.syntax.tex.left_letters import (
    with_absent,
    with_axes,
    with_component,
    with_numbers,
    with_tensors,
)
from tadc.syntax.tex.left_naming import (
    ELEMENT,
    NO_INDICES,
    STRONG,
    SUMS,
    Naming,
    ends_at,
    has_range,
    has_whole_list,
    is_free_element,
    reads_itself,
)
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import (
    bound_names,
    has_style,
    left_indices,
    scripted,
    with_label,
)
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.told_letters import TOLD

__all__ = ["with_named_left_sides"]

_Rule: TypeAlias = Callable[[Naming, Statement], Statement | None]
_PARAMETERS = frozenset("abcdefghpq")  # letters of numbers, below a function


def with_named_left_sides(naming: Naming) -> list[Statement]:
    """The definitions with names for left sides that bind nothing."""
    before = -1
    while before < len(naming.labelled):  # `\mu_x` of another definition is no element
        before = len(naming.labelled)
        naming.look()
        naming.definitions = [_with_label(naming, d) for d in naming.definitions]
        naming.definitions = with_defined_labels(naming)
    return list(naming.definitions)


def _with_label(naming: Naming, definition: Statement) -> Statement:
    if definition.tokens[0].note == TOLD:
        return definition
    for rule in _RULES:
        named = rule(naming, definition)
        if named is not None:
            return named
    return definition


# ---------------------------------------------------------------------- one letter


def _with_parameter(naming: Naming, definition: Statement) -> Statement | None:
    r"""`\hat{f}_h(x) = ..` and `L_\lambda = ..` as one name, where the right side has the letter as a number alone."""
    tokens, equal = definition.tokens, definition.equal
    if [t.type for t in tokens[:5]] != ELEMENT:
        return None
    letter = tokens[3].value
    has_list = tokens[5].type == "LPAR"
    is_declared = letter in naming.scalars
    is_parameter = letter in GREEK or is_declared or (has_list and letter in _PARAMETERS)
    right = tokens[equal:]
    counting = {
        id(t)
        for _, _, inner in scripted(right, "SUP")
        if [t.type for t in inner] == ["LPAR", "NAME", "RPAR"]
        for t in inner
    }
    is_read = any(  # not the index of `E^{(\mu)}`
        (t.value == letter and id(t) not in counting) or t.value.endswith(f"_{letter}")
        for t in right
    )
    is_plain = tokens[0].value not in naming.declared and not has_range(definition, letter)
    if not (is_parameter and is_read and is_plain and (has_list or equal == 5)):
        return None
    is_below = naming.survey.is_below_others(letter, definition.target)
    if (is_below and not is_declared) or letter in bound_names(right):
        return None
    why = f"the right side has `{letter}` as a number"
    return naming.with_labels(definition, [tokens[3]], 4, why)


def _with_lone_number(naming: Naming, definition: Statement) -> Statement | None:
    r"""`M_0 = ..` as a number beside the `M_{ij}`, which have more subscripts, or beside the `M_i` of a document that counts from 1."""
    tokens = definition.tokens
    kinds = [t.type for t in tokens[:5]]
    if kinds != ["NAME", "SUB", "LBRACE", "NUM", "RBRACE"] or definition.equal != 5:
        return None
    read = naming.survey.read_below.get(tokens[0].value, [])
    others = [sum(t.type == "NAME" for t in inner) for _, inner in read]
    is_before = tokens[3].value == "0" and first_of_sums(naming.definitions) == 1
    if not others or (min(others) < 2 and not is_before):
        return None
    name = with_label(tokens[0], [replace(tokens[3], type="NAME")], tokens[4].end)
    text = f"`{name.value}` is a number, and no element of `{tokens[0].value}`"
    naming.say(text, tokens[0].start, tokens[4].end)
    return replace(definition, tokens=(name, *tokens[5:]))


def _with_next_step(naming: Naming, definition: Statement) -> Statement | None:
    r"""`w_{t+1} = \sum_k n_k w_k` as one name, where no right side has a `t`."""
    tokens = definition.tokens
    kinds = [t.type for t in tokens[:7]]
    signs = [[*ELEMENT[:4], sign, "NUM", "RBRACE"] for sign in ("PLUS", "MINUS")]
    if kinds not in signs or definition.equal != 7 or definition.ranges:
        return None
    letter = tokens[3].value
    if naming.survey.reading[letter]:
        return None
    sign = "plus" if kinds[4] == "PLUS" else "minus"
    label = replace(tokens[3], value=f"{letter}_{sign}_{tokens[5].value}")
    return naming.with_labels(definition, [label], 6, f"no right side has `{letter}`")


def _with_constant(naming: Naming, definition: Statement) -> Statement | None:
    r"""`\lambda_s = 0.1`, whose letter is no index of the document."""
    tokens = definition.tokens
    if not is_free_element(definition):
        return None
    name, letter = tokens[0].value, tokens[3].value
    if name in naming.declared or letter not in NO_INDICES:
        return None
    is_number = [t.type for t in definition.right] in (["NUM"], ["MINUS", "NUM"])
    survey = naming.survey
    is_index = survey.summing[letter] > 0 or survey.with_left[letter] > 1
    is_index = is_index or survey.is_below_others(letter, name) or letter in naming.sizes
    return naming.named(definition) if is_number and not is_index else None


def _with_told_letters(naming: Naming, definition: Statement) -> Statement | None:
    r"""`P_s^{(i)} = ..` as the element `i` of `P_s` beside a formula that reads `P_s` and `P_t`, and binds neither `s` nor `t`."""
    tokens = definition.tokens
    if [t.type for t in tokens[:5]] != ELEMENT or not ends_at(tokens, 5, definition.equal):
        return None
    base, letter = tokens[0].value, tokens[3].value
    if base in naming.declared or letter not in NO_INDICES or has_range(definition, letter):
        return None
    read: dict[int, set[str]] = {}
    for d, inner in naming.survey.read_below.get(base, []):
        is_one = [t.type for t in inner] == ["NAME"] and inner[0].value in NO_INDICES
        if is_one and inner[0].value not in bound_names(d.tokens):
            read.setdefault(d.start, set()).add(inner[0].value)
    are_two = any(letter in letters and len(letters) > 1 for letters in read.values())
    return (
        naming.named(definition, "formulas read it beside others, and bind no such letter")
        if are_two
        else None
    )


def _is_of_elements(naming: Naming, name: str) -> bool:
    r"""Whether it is the declared `g_i[N]`, or `n_s[N]` beside a declared number `n`: the elements of a tensor, whose letter is an index."""
    base, _, letter = name.rpartition("_")
    is_tensor = name not in naming.scalars | naming.sizes
    return is_tensor and (letter in _COUNTS or base in naming.scalars)


_COUNTS = frozenset("ijkl")


def _with_known_label(naming: Naming, definition: Statement) -> Statement | None:
    r"""`\bar{Q}_o = ..` and `f_o(x) = ..` beside a declared `Q_o`, where nothing binds the `o`."""
    tokens = definition.tokens
    is_whole = ends_at(tokens, 5, definition.equal) or has_whole_list(definition)
    if [t.type for t in tokens[:5]] != ELEMENT or not is_whole:
        return None
    letter = tokens[3].value
    is_known = any(
        name.endswith(f"_{letter}") and not _is_of_elements(naming, name)
        for name in naming.declared
    )
    is_free = not definition.ranges and not naming.survey.summing[letter]
    return naming.named(definition) if is_known and is_free else None


def _below_number(naming: Naming, definition: Statement) -> Statement | None:
    r"""`v_a = ..` beside a `v` that is declared without dimensions, whose right side has no `a`."""
    tokens = definition.tokens
    if [t.type for t in tokens[:5]] != ELEMENT or not ends_at(tokens, 5, definition.equal):
        return None
    name = tokens[0].value
    is_defined = naming.survey.scalars[name] > 0 and name not in naming.declared
    is_number = name in naming.scalars or is_defined
    is_absent = tokens[3].value not in {t.value for t in definition.right}
    return naming.named(definition) if is_number and is_absent else None


def _with_lone_sum(naming: Naming, definition: Statement) -> Statement | None:
    r"""`L_k = -\frac{1}{N} \sum_{xyc} ..`, a sum without a `k`, where nothing reads the `L` at an index: with a `k` to run over, each of
    its elements would be the same.
    """
    tokens = definition.tokens
    if not (is_free_element(definition) or has_whole_list(definition)) or not _has_sum(definition):
        return None
    base, letter = tokens[0].value, tokens[3].value
    if base in naming.declared or letter in naming.sizes or letter in STRONG:
        return None
    right = {t.value for t in definition.right}
    is_absent = letter not in right and not any(n.endswith(f"_{letter}") for n in right)
    read = naming.survey.read_below.get(base, [])
    is_bound = naming.survey.binding[letter] > (letter in bound_names(tokens))
    is_lone = is_absent and not is_bound
    are_own = all([t.value for t in inner] == [letter] for _, inner in read)
    return naming.named(definition) if is_lone and are_own else None


def _of_numbers(naming: Naming, definition: Statement) -> Statement | None:
    r"""`E_o = \gamma (e_s - e_a)`, where no index is bound: with an `o` to run over, each element would be the same, and nothing would
    be what the other letters run over.
    """
    tokens = definition.tokens
    is_open = is_free_element(definition) and tokens[0].value not in naming.declared
    if not is_open or _has_sum(definition):
        return None
    letter = tokens[3].value
    right = {t.value for t in definition.right}
    is_elsewhere = naming.survey.with_name[letter] > 1 or letter in right | naming.sizes
    is_read = tokens[0].value in naming.survey.read_below
    is_label = letter in NO_INDICES | {*"klmn"} or letter.isupper()  # `V_m = \frac{RT}{F} ..`
    is_lone = is_label and not is_elsewhere and not is_read and bool(right - {"", "0"})
    return naming.named(definition) if is_lone else None


def _with_function(naming: Naming, definition: Statement) -> Statement | None:
    r"""`L_D = \frac{1}{m} \sum_i D(x_i)`, whose letter is a function that the right side applies."""
    if not is_free_element(definition) or definition.tokens[0].value in naming.declared:
        return None
    letter = definition.tokens[3].value
    is_applied = any(t.type == "CALLED" and t.value == letter for t in definition.right)
    return naming.named(definition, f"`{letter}` is a function") if is_applied else None


def _with_letter(naming: Naming, definition: Statement) -> Statement | None:
    """What has one letter below it that the right side has not, and is no tensor otherwise."""
    may_be = _may_be_label(definition, naming.scalars, naming.survey.lefts.keys())
    if not may_be and not _is_one_of_two(definition):
        return None
    is_moving = _is_moving(definition) or reads_itself(definition)
    is_number = definition.tokens[3].value in naming.scalars
    is_number |= _is_one_of_several(naming, definition) or _is_one_of_two(definition)
    if not is_moving and not is_number and not _is_only_here(naming, definition):
        return None
    return naming.named(definition)


def _with_label_elsewhere(naming: Naming, definition: Statement) -> Statement | None:
    r"""The `R_h = A / P` of a document that reads `R_h` in another formula, where nothing binds an `h`: no index, a label."""
    tokens = definition.tokens
    is_element = [t.type for t in tokens[:5]] == ELEMENT and ends_at(tokens, 5, definition.equal)
    if (
        not is_element
        or tokens[0].value in naming.declared
        or has_range(definition, tokens[3].value)
    ):
        return None
    base, letter, survey = tokens[0].value, tokens[3].value, naming.survey
    reads = survey.read_below.get(base, [])
    may_be = letter in NO_INDICES - STRONG or letter.isupper()
    are_labels = any([t.value for t in inner] == [letter] for _, inner in reads) and all(
        len(inner) == 1 and inner[0].value not in _bound(d, but=letter if may_be else "")
        for d, inner in reads
    )
    is_read = letter in {t.value for t in definition.right} or survey.summing[letter] > 0
    others = survey.owners.get(letter, set()) - {base}
    if may_be:
        others -= {name for name, letters in survey.lefts.items() if (letter,) in letters}
    if not are_labels or is_read or others:
        return None
    return naming.named(definition, f"nothing binds `{letter}` where it is read")


def _bound(definition: Statement, *, but: str) -> Set[str]:
    r"""The indices of the definition; no letter of a left side `but` that has no range there, the `c` of `T_c = 1 / f_c`."""
    bound = bound_names(definition.tokens)
    is_open = but and but not in bound_names(definition.right) and not has_range(definition, but)
    return bound - {but} if is_open else bound


def _with_unclear_constant(naming: Naming, definition: Statement) -> Statement | None:
    r"""The error of `E_b = k_b \sum_i (r_i - s)^2`: the constant of bonds, or as many numbers as there are of `k`; nothing else has a `b`."""
    tokens = definition.tokens
    if not is_free_element(definition) or not definition.has_reduction:
        return None
    base, letter = tokens[0].value, tokens[3].value
    survey = naming.survey
    owners = survey.owners.get(letter, set())
    is_alone = survey.with_name[letter] == 1 and len(owners) == 1 and letter not in naming.sizes
    if base in naming.declared or letter not in NO_INDICES - STRONG or not is_alone:
        return None
    (owner,) = owners
    front = itertools.takewhile(lambda t: t.type != "RED", definition.right)
    is_factor = [t.value for t in front].count(letter) == 1
    is_plain = all([t.value for t in inner] == [letter] for inner in survey.below[owner])
    if not is_factor or not is_plain or owner in naming.declared:
        return None
    end = tokens[4].end
    fact = f"`{letter}` may be a label, of `{base}` and of `{owner}`, or an index: then there are as many numbers as `{owner}` has"
    extent = "N" if owner != "N" else "M"
    fix = f"for the label write `%!tadc input {owner}_{letter}[]`, for the index `%!tadc input {owner}[{extent}]`"
    error = Token("ERROR", fact, tokens[0].start, end, fix)
    return replace(definition, tokens=(*tokens, error))


_RULES: tuple[_Rule, ...] = (
    with_tensors,
    with_axes,
    with_component,
    with_absent,
    with_count,
    with_numbers,
    _with_parameter,
    _with_lone_number,
    _with_next_step,
    _with_constant,
    _with_told_letters,
    _with_known_label,
    _below_number,
    with_size_beside_number,
    _with_lone_sum,
    _of_numbers,
    with_length_of_read,
    with_length,
    _with_function,
    _with_letter,
    _with_label_elsewhere,
    _with_unclear_constant,
)


# ---------------------------------------------------------------------- what a right side has


def _has_sum(definition: Statement) -> bool:
    return definition.has_reduction or any(t.type in SUMS for t in definition.right)


def _is_one_of_several(naming: Naming, definition: Statement) -> bool:
    r"""Whether it is the `P_L` of `P_L = ..` and `P_F = ..`, one letter with different letters below it."""
    below = naming.survey.lefts.get(definition.target, [])
    is_plain = definition.target not in naming.declared and not definition.ranges
    are_alone = len(left_indices(definition.tokens)) == 1 and all(below)  # beside `R_{sk}`, too
    return is_plain and 1 < len({*below}) == len(below) and are_alone


def _is_only_here(naming: Naming, definition: Statement) -> bool:
    r"""Whether it is `M_u = \sum ..` with an `M` that is no tensor otherwise."""
    base, letter = definition.tokens[0].value, definition.tokens[3].value
    is_word = definition.tokens[0].note == "upright" and len(base) > 1
    is_label = letter.isupper() or (letter in NO_INDICES and _binds_all(naming, definition))
    is_free = base not in naming.declared and not definition.ranges
    right = definition.right
    has_letters = any(t.type == "NAME" for _, _, n in scripted(right, "SUB") for t in n)
    is_number = definition.has_reduction or (letter.isupper() and not has_letters)
    is_sum = is_free and (is_word or is_label) and is_number
    others = naming.survey.below.get(base, [])
    return is_sum and all([t.value for t in inner] == [letter] for inner in others)


def _binds_all(naming: Naming, definition: Statement) -> bool:
    """Whether its reductions bind every letter below a name of the right side, labels aside: no index is missing."""
    right = definition.tokens[definition.equal :]
    letters = Counter(t.value for t in right if t.type == "NAME")
    below = {
        t.value
        for name, _, inner in scripted(right, "SUB")
        if (name.value, *(t.value for t in inner)) not in naming.labelled
        for t in inner
        if t.type == "NAME" and not has_style(t)
        if f"{name.value}_{t.value}" not in naming.declared
        if [letters[name.value], letters[t.value]] != [1, 1]  # the constant `C_s`
    }
    return below <= bound_names(right)


def _may_be_label(definition: Statement, scalars: Set[str], targets: Set[str]) -> bool:
    r"""Whether it is the `x` of `E_x \approx E_{i+1,j} - E_{ij}` or the `u` of `M_u =`: no index of the right side, and no value
    there but a declared number.
    """
    tokens, equal = definition.tokens, definition.equal
    if [t.type for t in tokens[:5]] != ELEMENT:
        return False
    letter = tokens[3].value
    is_whole = equal == 5 or (
        tokens[5].type == "SUP" and closing_braces(tokens).get(6) == equal - 1
    )
    right = tokens[equal:]
    below = [(name, t) for name, _, inner in scripted(right, "SUB") for t in inner]
    labels = {id(t) for name, t in below if f"{name.value}_{t.value}" in targets}
    inside = {t.value for _, t in below if id(t) not in labels}
    pairs = zip_longest(right, right[1:])
    values = {
        t.value
        for t, after in pairs
        if (after is None or after.type != "SUB") and id(t) not in labels
    }
    return is_whole and letter not in inside | (values - scalars)


def _is_one_of_two(definition: Statement) -> bool:
    r"""Whether it is `E_A = f(R_B - R_A)`: capitals, or letters of axes, of which nothing binds the other one; beside them `R_f` may stand in a
    sum over `f`.
    """
    if [t.type for t in definition.tokens[:6]] != [*ELEMENT, "EQ"]:
        return False
    letter = definition.tokens[3].value
    below: dict[str, set[str]] = {}
    for name, _, inner in scripted(definition.right, "SUB"):
        below.setdefault(name.value, set()).add("".join(t.value for t in inner))
    bound = bound_names(definition.right)
    free = (found - bound for found in below.values())
    twins = [found for found in free if letter in found and len(found) > 1]
    if letter in AXES:  # `y_x = u_x^2 + u_y^2`
        return any(found <= AXES for found in twins)
    return letter.isupper() and any(
        all(n.isupper() and len(n) == 1 for n in found) for found in twins
    )


def _is_moving(definition: Statement) -> bool:
    """Whether the right side reads moved elements, `E_{i+1,j}`, and binds no index."""
    right = definition.tokens[definition.equal :]
    if any(t.type == "RED" for t in right):
        return False
    return any(t.type == "PLUS" for _, _, inner in scripted(right, "SUB") for t in inner)
