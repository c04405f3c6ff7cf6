r"""The meaning of scripts in a whole document: indices, labels that are part of a name, or powers.

    \sigma_f        a label: nothing binds f        x_{\max}, T_{\mathrm{in}}   words are labels
    x^{(i)}         an index, where i is one        X_{ij}^2                    a power of the element
    V_i^c           an index behind the lower ones, under `%!tadc upper`; else an error that shows both readings

What may be read in two ways is an ERROR token with both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.diagonals import AXES
from tadc.syntax.tex.intercepts import (
    first_of_sums,
    unclear_zero,
    with_zero_below,
    zero_beside_index,
)
from tadc.syntax.tex.left_labels import with_named_left_sides
from tadc.syntax.tex.left_naming import NO_INDICES, Naming
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.ranges import said_ranges
from tadc.syntax.tex.script_survey import (
    COUNTING,
    above_numbers,
    above_the_left,
    counting_above_the_left,
    counts_of_subscripts,
    counts_on_left,
    numbers,
    raised_over_indices,
    summed,
    told_apart,
    unbalanced,
    values,
    with_digits_of_others,
    with_free_capitals,
    with_given_numbers,
    with_numbers_alone,
    with_two_digits,
    with_two_letters,
)
from tadc.syntax.tex.script_tokens import (
    Guess,
    bound_names,
    comma,
    equal_place,
    has_style,
    left_indices,
    names_in_bounds,
    scripted,
    scripts_at,
    with_label,
)
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.superscripts import Superscripts
from tadc.syntax.tex.time_steps import next_steps
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.upper_places import UpperPlaces, printed_lengths

__all__ = ["Scripts"]


_NEVER_SUMMED = frozenset("efghotuvwxyz")  # by Einstein's convention, alone below a name


def _names_with_index_above(definition: Statement) -> set[str]:
    r"""The name that is defined, and those of the right side that have the same letter in brackets above, the `e` of `v_i^{(t)} = a_i e_i^{(t)}`."""
    letters = above_the_left(definition)
    read = {
        name.value
        for name, _, inner in scripted(definition.right, "SUP")
        if len(inner) == 3 and inner[1].value in letters
    }
    return {definition.target, definition.target.rpartition("_")[0], *read}


@dataclass(frozen=True, slots=True)
class _Scope:
    """Of one definition: the names that it binds, how often letters stand in subscripts, and those that are moved, `i + 1`.

    There are no counts where the right side lacks an index of the left one.
    """

    bound: Set[str]
    letters: Counter[str] | None
    moving: Set[str]
    parameters: Set[str] = frozenset()  # of the function that is defined


@dataclass(slots=True)
class Scripts:
    """What a document says of its names. `ranks` are those of declared tensors, `scalars` have none, `sizes` are sizes."""

    definitions: Sequence[Statement]
    declared: Set[str]
    ranks: Mapping[str, int]
    scalars: Set[str]
    sizes: Set[str]
    is_upper: bool
    is_einstein: bool
    in_intervals: Set[str] = frozenset()  # names that lie between two numbers
    base: int | None = None  # the first index, where a line declares it
    longer: Set[str] = frozenset()  # tensors with an extent such as `p + 1`
    extents: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of declared tensors
    parameters: Mapping[int, Set[str]] = field(default_factory=dict)  # of functions, by their start
    guesses: dict[str, Guess] = field(default_factory=dict)
    _superscripts: Superscripts = field(init=False)
    _bound: list[set[str]] = field(default_factory=list)
    _tensors: set[str] = field(default_factory=set)  # names that have a bound index somewhere
    _constants: set[str] = field(default_factory=set)  # names that have numbers below them alone
    _given: set[str] = field(default_factory=set)  # the `x` of `x_i = x_0 + v t_i`
    _pairs: set[str] = field(default_factory=set)  # names with two letters below them, or a number
    _intercepts: set[str] = field(default_factory=set)  # vectors whose `x_0` is its own name
    _with_zero: set[str] = field(default_factory=set)  # vectors with a 0 below them: unclear
    _counts: Mapping[str, int] = field(default_factory=dict)  # of letters on left sides
    _all_counts: Mapping[str, int] = field(default_factory=dict)  # of subscripts everywhere
    _of_others: set[tuple[str, str]] = field(default_factory=set)  # `\\beta_{12}` beside `\\beta_1`
    _in_digits: set[str] = field(default_factory=set)  # names that have two digits below them alone
    _left_labels: set[str] = field(default_factory=set)  # names that left sides have with labels
    _left_numbers: set[str] = field(
        default_factory=set
    )  # names that left sides have without subscripts
    _labelled_bases: set[str] = field(
        default_factory=set
    )  # with a capital below that nothing binds
    _above_numbers: set[str] = field(default_factory=set)  # the `w` of `w_{x_i}`, if `x_i` is added
    _has_axes: bool = False  # whether components are defined, `\sigma_{xy} = ..`
    _summed: set[str] = field(default_factory=set)  # letters that a term has below two names
    _unbalanced: set[str] = field(
        default_factory=set
    )  # letters that not all terms of a bracket have
    _below_with_others: set[str] = field(default_factory=set)  # letters beside others below a name
    _lone: set[tuple[str, str]] = field(default_factory=set)  # names with one letter below them
    _told_apart: set[str] = field(default_factory=set)  # letters that tell one name apart
    _owners: dict[str, set[str]] = field(default_factory=dict)  # of letters, the names above them
    _below: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)  # what stands below names
    _has_sums: bool = False  # whether sums are written
    _bounds: set[str] = field(default_factory=set)  # names in bounds of sums
    _values: set[str] = field(default_factory=set)  # names that stand as values somewhere

    def __post_init__(self) -> None:
        naming = Naming(self.definitions, self.declared, self.scalars, self.sizes, self.guesses)
        self.definitions = with_named_left_sides(naming)
        self._has_axes = naming.has_axes
        raised = raised_over_indices(self.definitions)
        self._bound = [
            self._bound_in(d)
            | (above_the_left(d) if _names_with_index_above(d) & raised else set())
            | counting_above_the_left(d)
            for d in self.definitions
        ]
        for definition, bound in zip(self.definitions, self._bound, strict=True):
            for name, _, inner in scripted(definition.tokens, "SUB"):
                if any(t.type == "NAME" and t.value in bound for t in inner):
                    self._tensors.add(name.value)
            self._values |= values(definition.tokens)
            self._summed |= summed(definition.tokens[definition.equal :])
            self._unbalanced |= unbalanced(definition.tokens[definition.equal :])
        for name, _, inner in (x for d in self.definitions for x in scripted(d.tokens, "SUB")):
            letters = [t.value for t in inner if t.type == "NAME"]
            if len(inner) == len(letters) == 1:
                self._lone.add((name.value, letters[0]))
            for letter in letters:
                self._owners.setdefault(letter, set()).add(name.value.split("_")[0])
            if len(letters) > 1:
                self._below_with_others.update(letters)
            self._below.setdefault(name.value, set()).add(tuple(t.value for t in inner))
        self._told_apart = told_apart(self.definitions)
        self._above_numbers = above_numbers(self.definitions) - self.declared
        self._has_sums = any(d.has_reduction for d in self.definitions)
        everywhere: set[str] = set().union(*self._bound)
        self._constants = with_numbers_alone(self.definitions, everywhere) - self.declared
        self._constants -= {d.target for d in self.definitions if self._may_be_vector(d)}
        self._given = with_given_numbers(self.definitions) - self.declared
        self._pairs = with_two_letters(self.definitions) - self.declared
        self._tell_intercepts()
        self._counts = counts_on_left(self.definitions)
        self._all_counts = counts_of_subscripts(self.definitions)
        of_others = with_digits_of_others(self.definitions)
        self._of_others = {pair for pair in of_others if pair[0] not in self.declared}
        self._in_digits = with_two_digits(self.definitions) - self.declared - self._counts.keys()
        self._bounds = names_in_bounds(d.tokens for d in self.definitions)
        self._superscripts = Superscripts(
            self.declared,
            self.scalars
            | (numbers(self.definitions, self.in_intervals) - self.declared)
            | self._defined_numbers(),
            self._values | self.declared | self.sizes,
            self._bounds,
            self.is_upper,
            UpperPlaces(self.extents, printed_lengths(self.definitions)),
            self.guesses,
            next_steps(self.definitions),
            {d.target for d in self.definitions},
        )
        self._labelled_bases = with_free_capitals(self.definitions, self._bound)
        self._left_labels |= {d.target for d in self.definitions if "_" in d.target}
        self._left_numbers = {d.target for d in self.definitions if d.is_scalar}

    def _tell_intercepts(self) -> None:
        r"""`\beta_0` beside a vector `\beta`: a name where the document counts from 1, and unclear where nothing tells."""
        found = with_zero_below(self.definitions, self.ranks)
        declared = {name for name in found if f"{name}_0" in self.declared}
        first = first_of_sums(self.definitions) if self.base is None else self.base
        clear = found - self.longer if self.base is None else found
        self._intercepts = clear | declared if first == 1 else declared
        self._with_zero = found - declared - (clear if first is not None else set())
        if self.base is None:
            beside = zero_beside_index(self.definitions)
            self._with_zero |= {n for n in beside if f"{n}_0" not in self.declared}

    def _bound_in(self, definition: Statement) -> set[str]:
        """The names that a definition binds, those with a range behind it included."""
        said = {s.name.value for s in said_ranges(definition.ranges) or ()}
        repeated = _repeated(definition) if self.is_upper and self.is_einstein else set()
        return bound_names(definition.tokens, is_upper=self.is_upper) | said | repeated

    def _may_be_vector(self, definition: Statement) -> bool:
        r"""Whether the definition of a name without subscripts reads something declared with dimensions; the `F_0` of
        `F = F_0 + (1 - F_0) v \cdot h` is no element of what is defined.
        """
        if any(name.value == definition.target for name, _, _ in scripted(definition.right, "SUB")):
            return False
        right = {t.value for t in definition.tokens[definition.equal :] if t.type == "NAME"}
        return definition.is_scalar and bool(right & self.declared - self.scalars - self.sizes)

    def _defined_numbers(self) -> set[str]:
        r"""The names that the document defines without subscripts, from nothing that has some: no index stands above them."""
        tensors = {name.value for d in self.definitions for name, _, _ in scripted(d.tokens, "SUB")}
        tensors |= self.declared - self.scalars - self.sizes
        of_numbers = {d.target for d in self.definitions if d.is_scalar and _is_of_numbers(d)}
        of_others = {d.target for d in self.definitions if not _is_of_numbers(d)}
        return of_numbers - of_others - tensors

    def run(self) -> list[Statement]:
        """The definitions with labels in their names, and with indices in one subscript."""
        return [
            replace(d, tokens=tuple(self._read(d, bound)))
            for d, bound in zip(self.definitions, self._bound, strict=True)
        ]

    def _read(self, definition: Statement, bound: Set[str]) -> list[Token]:
        tokens = definition.tokens
        left = {t.value for t in left_indices(tokens)}
        is_whole = left <= {t.value for t in tokens[equal_place(tokens) :]}
        scripts = [inner for _, _, inner in scripted(tokens, "SUB")]
        letters = Counter(t.value for inner in scripts for t in inner if t.type == "NAME")
        moving = {
            t.value
            for inner in scripts
            if any(t.type in ("PLUS", "MINUS") for t in inner)
            for t in inner
            if t.type == "NAME"
        }
        scope = _Scope(
            bound,
            letters if is_whole else None,
            moving,
            self.parameters.get(definition.start, frozenset()),
        )
        return self._with_names(tokens, scope)

    def _with_names(self, tokens: Sequence[Token], scope: _Scope) -> list[Token]:
        """The tokens with the meaning of the scripts on each name; what stands in a power is read first."""
        closing = closing_braces(tokens)
        result: list[Token] = []
        place = 0
        while place < len(tokens):
            token = tokens[place]
            below, above, end = None, None, place + 1
            if token.type == "NAME":
                below, above, end = scripts_at(tokens, place, closing)
            if below is None and above is None:
                result.append(token)
                place += 1
                continue
            if above is not None:
                above = (above[0], *self._with_names(above[1:-1], scope), above[-1])
            whole = tokens[place:end]
            if token.value in self._with_zero and below is not None and _is_zero(below[1:-1]):
                result.append(unclear_zero(token, below))
                place = end
                continue
            if below is not None and (token.value, below[1].value) in self._of_others:
                result.append(_unclear_number(token, below))
                place = end
                continue
            if token.value in self._in_digits and below is not None:
                result.append(_unclear_digits(token, below))
                place = end
                continue
            name, rest = self._labelled(token, below, scope)
            result += self._superscripts(
                name, rest, above, scope.bound, whole, below, scope.parameters
            )
            place = end
        return result

    # ------------------------------------------------------------------ subscripts

    def _labelled(
        self, base: Token, below: Sequence[Token] | None, scope: _Scope
    ) -> tuple[Token, Sequence[Token] | None]:
        """The name with labels, and the braces of the indices that are left; letters are labels if their counts are given."""
        bound, letters, moving = scope.bound, scope.letters, scope.moving
        if below is None:
            return base, None
        inner = below[1:-1]
        signs = [t.type for t in inner]
        in_brackets = signs in (["LPAR", "NAME", "RPAR"], ["LSQB", "NAME", "RSQB"])
        if in_brackets and inner[1].value in bound:
            return _order_statistic(base, below), None
        words = [t for t in inner if _is_word(t, bound)]
        if words and all(t.type in ("NAME", "COMMA", "NUM") for t in inner):
            others = [t for t in inner if t not in words and t.type != "COMMA"]
            name = with_label(base, words, below[-1].end)
            if not others:
                return name, None
            return name, [below[0], *_with_commas(others), below[-1]]
        if (named := self._with_number(base, below)) is not None:
            return named
        if self._is_digit_each(base, inner):
            return base, _with_digits(below)
        if self._is_digit_first(base, inner):
            return base, [
                below[0],
                inner[0],
                *(x for t in inner[1:] for x in (comma(t), t)),
                below[-1],
            ]
        if (nested := self._with_nested(base, below)) is not None:
            return nested
        kinds = {t.type for t in inner}
        names = [t for t in inner if t.type == "NAME"]
        compound = f"{base.value}_{''.join(t.value for t in names)}"
        is_known = compound in self.declared or compound in self._left_labels
        is_known |= self._has_axes and len(names) == 2 and {t.value for t in names} <= AXES
        if kinds == {"NAME"} and is_known and not any(t.value in bound for t in names):
            return with_label(base, names, below[-1].end), None
        if (mixed := self._with_some_labels(base, below, scope)) is not None:
            return mixed
        if not inner or letters is None or not kinds <= {"NAME", "COMMA"}:
            return base, below
        if self.is_einstein and not self._is_label_alone(base, names):
            return base, below
        known: Set[str] = self._bounds | bound | moving | self.sizes
        if self._is_label_of_one(base, inner, {*bound, *moving}):
            known = bound | moving
        is_free = not any(t.value in known for t in names)
        repeated = any(letters[t.value] > 1 and t.value not in self._values for t in names)
        if not is_free or base.value in self.declared - self._tensors:
            return base, below
        if base.value in self._tensors and any(t.value in COUNTING for t in names):
            return base, below  # the `x_k` of `x_i x_j - x_k^2`, where `x` has indices
        doubled = [t for t in names if t.value in self._summed - self._tensors]
        if repeated and any(not self._is_constant_letter(t) for t in doubled):
            return base, below
        if any(t.value in b for t in names for b in self._bound):
            return base, below
        name = with_label(base, names, below[-1].end)
        said = ", ".join(f"`{t.value}`" for t in names)
        text = f"`{name.value}` is one name: nothing binds {said}"
        self.guesses.setdefault(text, Guess(text, base.start, below[-1].end))
        return name, None

    def _is_label_of_one(self, base: Token, inner: Sequence[Token], bound: set[str]) -> bool:
        r"""Whether it is the `k_B` of a document with a sum up to `B`: no index stands below a `k` anywhere, so that it is no last element."""
        letters = tuple(t.value for t in inner)
        everywhere = bound.union(*self._bound)
        are_labels = all(
            len(own) == 1 and own[0].isalpha() and own[0] not in everywhere
            for own in self._below.get(base.value, ())
        )
        return are_labels and len(letters) == 1 and base.value not in self.declared

    def _is_label_alone(self, base: Token, names: Sequence[Token]) -> bool:
        r"""Whether it is the `s` of `(C_s \Delta)^2` under Einstein's convention: below that name alone, and no letter of indices."""
        return len(names) == 1 and all(
            (t.value in NO_INDICES or t.value.isupper())
            and self._owners.get(t.value) == {base.value.split("_")[0]}
            and t.value not in self._summed | self._below_with_others
            for t in names
        )

    def _is_constant_letter(self, letter: Token) -> bool:
        r"""Whether the `L` of `g_L (E_L - V_i) + \sum_j w_{ij}` is a label, and no sum that is not written: others are, and it is a capital, or rarely counts."""
        is_label = letter.value.isupper() or letter.value in NO_INDICES
        is_clear = (
            self._has_sums
            or letter.value in _NEVER_SUMMED
            or letter.value in self._told_apart | self._unbalanced
        )
        return is_clear and is_label and letter.value not in self._below_with_others

    def _with_some_labels(
        self, base: Token, below: Sequence[Token], scope: _Scope
    ) -> tuple[Token, Sequence[Token]] | None:
        r"""`H_{T,\ell}` as an element of `H_T`, `R_{ft}` as one of `R_f`: a letter that nothing binds, or what a declared name has, is a label."""
        inner = below[1:-1]
        parts = [t for t in inner if t.type != "COMMA"]
        if {t.type for t in parts} - {"NAME", "NUM"} or len(parts) < 2 or self.is_einstein:
            return None
        if base.value in self.declared and not any(
            self._is_declared_label(base, t, scope) for t in parts
        ):
            return None
        is_list = len(inner) == 2 * len(parts) - 1
        known = self._bounds | scope.bound | self.sizes | self._tensors | set().union(*self._bound)
        labels = [
            t
            for t in parts
            if self._is_declared_label(base, t, scope)
            or (t.type == "NAME" and t.value not in known and self._is_no_index(t, is_list))
        ]
        indices = [t for t in parts if t not in labels]
        if not labels or not indices:
            return None
        name = with_label(base, [replace(t, type="NAME") for t in labels], below[-1].end)
        if base.value == "delta" and name.value not in self.declared:
            return _delta_of_number(base, indices[0], labels[0], below), [below[0], below[-1]]
        if name.value not in self.declared:
            said = ", ".join(f"`{t.value}`" for t in labels)
            text = f"`{name.value}` is one name: nothing binds {said}"
            self.guesses.setdefault(text, Guess(text, base.start, below[-1].end))
        return name, [below[0], *_with_commas(indices), below[-1]]

    def _is_declared_label(self, base: Token, label: Token, scope: _Scope) -> bool:
        """Whether a declared name, or one of a left side, has the letter; a number is a subscript."""
        name = f"{base.value}_{label.value}"
        is_known = name in self.declared | self._left_labels and label.value not in scope.bound
        return is_known and (label.type == "NAME" or base.value not in self.declared)

    def _is_no_index(self, letter: Token, is_list: bool) -> bool:
        """Whether a letter that nothing binds is none that papers count with: a capital or an axis in a list, or a small one that is summed nowhere."""
        if letter.value.isupper() or letter.note:
            return is_list and letter.value.isupper()
        if letter.value in AXES and is_list and self._has_sums:
            return True
        is_summed = letter.value in self._summed and not (
            is_list and self._has_sums and len(self._owners[letter.value]) == 1
        )
        return letter.value in NO_INDICES and not is_summed

    def _with_nested(
        self, base: Token, below: Sequence[Token]
    ) -> tuple[Token, Sequence[Token] | None] | None:
        r"""`\sigma_{Y_i}` as an element of a declared `sigma_Y`; unclear where the document has a `\sigma_X` too."""
        kinds = [t.type for t in below[1:-1]]
        if (
            kinds[:3] != ["NAME", "SUB", "LBRACE"]
            or kinds[-1] != "RBRACE"
            or kinds.count("SUB") > 1
        ):
            return None
        letter = below[1]
        compound = f"{base.value}_{letter.value}"
        if compound in self.declared:
            return replace(base, value=compound, end=letter.end), below[3:-1]
        is_unclear = base.value in self._labelled_bases | self._above_numbers
        is_unclear |= (base.value, letter.value) in self._lone  # `\sigma_y` beside `\sigma_{y_i}`
        if base.value in self.declared or letter.value in self.declared or not is_unclear:
            return None
        fact = f"`{letter.value}` may be a label here, or an array of indices"
        fix = (
            f"declare the labelled one, `%!tadc input {compound}[N]`, or write it without the lower letter;"
            f" for the other the array, `%!tadc input {letter.value}[N]: 0..K-1`"
        )
        error = Token("ERROR", fact, base.start, below[-1].end, fix)
        return error, None

    def _with_number(
        self, base: Token, below: Sequence[Token]
    ) -> tuple[Token, Sequence[Token] | None] | None:
        r"""`\varepsilon_0`, and `\ell_{b,0}` where `ell_0` is declared, with the number in the name; None for all else."""
        *others, last = below[1:-1] or below
        if (first := self._with_number_first(base, below)) is not None:
            return first
        if last.type != "NUM":
            return None
        if [t.type for t in others] == ["MINUS"] and base.value in self._constants:
            label = replace(last, type="NAME", value=f"minus_{last.value}")
            return with_label(base, [label], below[-1].end), None
        name = with_label(base, [replace(last, type="NAME")], below[-1].end)
        is_left = name.value in self._left_numbers
        if not others and (is_left or base.value in self._constants):
            return name, None
        if not others and base.value in self._given:
            text = f"`{name.value}` is one name: the definition of `{base.value}` reads no other element of it"
            self.guesses.setdefault(text, Guess(text, base.start, below[-1].end))
            return name, None
        is_declared = name.value in self.declared - self.sizes
        if not others and (is_declared or base.value in self._pairs):
            return name, None
        if base.value in self._intercepts and _is_zero(below[1:-1]):
            text = f"`{name.value}` is one name: the vector `{base.value}` begins at 1"
            self.guesses.setdefault(text, Guess(text, base.start, below[-1].end))
            return name, None
        tensors = self.declared - self.sizes - self.scalars
        if len(others) < 2 or others[-1].type != "COMMA" or name.value not in tensors:
            return None
        return name, [below[0], *others[:-1], below[-1]]

    def _with_number_first(
        self, base: Token, below: Sequence[Token]
    ) -> tuple[Token, Sequence[Token]] | None:
        r"""`\beta_{1t}` and `\beta_{1,t}` as an element of a declared `beta_1`."""
        first, *rest = below[1:-1] or below
        others = [t for t in rest if t.type != "COMMA"]
        if first.type != "NUM" or not others or base.value in self.declared:
            return None
        name = with_label(base, [replace(first, type="NAME")], below[-1].end)
        if name.value not in self.declared - self.sizes - self.scalars:
            return None
        return name, [below[0], *_with_commas(others), below[-1]]

    def _is_digit_first(self, base: Token, inner: Sequence[Token]) -> bool:
        r"""Whether it is the `2t` of `\beta_{2t}`, whose tensor has as many dimensions as there are signs."""
        kinds = [t.type for t in inner]
        is_list = kinds[:1] == ["NUM"] and {*kinds[1:]} == {"NAME"}
        count = self.ranks.get(base.value, self._all_counts.get(base.value, 0))
        return is_list and inner[0].value.isdigit() and len(inner) == count

    def _is_digit_each(self, base: Token, inner: Sequence[Token]) -> bool:
        r"""Whether it is the `11` of `\sigma_{11}`, whose tensor has as many dimensions as there are digits."""
        is_number = [t.type for t in inner] == ["NUM"] and inner[0].value.isdigit()
        count = self.ranks.get(base.value, self._counts.get(base.value, 0))
        return is_number and 1 < len(inner[0].value) == count


