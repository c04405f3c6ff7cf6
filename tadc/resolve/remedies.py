"""Suggestions of what to write instead, in the language of the source: `.idx`, or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tadc.errors import Span, SyntaxError
from tadc.ir.functions import ALIASES, FUNCTIONS, OPERATORS
from tadc.resolve.data import BOUNDARY_FORMS, IndexTensors
from tadc.resolve.scope import Scope
from tadc.resolve.sizes import Sizes
from tadc.resolve.spelling import spelled
from tadc.syntax import ast
from tadc.syntax.arithmetic import arithmetic

__all__ = ["check_function", "check_quotient"]

REDUCTIONS = ("sum", "prod", "mean", "logsumexp", "argmax", "argmin", "max", "min")

# Equivalents of functions of other languages, for the arguments `a`, `b`, `c`.
FOREIGN = {
    "ln": "log(a)", "loge": "log(a)", "arcsin": "asin(a)", "arccos": "acos(a)", "arctan": "atan(a)", "arctan2": "atan2(a, b)",
    "arcsinh": "asinh(a)", "arccosh": "acosh(a)", "arctanh": "atanh(a)", "power": "pow(a, b)", "maximum": "max(a, b)",
    "minimum": "min(a, b)", "fmax": "max(a, b)", "fmin": "min(a, b)", "absolute": "abs(a)", "fabs": "abs(a)", "signum": "sign(a)",
    "logistic": "sigmoid(a)", "sigma": "sigmoid(a)", "expit": "sigmoid(a)", "swish": "silu(a)", "rint": "round(a)",
    "int": "floor(a)", "trunc": "sign(a)*floor(abs(a))", "gammaln": "lgamma(a)", "loggamma": "lgamma(a)", "gamma": "exp(lgamma(a))",
    "psi": "digamma(a)", "mod": "a - b*floor(a/b)", "remainder": "a - b*floor(a/b)", "square": "a**2", "sqr": "a**2",
    "reciprocal": "1/a", "clip": "min(max(a, b), c)", "heaviside": "[a > 0]", "step": "[a > 0]", "leaky_relu": "max(a, 0.01*a)",
    "elu": "if a > 0 then a else expm1(a)", "logsigmoid": "-softplus(-a)", "log_sigmoid": "-softplus(-a)", "sec": "1/cos(a)",
    "csc": "1/sin(a)", "cot": "1/tan(a)", "cosec": "1/sin(a)", "expt": "pow(a, b)", "ifelse": "where(a, b, c)",
    "select": "where(a, b, c)", "iif": "where(a, b, c)", "diff": "a[i + 1] - a[i]", "eye": "delta(i, j)", "identity": "delta(i, j)",
    "norm": "sqrt(sum{i} a[i]**2)", "dot": "sum{i} a[i]*b[i]", "inner": "sum{i} a[i]*b[i]", "vdot": "sum{i} a[i]*b[i]",
    "outer": "a[i]*b[j]", "matmul": "sum{k} a[i, k]*b[k, j]", "mm": "sum{k} a[i, k]*b[k, j]", "bmm": "sum{k} a[n, i, k]*b[n, k, j]",
    "mv": "sum{k} a[i, k]*b[k]", "trace": "sum{i} a[i, i]", "transpose": "a[j, i]", "cumsum": "sum{j | j <= i} a[j]",
    "cumprod": "prod{j | j <= i} a[j]", "softmax": "exp(a[i])/(sum{j} exp(a[j]))", "log_softmax": "a[i] - (logsumexp{j} a[j])",
    "amax": "max{i} a[i]", "amin": "min{i} a[i]", "average": "mean{i} a[i]", "avg": "mean{i} a[i]", "total": "sum{i} a[i]",
    "var": "(mean{i} a[i]**2) - (mean{i} a[i])**2", "std": "sqrt((mean{i} a[i]**2) - (mean{i} a[i])**2)",
}  # fmt: skip
_CONSTANTS = ("pi", "inf", "nan")
_FORMS = (*BOUNDARY_FORMS, "where", "delta")
_MATRICES = frozenset(["einsum", "tensordot", "conv", "conv1d", "conv2d", "conv3d", "linear"])


def check_function(e: ast.Application, scope: Scope, sizes: Sizes, data: IndexTensors) -> None:
    """Raises SyntaxError for a reduction with parentheses, and for functions that only other languages have."""
    name, args = e.function.name, e.args
    if name in REDUCTIONS and not (name in ("max", "min") and _is_pair(args)):
        body, remedy = _reduced(e, scope, sizes)
        fact = f"`{name}` goes over an index, and there is none"
        raise SyntaxError(e.function.span, fact, fix=f"write `{spelled(e.span, body, remedy)}`")
    if name == "clamp" and len(args) == 3 and any(_value_in(a, data) for a in args):
        raise SyntaxError(
            e.span,
            "`clamp` is for index expressions, and a value stands here",
            fix=f"write `{_filled(FOREIGN['clip'], args)}`",
        )
    if name in ALIASES or (name in FUNCTIONS and name not in OPERATORS):
        return
    if name in FOREIGN:
        template = FOREIGN[name]
        raise SyntaxError(
            e.function.span,
            f"there is no function `{name}`",
            fix=_written(template, args),
        )
    if name not in _FORMS:
        raise SyntaxError(e.function.span, f"there is no function `{name}`", fix=_suggestion(e))


def _suggestion(e: ast.Application) -> str:
    """A suggestion for an unknown function: a similar name, or the tensor that was meant."""
    from difflib import get_close_matches

    name = e.function.name
    reduction, _, below = name.partition("_")
    if reduction in REDUCTIONS and below and e.args:
        body = ", ".join(a.span.text for a in e.args)
        remedy = f"{reduction}{{{', '.join(below) if below.isalpha() else below}}} ({body})"
        return f"the index of a reduction stands in braces: write `{remedy}`"
    if name in _MATRICES:
        return "write the sum with its indices, `sum{k} a[i, k]*b[k, j]`"
    known = [*(n for n in FUNCTIONS if n not in OPERATORS), *ALIASES, "where", "delta", *FOREIGN]
    close = [k for k in known if sorted(k) == sorted(name)]  # two letters that changed places
    close = close or get_close_matches(name, known, n=1, cutoff=0.75)
    if close and close[0] in FOREIGN:
        return _written(FOREIGN[close[0]], e.args)
    if close:
        return f"did you mean `{close[0]}`?"
    arguments = ", ".join(a.span.text for a in e.args)
    plain = all(isinstance(a, (ast.Name, ast.Number, ast.Binary)) for a in e.args)
    return f"to read a tensor, write `{name}[{arguments if plain else '..'}]`"


def check_quotient(e: ast.Binary, data: IndexTensors) -> None:
    """Raises SyntaxError for `//` and `%` of values, which are for index expressions."""
    read = _value_in(e, data) if e.operator in ("//", "%") else None
    if read is None:
        return
    left, right = (
        f"({x.span.text})" if isinstance(x, (ast.Binary, ast.Unary)) else x.span.text
        for x in (e.left, e.right)
    )
    floor = f"floor({left}/{right})"
    remedy = floor if e.operator == "//" else f"{left} - {right}*{floor}"
    raise SyntaxError(
        e.span,
        f"`{e.operator}` is for index expressions, and `{read.span.text}` is a value",
        fix="write "
        + spelled(
            e.span,
            f"`{remedy}`",
            r"`\lfloor x_i / 2 \rfloor`, and `x_i - 2 \lfloor x_i/2 \rfloor` for the rest",
        ),
    )


_CONDITIONS = (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)


def _value_in(e: ast.Expression | ast.Condition, data: IndexTensors) -> ast.Element | None:
    """A read of no index tensor that the expression consists of or has as an operand."""
    return next((r for r in _reads_in(e) if r.name.name not in data), None)


def _reads_in(e: ast.Expression | ast.Condition) -> Iterator[ast.Element]:
    """The reads that the expression consists of or has as operands."""
    for node in arithmetic(e):
        if isinstance(node, ast.Element) and node.subscripts:
            if node.name.name in ("max", "min"):
                return
            yield node


def _is_pair(args: Sequence[ast.Expression | ast.Condition]) -> bool:
    return len(args) > 1 and all(not isinstance(a, ast.Comparison) for a in args[1:])


def _reduced(e: ast.Application, scope: Scope, sizes: Sizes) -> tuple[str, str]:
    """The reduction that is meant, in both spellings."""
    body, *rest = e.args if e.args else (e.function,)
    if isinstance(body, ast.Name) and len(rest) == 1 and any(_reads_in(rest[0])):
        body, rest = rest[0], [body]  # `sum(k, x[k])`
    named = [a.name for a in rest if isinstance(a, ast.Name)]
    if isinstance(body, ast.Name):
        k = named[0] if named else _fresh(e.span, "ikjlmn")
        text, tex, indices = f"{body.name}[{k}]", f"{body.span.text}_{k}", [k]
    else:
        text = tex = body.span.text
        indices = named or _free(body, scope, sizes)
        if not indices and isinstance(body, ast.Element):
            indices = [_fresh(e.span, "kjlmn")]
            subscripts = ", ".join([*(s.span.text for s in body.subscripts[:-1]), indices[0]])
            text, tex = f"{body.name.name}[{subscripts}]", f"{body.name.span.text}_{{{subscripts}}}"
        if not indices:
            indices = [_fresh(e.span, "kjlmn")]
            text = _over(body, indices[0], scope, sizes)
        if isinstance(body, ast.Binary) and body.operator in ("+", "-"):
            text, tex = f"({text})", rf"\left({tex}\right)"
    command = {"mean": r"\operatorname{mean}", "argmax": r"\arg\max", "argmin": r"\arg\min"}
    op = e.function.name
    below = ", ".join(indices)
    return f"{op}{{{below}}} {text}", f"{command.get(op, f'{chr(92)}{op}')}_{{{below}}} {tex}"


def _over(body: ast.Expression | ast.Condition, index: str, scope: Scope, sizes: Sizes) -> str:
    """The text of a body that has no index of its own, with one more subscript on each tensor."""
    text, start = body.span.text, body.span.start
    ends: list[tuple[int, str]] = []
    for node in arithmetic(body):
        if isinstance(node, ast.Element) and node.subscripts:
            ends.append((node.span.end - 1, f", {index}"))
        elif isinstance(node, ast.Name) and not (
            node.name in _CONSTANTS or scope.lookup(node.name) or sizes.lookup(node.name)
        ):
            ends.append((node.span.end, f"[{index}]"))
    for at, more in sorted(ends, reverse=True):
        text = f"{text[: at - start]}{more}{text[at - start :]}"
    return text


def _free(e: ast.Expression | ast.Condition, scope: Scope, sizes: Sizes) -> list[str]:
    """The names in subscripts that are neither indices in scope nor sizes, and no read."""
    names: list[str] = []
    stack: list[tuple[object, bool]] = [(e, False)]
    while stack:
        node, in_subscript = stack.pop()
        match node:
            case ast.Name(name):
                if in_subscript and scope.lookup(name) is None and sizes.lookup(name) is None:
                    names.append(name)
            case ast.Element(_, subscripts):
                stack += [(s, True) for s in reversed(subscripts)]
            case ast.Unary(operand):
                stack.append((operand, in_subscript))
            case ast.Binary(_, left, right):
                stack += [(right, in_subscript), (left, in_subscript)]
            case ast.Application(_, args):
                stack += [(a, in_subscript) for a in reversed(args)]
            case _:
                pass
    return list(dict.fromkeys(names))


def _fresh(span: Span, names: str) -> str:
    """An index that the text does not have."""
    return next((n for n in names if n not in _letters(span)), "k_1")


def _letters(span: Span) -> set[str]:
    return set(span.source.text[: 10**5])


def _written(template: str, args: Sequence[ast.Expression | ast.Condition]) -> str:
    """The remedy by a template. What it reads as a tensor, and is none, is defined in a line of its own."""
    texts = [
        a.span.text
        for letter, a in zip("abc", args, strict=False)
        if f"{letter}[" in template and not isinstance(a, (ast.Name, ast.Element))
    ]
    first = f", with `t[..] = {texts[0]}` in a line above" if texts else ""
    return f"write `{_filled(template, args)}`{first}"


def _filled(template: str, args: Sequence[ast.Expression | ast.Condition]) -> str:
    texts = {
        letter: f"({a.span.text})" if isinstance(a, (ast.Binary, ast.Unary)) else a.span.text
        for letter, a in zip("abc", args, strict=False)
    }
    bare = {letter for letter in texts if f"{letter}[" in template}
    names = {x: _name_of(a) for x, a in zip("abc", args, strict=False)}

    def put(match: re.Match[str]) -> str:
        letter = match[0]
        return names.get(letter, letter) if letter in bare else texts.get(letter, letter)

    return re.sub(r"\b[abc]\b", put, template)


def _name_of(e: ast.Expression | ast.Condition) -> str:
    """The name of a tensor or of what is read of one, and `t` for another value."""
    if isinstance(e, ast.Name):
        return e.name
    return e.name.name if isinstance(e, ast.Element) else "t"
