r"""Factorials and binomial coefficients, by the logarithm of the gamma function: of whole numbers right up to rounding.

n! = exp(lgamma(n + 1))                 \log n! = lgamma(n + 1), which does not overflow
\binom{n}{k} = n! / (k! (n - k)!)       0 where k > n
"""

from __future__ import annotations

from tadc.errors import Span
from tadc.syntax.ast import Application, Binary, Expression, Name, Number

__all__ = ["binomial", "factorial", "logarithm_of_factorial"]


def factorial(n: Expression, span: Span) -> Expression:
    return Application(Name("exp", span), (_logarithm(n, span),), span)


def binomial(n: Expression, k: Expression, span: Span) -> Expression:
    rest = Binary("-", n, k, span)
    parts = [_logarithm(part, span) for part in (n, k, rest)]
    exponent = Binary("-", Binary("-", parts[0], parts[1], span), parts[2], span)
    return Application(Name("exp", span), (exponent,), span)


def logarithm_of_factorial(call: Application) -> Application:
    """`lgamma(n + 1)` for the logarithm of a factorial; any other application as it is."""
    match call:
        case Application(
            Name("log"), (Application(Name("exp"), (Application(Name("lgamma")) as inner,)),)
        ):
            return inner
        case _:
            return call


def _logarithm(n: Expression, span: Span) -> Expression:
    one_more = Binary("+", n, Number("1", span), span)
    return Application(Name("lgamma", span), (one_more,), span)
