r"""The commands of LaTeX that tadc reads: one row for each, from the command to the token it makes.

A command in no table is unknown: macros of the document are not expanded (language, section 8).
"""

from __future__ import annotations

__all__ = [
    "ACCENTS",
    "ARGMAX",
    "CALLED",
    "CHARACTERS",
    "COMPOSED",
    "DISPLAYS",
    "DROPPED",
    "DROPPED_WITH_ARGUMENT",
    "ELEMENT_TYPES",
    "FUNCTIONS",
    "FUNCTION_LETTERS",
    "GATED",
    "GREEK",
    "INVERSES",
    "LAYOUTS",
    "MARKS",
    "MARKS_BELOW",
    "ONES",
    "OPERATORS",
    "REDUCTIONS",
    "REFUSED",
    "RELATIONS",
    "REMARKS",
    "SIZES_OF_BRACKETS",
    "STYLES",
    "SWITCHES",
    "SYMBOLS",
    "TEXTS",
    "TEX_FUNCTIONS",
    "TEX_REDUCTIONS",
    "TWO_READINGS",
    "UNKNOWN",
    "WITH_COLUMNS",
    "WORDS",
    "WRAPPERS",
    "words",
]


def words(text: str) -> frozenset[str]:
    """The words of a list: a table without quotation marks."""
    return frozenset(text.split())


GREEK = words(
    """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa varkappa lambda mu nu xi pi varpi
    rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi
    Omega ell hbar imath jmath aleph"""
)

# An accent is the end of another name: `\hat{x}` is `x_hat`.
ACCENTS = {
    "hat": "hat", "widehat": "hat", "tilde": "tilde", "widetilde": "tilde", "bar": "bar", "overline": "bar",
    "underline": "underline", "dot": "dot", "ddot": "ddot", "vec": "vec", "check": "check", "breve": "breve",
    "acute": "acute", "grave": "grave", "mathring": "ring",
}  # fmt: skip

# A wrapper is dropped; its style is kept to find one letter used in two styles.
WRAPPERS = {
    "mathrm": "upright", "text": "upright", "textrm": "upright", "textnormal": "upright", "mbox": "upright",
    "textsc": "upright", "textsf": "sans", "textup": "upright", "textmd": "upright",
    "operatorname": "upright", "operatorname*": "upright", "mathit": "", "textit": "", "mathnormal": "",
    "mathbf": "bold", "boldsymbol": "bold", "bm": "bold", "textbf": "bold", "pmb": "bold", "mathcal": "calligraphic",
    "mathscr": "script", "mathfrak": "fraktur", "mathsf": "sans", "mathtt": "typewriter", "texttt": "typewriter",
    "mathbb": "blackboard", "mathbbm": "blackboard", "mathds": "blackboard",
}  # fmt: skip

# The switches of plain TeX: `{\rm max}` is `\mathrm{max}`.
SWITCHES = {
    "rm": "mathrm", "bf": "mathbf", "it": "mathit", "cal": "mathcal", "sf": "mathsf", "tt": "mathtt", "bfseries": "mathbf",
}  # fmt: skip

# `f \in \mathtt{float64}^{3 \times N}`: sets of numbers, as `\mathbb{R}`, that fix the element type; those of indices are `int64`.
ELEMENT_TYPES = words("float32 float64 int64")

# Wrappers that also hold words of the prose.
TEXTS = words("text mbox textrm textnormal")

# Functions of one argument, as `\exp` or `\operatorname{relu}`: the name in the language.
FUNCTIONS = {
    name: name
    for name in words("""exp expm1 exp2 log1mexp log log1p log2 log10 sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh
    acosh atanh erf erfc lgamma digamma abs sign floor ceil round relu sigmoid softplus gelu silu""")
} | {
    "ln": "log", "lg": "log10", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sgn": "sign", "ReLU": "relu",
    "tr": "\\tr", "trace": "\\tr", "Tr": "\\tr", "diag": "\\diag", "Diag": "\\diag", "arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh", "GELU": "gelu", "SiLU": "silu",
}  # fmt: skip
# Functions of `x` that are made of these.
COMPOSED = {
    "coth": "1/tanh(x)",
    "sec": "1/cos(x)",
    "csc": "1/sin(x)",
    "cot": "1/tan(x)",
    "sech": "1/cosh(x)",
    "csch": "1/sinh(x)",
    "logit": "log(x/(1 - x))",
    "elu": "if x > 0 then x else exp(x) - 1",
    "hardtanh": "max(-1, min(1, x))",
    "mish": "x*tanh(softplus(x))",
    "softsign": "x/(1 + abs(x))",
    "normcdf": "0.5*erfc(-x/sqrt(2))",
    "normpdf": "exp(-x**2/2)/sqrt(2*pi)",
}
FUNCTIONS |= {name: name for name in COMPOSED} | {
    "ELU": "elu", "Mish": "mish", "HardTanh": "hardtanh", "Hardtanh": "hardtanh", "sigm": "sigmoid", "Sigmoid": "sigmoid", "expit": "sigmoid",
    "Tanh": "tanh", "ReLu": "relu", "Relu": "relu", "RELU": "relu", "Softplus": "softplus", "SoftPlus": "softplus", "GeLU": "gelu",
    "swish": "silu", "Swish": "silu", "Sign": "sign", "Sgn": "sign", "Exp": "exp", "Log": "log",
    "Round": "round", "Floor": "floor", "Ceil": "ceil", "Abs": "abs", "Sqrt": "sqrt",
}  # fmt: skip
MARKS_BELOW = words("pm mp oplus odot ominus")  # signs that are labels below a name
TEX_FUNCTIONS = words(
    "exp log ln lg sin cos tan arcsin arccos arctan sinh cosh tanh coth sec csc cot"
)  # commands of LaTeX itself
TEX_REDUCTIONS = words("sum prod max min")
INVERSES = {
    name: f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
}  # `\sin^{-1}`


