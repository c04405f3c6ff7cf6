"""Left sides as one name with labels: the document while it is decided which are, and the forms that left sides have."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace

from tadc.syntax.tex.left_survey import LeftSurvey, surveyed
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.ranges import said_ranges
from tadc.syntax.tex.script_tokens import Guess, comma, scripted, with_label
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = [
    "ELEMENT",
    "NO_INDICES",
    "STRONG",
    "SUMS",
    "Naming",
    "ends_at",
    "has_range",
    "has_whole_list",
    "is_free_element",
    "reads_itself",
]

NO_INDICES = frozenset(
    "abcdefghopqrstuvwxyz"
)  # letters that are rarely indices, where nothing reads them
STRONG = frozenset("ijmnt")  # letters of indices, whatever stands on the right side
SUMS = frozenset(("TOP", "NORM_L", "ANGLE_L"))  # signs that sum over what is not written
ELEMENT = ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"]


@dataclass(slots=True)
class Naming:
    """The definitions of a document, and what it declares. Names with labels are added to `labelled` and `guesses`."""

    definitions: Sequence[Statement]
    declared: Set[str]
    scalars: Set[str]  # declared without dimensions
    sizes: Set[str]
    guesses: dict[str, Guess]
    has_axes: bool = False  # whether left sides have components, such as sigma_xy
    labelled: set[tuple[str, ...]] = field(default_factory=set)  # names with their labels
    survey: LeftSurvey = field(default_factory=LeftSurvey)

    def look(self) -> None:
        """Survey the definitions as they are now."""
        self.survey = surveyed(self.definitions)

    def named(self, definition: Statement, why: str = "") -> Statement:
        """The definition with the one letter below its left side in the name."""
        tokens = definition.tokens
        self.labelled.add((tokens[0].value, tokens[3].value))
        return self.with_labels(
            definition, [tokens[3]], 4, why or f"the right side has no `{tokens[3].value}`"
        )

    def with_labels(
        self,
        definition: Statement,
        labels: Sequence[Token],
        end: int,
        why: str,
        indices: Sequence[Token] = (),
    ) -> Statement:
        """The definition with these labels in its name, of what stands below up to `end`, and with the indices that are left."""
        tokens = definition.tokens
        name = with_label(tokens[0], [replace(t, type="NAME") for t in labels], tokens[end].end)
        self.say(f"`{name.value}` is one name: {why}", tokens[0].start, tokens[end].end)
        below = [t for i in indices for t in (comma(i), i)][1:]
        kept = (*tokens[1:3], *below, tokens[end]) if indices else ()
        return replace(definition, tokens=(name, *kept, *tokens[end + 1 :]))

    def say(self, text: str, start: int, end: int) -> None:
        self.guesses.setdefault(text, Guess(text, start, end))


# ---------------------------------------------------------------------- forms of left sides


def is_free_element(definition: Statement) -> bool:
    """Whether one letter below a name is all of the left side, and no range is printed."""
    kinds = [t.type for t in definition.tokens[:5]]
    is_whole = kinds == ELEMENT and definition.equal == 5
    return is_whole and not has_range(definition, definition.tokens[3].value)


def has_range(definition: Statement, letter: str) -> bool:
    """Whether what is said behind the definition is about the letter; a range that cannot be read may be."""
    said = said_ranges(definition.ranges) if definition.ranges else []
    return said is None or any(s.name.value == letter for s in said)


def has_whole_list(definition: Statement) -> bool:
    r"""Whether it is `L_z(x)`, one letter below a name, and a list that tells what the number depends on."""
    left = definition.tokens[: definition.equal]
    kinds = [t.type for t in left]
    is_list = kinds[5:6] == ["LPAR"] and kinds[-1] == "RPAR"
    return kinds[:5] == ELEMENT and is_list and not has_range(definition, left[3].value)


def ends_at(tokens: Sequence[Token], place: int, equal: int) -> bool:
    """Whether nothing but a superscript stands between `place` and the sign."""
    is_power = place < equal and tokens[place].type == "SUP"
    return place == equal or (is_power and closing_braces(tokens).get(place + 1) == equal - 1)


def reads_itself(definition: Statement) -> bool:
    r"""Whether it is `\mu_p = \sum_i w_i \mu_i`."""
    right = definition.tokens[definition.equal :]
    return any(name.value == definition.target for name, _, _ in scripted(right, "SUB"))