def _is_of_numbers(definition: Statement) -> bool:
    r"""Whether it is `a = \lambda/\mu`: the left side is a name alone, and the right side has nothing but letters, numbers and signs."""
    kinds = {t.type for t in definition.right}
    styles = {t.note for t in definition.tokens if t.type == "NAME"}
    is_plain = definition.equal == 1 and kinds <= _OF_NUMBERS and not styles & {"bold"}
    return is_plain and not any(t.value.isupper() for t in definition.right)


_OF_NUMBERS = frozenset(
    ("NAME", "NUM", "PLUS", "MINUS", "SLASH", "FRAC", "LBRACE", "RBRACE", "CDOT")
)


def _delta_of_number(base: Token, index: Token, number: Token, below: Sequence[Token]) -> Token:
    r"""The error of `\delta_{k,y}` for an index `k` and a `y` that nothing binds."""
    i, y = as_printed(index.value), as_printed(number.value)
    fact = rf"`\delta_{{{i},{y}}}` may be Kronecker's delta, or data with the label `{y}`: nothing binds that"
    fix = (
        rf"write `\mathbf{{1}}[{i} = {y}]` for the first, with the number `%!tadc input {number.value}[]`;"
        f" declare the data, `%!tadc input delta_{number.value}[N]`"
    )
    return Token("ERROR", fact, base.start, below[-1].end, fix)


