r"""Whether a sentence states a convention of the document: not where it denies one, speaks of others, of a condition or of another place.

"Some authors use $\log$ for the logarithm to base 2.", "Here $\log$ is not the logarithm to base 2.", "in Appendix A", "in the figures".
"""

from __future__ import annotations

import re

__all__ = ["is_stated"]

_SENTENCE = re.compile(r"[.;]\s|\n\s*\n|\\(?:begin|end)\{\w+\*?\}|\\[\[\]]|\$\$")
_OTHERWISE = re.compile(
    r"\b(?:not|never|no|nor|without|avoid\w*|unlike|instead\s+of|rather\s+than|neither)\b"
    r"|\b(?:some|many|most|other|several)\s+(?:authors?|papers?|texts?|books?|people)\b|\bothers\b|\bin\s+contrast\b|\bet\s+al\b"
    r"|\b(?:if|when|whenever|unless)\b"
    r"|\b(?:in|for|of)\s+(?:the\s+|our\s+|all\s+)?(?:sections?|sec\.|appendi\w+|figures?|fig\.|tables?|plots?|code|implementation|theory\s+of)\b"
    r"|\b(?:in|by)\s*~?\s*\\(?:cite|citep|citet|ref|cref|eqref)\b",
    re.IGNORECASE,
)


def is_stated(text: str, start: int, end: int) -> bool:
    """Whether nothing in the sentence around these places of the text says that it is otherwise, elsewhere or of others."""
    first = max((m.end() for m in _SENTENCE.finditer(text, 0, start)), default=0)
    last = _SENTENCE.search(text, end)
    sentence = text[first : last.start() if last is not None else len(text)]
    return _OTHERWISE.search(sentence.replace(r"\emph", "").replace("*", "")) is None
