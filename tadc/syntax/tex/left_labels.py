r"""Left sides whose subscripts are labels: the left side of a definition is a name, where its letters are no indices.

E_x \approx E_{i+1,j} - E_{ij}       nothing on the right side has an `x`, and it reads moved elements
\mu_p = \sum_i w_i \mu_i             with an index `p` it would read itself
r_{xy} = \sum_i x_i y_i              `x` and `y` are tensors of the right side
P_c = \sum_i a_i p_i                 a letter that stands nowhere else, and is no usual index
E_{tot} = T + V                      letters of which the right side has none
F_{d,i} = -\sum_j M_{ij} v_j         beside an index, a letter that stands nowhere else
d_{1,i} = \frac{\ln S_i + r}{s}       beside an index, a number, where nothing but numbers stands at this place
\mathrm{DCG}_p = \sum_{i=1}^p ..     below a word, the length of its sum
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from tadc.syntax.tex.commands import GREEK
from tadc.syntax.tex.diagonals import AXES
from tadc.syntax.tex.intercepts import first_of_sums
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.ranges import said_ranges
from tadc.syntax.tex.script_tokens import (
    Guess,
    bound_names,
    comma,
    has_style,
    left_indices,
    names_in_bounds,
    scripted,
    with_label,
)
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.told_letters import TOLD

__all__ = ["NO_INDICES", "LeftLabels"]

NO_INDICES = frozenset(
    "abcdefghopqrstuvwxyz"
)  # letters that are rarely indices, where nothing reads them
_STRONG = frozenset("ijmnt")  # letters of indices, whatever stands on the right side
_GREEK_LABELS = frozenset(
    ("theta", "Theta", "xi", "phi", "Phi", "psi", "pi", "tau", "omega", "eta")
)
_SUMS = frozenset(("TOP", "NORM_L", "ANGLE_L"))  # signs that sum over what is not written
_ELEMENT = ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"]
_PARAMETERS = frozenset("abcdefgh")  # letters of numbers, below a function
_LABELS = NO_INDICES - {*"bt"}  # letters that are labels beside an index: no batch, no time


@dataclass(slots=True)
class LeftLabels:
    """The definitions of a document, and what it declares; `run` adds to `guesses`."""

    definitions: Sequence[Statement]
    declared: Set[str]
    scalars: Set[str]  # declared without dimensions
    sizes: Set[str]
    guesses: dict[str, Guess]
    has_axes: bool = False  # whether left sides have components, `\sigma_{xy}`
    _labelled: set[tuple[str, ...]] = field(default_factory=set)  # names with their labels

    def run(self) -> list[Statement]:
        """The definitions with names for left sides that bind nothing."""
        before = -1
        while before < len(self._labelled):  # `\mu_x` of another definition is no element
            before = len(self._labelled)
            self.definitions = [self._with_label(d) for d in self.definitions]
        return list(self.definitions)

    def _with_label(self, definition: Statement) -> Statement:
        tokens = definition.tokens
        if tokens[0].note == TOLD:
            return definition
        if (named := self._with_tensors(definition)) is not None:
            return named
        if (named := self._with_axes(definition)) is not None:
            return named
        if (named := self._with_absent(definition)) is not None:
            return named
        if (named := self._with_count(definition)) is not None:
            return named
        if (named := self._with_numbers(definition)) is not None:
            return named
        if (named := self._with_parameter(definition)) is not None:
            return named
        if (named := self._with_lone_number(definition)) is not None:
            return named
        if (named := self._with_next_step(definition)) is not None:
            return named
        if self._is_constant(definition):
            return self._named(definition)
        if self._is_known_label(definition) or self._is_below_number(definition):
            return self._named(definition)
        if self._is_size_beside_number(definition) or self._is_lone_sum(definition):
            return self._named(definition)
        if self._is_of_numbers(definition):
            return self._named(definition)
        if self._is_length(definition):
            is_size = tokens[3].value in self.sizes or self._is_read_as_number(definition)
            return self._named(definition) if is_size else _with_unclear_length(definition)
        others = [d.target for d in self.definitions]
        may_be = _may_be_label(definition, self.scalars, {*others})
        if not may_be and not _is_one_of_two(definition):
            return definition
        is_moving = _is_moving(definition) or _reads_itself(definition)
        is_number = tokens[3].value in self.scalars or self._is_one_of_several(definition)
        is_number |= _is_one_of_two(definition)
        if not is_moving and not is_number and not self._is_only_here(definition):
            return definition
        return self._named(definition)

    def _named(self, definition: Statement) -> Statement:
        """The definition with its letter in the name."""
        tokens = definition.tokens
        name = with_label(tokens[0], [tokens[3]], tokens[4].end)
        text = f"`{name.value}` is one name: the right side has no `{tokens[3].value}`"
        self._labelled.add((tokens[0].value, tokens[3].value))
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[4].end))
        return replace(definition, tokens=(name, *tokens[5:]))

    def _is_known_label(self, definition: Statement) -> bool:
        r"""Whether it is the `o` of `\bar{Q}_o = ..` beside a declared `Q_o`, which nothing binds."""
        tokens = definition.tokens
        if [t.type for t in tokens[:5]] != _ELEMENT or not _ends_at(tokens, 5, definition.equal):
            return False
        letter = tokens[3].value
        is_known = any(name.endswith(f"_{letter}") for name in self.declared)
        bound = (bound_names(d.right) for d in self.definitions)
        return is_known and not definition.ranges and all(letter not in names for names in bound)

    def _with_next_step(self, definition: Statement) -> Statement | None:
        r"""`w_{t+1} = \sum_k n_k w_k` as one name, where no right side has a `t`."""
        tokens = definition.tokens
        kinds = [t.type for t in tokens[:7]]
        signs = [[*_ELEMENT[:4], sign, "NUM", "RBRACE"] for sign in ("PLUS", "MINUS")]
        if kinds not in signs or definition.equal != 7 or definition.ranges:
            return None
        letter = tokens[3].value
        if tokens[0].value in self.declared and any(
            name.value == tokens[0].value and letter in {t.value for t in inner}
            for d in self.definitions
            for name, _, inner in scripted(d.right, "SUB")
        ):
            return None
        if any(t.value == letter for d in self.definitions for t in d.right):
            return None
        sign = "plus" if kinds[4] == "PLUS" else "minus"
        label = replace(tokens[3], value=f"{letter}_{sign}_{tokens[5].value}")
        name = with_label(tokens[0], [label], tokens[6].end)
        text = f"`{name.value}` is one name: no right side has `{letter}`"
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[6].end))
        return replace(definition, tokens=(name, *tokens[7:]))

    def _is_constant(self, definition: Statement) -> bool:
        r"""Whether it is `\lambda_s = 0.1`, whose letter is no index of the document."""
        tokens = definition.tokens
        if not _is_free_element(definition):
            return False
        letter = tokens[3].value
        if tokens[0].value in self.declared or letter not in NO_INDICES:
            return False
        is_number = [t.type for t in definition.right] in (["NUM"], ["MINUS", "NUM"])
        bound = {n for d in self.definitions for n in bound_names(d.right)}
        others = {
            t.value for d in self.definitions if d is not definition for t in left_indices(d.tokens)
        }
        below = {
            t.value for d in self.definitions for n, _, i in scripted(d.right, "SUB") for t in i
            if n.value != tokens[0].value
        }  # fmt: skip
        return is_number and letter not in bound | others | below | self.sizes

    def _is_below_number(self, definition: Statement) -> bool:
        r"""Whether it is `v_a = ..` beside a `v` that is declared without dimensions, whose right side has no `a`."""
        tokens = definition.tokens
        if [t.type for t in tokens[:5]] != _ELEMENT or not _ends_at(tokens, 5, definition.equal):
            return False
        numbers = {d.target for d in self.definitions if d is not definition and d.is_scalar}
        is_number = tokens[0].value in self.scalars | (numbers - self.declared)
        return is_number and tokens[3].value not in {t.value for t in definition.right}

    def _is_lone_sum(self, definition: Statement) -> bool:
        r"""Whether it is `L_k = -\frac{1}{N} \sum_{xyc} ..`, a sum without a `k`, and nothing reads the `L` at an index: with a `k` to
        run over, each of its elements would be the same.
        """
        tokens = definition.tokens
        has_sum = definition.has_reduction or any(t.type in _SUMS for t in definition.right)
        if not (_is_free_element(definition) or _has_whole_list(definition)) or not has_sum:
            return False
        base, letter = tokens[0].value, tokens[3].value
        if base in self.declared or letter in self.sizes or letter in _STRONG:
            return False
        right = {t.value for t in definition.right}
        is_absent = letter not in right and not any(n.endswith(f"_{letter}") for n in right)
        read = (
            [t.value for t in inner]
            for d in self.definitions
            for name, _, inner in scripted(d.right, "SUB")
            if name.value == base
        )
        bound = {n for d in self.definitions if d is not definition for n in bound_names(d.tokens)}
        return is_absent and letter not in bound and all(inner == [letter] for inner in read)

    def _is_of_numbers(self, definition: Statement) -> bool:
        r"""Whether it is `E_o = \gamma (e_s - e_a)`, where no index is bound: with an `o` to run over, each element would be the
        same, and nothing would be what the other letters run over.
        """
        tokens = definition.tokens
        has_sum = definition.has_reduction or any(t.type in _SUMS for t in definition.right)
        if not _is_free_element(definition) or has_sum or tokens[0].value in self.declared:
            return False
        letter = tokens[3].value
        others = [d for d in self.definitions if d is not definition]
        elsewhere = {t.value for d in others for t in d.tokens}
        right = {t.value for t in definition.right}
        own = {n for d in self.definitions for n, _, _ in scripted(d.right, "SUB")}
        is_read = any(n.value == tokens[0].value for n in own)
        is_lone = letter not in right | elsewhere | self.sizes and not is_read
        is_label = letter in NO_INDICES or letter.isupper()
        return is_label and is_lone and bool(right - {"", "0"})

    def _is_size_beside_number(self, definition: Statement) -> bool:
        r"""Whether it is `\beta_n = \beta_0 + \sum_{i=1}^{n} ..`, where the size `n` stands below nothing on the right side, and
        nothing but numbers below `\beta`: what comes after `n` samples.
        """
        tokens = definition.tokens
        if not _is_free_element(definition):
            return False
        letter = tokens[3].value
        is_size = letter in self.sizes | names_in_bounds([definition.right])
        below = [(name.value, inner) for name, _, inner in scripted(definition.right, "SUB")]
        own = [inner for name, inner in below if name == tokens[0].value]
        are_numbers = bool(own) and all([t.type for t in inner] == ["NUM"] for inner in own)
        inside = {t.value for _, inner in below for t in inner}
        return is_size and are_numbers and letter not in inside

    def _is_length(self, definition: Statement) -> bool:
        r"""Whether it is `\bar{X}_n = \frac{1}{n} \sum_{i=1}^{n} X_i`, with an `n` that is no index of the document otherwise."""
        tokens = definition.tokens
        if not _is_free_element(definition):
            return False
        letter = tokens[3].value
        indices = {n for d in self.definitions for n in bound_names(d.right)}
        if letter not in self.sizes:  # of `T_n = f_0 + .. + f_n` with a size `n`
            indices |= {
                t.value
                for d in self.definitions
                for name, _, inner in scripted(d.right, "SUB")
                for t in inner
                if name.value != tokens[0].value or letter in bound_names(d.tokens)
            }
        is_free = tokens[0].value not in self.declared and letter not in indices
        return is_free and letter in names_in_bounds([definition.right])

    def _is_read_as_number(self, definition: Statement) -> bool:
        r"""Whether it is the `s_n` of a document that reads `s_n` where no `n` is bound: the length is a label."""
        tokens = definition.tokens
        letter = tokens[3].value
        return any(
            name.value == tokens[0].value and [t.value for t in inner] == [letter]
            for d in self.definitions
            if d is not definition and letter not in bound_names(d.tokens)
            for name, _, inner in scripted(d.right, "SUB")
        )

    def _with_lone_number(self, definition: Statement) -> Statement | None:
        r"""`M_0 = ..` as a number beside the `M_{ij}`, which have more subscripts, or beside the `M_i` of a document that counts from 1."""
        tokens = definition.tokens
        kinds = [t.type for t in tokens[:5]]
        if kinds != ["NAME", "SUB", "LBRACE", "NUM", "RBRACE"] or definition.equal != 5:
            return None
        others = [
            sum(t.type == "NAME" for t in inner)
            for d in self.definitions
            for name, _, inner in scripted(d.right, "SUB")
            if name.value == tokens[0].value
        ]
        is_before = tokens[3].value == "0" and first_of_sums(self.definitions) == 1
        if not others or (min(others) < 2 and not is_before):
            return None
        name = with_label(tokens[0], [replace(tokens[3], type="NAME")], tokens[4].end)
        text = f"`{name.value}` is a number, and no element of `{tokens[0].value}`"
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[4].end))
        return replace(definition, tokens=(name, *tokens[5:]))

    def _with_tensors(self, definition: Statement) -> Statement | None:
        r"""`r_{xy} = ..` with `r_xy` as one name, where the right side has tensors `x_i` and `y_i`, and no index `x` or `y`."""
        tokens, equal = definition.tokens, definition.equal
        left = left_indices(tokens)
        closing = closing_braces(tokens).get(2, 0)
        ranged = {t.value for t in definition.ranges} & {t.value for t in left}
        is_whole = _ends_at(tokens, closing + 1, equal)
        kinds_behind = [t.type for t in tokens[closing + 1 : closing + 2]]
        is_headed = kinds_behind == ["LPAR"] and tokens[equal - 1].type == "RPAR"
        if not left or not (is_whole or is_headed) or ranged:
            return None
        is_declared = tokens[0].value in self.declared
        if is_declared and not _reads_itself(definition):
            return None
        right = [
            (name, inner)
            for name, _, inner in scripted(tokens[equal:], "SUB")
            if (name.value, *(t.value for t in inner)) not in self._labelled
        ]
        tensors = {name.value for name, _ in right}
        tensors |= (self.declared - self.scalars - self.sizes) & {t.value for t in tokens[equal:]}
        inside = {t.value for _, inner in right for t in inner} | bound_names(tokens[equal:])
        letters = {t.value for t in left}
        if len(letters) == 1 < len(left) and not letters <= tensors - inside:
            return None  # a diagonal, `p_{ii} = 0`
        kinds = [t.type for t in tokens[3:closing]]
        are_capitals = all(n.isupper() for n in letters)  # `D_{KL}(p \| q)`
        is_plain = (is_whole or are_capitals) and kinds == ["NAME"] * len(left) and len(left) > 1
        in_labels = {
            id(t)
            for name, _, n in scripted(tokens[equal:], "SUB")
            if (name.value, *(t.value for t in n)) in self._labelled
            for t in n
        }
        names = {t.value for t in tokens[equal:] if id(t) not in in_labels}
        elsewhere = names - (bound_names(tokens[equal:]) & {*letters})
        is_word = is_plain and not letters & (elsewhere if len(left) > 2 else names)
        is_absent = bool((letters & NO_INDICES) - names) and not letters & inside
        is_word |= is_plain and len(left) > 2 and is_absent  # `L_{lmc}` beside a number `m`
        is_word |= _are_parameters(left, tokens[3:closing], inside, tokens[equal:])
        are_tensors = is_whole and letters <= tensors - inside and kinds.count("NAME") == len(left)
        if not (is_word or (are_tensors and not is_declared)):
            return None
        name = with_label(tokens[0], left, tokens[closing].end)
        why = "the right side has none of its letters"
        why = why if is_word else "its letters are tensors of the right side"
        text = f"`{name.value}` is one name: {why}"
        self._labelled.add((tokens[0].value, *(t.value for t in left)))
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[closing].end))
        return replace(definition, tokens=(name, *tokens[closing + 1 :]))

    def _with_axes(self, definition: Statement) -> Statement | None:
        r"""`\sigma_{xy} = ..` beside `\sigma_{xx} = ..` as the component `sigma_xy`, where all of `\sigma` that is defined are such."""
        tokens = definition.tokens
        end = closing_braces(tokens).get(2, 0)
        letters = left_indices(tokens)
        own = [left_indices(d.tokens) for d in self.definitions if d.target == tokens[0].value]
        are_axes = all(len(n) == 2 and {t.value for t in n} <= AXES for n in own)
        is_open = tokens[0].value not in self.declared and not definition.ranges
        others = {
            d.tokens[0].value
            for d in self.definitions
            if d.target.startswith(f"{definition.target}_")
        }
        is_one = any(f"{definition.target}_{a}{b}" in others for a in AXES for b in AXES)
        if len(letters) != 2 or end != 5 or not are_axes or not is_open or len(own) + is_one < 2:
            return None
        name = with_label(tokens[0], letters, tokens[end].end)
        text = f"`{name.value}` is one name: its letters are those of axes"
        self.has_axes = True
        self._labelled.add((tokens[0].value, *(t.value for t in letters)))
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[end].end))
        return replace(definition, tokens=(name, *tokens[end + 1 :]))

    def _with_absent(self, definition: Statement) -> Statement | None:
        r"""`F_{d,i} = ..` as the element `i` of `F_d`, where the right side has an `i`, and the document a `d` below `F` alone."""
        tokens, target = definition.tokens, definition.target
        closing = closing_braces(tokens).get(2, 0)
        inner = tokens[3:closing]
        is_list = {t.type for t in inner[::2]} <= {"NAME"} and {t.type for t in inner[1::2]} == {
            "COMMA"
        }
        if not closing or not is_list or target in self.declared or definition.ranges:
            return None
        others = self._letters_elsewhere(target)
        right = {t.value for t in tokens[definition.equal :]}
        labels = [t for t in inner[::2] if t.value in _LABELS and t.value not in others]
        indices = [t for t in inner[::2] if t.value in right and t not in labels]
        if not labels or not indices or len(labels) + len(indices) < len(inner[::2]):
            return None
        name = with_label(tokens[0], labels, tokens[closing].end)
        said = ", ".join(f"`{t.value}`" for t in labels)
        text = f"`{name.value}` is one name: the right side has no {said}"
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[closing].end))
        listed = [t for i in indices for t in (comma(i), i)][1:]
        return replace(
            definition,
            tokens=(name, *tokens[1:3], *listed, tokens[closing], *tokens[closing + 1 :]),
        )

    def _with_numbers(self, definition: Statement) -> Statement | None:
        r"""`d_{1,i} = ..` as the element `i` of `d_1`, where the document has nothing but numbers at this place below `d`."""
        tokens, target = definition.tokens, definition.target
        closing = closing_braces(tokens).get(2, 0)
        inner = tokens[3:closing]
        parts = inner[::2]
        is_list = {t.type for t in inner[1::2]} == {"COMMA"} and len(inner) % 2 == 1
        places = [n for n, t in enumerate(parts) if t.type == "NUM"]
        if not closing or not is_list or target in self.declared or len(places) != 1:
            return None
        place = 2 * places[0]
        others = [
            n[place].type
            for d in self.definitions
            for name, _, n in scripted(d.tokens, "SUB")
            if name.value == target and len(n) == len(inner)
        ]
        indices = [t for t in parts if t.type == "NAME"]
        if {*others} != {"NUM"} or len(indices) + 1 < len(parts):
            return None
        label = replace(parts[places[0]], type="NAME")
        name = with_label(tokens[0], [label], tokens[closing].end)
        text = f"`{name.value}` is one name: the number beside an index is a label"
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[closing].end))
        listed = [t for i in indices for t in (comma(i), i)][1:]
        return replace(definition, tokens=(name, *tokens[1:3], *listed, *tokens[closing:]))

    def _with_parameter(self, definition: Statement) -> Statement | None:
        r"""`\hat{f}_h(x) = ..` and `L_\lambda = ..` as one name, where the right side has the letter as a number alone."""
        tokens, equal = definition.tokens, definition.equal
        if [t.type for t in tokens[:5]] != _ELEMENT:
            return None
        letter = tokens[3].value
        has_list = tokens[5].type == "LPAR"
        is_parameter = letter in GREEK or (has_list and letter in _PARAMETERS)
        right = tokens[equal:]
        is_read = any(t.value == letter or t.value.endswith(f"_{letter}") for t in right)
        is_plain = tokens[0].value not in self.declared and not _has_range(definition, letter)
        if not (is_parameter and is_read and is_plain and (has_list or equal == 5)):
            return None
        below = {
            t.value
            for d in self.definitions
            for name, _, n in scripted(d.right, "SUB")
            for t in n
            if name.value != definition.target
        }
        if letter in below | bound_names(right):
            return None
        name = with_label(tokens[0], [tokens[3]], tokens[4].end)
        text = f"`{name.value}` is one name: the right side has `{letter}` as a number"
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[4].end))
        return replace(definition, tokens=(name, *tokens[5:]))

    def _with_count(self, definition: Statement) -> Statement | None:
        r"""`\mathrm{DCG}_p = \sum_{i=1}^{p} ..` as the number `DCG_p`: a word, or a function as in
        `p_n(x) = \sum_{j=0}^{n} ..`, with the length of the sum below it.
        """
        tokens = definition.tokens
        is_word = tokens[0].note == "upright" and len(tokens[0].value) > 1
        kinds = [t.type for t in tokens[: definition.equal]]
        is_function = kinds[:6] == [*_ELEMENT, "LPAR"]
        if kinds[:5] != _ELEMENT or not (
            is_function or (is_word and _ends_at(tokens, 5, definition.equal))
        ):
            return None
        letter = tokens[3].value
        inside = {
            t.value for d in self.definitions for _, _, n in scripted(d.right, "SUB") for t in n
        }
        bounds = names_in_bounds(d.tokens for d in self.definitions)
        is_size = is_function and letter in bounds | self.sizes
        is_count = letter not in inside and (letter in names_in_bounds([tokens]) or is_size)
        if not is_count or tokens[0].value in self.declared or definition.ranges:
            return None
        name = with_label(tokens[0], [tokens[3]], tokens[4].end)
        text = f"`{name.value}` is one name: `{letter}` is the length of a sum"
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[4].end))
        return replace(definition, tokens=(name, *tokens[5:]))

    def _letters_elsewhere(self, target: str) -> set[str]:
        """The names of the document that stand anywhere but below this one."""
        found: set[str] = set()
        for d in self.definitions:
            names = Counter(t.value for t in d.tokens if t.type == "NAME")
            for name, _, inner in scripted(d.tokens, "SUB"):
                if name.value == target:
                    names.subtract(t.value for t in inner if t.type == "NAME")
            found |= {n for n, count in names.items() if count > 0}
        return found

    def _is_one_of_several(self, definition: Statement) -> bool:
        r"""Whether it is the `P_L` of `P_L = ..` and `P_F = ..`, one letter with different letters below it."""
        below = [
            tuple(t.value for t in left_indices(d.tokens))
            for d in self.definitions
            if d.target == definition.target
        ]
        is_plain = definition.target not in self.declared and not definition.ranges
        are_alone = len(left_indices(definition.tokens)) == 1 and all(below)  # beside `R_{sk}`, too
        return is_plain and 1 < len(set(below)) == len(below) and are_alone

    def _is_only_here(self, definition: Statement) -> bool:
        r"""Whether it is `M_u = \sum ..` with an `M` that is no tensor otherwise."""
        base, letter = definition.tokens[0].value, definition.tokens[3].value
        others = (
            [t.value for t in inner]
            for d in self.definitions
            for name, _, inner in scripted(d.tokens, "SUB")
            if name.value == base
        )
        is_word = definition.tokens[0].note == "upright" and len(base) > 1
        is_label = letter.isupper() or (letter in NO_INDICES and self._binds_all(definition))
        is_free = base not in self.declared and not definition.ranges
        right = definition.right
        has_letters = any(t.type == "NAME" for _, _, n in scripted(right, "SUB") for t in n)
        is_number = definition.has_reduction or (letter.isupper() and not has_letters)
        is_sum = is_free and (is_word or is_label) and is_number
        return is_sum and all(inner == [letter] for inner in others)

    def _binds_all(self, definition: Statement) -> bool:
        """Whether its reductions bind every letter below a name of the right side, labels aside: no index is missing."""
        right = definition.tokens[definition.equal :]
        letters = Counter(t.value for t in right if t.type == "NAME")
        below = {
            t.value
            for name, _, inner in scripted(right, "SUB")
            if (name.value, *(t.value for t in inner)) not in self._labelled
            for t in inner
            if t.type == "NAME" and not has_style(t)
            if f"{name.value}_{t.value}" not in self.declared
            if [letters[name.value], letters[t.value]] != [1, 1]  # the constant `C_s`
        }
        return below <= bound_names(right)


def _is_free_element(definition: Statement) -> bool:
    """Whether one letter below a name is all of the left side, and no range is printed."""
    kinds = [t.type for t in definition.tokens[:5]]
    is_whole = kinds == _ELEMENT and definition.equal == 5
    return is_whole and not _has_range(definition, definition.tokens[3].value)


def _has_range(definition: Statement, letter: str) -> bool:
    """Whether what is said behind the definition is about the letter; a range that cannot be read may be."""
    said = said_ranges(definition.ranges) if definition.ranges else []
    return said is None or any(s.name.value == letter for s in said)


def _has_whole_list(definition: Statement) -> bool:
    r"""Whether it is `L_z(x)`, one letter below a name, and a list that tells what the number depends on."""
    left = definition.tokens[: definition.equal]
    kinds = [t.type for t in left]
    is_list = kinds[5:6] == ["LPAR"] and kinds[-1] == "RPAR"
    return kinds[:5] == _ELEMENT and is_list and not _has_range(definition, left[3].value)


def _with_unclear_length(definition: Statement) -> Statement:
    """The definition with the error of a left side that is a number, or one for each length of its sum."""
    name, letter, end = definition.tokens[0], definition.tokens[3].value, definition.tokens[4].end
    fact = f"`{letter}` may be the length of the sum, so that this is one number, or an index: a number for each length"
    fix = f"for the number write `%!tadc size {letter}`; for all of them say how many, `\\quad {letter} = 1, \\dots, N`, behind the formula"
    error = Token("ERROR", fact, name.start, end, fix)
    return replace(definition, tokens=(*definition.tokens, error))


def _below(tokens: Sequence[Token]) -> Iterator[Token]:
    """What stands below the names."""
    return (t for _, _, inner in scripted(tokens, "SUB") for t in inner)


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
    are_sizes = is_free and has_sum and not letters & _STRONG
    return is_list and (are_sizes or are_numbers)


def _may_be_label(definition: Statement, scalars: Set[str], targets: Set[str]) -> bool:
    r"""Whether it is the `x` of `E_x \approx E_{i+1,j} - E_{ij}` or the `u` of `M_u =`: no index of the right side, and no value
    there but a declared number.
    """
    tokens, equal = definition.tokens, definition.equal
    if [t.type for t in tokens[:5]] != _ELEMENT:
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
    r"""Whether it is `E_A = f(R_B - R_A)`: capitals, of which nothing binds the other one."""
    if [t.type for t in definition.tokens[:6]] != [*_ELEMENT, "EQ"]:
        return False
    letter = definition.tokens[3].value
    below: dict[str, set[str]] = {}
    for name, _, inner in scripted(definition.right, "SUB"):
        below.setdefault(name.value, set()).add("".join(t.value for t in inner))
    bound = bound_names(definition.right)
    twins = (found for found in below.values() if letter in found and len(found) > 1)
    return letter.isupper() and any(
        all(n.isupper() and len(n) == 1 and n not in bound for n in found) for found in twins
    )


def _is_moving(definition: Statement) -> bool:
    """Whether the right side reads moved elements, `E_{i+1,j}`, and binds no index."""
    right = definition.tokens[definition.equal :]
    if any(t.type == "RED" for t in right):
        return False
    return any(t.type == "PLUS" for _, _, inner in scripted(right, "SUB") for t in inner)


def _reads_itself(definition: Statement) -> bool:
    r"""Whether it is `\mu_p = \sum_i w_i \mu_i`."""
    right = definition.tokens[definition.equal :]
    return any(name.value == definition.target for name, _, _ in scripted(right, "SUB"))


def _ends_at(tokens: Sequence[Token], place: int, equal: int) -> bool:
    """Whether nothing but a superscript stands between `place` and the sign."""
    is_power = place < equal and tokens[place].type == "SUP"
    return place == equal or (is_power and closing_braces(tokens).get(place + 1) == equal - 1)