def _order_statistic(base: Token, below: Sequence[Token]) -> Token:
    r"""The error of `x_{(i)}` and `x_{[i]}`."""
    i = below[2].value
    shown = f"({i})" if below[1].type == "LPAR" else f"[{i}]"
    fact = f"`{shown}` below a name says that the elements are sorted, and nothing sorts them here"
    fix = f"declare the sorted ones as an input of their own, and write `{base.value}'_{i}`; an index has no brackets"
    return Token("ERROR", fact, base.start, below[-1].end, fix)


def _is_zero(inner: Sequence[Token]) -> bool:
    return [(t.type, t.value) for t in inner] == [("NUM", "0")]


def _unclear_number(name: Token, below: Sequence[Token]) -> Token:
    digits = below[1].value
    shown = name.value if len(name.value) == 1 else f"\\{name.value}"
    return Token(
        "ERROR",
        f"`{digits}` below `{shown}` may be the number of an element, or stand for `{digits[0]}` and `{digits[1]}` together",
        name.start,
        below[-1].end,
        f"for the latter give it a name, `%!tadc {shown}_{{{digits}}} is {name.value}_{digits}`; for the element declare the shape, `%!tadc input {name.value}[N]`",
    )


def _unclear_digits(name: Token, below: Sequence[Token]) -> Token:
    digits = below[1].value
    shown = name.value if len(name.value) == 1 else f"\\{name.value}"
    return Token(
        "ERROR",
        f"`{digits}` may be one subscript or two, `{digits[0]}` and `{digits[1]}`",
        name.start,
        below[-1].end,
        f"write a comma between two, `{shown}_{{{digits[0]},{digits[1]}}}`, or declare the shape, `%!tadc input {name.value}[3, 3]`",
    )


def _is_word(token: Token, bound: Set[str]) -> bool:
    r"""Whether it is `\mathrm{in}` or `\mathcal{B}`, and no index."""
    has_style = token.note in ("upright", "calligraphic", "script", "sans", "fraktur")
    return token.type == "NAME" and has_style and token.value not in bound


def _with_digits(below: Sequence[Token]) -> list[Token]:
    """The braces of a number with a subscript for each of its digits."""
    opening, number, closing = below
    digits = [replace(number, value=digit) for digit in number.value]
    return [opening, *_with_commas(digits), closing]


def _with_commas(tokens: Sequence[Token]) -> list[Token]:
    result = [tokens[0]]
    for token in tokens[1:]:
        result += [comma(token), token]
    return result


def _repeated(definition: Statement) -> set[str]:
    r"""The letters that stand twice in scripts of the right side, as the `j` of `g_{ij} u^j`: with superscripts that are indices, these are
    summed over.
    """
    inner = (n for kind in ("SUB", "SUP") for _, _, n in scripted(definition.right, kind))
    counts = Counter(t.value for n in inner for t in n if t.type == "NAME" and not has_style(t))
    return {name for name, count in counts.items() if count > 1}