# Names that are always called with brackets: functions of several arguments and the boundary forms of subscripts.
CALLED = words(
    """pow atan2 hypot fmod gate difference detached xlogy polygamma where clamp clip mod pad wrap reflect symmetric"""
)
CALLED_AS = {"Clip": "clip", "Clamp": "clamp"}  # as papers on quantisation print them
REDUCTIONS = {
    "sum": "sum", "prod": "prod", "max": "max", "min": "min", "mean": "mean", "logsumexp": "logsumexp",
    "argmax": "argmax", "argmin": "argmin",
}  # fmt: skip
ARGMAX = {"max": "argmax", "min": "argmin"}  # `\arg\max`

# Words of LaTeX that no formula of tensors applies, but that may be what one defines, `\det(V) = ..`.
OPERATORS = words("det Pr dim deg gcd hom ker")

UNKNOWN = "is not a command that tadc knows"  # the end of an error's fact

# The vector of ones, `\mathbf{1}^\top x`, until vectors are in index notation.
ONES = "\\ones"

# What names of letters in these styles end with, where one letter has several.
STYLES = {
    "bold": "bf", "calligraphic": "cal", "script": "scr", "fraktur": "frak", "sans": "sf", "typewriter": "tt", "blackboard": "bb",
    "upright": "rm",
}  # fmt: skip

# Letters that people use for functions: `f(x)` with an `f` that nothing declares is not a product.
FUNCTION_LETTERS = words("f g h F G H Gamma Theta Phi Psi phi varphi psi zeta rho")

# Words between formulas, written in \text{..} or \mathrm{..}.
WORDS = {
    "if": "IF", "when": "IF", "for": "IF", "otherwise": "OTHERWISE", "else": "OTHERWISE", "and": "AND", "or": "OR",
    "not": "NOT",
}  # fmt: skip
REMARKS = words("where with each all on in is are respectively")

# Signs that are labels where they stand alone above a name: `G^\\circ`.
MARKS = {
    "circ": "circ",
    "perp": "perp",
    "ddagger": "ddagger",
    "ominus": "ominus",
    "oplus": "oplus",
    "bullet": "bullet",
    "varnothing": "varnothing",
    "emptyset": "emptyset",
}

# fmt: off
SYMBOLS = {
    "cdot": "CDOT", "gated": "CDOT", "gatedby": "CDOT", "times": "CDOT", "ast": "CDOT", "bmod": "BMOD", "mod": "BMOD", "div": "SLASH",
    "coloneqq": "DEF", "coloneq": "DEF", "leftarrow": "DEF", "longleftarrow": "DEF", "gets": "DEF", "equiv": "DEF", "triangleq": "DEF",
    "le": "<=", "leq": "<=", "leqslant": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "lt": "<", "gt": ">",
    "ne": "!=", "neq": "!=",
    "land": "AND", "wedge": "AND", "lor": "OR", "vee": "OR", "lnot": "NOT", "neg": "NOT",
    "in": "IN", "frac": "FRAC", "dfrac": "FRAC", "tfrac": "FRAC", "cfrac": "FRAC", "sfrac": "FRAC", "nicefrac": "FRAC", "binom": "BINOM", "tbinom": "BINOM", "dbinom": "BINOM", "sqrt": "SQRT",
    ",": "THIN", ":": "THIN", ";": "THIN", ">": "THIN", "thinspace": "THIN", "quad": "QUAD", "qquad": "QUAD",
    "forall": "FORALL", "dots": "DOTS", "ldots": "DOTS", "cdots": "DOTS", "dotsc": "DOTS", "dotsb": "DOTS",
    "top": "TOP", "intercal": "TOP", "dagger": "TOP", "prime": "PRIME",
    "lfloor": "FLOOR_L", "rfloor": "FLOOR_R", "lceil": "CEIL_L", "rceil": "CEIL_R",
    "{": "LPAR", "}": "RPAR", "lbrace": "LPAR", "rbrace": "RPAR", "lbrack": "LSQB", "rbrack": "RSQB",
    "lparen": "LPAR", "rparen": "RPAR", "langle": "ANGLE_L", "rangle": "ANGLE_R", "odot": "ODOT", "circ": "ODOT",
    "partial": "PARTIAL", "star": "STAR", "approx": "APPROX", "simeq": "APPROX", "propto": "PROPTO", "to": "ARROW", "rightarrow": "ARROW", "leftrightarrow": "ARROW", "Rightarrow": "TEXT", "implies": "TEXT", "iff": "TEXT", "Leftrightarrow": "TEXT", "Longrightarrow": "TEXT", "therefore": "TEXT", "longrightarrow": "ARROW", "nabla": "NABLA", "doteq": "DEF", "colonequals": "DEF",
}
CHARACTERS = {
    "(": "LPAR", ")": "RPAR", "[": "LSQB", "]": "RSQB", "'": "PRIME", ",": "COMMA", ";": "COMMA", ".": "DOT", "*": "CDOT",
    "+": "PLUS", "-": "MINUS", "−": "MINUS", "/": "SLASH", "=": "EQ", "<": "<", ">": ">", "≤": "<=", "≥": ">=",
    "≠": "!=", "!": "FACTORIAL", "·": "CDOT", "×": "CDOT", "∈": "IN",
}
# fmt: on
# Words that papers print below and above names in italics, whatever their letters are elsewhere.
USUAL_LABELS = words("min max avg ref obs pred true old new tot abs rms opt eff calc sim init")
# The product of derivatives that is 0 where a factor is: printed as a product, and provided by what tadc prints.
GATED = {"gated": r"\,", "gatedby": r"\times"}
RELATIONS = frozenset(("<", "<=", ">", ">=", "!="))

