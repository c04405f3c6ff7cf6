"""Formulas of published papers, as their authors print them: each computes what plain loops compute, or is refused where it must be.

None is ever misread: with and without the lines of a fair user, another value than the reference's is a failure.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from published import FORMULAS, Formula

import tadc
from tadc.cli.program import loaded
from tadc.syntax.tex.agreed import agreement

REFUSED = {  # what says so
    "action_values": "a conditional stands where a number is expected",
    "covariance_prediction": "the order of the dimensions of a conditional is not told",
    "expectation_of_noise": "an expectation is no formula of tensors",
    "finite_volume": "this is a step in time",
    "force_field": "nothing behind the sum has its index",
    "legendre_coefficients": "the input `f` is missing",
    "posterior_kernel": "no display defines an element",
    "productivity": "stands around more than a name",
    "state_recurrence": "`k+1` is not a bare index",
    "density_fitting": "`^P` may be a power or an index",
    "gauss_seidel": "a superscript that counts steps is a loop over time",
    "lattice_equilibrium": "a vector, has no power",
    "lorentz_force": r"`\times` between vectors may be the cross product",
    "manipulator": "derivatives are not written in formulas",
    "mode_product": "`(` cannot stand here",
    "moment_tensor": "`^s` may be a power or an index",
    "normalised_messages": "the set that the index runs over is not told",
    "reproduction_number": "a range starts at 1 here, and a subscript is 0 or less",
    "tissue_concentration": "no display defines an element",
    "signal_to_noise": "no display defines an element",
    "loop_correction": "the input `n` is missing",
    "distortion_of_voltage": "`\\%` is not a command",
    "spike_timing": "`A_+` may be the positive part of `A`, or a name with a label",
    "structure_tensor": "the set that the indices run over is not told",
    "three_by_three": "dimension 1 of x begins at 0",
    "zernike": "is a list, but what stands before it is no function",
    "boltzmann_populations": "one factor or all that follow",
    "fir": "x begins at 0",
    "fourier": "complex numbers are not there yet",
    "graph_attention": "no function that tadc knows",
    "half_index": "but D ends at 0",
    "integral": "integrals are not part of the language",
    "intraclass": "divides by the number of samples, `N`, or by `N - 1`",
    "multi_head": "no function that tadc knows",
    "mutual_information": "may be elements of one vector, or of several",
    "nash_sutcliffe": "may be a power or an index",
    "positional_encoding": "nothing tells whether it starts at 0 or at 1",
    "svd_plus_plus": "a transpose is of a vector",
    "alpha_synapse": "its value at 0 is not told",
    "equalised_levels": "`p(..)` may be an element of `p`, a function of it",
    "discrete_epidemic": "`t+1` is not a bare index",
    "bm25_rsv": "the set that the index runs over is not told by the document",
    "cosformer": "`Q'` may be the transpose of `Q`, or another tensor",
    "netvlad": "the input `c` is missing",
    "swiglu": r"`\sigma(..)` may be the sigmoid",
    "circular_correlation": "the divisor `d` has no number",
    "dense_message_passing": "may be a vector or a matrix, and nothing declares it",
    "dirichlet_entropy": "a derivative would be read as a quotient",
    "graves_window": "`t` stands in the list on the left side",
    "adain": r"`\sigma(..)` may be the sigmoid or a product",
    "pact": "x has no dimension in the program",
    "softpool": "the set that the index runs over is not told by the document",
    "tip_water": "are of different sets, and both stand below `q`",
    "weight_standardization": "`W_{i \\cdot}` may be the sum or the mean of `W`",
    "neighbour_probability": "the order of the dimensions of a conditional is not told by the docume",
    "content_addressing": "`\\mathbf{M}_t(i)` beside a vector may be a vector or a number",
    "bond_order_energy": "the cases leave out `r = R - D`",
    "thin_plate": "`(x, y)` is a list, but what stands before it is no function that tadc",
    "rational_curve": "this restriction of an index is not read",
    "message_passing_step": "`(\\mathbf{f}_i, \\mathbf{f}_j)` is a list, but what stands before it is",
    "atkinson": "`^varepsilon` may be a power or an index, since `varepsilon` is an ind",
    "welch_statistic": "`X_bar` may be a label here, or an array of indices",
    "sorted_transport": "`(i)` below a name says that the elements are sorted, and nothing sort",
    "maxout": "dots stand for what the reader guesses",
    "gram_of_layer": "the superscript `phi` may be a power or a label, and nothing in the do",
    "multiclass_svm": "y has 1 dimension in the program, and the array has 0",
    "wavelet_details": "a number has no sign `+`",
    "fourth_order_difference": "`f_{i-2}` is `f[-2]` when i = 0, but f begins at 0",
    "unit_hydrograph": "a relation stands where a number is expected",
    "tidal_height": "what stands in the brackets is `V_0 + u`, a number, and it has 1 subsc",
    "tight_binding_cohesion": "the superscript `i` may be a power or a label, or an index, and",
    "newey_west": "may be the transpose of `h_hat`, or another number",
    "heat_capacity_fit": "the superscript `o` may be a power or a label, and nothing in the docu",
    "asymmetric_loss": "`=` cannot stand here",
    "spatial_gating": "`f(..)` may be an element of `f`, a function of it, or a product",
    "retention": "`^n` may be a power or an index, since `n` is an index here",
    "fused_distances": "`i` is neither an index in scope nor a size",
    "rough_reflectance": "`\\cos` may be of what stands in front of the bracket",
    "fermi_pasta_ulam": "a chain of equations defines two things",
    "yin_difference": "is the first element `x_0` or `x_1`",
    "nine_point_laplacian": "`u_{i-1,j}` is `u[-1, 0]` when i = 0, j = 0, but dimension 0 of u begi",
    "mixed_difference": "`(` cannot stand here",
    "distance_expansion": "`d_{ij} - \\mu_k` is a number as far as the document tells, and a norm ",
    "sampson_cost": "nothing tells whether the first element is",
    "adapted_means": "`p(..)` may be an element of `p`, a function of it, or a product",
    "edge_aware_smoothness": "`d_{i,j+1}` is `d[1, 2]` when i = 1, j = 1, W = 1, but dimension 1 of ",
    "gain_at_k": "`k` is neither an index in scope nor a size",
    "messages_of_neighbours": "`phi(..)` is no function that tadc knows",
    "smoothed_labels": "a conditional stands where a number is expected",
    "scattering_with_form_factors": "`f(..)` may be an element of `f`, a function of it, or a product",
    "biased_factors": "the set that the indices run over is not told",
    "next_generation": "`rho(..)` is no function that tadc knows",
    "addressing_of_memory": "`\\mathbf{M}_t(i)` beside a vector may be a vector or a number",
    "group_statistics": "`C/G` among the limits is neither an index nor a condition",
    "field_of_segments": "the product of `\\Delta\\mathbf{l}_i`, a vector, and `\\mathbf{r}_k - \\ma",
    "molecular_mechanics": "`K(..)` may be an element of `K`, a function of it, or a product",
    "generalised_means": "the set that the index runs over is not told by the document",
    "knowledge_distillation": "`H(..)` is no function that tadc knows",
    "poly_two": "`w` has 1 dimension (line 3, column 33), and 2 subscripts here",
    "supervised_contrast": "the set that the index runs over is not told by the document",
    "biaffine": "`\\oplus` is not a command that tadc knows",
    "level_restriction": "a superscript that counts steps is a loop over time, and a program is ",
    "patch_weights": "`v(..)` may be an element of `v`, a function of it, or a product",
    "student_probabilities": "stands above other indices: which dimension is it?",
    "weighted_key_value": "no display defines an element of a tensor",
    "pointer_scores": "the superscript `i` may be a power or a label, or an index, and",
    "duelling": "the input `A_cal` is missing",
    "chain_score": "a range starts at 1 here and another one at 0, `i=0`, up to the same size",
    "full_weighting": "the superscript `h` may be a power or a label, and nothing in the docu",
    "texture_contrast": "the index `j` has no range",
    "categorical_projection": "`(x', \\pi(x'))` is a list, but what stands before it is no function th",
    "neural_surface_colour": "`f(..)` is no function that tadc knows",
    "density_of_orbitals": "the input `C_star` is missing",
    "transition_posterior": "`b(..)` may be an element of `b`, a function of it, or a product",
    "cross_covariance_attention": "`\\hat{K}` is a number as far as the document tells, and a transpose is",
    "swapped_prediction": "the index `k` stands above other indices",
    "tone_reproduction": "`(x,y)` is a list, but what stands before it is no function",
    "relaxed_populations": "the formula has ended before this",
    "soft_minimum": "no display defines an element of a tensor",
    "tornqvist_index": "dimension 1 of p begins at 1",
    "cepstral_distortion": "stands around more than a name",
    "degree_of_polarisation": "the input `S_prime_3` is missing",
    "safety_of_slopes": "`\\cos` may be of what stands in front of the bracket",
    "grey_bodies": "it is unclear whether `/` takes one factor or all that follow",
    "pointer_generator": "the superscript `t` may be a power or a label, and nothing in the docu",
}
# Jumps, the distance of a point from itself and its angle to itself have no derivative, numbers of a check are outside of the domain of a bond, 20 residues and 256 grey
# values are more than a check tries, and what a step cancels has a gradient of nothing but rounding.
NOT_CHECKED = {
    "arc_cosine",
    "blosum_scores",
    "debye_sum",
    "energy_of_samples",
    "fene_bonds",
    "powered_rates",
    "ball_distances",
    "rectified_kernel",
    "tristimulus",
    "assignment",
    "margin_based_loss",
    "relative_distance",
    "discriminant",
    "energy_distance",
    "image_entropy",
    "ripley",
    "support_vectors",
}
UNEDITED = 110  # at least so many need no line


def with_lines(text: str, lines: tuple[str, ...]) -> str:
    """The document with declarations in front, and prose where the document begins."""
    directives = "".join(f"%!tadc {line}\n" for line in lines if not line.startswith("$"))
    prose = "".join(f"{line}\n\n" for line in lines if line.startswith("$"))
    head, begin, body = text.rpartition("\\begin{document}")
    return f"{directives}{head}{begin}\n{prose}{body}"


def value(formula: Formula, lines: tuple[str, ...]):
    """The output that the formula is about, for its inputs by name, and what plain loops give."""
    text = with_lines(formula.text, lines)
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")
    arrays = formula.inputs(np.random.default_rng(3))
    sizes = {name: n for name, n in formula.SIZES.items() if name in f.sizes}
    rest = [a for name, a in arrays.items() if name not in f.inputs]
    given = [arrays[n] if n in arrays else rest.pop(0) for n in f.inputs if n in arrays or rest]
    results = f(*given, **sizes)
    results = results if isinstance(results, tuple) else (results,)
    named = dict(zip(f.outputs, results, strict=True))
    return named[formula.OUTPUT or f.outputs[0]], formula.reference(**arrays)


def compared(formula: Formula, lines: tuple[str, ...]) -> bool:
    """Whether the formula is read; a wrong value fails."""
    try:
        computed, expected = value(formula, lines)
    except tadc.Error as error:
        assert error.errors[0].fix
        return False
    np.testing.assert_allclose(computed, expected, rtol=1e-9)
    return True


OPEN = sorted(name for name, f in FORMULAS.items() if f.leaves_open)


@pytest.mark.parametrize("name", sorted(FORMULAS.keys() - REFUSED.keys() - {*OPEN}))
def test_a_published_formula_computes_what_plain_loops_do(name):
    formula = FORMULAS[name]
    is_read = compared(formula, ())

    assert compared(formula, formula.SHAPES) if formula.SHAPES else is_read


@pytest.mark.parametrize("name", OPEN)
def test_what_a_paper_leaves_to_its_reader_is_refused(name):
    formula = FORMULAS[name]

    assert not compared(formula, ())
    assert not compared(formula, formula.SHAPES)


def test_most_published_formulas_need_no_line():
    assert sum(not f.SHAPES for n, f in FORMULAS.items() if n not in REFUSED) >= UNEDITED


@pytest.mark.parametrize("name", REFUSED)
def test_a_published_formula_that_leaves_something_open_is_refused(name):
    with pytest.raises(tadc.Error) as caught:
        value(FORMULAS[name], ())

    assert REFUSED[name] in caught.value.errors[0].fact
    assert caught.value.errors[0].fix


def first_error(text: str) -> tadc.Error | None:
    try:
        tadc.compile(text, lang="tex", backend="interpreter")
    except tadc.Error as error:
        return error.errors[0]
    return None


MOST_PASTED = 12  # lines, one after the other


@pytest.mark.plain(part=2)
@pytest.mark.parametrize("part", range(8))
def test_a_line_that_an_error_says_to_add_takes_the_document_past_it(part):
    count = 0
    for name, formula in list(FORMULAS.items())[part::8]:
        text, error = formula.text, first_error(formula.text)
        for _ in range(MOST_PASTED):
            line = next(iter(re.findall(r"`(%!tadc [^`]*)`", (error and error.fix) or "")), "..")
            if ".." in line:
                break  # no line, or one with places to fill in
            before, text = _told(error, -len(line) - 1), f"{line}\n{text}"
            error = first_error(text)
            assert error is None or _told(error) != before, (name, line)
            count += 1
        else:
            raise AssertionError((name, "needs very many lines", text))

    assert count > 10


def _told(error: tadc.Error | None, added: int = 0) -> tuple[str, str, str, int] | None:
    """What the error says and to write, of which text, and where that stands behind the characters that were added."""
    if error is None or error.span is None:
        return None if error is None else (error.fact, error.fix, "", 0)
    return error.fact, error.fix, error.span.text, error.span.start - added


@pytest.mark.parametrize("name", sorted(FORMULAS.keys() - REFUSED.keys())[::7])
def test_strict_refuses_every_guess_and_nothing_else(name, tmp_path):
    path = tmp_path / "paper.tex"
    path.write_text(FORMULAS[name].text, "utf-8")
    try:
        f = tadc.load(path)
    except tadc.Error:
        return  # it takes lines of a reader
    guesses = {note.text for note in f.notes if note.is_guess}

    if not guesses:
        assert str(loaded(str(path), {}, strict=True)) == str(f)
        return
    with pytest.raises(tadc.Error) as caught:
        loaded(str(path), {}, strict=True)
    named = {error.fact.removeprefix("a guess: ") for error in caught.value.errors}
    assert named <= guesses
    assert named

    lines = dict.fromkeys(agreement(note) for note in f.notes if note.is_guess)
    path.write_text("\n".join([*lines, FORMULAS[name].text]), "utf-8")
    assert str(loaded(str(path), {}, strict=True)) == str(f)


@pytest.mark.slow  # every second one: all take a minute and a half
@pytest.mark.parametrize(
    "name", sorted(FORMULAS.keys() - REFUSED.keys() - NOT_CHECKED - {*OPEN})[::2]
)
def test_the_derivatives_of_a_published_formula_agree_with_numeric_ones(name):
    formula = FORMULAS[name]
    report = tadc.compile(with_lines(formula.text, formula.SHAPES), lang="tex").check()

    assert report, str(report)
