r"""Points that formulas are about and never read: the `\mathbf{x}` of `p(\mathbf{t} \mid \mathbf{x}) = \sum_i \alpha_i(\mathbf{x}) \phi_i(\mathbf{t} \mid \mathbf{x})`.

A bold name that stands nowhere in the displays but in the lists behind left sides and behind elements, `\alpha_i(\mathbf{x})`, is left
out: the elements are given for one `\mathbf{x}`. So is the `Q` of `F(Q) = \sum_{ij} c_i c_j S_{ij}(Q)`, where `S` is declared with two
dimensions, and the `t` of `S_0(t)`, where a line declares the number `S_0`; of
such a list a tensor is left out too, of which formulas read elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.calls import Call, calls_in, listed
from tadc.syntax.tex.script_tokens import Guess, scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["is_declared_number", "unread_arguments", "without_unread_arguments"]


def unread_arguments(
    displays: Sequence[Sequence[Token]], declared: Set[str], ranks: Mapping[str, int]
) -> set[str]:
    """The names that stand in such lists alone, and behind an element or a declared number at least once: bold ones, and others where the
    elements in front have all their subscripts by the declared `ranks`.
    """
    every = Counter(t.value for tokens in displays for t in tokens if t.type == "NAME")
    elements = Counter(name.value for t in displays for name, _, _ in scripted(t, "SUB"))
    in_lists: Counter[str] = Counter()
    behind_elements: set[str] = set()
    behind_numbers: set[str] = set()
    for tokens in displays:
        for call in _lists(tokens, ranks):
            names = [p[0] for p in _parts(call) if [t.type for t in p] == ["NAME"]]
            below = sum(t.type == "NAME" for t in call.below)
            is_number = is_declared_number(call, ranks)
            is_whole = not call.below or below == ranks.get(call.name.value) or is_number
            in_lists.update(t.value for t in names if t.note == "bold" or is_whole)
            if call.below or is_number:
                behind_elements |= {t.value for t in names}
            if is_number:
                behind_numbers |= {t.value for t in names}
    alone = {n for n, count in in_lists.items() if count == every[n]}
    whole = {  # the `\theta` beside `\theta_i`
        n
        for n in behind_numbers - (declared - {n for n, rank in ranks.items() if rank})
        if in_lists[n] + elements[n] == every[n]
    }
    return ((alone & behind_elements) - declared) | whole


def without_unread_arguments(
    tokens: Sequence[Token], names: Set[str], ranks: Mapping[str, int], guesses: list[Guess]
) -> list[Token]:
    """The tokens without these names in lists, and without lists of nothing else."""
    dropped: set[int] = set()
    for call in _lists(tokens, ranks):
        opening = call.end - len(call.inner) - 1
        place = opening + 1
        kept = 0
        for part in _parts(call):
            is_unread = [t.type for t in part] == ["NAME"] and part[0].value in names
            if is_unread:
                separator = place - 1 if place - 1 > opening else place + 1
                dropped |= {place, separator} if separator < call.end else {place}
                text = f"`{part[0].value}` is one point: no formula reads it"
                if all(guess.text != text for guess in guesses):
                    guesses.append(Guess(text, part[0].start, part[0].end))
            kept += not is_unread
            place += len(part) + 1
        if not kept:
            dropped |= {*range(opening, call.end + 1)}
    return [t for place, t in enumerate(tokens) if place not in dropped]


def is_declared_number(call: Call, ranks: Mapping[str, int]) -> bool:
    """Whether a line declares the name in front of the list, with what stands below it, and without dimensions."""
    label = "".join(t.value for t in call.below[1:-1])
    name = f"{call.name.value}_{label}" if label else call.name.value
    return ranks.get(name) == 0


def _lists(tokens: Sequence[Token], ranks: Mapping[str, int]) -> Iterator[Call]:
    """The lists behind left sides, behind elements and behind declared numbers."""
    return (
        c
        for c in calls_in(tokens)
        if not c.is_raised
        if c.below or _is_left(c, tokens) or is_declared_number(c, ranks)
    )


def _is_left(call: Call, tokens: Sequence[Token]) -> bool:
    behind = [t.type for t in tokens[call.end + 1 : call.end + 2]]
    begins = call.start == 0 or tokens[call.start - 1].type in ("BREAK", "QUAD", "COMMA", "TEXT")
    return begins and behind in (["EQ"], ["DEF"], ["APPROX"])


def _parts(call: Call) -> list[list[Token]]:
    return listed([replace(t, type="COMMA") if t.type == "GIVEN" else t for t in call.inner])
