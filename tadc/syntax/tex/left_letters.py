r"""Left sides with several letters below them, of which some are labels.

r_{xy} = \sum_i x_i y_i                 `x` and `y` are tensors of the right side
E_{tot} = T + V                         letters of which the right side has none
\sigma_{xy} = ..                        axes, beside \sigma_{xx}
F_{d,i} = -\sum_j M_{ij} v_j            beside an index, a letter that stands nowhere else
d_{1,i} = \frac{\ln S_i + r}{s}         beside an index, a number, where nothing but numbers stands at this place
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from tadc.syntax.tex.diagonals import AXES
from tadc.syntax.tex.left_naming import (
    NO_INDICES,
    STRONG,
    Naming,
    ends_at,
    is_free_element,
    reads_itself,
)
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names, left_indices, names_in_bounds, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_absent", "with_axes", "with_component", "with_numbers", "with_tensors"]

_GREEK_LABELS = frozenset(
    ("theta", "Theta", "xi", "phi", "Phi", "psi", "pi", "tau", "omega", "eta")
)
_LABELS = NO_INDICES - {*"bt"}  # letters that are labels beside an index: no batch, no time


def with_tensors(naming: Naming, definition: Statement) -> Statement | None:
    r"""`r_{xy} = ..` with `r_xy` as one name, where the right side has tensors `x_i` and `y_i`, and no index `x` or `y`."""
    tokens, equal = definition.tokens, definition.equal
    left = left_indices(tokens)
    closing = closing_braces(tokens).get(2, 0)
    ranged = {t.value for t in definition.ranges} & {t.value for t in left}
    is_whole = ends_at(tokens, closing + 1, equal)
    kinds_behind = [t.type for t in tokens[closing + 1 : closing + 2]]
    is_headed = kinds_behind == ["LPAR"] and tokens[equal - 1].type == "RPAR"
    if not left or not (is_whole or is_headed) or ranged:
        return None
    is_declared = tokens[0].value in naming.declared
    if is_declared and not reads_itself(definition):
        return None
    right = tokens[equal:]
    below = [(name, inner) for name, _, inner in scripted(right, "SUB")]
    keys = [(name.value, *(t.value for t in inner)) for name, inner in below]
    own = [b for b, key in zip(below, keys, strict=True) if key not in naming.labelled]
    bound = bound_names(tokens[equal:])
    tensors = {name.value for name, _ in own}
    tensors |= (naming.declared - naming.scalars - naming.sizes) & {t.value for t in tokens[equal:]}
    labels = {id(inner) for _, inner in own if len(inner) == 1 and inner[0].value in tensors}
    inside = {t.value for _, inner in own if id(inner) not in labels for t in inner} | bound
    letters = {t.value for t in left}
    if len(letters) == 1 < len(left) and not letters <= tensors - inside:
        is_double = definition.has_reduction and not letters & ({*"ij"} | {t.value for t in right})
        if not is_double or tokens[0].value in naming.survey.read_below:
            return None  # a diagonal, `p_{ii} = 0`
    kinds = [t.type for t in tokens[3:closing]]
    are_capitals = all(n.isupper() for n in letters)  # `D_{KL}(p \| q)`
    is_plain = kinds == ["NAME"] * len(left) and len(left) > 1
    is_plain = is_plain and (is_whole or is_headed or are_capitals)
    in_labels = {
        id(t) for b, key in zip(below, keys, strict=True) if key in naming.labelled for t in b[1]
    }
    sizes = names_in_bounds([tokens])  # the `N_A` of `O_{AB} = \sum_{i=1}^{N_A} ..`
    in_labels |= {id(t) for b in below if b[0].value in sizes and are_capitals for t in b[1]}
    names = {t.value for t in tokens[equal:] if id(t) not in in_labels}
    elsewhere = names - (bound & {*letters})
    is_word = is_plain and not letters & (elsewhere if len(left) > 2 else names)
    is_absent = bool((letters & NO_INDICES) - names) and not letters & inside
    is_word |= is_plain and len(left) > 2 and is_absent  # `L_{lmc}` beside a number `m`
    is_word |= _are_parameters(left, tokens[3:closing], inside, tokens[equal:])
    are_tensors = is_whole and letters <= tensors - inside and kinds.count("NAME") == len(left)
    if not (is_word or (are_tensors and not is_declared)):
        return None
    naming.labelled.add((tokens[0].value, *(t.value for t in left)))
    why = "the right side has none of its letters"
    why = why if is_word else "its letters are tensors of the right side"
    return naming.with_labels(definition, left, closing, why)


def with_component(naming: Naming, definition: Statement) -> Statement | None:
    r"""`\dot{M}_z = M_x B_y - M_y B_x - M_z / T` as one name: the letter of an axis beside those of others, which nothing binds."""
    if not is_free_element(definition) or definition.tokens[0].value in naming.declared:
        return None
    letter = definition.tokens[3].value
    below = {
        (name.value, inner[0].value)
        for name, _, inner in scripted(definition.right, "SUB")
        if [t.type for t in inner] == ["NAME"]
    }
    others = {n for _, n in below if n in AXES} - {letter} - bound_names(definition.tokens)
    is_component = any((name, n) in below for name, axis in below if axis == letter for n in others)
    if letter not in AXES or not is_component:
        return None
    return naming.named(definition, "its letter is that of an axis")


def with_axes(naming: Naming, definition: Statement) -> Statement | None:
    r"""`\sigma_{xy} = ..` beside `\sigma_{xx} = ..` as the component `sigma_xy`, where all of `\sigma` that is defined are such."""
    tokens = definition.tokens
    letters = left_indices(tokens)
    if len(letters) != 2 or closing_braces(tokens).get(2, 0) != 5:
        return None
    target = definition.target
    own = naming.survey.lefts.get(tokens[0].value, [])
    are_axes = all(len(n) == 2 and {*n} <= AXES for n in own)
    is_open = tokens[0].value not in naming.declared and not definition.ranges
    is_one = any(f"{target}_{a}{b}" in naming.survey.lefts for a in AXES for b in AXES)
    if not are_axes or not is_open or len(own) + is_one < 2:
        return None
    naming.has_axes = True
    naming.labelled.add((tokens[0].value, *(t.value for t in letters)))
    return naming.with_labels(definition, letters, 5, "its letters are those of axes")


def with_absent(naming: Naming, definition: Statement) -> Statement | None:
    r"""`F_{d,i} = ..` as the element `i` of `F_d`, where the right side has an `i`, and the document a `d` below `F` alone."""
    tokens, target = definition.tokens, definition.target
    closing = closing_braces(tokens).get(2, 0)
    inner = tokens[3:closing]
    parts = inner[::2]
    is_list = {t.type for t in parts} <= {"NAME"} and {t.type for t in inner[1::2]} == {"COMMA"}
    if not closing or not is_list or target in naming.declared or definition.ranges:
        return None
    right = {t.value for t in tokens[definition.equal :]}
    labels = [
        t for t in parts if t.value in _LABELS and not naming.survey.is_elsewhere(t.value, target)
    ]
    indices = [t for t in parts if t.value in right and t not in labels]
    if not labels or not indices or len(labels) + len(indices) < len(parts):
        return None
    said = ", ".join(f"`{t.value}`" for t in labels)
    return naming.with_labels(definition, labels, closing, f"the right side has no {said}", indices)


def with_numbers(naming: Naming, definition: Statement) -> Statement | None:
    r"""`d_{1,i} = ..` as the element `i` of `d_1`, where the document has nothing but numbers at this place below `d`."""
    tokens, target = definition.tokens, definition.target
    closing = closing_braces(tokens).get(2, 0)
    inner = tokens[3:closing]
    parts = inner[::2]
    is_list = {t.type for t in inner[1::2]} == {"COMMA"} and len(inner) % 2 == 1
    places = [n for n, t in enumerate(parts) if t.type == "NUM"]
    if not closing or not is_list or target in naming.declared or len(places) != 1:
        return None
    others = {
        n[2 * places[0]].type for n in naming.survey.below.get(target, []) if len(n) == len(inner)
    }
    indices = [t for t in parts if t.type == "NAME"]
    if others != {"NUM"} or len(indices) + 1 < len(parts):
        return None
    why = "the number beside an index is a label"
    return naming.with_labels(definition, [parts[places[0]]], closing, why, indices)


def _are_parameters(
    left: Sequence[Token], below: Sequence[Token], inside: Set[str], right: Sequence[Token]
) -> bool:
    r"""Whether they are the `P,R` of `\mathrm{LBP}_{P,R} = \sum_{p=0}^{P-1} ..`: letters after commas, none of them an index of
    the right side, which lacks one and has a sum; or the `\theta, \xi` of networks, which are indices nowhere in it.
    """
    letters = {t.value for t in left}
    is_list = len(below) > 1 and {t.type for t in below[1::2]} == {"COMMA"} and len(below) % 2 == 1
    are_numbers = letters <= _GREEK_LABELS and not letters & inside
    is_free = not letters & inside and not letters <= {t.value for t in right}
    has_sum = any(t.type == "RED" for t in right)
    are_sizes = is_free and has_sum and not letters & STRONG
    return is_list and (are_sizes or are_numbers)
