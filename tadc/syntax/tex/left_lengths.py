r"""Left sides with the length of a sum below them: it is a label where nothing else runs over it.

\mathrm{DCG}_p = \sum_{i=1}^{p} ..                  below a word, or a function
\bar{X}_n = \frac{1}{n} \sum_{i=1}^{n} X_i          of a size `n`; else it may be an index: a number for each length
\beta_n = \beta_0 + \sum_{i=1}^{n} ..               beside a number
S_n = \bar{X}_n / c_n                               of what has this label
"""

from __future__ import annotations

from dataclasses import replace

from tadc.syntax.tex.left_naming import (
    ELEMENT,
    Naming,
    ends_at,
    has_range,
    is_free_element,
)
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names, names_in_bounds, scripted, with_label
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_count", "with_length", "with_length_of_read", "with_size_beside_number"]


def with_count(naming: Naming, definition: Statement) -> Statement | None:
    r"""`\mathrm{DCG}_p = \sum_{i=1}^{p} ..` as the number `DCG_p`: a word, or a function as in
    `p_n(x) = \sum_{j=0}^{n} ..`, with the length of the sum below it.
    """
    tokens = definition.tokens
    is_word = tokens[0].note == "upright" and len(tokens[0].value) > 1
    kinds = [t.type for t in tokens[: definition.equal]]
    is_function = kinds[:6] == [*ELEMENT, "LPAR"]
    if kinds[:5] != ELEMENT or not (
        is_function or (is_word and ends_at(tokens, 5, definition.equal))
    ):
        return None
    letter = tokens[3].value
    is_size = is_function and letter in naming.survey.bounds | naming.sizes
    is_count = letter not in naming.survey.owners
    is_count = is_count and (letter in names_in_bounds([tokens]) or is_size)
    if not is_count or tokens[0].value in naming.declared or definition.ranges:
        return None
    return naming.with_labels(definition, [tokens[3]], 4, f"`{letter}` is the length of a sum")


def with_size_beside_number(naming: Naming, definition: Statement) -> Statement | None:
    r"""`\beta_n = \beta_0 + \sum_{i=1}^{n} ..`, where the size `n` stands below nothing on the right side, and nothing but numbers
    below `\beta`, as one name: what comes after `n` samples.
    """
    tokens = definition.tokens
    if not is_free_element(definition):
        return None
    letter = tokens[3].value
    is_size = letter in naming.sizes | names_in_bounds([definition.right])
    below = [(name.value, inner) for name, _, inner in scripted(definition.right, "SUB")]
    own = [inner for name, inner in below if name == tokens[0].value]
    are_numbers = bool(own) and all([t.type for t in inner] == ["NUM"] for inner in own)
    inside = {t.value for _, inner in below for t in inner}
    return naming.named(definition) if is_size and are_numbers and letter not in inside else None


def with_length(naming: Naming, definition: Statement) -> Statement | None:
    r"""`\bar{X}_n = \frac{1}{n} \sum_{i=1}^{n} X_i`, with an `n` that is no index of the document otherwise, as one name or an error."""
    tokens = definition.tokens
    is_whole = [t.type for t in tokens[:5]] == ELEMENT and ends_at(tokens, 5, definition.equal)
    if not is_whole or has_range(definition, tokens[3].value):
        return None
    name, letter = tokens[0].value, tokens[3].value
    survey = naming.survey
    is_index = survey.summing[letter] > 0
    if letter not in naming.sizes:  # of `T_n = f_0 + .. + f_n` with a size `n`
        read = survey.read_below.get(name, [])
        is_index = is_index or survey.runs_below_others(letter, name)
        is_index = is_index or any(
            letter in {t.value for t in inner} and letter in bound_names(d.tokens)
            for d, inner in read
        )
    if is_index or name in naming.declared or letter not in names_in_bounds([definition.right]):
        return None
    is_size = letter in naming.sizes or _is_read_as_number(naming, definition)
    if not is_size:
        return _with_unclear_length(definition)
    return _with_labels_behind(naming, naming.named(definition), letter)


def with_length_of_read(naming: Naming, definition: Statement) -> Statement | None:
    r"""`S_n = a_n / c_n` as one name in a document in which `a_n` is one: `n` is the length of a sum there, and here; so is `c_n`."""
    tokens = definition.tokens
    if [t.type for t in tokens[:5]] != ELEMENT or not ends_at(tokens, 5, definition.equal):
        return None
    letter = tokens[3].value
    is_length = letter in naming.sizes | naming.survey.bounds
    is_label = any(
        (name.value, letter) in naming.labelled and [t.value for t in inner] == [letter]
        for name, _, inner in scripted(definition.right, "SUB")
    )
    is_bound = letter in bound_names(definition.right) or has_range(definition, letter)
    if not is_length or not is_label or is_bound:
        return None
    return _with_labels_behind(naming, naming.named(definition), letter)


def _with_labels_behind(naming: Naming, definition: Statement, letter: str) -> Statement:
    """The definition with one name for each `c_n` of its right side, where nothing but `n` stands below `c` in the document."""
    closing = closing_braces(definition.tokens)
    result: list[Token] = []
    place = 0
    while place < len(definition.tokens):
        token = definition.tokens[place]
        below = naming.survey.below.get(token.value, [])
        is_label = bool(below) and all([t.value for t in inner] == [letter] for inner in below)
        is_label = is_label and token.value not in naming.declared
        end = closing.get(place + 2, place)
        if token.type == "NAME" and is_label and end == place + 4:
            token = with_label(token, [definition.tokens[place + 3]], definition.tokens[end].end)
            place = end
        result.append(token)
        place += 1
    return replace(definition, tokens=tuple(result))


def _is_read_as_number(naming: Naming, definition: Statement) -> bool:
    r"""Whether it is the `s_n` of a document that reads `s_n` where no `n` is bound: the length is a label."""
    letter = definition.tokens[3].value
    return any(
        [t.value for t in inner] == [letter] and letter not in bound_names(d.tokens)
        for d, inner in naming.survey.read_below.get(definition.tokens[0].value, [])
        if d is not definition
    )


def _with_unclear_length(definition: Statement) -> Statement:
    """The definition with the error of a left side that is a number, or one for each length of its sum."""
    name, letter, end = definition.tokens[0], definition.tokens[3].value, definition.tokens[4].end
    fact = f"`{letter}` may be the length of the sum, so that this is one number, or an index: a number for each length"
    fix = f"for the number write `%!tadc size {letter}`; for all of them say how many, `\\quad {letter} = 1, \\dots, N`, behind the formula"
    error = Token("ERROR", fact, name.start, end, fix)
    return replace(definition, tokens=(*definition.tokens, error))