DROPPED = words("""! nonumber notag displaystyle textstyle scriptstyle limits nolimits allowbreak break nobreak qedhere hfill strut
    mathstrut noindent centering small normalsize displaylimits mathopen mathclose mathrel mathbin mathord
    bf rm it cal sf tt hline par @ space nobreakspace - /""") | {" ", "\n", "\t", "\r"}
DROPPED_WITH_ARGUMENT = words("""label tag tag* hspace hspace* vspace vspace* phantom hphantom vphantom color intertext shortintertext ref eqref
    cite footnote""")
SIZES_OF_BRACKETS = {
    "left": "open", "right": "close", "middle": "any", "big": "any", "Big": "any", "bigg": "any", "Bigg": "any", "bigl": "open",
    "Bigl": "open", "biggl": "open", "Biggl": "open", "bigr": "close", "Bigr": "close", "biggr": "close",
    "Biggr": "close", "bigm": "any", "Bigm": "any",
}  # fmt: skip

# Environments that are displays of their own, and those that only lay out rows inside one.
DISPLAYS = words(
    """equation align gather multline flalign alignat xalignat eqnarray displaymath dmath math IEEEeqnarray"""
)
LAYOUTS = words("split aligned gathered alignedat multlined array subequations")

WITH_COLUMNS = words("array alignedat alignat xalignat IEEEeqnarray")

# Statistics of samples, written out with a divisor.
_VARIANCE = r"\frac{1}{N} \sum_{i=1}^{N} (x_i - \bar{x})^2` or `\frac{1}{N-1} \sum_{i=1}^{N} (x_i - \bar{x})^2"
_COVARIANCE = (
    r"\frac{1}{N} \sum_{i=1}^{N} (x_i - \bar{x}) (y_i - \bar{y})` or the same with `\frac{1}{N-1}"
)
_MEAN = r"\bar{x} = \frac{1}{N} \sum_{i=1}^{N} x_i"
TWO_READINGS = {
    "Var": f"write `{_VARIANCE}`, with `{_MEAN}`",
    "var": f"write `{_VARIANCE}`, with `{_MEAN}`",
    "Cov": f"write `{_COVARIANCE}`, with `{_MEAN}`",
    "cov": f"write `{_COVARIANCE}`, with `{_MEAN}`",
    "Std": rf"write the root, `\sqrt{{..}}`, of `{_VARIANCE}`",
    "std": rf"write the root, `\sqrt{{..}}`, of `{_VARIANCE}`",
}

_TRANSPOSE = "write the element with its subscripts in the other order: `x_{ji}`"
REFUSED = {
    "not": ("`\\not` is read before `=` only", r"write the opposite relation: `\ge` for `\not<`"),
    "arg": ("`\\arg` is read before `\\max` and `\\min` only", r"write `\arg\max_k`"),
    "substack": ("`\\substack` is read with its rows in braces", r"write `\sum_{\substack{a \\ b}}`"),
    "pm": ("`\\pm` is two formulas", "write one display for each sign"),
    "mp": ("`\\mp` is two formulas", "write one display for each sign"),
    "pmod": ("a remainder is an operator here", r"write `i \bmod 3`"),
    "int": ("integrals are not part of the language", r"write a finite sum, `\sum_{k=0}^{N-1}`"),
    "otimes": ("`\\otimes` hides the indices", "write the product of elements: `a_i b_j`"),
    "over": ("`\\over` is the fraction of plain TeX", r"write `\frac{a}{b}`"),
    "ddots": ("dots stand for what the reader guesses", r"write a sum or product: `\sum_{k=0}^{N-1}`"),
    "input": ("other files are not read", "paste the formula here"),
}  # fmt: skip
