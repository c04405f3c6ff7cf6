r"""The passes over the tokens of a document's formulas, in their order, before statements are cut out of them.

Each surveys all formulas first, `\mathrm{TP}` stands for one name wherever it is, and gives what is done to the tokens of one.
A pass that reads names comes behind those that make them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from tadc.syntax.tex.acidities import with_acidities
from tadc.syntax.tex.angles import (
    defines_angles,
    says_other_angles,
    with_own_angles,
    with_unclear_angles,
    without_labels_of_angles,
)
from tadc.syntax.tex.blackboard_heads import (
    defined_statistics,
    with_defined_statistics,
)
from tadc.syntax.tex.bold import with_arrows_in_bold
from tadc.syntax.tex.bound_labels import labelled_bounds, with_labelled_bounds
from tadc.syntax.tex.bracket_factors import bracket_factors, with_bracket_factors
from tadc.syntax.tex.bracketed_names import with_bracketed_names
from tadc.syntax.tex.circle_numbers import (
    has_elements_of_pi,
    has_marked_pi,
    with_circle_numbers,
    with_unclear_pi,
)
from tadc.syntax.tex.compound_indices import compound_indices, with_compound_indices
from tadc.syntax.tex.concentrations import concentrations, with_concentrations
from tadc.syntax.tex.conventions import conventions, with_conventions
from tadc.syntax.tex.defined_averages import defined_averages, with_defined_averages
from tadc.syntax.tex.defined_conditionals import (
    defined_conditionals,
    given_conditionals,
    with_defined_conditionals,
    with_given_conditionals,
)
from tadc.syntax.tex.defined_norms import defined_norms, with_defined_norms
from tadc.syntax.tex.diagonal_matrices import with_vectors_in_diagonals
from tadc.syntax.tex.differentials import has_distance, several_steps, with_unclear_differentials
from tadc.syntax.tex.dotted import dotted_names, with_dotted_names
from tadc.syntax.tex.dotted_arguments import with_letters_for_dots
from tadc.syntax.tex.element_products import with_element_products
from tadc.syntax.tex.empty_groups import staggered_names, with_scripts_on_nothing
from tadc.syntax.tex.evaluation_points import (
    nodes_of_points,
    points_beside_nodes,
    with_named_nodes,
    with_named_points,
)
from tadc.syntax.tex.forgotten_backslashes import with_forgotten_backslashes
from tadc.syntax.tex.given_parameters import given_parameters, without_given_parameters
from tadc.syntax.tex.half_places import (
    at_half_places_alone,
    half_places,
    with_half_places,
)
from tadc.syntax.tex.indicators import with_indicators
from tadc.syntax.tex.labels import (
    left_labels,
    prose_labels,
    raised_on_left,
    raised_values,
    twin_labels,
    with_declared_arrows,
    with_equation_labels,
    with_flat_words,
)
from tadc.syntax.tex.layers import layer_letters, with_layers
from tadc.syntax.tex.left_names import LeftNames
from tadc.syntax.tex.listed_heads import listed_heads, without_lists_of_heads
from tadc.syntax.tex.listed_limits import with_ends_of_lists
from tadc.syntax.tex.listed_subscripts import with_listed_subscripts
from tadc.syntax.tex.magnitudes import magnitudes, with_magnitudes
from tadc.syntax.tex.marks_below import with_marks_below
from tadc.syntax.tex.matrix_elements import MatrixElements
from tadc.syntax.tex.mixed_numbers import with_unclear_mixed_numbers
from tadc.syntax.tex.named_sets import named_sets, with_named_sets
from tadc.syntax.tex.named_zeros import named_zeros, with_named_zeros
from tadc.syntax.tex.names import assembled
from tadc.syntax.tex.normal import with_densities
from tadc.syntax.tex.norms import with_norms
from tadc.syntax.tex.ones import lengths_of_shapes, with_plain_ones
from tadc.syntax.tex.plain_fractions import with_plain_fractions
from tadc.syntax.tex.points import numbered_functions, with_numbered_functions
from tadc.syntax.tex.positive_parts import positive_parts
from tadc.syntax.tex.previous_steps import previous_steps, with_previous_steps
from tadc.syntax.tex.raised_brackets import in_both_brackets, with_round_brackets
from tadc.syntax.tex.raised_heads import raised_heads, with_raised_heads
from tadc.syntax.tex.raised_indices import (
    bound_above,
    guessed_labels,
    raised_indices,
    with_unclear_indices,
)
from tadc.syntax.tex.raised_transposes import with_styled_transposes, with_transposes_apart
from tadc.syntax.tex.raised_words import (
    raised_words,
    starred_indices,
    with_raised_words,
    with_starred_indices,
)
from tadc.syntax.tex.raised_zeros import raised_zeros, with_raised_zeros
from tadc.syntax.tex.real_numbers import with_real_numbers
from tadc.syntax.tex.remainders import orders, without_remainders
from tadc.syntax.tex.repeated_differences import has_number_delta, with_unclear_differences
from tadc.syntax.tex.repeated_pairs import with_unclear_pairs
from tadc.syntax.tex.replacements import replaced, with_replacements
from tadc.syntax.tex.script_tokens import Guess, bound_names, equal_place, scripted
from tadc.syntax.tex.script_words import (
    script_words,
    with_arrows,
    with_script_words,
    with_text_labels,
)
from tadc.syntax.tex.set_builders import with_conditions_for_sets
from tadc.syntax.tex.set_sizes import unclear_sizes, with_unclear_sizes
from tadc.syntax.tex.sets_of_counts import with_listed_counts
from tadc.syntax.tex.several_limits import with_single_limits
from tadc.syntax.tex.shape_extents import (
    names_of_functions,
    names_outside_bars,
    with_named_extents,
)
from tadc.syntax.tex.sign_labels import signed_letters, with_sign_labels
from tadc.syntax.tex.signal_stars import with_unclear_stars
from tadc.syntax.tex.softmax_rows import with_softmax_of_rows
from tadc.syntax.tex.stacked_rows import (
    shaped_parts,
    stacked,
    with_shapes_of_parts,
    with_unclear_stacks,
)
from tadc.syntax.tex.times import times, without_parameters, without_times
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.told_functions import (
    says_other_sign,
    told_functions,
    told_product,
    with_told_functions,
    with_told_product,
    with_unclear_sign,
)
from tadc.syntax.tex.told_kinds import (
    says_levels,
    told_bases,
    told_norms,
    with_told_bases,
    with_told_norms,
    with_unclear_bases,
)
from tadc.syntax.tex.told_labels import told_labels, with_told_labels
from tadc.syntax.tex.told_sets import ToldSets
from tadc.syntax.tex.transposed_shapes import with_shapes_of_transposed
from tadc.syntax.tex.unclear_twins import with_unclear_twins
from tadc.syntax.tex.unclear_words import unclear_words, with_unclear_words
from tadc.syntax.tex.units import bare_units, without_units
from tadc.syntax.tex.unread_arguments import unread_arguments, without_unread_arguments
from tadc.syntax.tex.variations import with_derivatives_for_variations
from tadc.syntax.tex.weighted_norms import matrices_of_shapes, with_weighted_norms
from tadc.syntax.tex.whole_rows import defined_rows, with_whole_rows
from tadc.syntax.tex.whole_sets import sized_sets, whole_sets, with_sizes_of_sets
from tadc.syntax.tex.words import known_words, with_words
from tadc.syntax.tex.words_below import with_words_below

__all__ = ["Formulas", "passed"]

Tokens: TypeAlias = Sequence[Token]


@dataclass(frozen=True, slots=True)
class Formulas:
    """The tokens of all formulas so far, which of them stand in the prose, and what is known beside: the names that lines declare,
    those of tensors with their numbers of dimensions, whether superscripts are indices, and the text. Passes add to `guesses`.
    """

    tokens: Sequence[Tokens]
    in_prose: Sequence[bool]
    declared: Set[str]
    ranks: Mapping[str, int]
    is_upper: bool
    text: str
    guesses: list[Guess]

    @property
    def displayed(self) -> list[Tokens]:
        return [t for t, prose in zip(self.tokens, self.in_prose, strict=True) if not prose]


Pass: TypeAlias = Callable[[Formulas], Callable[[Tokens], Tokens]]


def passed(
    tokens: Sequence[Tokens],
    in_prose: Sequence[bool],
    declared: Set[str],
    ranks: Mapping[str, int],
    text: str,
    guesses: list[Guess],
    *,
    is_upper: bool,
) -> list[Tokens]:
    """The tokens of each formula after all passes."""
    current: list[Tokens] = [*without_parameters(tokens)]
    for each in PASSES:
        formulas = Formulas(current, in_prose, declared, ranks, is_upper, text, guesses)
        rewrite = each(formulas)
        current = [rewrite(t) for t in current]
    return current


# ---------------------------------------------------------------------- the passes


def _units(f: Formulas) -> Callable[[Tokens], Tokens]:
    units = bare_units(f.tokens, f.declared)
    return lambda tokens: without_units(tokens, f.declared, units, f.guesses)


def _conventions(f: Formulas) -> Callable[[Tokens], Tokens]:
    said = conventions(f.text)
    return lambda tokens: with_conventions(tokens, said)


def _told_kinds(f: Formulas) -> Callable[[Tokens], Tokens]:
    norms, bases, is_level = told_norms(f.text), told_bases(f.text), says_levels(f.text)

    def rewrite(tokens: Tokens) -> Tokens:
        tokens = with_told_norms(tokens, norms, f.guesses) if norms else tokens
        if bases:
            return with_told_bases(tokens, bases, f.text, f.guesses)
        return with_unclear_bases(tokens, f.text, is_level=is_level)

    return rewrite


def _whole_rows(f: Formulas) -> Callable[[Tokens], Tokens]:
    ranks = {**defined_rows(f.tokens), **f.ranks}
    return lambda tokens: with_whole_rows(tokens, ranks)


def _replacements(f: Formulas) -> Callable[[Tokens], Tokens]:
    names = replaced(f.displayed)
    return lambda tokens: with_replacements(tokens, names)


def _concentrations(f: Formulas) -> Callable[[Tokens], Tokens]:
    bound = {name for tokens in f.tokens for name in bound_names(tokens)}
    names = concentrations(f.tokens, bound | f.declared)
    return lambda tokens: with_concentrations(tokens, names)


def _told_labels(f: Formulas) -> Callable[[Tokens], Tokens]:
    letters = set() if f.is_upper else told_labels(f.displayed, f.declared, f.text)
    return lambda tokens: with_told_labels(tokens, letters)


def _bracketed_names(f: Formulas) -> Callable[[Tokens], Tokens]:
    bound = {name for tokens in f.tokens for name in bound_names(tokens)}
    return lambda tokens: with_bracketed_names(tokens, bound, f.declared)


def _raised_words(f: Formulas) -> Callable[[Tokens], Tokens]:
    if f.is_upper:
        return list
    words, indices = raised_words(f.displayed, f.declared), starred_indices(f.displayed)
    return lambda tokens: with_starred_indices(
        with_raised_words(tokens, words, f.declared, f.guesses), indices
    )


def _magnitudes(f: Formulas) -> Callable[[Tokens], Tokens]:
    names = magnitudes(f.displayed) - f.declared
    return lambda tokens: with_magnitudes(tokens, names)


def _positive_parts(f: Formulas) -> Callable[[Tokens], Tokens]:
    return positive_parts(f.text)


def _raised_zeros(f: Formulas) -> Callable[[Tokens], Tokens]:
    names = raised_zeros(f.tokens)
    return lambda tokens: with_raised_zeros(tokens, names)


def _named_zeros(f: Formulas) -> Callable[[Tokens], Tokens]:
    names = named_zeros(f.tokens, f.in_prose, f.declared)
    return lambda tokens: with_named_zeros(tokens, names, f.guesses)


def _defined_statistics(f: Formulas) -> Callable[[Tokens], Tokens]:
    statistics = defined_statistics(f.tokens)
    names = {t.value for tokens in f.tokens for t in tokens if t.type == "NAME"}
    return lambda tokens: with_defined_statistics(tokens, statistics, names)


def _given_parameters(f: Formulas) -> Callable[[Tokens], Tokens]:
    names = given_parameters(f.displayed, f.text)
    return lambda tokens: without_given_parameters(tokens, names, f.guesses)


def _unread_arguments(f: Formulas) -> Callable[[Tokens], Tokens]:
    names = unread_arguments(f.displayed, f.declared, f.ranks)
    return lambda tokens: without_unread_arguments(tokens, names, f.ranks, f.guesses)


def _listed_heads(f: Formulas) -> Callable[[Tokens], Tokens]:
    heads = listed_heads(f.displayed, f.declared)
    return lambda tokens: without_lists_of_heads(tokens, heads)


def _bracket_factors(f: Formulas) -> Callable[[Tokens], Tokens]:
    factors = bracket_factors(f.displayed) - f.declared
    return lambda tokens: with_bracket_factors(tokens, factors)


def _defined_averages(f: Formulas) -> Callable[[Tokens], Tokens]:
    names = defined_averages(f.displayed)
    return lambda tokens: with_defined_averages(tokens, names)


def _defined_conditionals(f: Formulas) -> Callable[[Tokens], Tokens]:
    names = defined_conditionals(f.displayed, f.declared)
    given = given_conditionals(f.displayed, f.declared)
    return lambda tokens: with_given_conditionals(
        with_defined_conditionals(tokens, names, f.guesses), given
    )


def _previous_steps(f: Formulas) -> Callable[[Tokens], Tokens]:
    steps = previous_steps([*zip(f.tokens, f.in_prose, strict=True)], f.declared)
    return lambda tokens: with_previous_steps(tokens, steps, f.guesses)


def _layers(f: Formulas) -> Callable[[Tokens], Tokens]:
    letters = set() if f.is_upper else layer_letters(f.displayed)
    return lambda tokens: with_layers(tokens, letters, f.declared, f.guesses)


def _whole_names(f: Formulas) -> Callable[[Tokens], Tokens]:
    pairs = zip(f.tokens, f.in_prose, strict=True)
    labels = {x for tokens, prose in pairs for x in left_labels(tokens, is_prose=prose)}
    labels -= {x for tokens in f.displayed for x in raised_values(tokens)}
    twins = twin_labels(f.tokens)
    labels |= twins | raised_on_left(f.displayed)
    labels |= prose_labels([*zip(f.tokens, f.in_prose, strict=True)])
    if f.is_upper:
        return assembled
    unclear = {x for tokens in f.displayed for x in raised_indices(tokens)} & labels
    labels -= {x for tokens in f.displayed for x in bound_above(tokens)} - unclear

    def rewrite(tokens: Tokens) -> Tokens:
        said = {guess.text for guess in f.guesses}
        f.guesses.extend(g for g in guessed_labels(tokens, labels) if g.text not in said)
        tokens = with_unclear_twins(tokens, twins & labels, f.declared)
        return assembled(with_unclear_indices(tokens, unclear), labels)

    return rewrite


def _own_words(f: Formulas) -> Callable[[Tokens], Tokens]:
    own = {word for tokens in f.tokens for word in _defined_words(tokens)}
    softmaxes = [t for tokens in f.tokens for t in tokens if t.type == "SOFTMAX"]
    is_defined = len(softmaxes) == 1 and any(map(_defines_softmax, f.displayed))

    def rewrite(tokens: Tokens) -> Tokens:
        result = [
            replace(t, type="NAME", value=t.note, note="upright")
            if t.type == "FUNC" and t.note in own
            else t
            for t in tokens
        ]
        return [
            replace(t, type="NAME", note="upright") if is_defined and t.type == "SOFTMAX" else t
            for t in result
        ]

    return rewrite


def _defines_softmax(tokens: Tokens) -> bool:
    r"""Whether it begins with `\mathrm{softmax}(z)_i =`."""
    kinds = [t.type for t in tokens[:9]]
    head = ["SOFTMAX", "LPAR", "NAME", "RPAR", "SUB", "LBRACE", "NAME", "RBRACE"]
    return kinds[:8] == head and kinds[8:] in (["EQ"], ["DEF"])


def _defined_words(tokens: Tokens) -> Iterator[str]:
    r"""The words of functions that a left side defines, `\mathrm{elu}(x) = ..`: what they mean elsewhere does not count."""
    for place, word in enumerate(tokens):
        if word.type != "FUNC" or not word.note:
            continue
        kinds = [t.type for t in tokens[place + 1 : place + 9]]
        if kinds[:4] == ["SUB", "LBRACE", "NAME", "RBRACE"]:
            kinds = kinds[4:]
        if kinds[:3] == ["LPAR", "NAME", "RPAR"] and kinds[3:4] in (["EQ"], ["DEF"]):
            yield word.note


def _script_words(f: Formulas) -> Callable[[Tokens], Tokens]:
    words = script_words(f.tokens, f.declared, is_upper=f.is_upper)
    bound = {name for tokens in f.tokens for name in bound_names(tokens)}
    bound |= {name for tokens in f.tokens for name in _on_the_left(tokens)}

    def rewrite(tokens: Tokens) -> Tokens:
        tokens = with_script_words(tokens, words, f.guesses)
        return with_arrows(with_text_labels(tokens), bound, f.guesses)

    return rewrite


def _on_the_left(tokens: Tokens) -> set[str]:
    """The letters that stand below a left side and on a right side."""
    equal = equal_place(tokens)
    closing = {t.value for _, _, inner in scripted(tokens[:equal], "SUB") for t in inner}
    right = {t.value for _, _, inner in scripted(tokens[equal:], "SUB") for t in inner}
    return {n for n in closing & right if len(n) == 1 and n.isalpha()}


def _angles(f: Formulas) -> Callable[[Tokens], Tokens]:
    if any(defines_angles(tokens) for tokens in f.tokens):
        return with_own_angles
    return with_unclear_angles if says_other_angles(f.text) else list


def _told_functions(f: Formulas) -> Callable[[Tokens], Tokens]:
    own = {name for tokens in f.tokens for name in _defined_heads(tokens)}
    functions = told_functions(f.text, f.declared | own)
    return lambda tokens: with_told_functions(tokens, functions)


def _unclear_sign(f: Formulas) -> Callable[[Tokens], Tokens]:
    return with_unclear_sign if says_other_sign(f.text) else list


def _defined_heads(tokens: Tokens) -> Iterator[str]:
    r"""The letters of functions that a left side defines, `\sigma(x) = ..`."""
    for name, opening, _, closing, sign in zip(
        tokens, tokens[1:], tokens[2:], tokens[3:], tokens[4:], strict=False
    ):
        kinds = [t.type for t in (name, opening, closing)]
        if kinds == ["NAME", "LPAR", "RPAR"] and sign.type in ("EQ", "DEF"):
            yield name.value


def _named_extents(f: Formulas) -> Callable[[Tokens], Tokens]:
    taken = names_outside_bars(f.tokens)
    functions = names_of_functions(f.tokens, f.displayed) - f.declared
    return lambda tokens: with_named_extents(tokens, taken, functions)


def _told_product(f: Formulas) -> Callable[[Tokens], Tokens]:
    return with_told_product if told_product(f.text) else list


def _without_remainders(f: Formulas) -> Callable[[Tokens], Tokens]:
    if not orders(f.displayed, f.declared):
        return list
    return lambda tokens: without_remainders(tokens, f.guesses)


def _matrix_elements(f: Formulas) -> Callable[[Tokens], Tokens]:
    elements = MatrixElements.of(f.tokens, f.in_prose, f.declared, f.ranks)
    prose = {id(t) for t, is_prose in zip(f.tokens, f.in_prose, strict=True) if is_prose}
    return lambda tokens: elements.applied(tokens, f.guesses, is_prose=id(tokens) in prose)


def _raised_heads(f: Formulas) -> Callable[[Tokens], Tokens]:
    heads = raised_heads(f.tokens)
    return lambda tokens: with_raised_heads(tokens, heads)


def _flat_words(f: Formulas) -> Callable[[Tokens], Tokens]:
    return lambda tokens: with_equation_labels(with_flat_words(tokens))


def _plain_arrows(f: Formulas) -> Callable[[Tokens], Tokens]:
    return lambda tokens: with_declared_arrows(tokens, f.ranks)


def _dotted(f: Formulas) -> Callable[[Tokens], Tokens]:
    counts = dotted_names(f.tokens)
    return lambda tokens: with_dotted_names(tokens, counts, f.guesses)


def _half_places(f: Formulas) -> Callable[[Tokens], Tokens]:
    firsts = half_places(f.tokens)
    alone = at_half_places_alone(f.tokens, firsts)
    return lambda tokens: with_half_places(tokens, firsts, alone, f.guesses)


def _single_limits(f: Formulas) -> Callable[[Tokens], Tokens]:
    return lambda tokens: with_single_limits(tokens, f.guesses)


def _labelled_bounds(f: Formulas) -> Callable[[Tokens], Tokens]:
    bounds = {pair for tokens in f.tokens for pair in labelled_bounds(tokens)}
    return lambda tokens: with_labelled_bounds(tokens, bounds)


def _words(f: Formulas) -> Callable[[Tokens], Tokens]:
    known = known_words(f.tokens, f.declared, f.text)
    return lambda tokens: with_words(tokens, known, f.declared, f.guesses)


def _plain_ones(f: Formulas) -> Callable[[Tokens], Tokens]:
    lengths = lengths_of_shapes(f.tokens)
    return lambda tokens: with_plain_ones(tokens, lengths)


def _norms_and_indicators(f: Formulas) -> Callable[[Tokens], Tokens]:
    return lambda tokens: with_indicators(with_norms(tokens))


def _defined_norms(f: Formulas) -> Callable[[Tokens], Tokens]:
    norms = defined_norms(f.tokens)
    return lambda tokens: with_defined_norms(tokens, norms)


def _sizes_of_sets(f: Formulas) -> Callable[[Tokens], Tokens]:
    wholes = whole_sets(f.tokens, f.declared & f.ranks.keys(), f.text)
    sized = sized_sets(f.tokens)
    return lambda tokens: with_sizes_of_sets(tokens, wholes, sized, f.guesses)


def _named_sets(f: Formulas) -> Callable[[Tokens], Tokens]:
    sets = {name: s for name, s in named_sets(f.tokens).items() if name not in f.ranks}
    return lambda tokens: with_named_sets(tokens, sets)


def _told_sets(f: Formulas) -> Callable[[Tokens], Tokens]:
    return ToldSets(f.tokens).applied


def _set_sizes(f: Formulas) -> Callable[[Tokens], Tokens]:
    names = unclear_sizes(f.tokens, f.displayed, f.declared)
    return lambda tokens: with_unclear_sizes(tokens, names)


def _named_nodes(f: Formulas) -> Callable[[Tokens], Tokens]:
    nodes = nodes_of_points(f.tokens, f.declared)
    points = points_beside_nodes(f.tokens, f.ranks)
    return lambda tokens: with_named_points(with_named_nodes(tokens, nodes), points)


def _densities(f: Formulas) -> Callable[[Tokens], Tokens]:
    return lambda tokens: with_densities(tokens, f.guesses)


def _compound_indices(f: Formulas) -> Callable[[Tokens], Tokens]:
    compounds = compound_indices(f.tokens)
    return lambda tokens: with_compound_indices(tokens, compounds)


def _numbered_functions(f: Formulas) -> Callable[[Tokens], Tokens]:
    numbered = numbered_functions(f.tokens, f.declared)
    return lambda tokens: with_numbered_functions(tokens, numbered)


def _without_times(f: Formulas) -> Callable[[Tokens], Tokens]:
    moments = times(f.displayed, f.declared, f.ranks)
    return lambda tokens: without_times(tokens, moments, f.guesses)


def _sign_labels(f: Formulas) -> Callable[[Tokens], Tokens]:
    letters = signed_letters(f.tokens, f.declared)
    return lambda tokens: with_sign_labels(tokens, letters)


def _left_names(f: Formulas) -> Callable[[Tokens], Tokens]:
    names = LeftNames.of(f.displayed, f.declared, f.tokens)
    return lambda tokens: names.applied(tokens, f.guesses)


def _shapes_of_parts(f: Formulas) -> Callable[[Tokens], Tokens]:
    parts = shaped_parts(f.displayed, f.declared)
    prose = {id(t) for t, is_prose in zip(f.tokens, f.in_prose, strict=True) if is_prose}
    return lambda tokens: with_shapes_of_parts(tokens, parts) if id(tokens) in prose else [*tokens]


def _scripts_on_nothing(f: Formulas) -> Callable[[Tokens], Tokens]:
    unclear = staggered_names(f.tokens)
    return lambda tokens: with_scripts_on_nothing(tokens, unclear, is_upper=f.is_upper)


def _repeated_pairs(f: Formulas) -> Callable[[Tokens], Tokens]:
    return list if f.is_upper else with_unclear_pairs


def _variations(f: Formulas) -> Callable[[Tokens], Tokens]:
    return list if "delta" in f.declared else with_derivatives_for_variations


def _weighted_norms(f: Formulas) -> Callable[[Tokens], Tokens]:
    matrices = {name for name, rank in f.ranks.items() if rank == 2} | matrices_of_shapes(f.tokens)
    return lambda tokens: with_weighted_norms(tokens, matrices)


def _differentials(f: Formulas) -> Callable[[Tokens], Tokens]:
    is_number = "d" in f.declared or has_distance(f.displayed)
    if is_number:
        return list
    everywhere = several_steps(f.displayed)
    return lambda tokens: with_unclear_differentials(tokens, everywhere=everywhere)


def _circle_numbers(f: Formulas) -> Callable[[Tokens], Tokens]:
    if f.ranks.get("pi") == 0:
        return list
    is_tensor = "pi" in f.ranks or has_marked_pi(f.displayed) or has_elements_of_pi(f.displayed)

    def rewrite(tokens: Tokens) -> Tokens:
        tokens = with_circle_numbers(tokens)
        return tokens if "pi" in f.declared else with_unclear_pi(tokens)

    return rewrite if is_tensor else list


def _forgotten_backslashes(f: Formulas) -> Callable[[Tokens], Tokens]:
    return lambda tokens: with_forgotten_backslashes(tokens, f.declared)


def _repeated_differences(f: Formulas) -> Callable[[Tokens], Tokens]:
    return list if has_number_delta(f.displayed, f.declared) else with_unclear_differences


def _stacked_rows(f: Formulas) -> Callable[[Tokens], Tokens]:
    found = stacked(f.tokens, f.declared | f.ranks.keys(), f.text)
    return lambda tokens: with_unclear_stacks(tokens, found)


def _unclear_words(f: Formulas) -> Callable[[Tokens], Tokens]:
    words = unclear_words(f.displayed, f.declared, f.text)
    return lambda tokens: with_unclear_words(tokens, words)


def _styled_transposes(f: Formulas) -> Callable[[Tokens], Tokens]:
    has_plain = any(t.value == "T" and not t.note for tokens in f.tokens for t in tokens)
    return (lambda tokens: with_styled_transposes(tokens, f.ranks)) if has_plain else list


def _round_brackets(f: Formulas) -> Callable[[Tokens], Tokens]:
    double = in_both_brackets(f.tokens)
    return lambda tokens: with_round_brackets(tokens, double)


def _each(rewrite: Callable[[Tokens], Tokens]) -> Pass:
    """The pass over formulas of which none tells anything about the others."""
    return lambda _formulas: rewrite


PASSES: tuple[Pass, ...] = (
    _scripts_on_nothing,
    _repeated_pairs,
    _variations,
    _each(with_listed_counts),
    _each(with_transposes_apart),
    _styled_transposes,
    _forgotten_backslashes,
    _units,
    _each(with_arrows_in_bold),
    _each(with_acidities),
    _conventions,
    _told_kinds,
    _whole_rows,
    _each(with_real_numbers),
    _each(with_shapes_of_transposed),
    _shapes_of_parts,
    _round_brackets,
    _defined_statistics,
    _each(with_listed_subscripts),
    _each(with_ends_of_lists),
    _each(with_letters_for_dots),
    _replacements,
    _concentrations,
    _positive_parts,
    _told_labels,
    _bracketed_names,
    _raised_words,
    _raised_zeros,
    _named_zeros,
    _each(with_plain_fractions),
    _each(with_unclear_mixed_numbers),
    _own_words,
    _script_words,
    _layers,
    _each(with_marks_below),
    _each(with_words_below),
    _each(without_labels_of_angles),
    _angles,
    _whole_names,
    _matrix_elements,
    _each(with_marks_below),  # `m''_{\infty,k}`: primes are part of the name now
    _told_functions,
    _unclear_sign,
    _told_product,
    _each(with_softmax_of_rows),
    _named_extents,
    _without_remainders,
    _raised_heads,
    _flat_words,
    _each(with_unclear_stars),
    _defined_averages,
    _defined_conditionals,
    _given_parameters,
    _unread_arguments,
    _listed_heads,
    _previous_steps,
    _bracket_factors,
    _plain_arrows,
    _dotted,
    _half_places,
    _each(with_conditions_for_sets),
    _single_limits,
    _labelled_bounds,
    _words,
    _each(with_vectors_in_diagonals),
    _plain_ones,
    _norms_and_indicators,
    _weighted_norms,
    _defined_norms,
    _named_sets,
    _told_sets,
    _sizes_of_sets,
    _magnitudes,
    _set_sizes,
    _named_nodes,
    _densities,
    _compound_indices,
    _numbered_functions,
    _without_times,
    _sign_labels,
    _left_names,
    _left_names,  # `\Delta E^* =`: a mark above what is one name
    _repeated_differences,
    _differentials,
    _circle_numbers,
    _unclear_words,
    _stacked_rows,
    _each(with_element_products),
)
