r"""Labels of defined names in the other formulas of a document: with `k_D^2 = ..` as one name, the `\lambda_D = 1 / k_D` beside it is one too.

No sum runs over such a letter, and none of its names is declared with a dimension for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.left_naming import Naming, has_range
from tadc.syntax.tex.script_tokens import scripted, with_label, with_rewritten_scripts
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_defined_labels"]


def with_defined_labels(naming: Naming) -> list[Statement]:
    """The definitions with one name for each that another definition has with its label, and for all that has the label alone beside it."""
    own = {
        (base, *letters)
        for base, *letters in naming.labelled
        if base not in naming.declared and len(letters) == 1
        if not naming.survey.summing[letters[0]] and letters[0] not in naming.survey.bounds
    }
    return [_labelled(naming, d, own) for d in naming.definitions] if own else [*naming.definitions]


def _labelled(naming: Naming, definition: Statement, own: set[tuple[str, ...]]) -> Statement:
    below = [
        (name.value, *(t.value for t in inner))
        for name, _, inner in scripted(definition.tokens, "SUB")
    ]
    read = {letters[1] for letters in below if letters in own}
    labels = {letter for letter in read if _is_label(naming, definition, letter, below)}

    def named(name: Token, script: Sequence[Token]) -> tuple[Token, Sequence[Token]] | None:
        inner = script[2:-1]
        if script[0].type != "SUB" or len(inner) != 1:
            return None
        letter = inner[0].value
        if letter not in labels and (name.value, letter) not in own:
            return None
        whole = with_label(name, [replace(inner[0], type="NAME")], script[-1].end)
        if name is definition.tokens[0]:
            naming.labelled.add((name.value, letter))
        if (name.value, letter) not in own:
            naming.say(
                f"`{whole.value}` is one name: `{letter}` is a label here", name.start, whole.end
            )
        return whole, ()

    return replace(definition, tokens=tuple(with_rewritten_scripts(definition.tokens, named)))


def _is_label(
    naming: Naming, definition: Statement, letter: str, below: Sequence[tuple[str, ...]]
) -> bool:
    """Whether the letter stands alone below all its names in the definition, none of them declared, and no range of it is printed."""
    others = [(name, letters) for name, *letters in below if letter in letters]
    are_alone = all(letters == [letter] and name not in naming.declared for name, letters in others)
    return are_alone and not has_range(definition, letter)
