r"""Sets that list their labels: the `c` of `\sum_{c \in \{R, G, B\}} w_c I_c` is the first, the second and the third."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.script_survey import values
from tadc.syntax.tex.token_list import Token

__all__ = ["number_of_labels"]


def number_of_labels(inner: Sequence[Token], tokens: Sequence[Token]) -> Token | None:
    r"""How many labels the set in these limits, `c \in \{R, G, B\}`, lists; they stand nowhere else in the formula, and the index below
    names alone.
    """
    kinds = [t.type for t in inner[:3]]
    if kinds != ["NAME", "IN", "LPAR"] or (inner[2].value, inner[-1].value) != (r"\{", r"\}"):
        return None
    labels = listed(inner[3:-1])
    is_index = inner[0].value not in values(tokens)
    if len(labels) < 2 or not is_index or not all(_is_label(label, tokens) for label in labels):
        return None
    return replace(inner[2], type="NUM", value=str(len(labels)), end=inner[-1].end)


def _is_label(label: Sequence[Token], tokens: Sequence[Token]) -> bool:
    """Whether it is a capital letter or a word that stands nowhere else."""
    if len(label) != 1 or label[0].type not in ("NAME", "TEXT"):
        return False
    is_word = label[0].type == "TEXT" or label[0].note == "upright"
    is_alone = sum(t.value == label[0].value for t in tokens) == 1
    return is_alone and (is_word or label[0].value.isupper())
