"""Programs and expressions as `.idx` text, which parses back to the same program.

Derived indices are written as the floor divisions they stand for.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import Any, TypeAlias

from tadc.errors import Error
from tadc.ir.affine import Affine, Symbol
from tadc.ir.bounds import bounded
from tadc.ir.domain import Derived, Determined, Domain, Looked
from tadc.ir.element_types import INDEX
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.range import Range
from tadc.ir.sparse import Sparse
from tadc.ir.walk import descend, postorder

__all__ = [
    "check_written_out",
    "expression_text",
    "program_text",
    "statement_comment",
    "statement_text",
    "tensor_text",
]

# The least level of an operand that stands without parentheses. A reduction ends with its multiplicative term, so it
# may stand in a sum, but not in a product.
CHOICE, SUM, REDUCTION, PRODUCT, SIGN, POWER, ATOM = range(7)
MOST_COMMENTED = 300  # nodes of a right side in a comment
MOST_WRITTEN = 300_000  # nodes of a right side: seconds to print, tens of megabytes
_INFIX = {
    "add": (" + ", SUM, SUM, REDUCTION),
    "sub": (" - ", SUM, SUM, REDUCTION),
    "mul": ("*", PRODUCT, PRODUCT, SIGN),
    "div": ("/", PRODUCT, PRODUCT, SIGN),
    "pow": ("**", POWER, ATOM, SIGN),
}
_RELATIONS = {"==": "=", "!=": "!=", "<": "<", "<=": "<="}

Spelled: TypeAlias = Mapping[Symbol, str]
Text: TypeAlias = tuple[str, int]


def program_text(program: Program, sparse: Mapping[str, Sparse] | None = None) -> str:
    """The declarations that fix order and shapes, then the statements. `sparse` are tensors by the names of their values."""
    known = sparse or {}
    lines = []
    if program.sizes:
        sizes = (f"{s} >= 0" if s in program.offsets else s for s in program.sizes)
        lines.append(f"size {', '.join(sizes)}")
    lines += [f"size {d.name} = {d}" for d in program.derived_sizes]
    lines += [f"require {condition}" for condition in program.requirements]
    inputs = _inputs(program, known)
    lines += [f"input {', '.join(inputs)}"] if inputs else []
    outputs = (known[n].name if n in known else n for n in program.outputs)
    lines += [f"output {', '.join(outputs)}"] if program.outputs else []
    lines += (statement_text(s, known.get(s.target.name)) for s in program.statements)
    return "\n".join(lines) + "\n"


def _inputs(program: Program, sparse: Mapping[str, Sparse]) -> list[str]:
    """The declarations of the inputs: that of a sparse tensor stands for its arrays."""
    indices = {n for s in sparse.values() if not s.is_like for n in s.pattern}
    texts = []
    for tensor in program.inputs:
        if tensor.name in sparse:
            s = sparse[tensor.name]
            shape = "" if s.is_like else f"[{', '.join(map(str, s.shape))}]"
            texts.append(f"{s.name}{shape}: {f'like {s.of}' if s.is_like else s.layout}")
        elif tensor.name not in indices:
            texts.append(tensor_text(tensor))
    return texts


def statement_text(statement: Statement, sparse: Sparse | None = None) -> str:
    """`f[i: 3, j: N] = ...`, on one line; of `sparse` it gives the values. Raises what `check_written_out` does."""
    check_written_out(statement)
    body = expression_text(statement.body, spelled(statement.derived, {}))
    like = f": like {sparse.of}" if sparse is not None else ""
    return f"{_left(statement)}{like} = {body}"


def check_written_out(statement: Statement) -> None:
    """Raises Error where shared parts, which a formula repeats, would make its text endless."""
    nodes = _written_out(statement.body)
    if nodes > MOST_WRITTEN:
        parts = sum(1 for _ in postorder(statement.body))
        raise Error(
            None,
            f"`{_left(statement)} = ..` has {parts} different parts, but {nodes} written out with all repetitions",
            fix='ask for `source("cuda")`, where shared parts have names, or split the formula into statements',
        )


def statement_comment(statement: Statement) -> str:
    """The statement for a person to read: shared parts are expanded, and may make it very long."""
    if _written_out(statement.body) > MOST_COMMENTED:
        return f"{_left(statement)} = .."
    return statement_text(statement)


def _written_out(root: Expr) -> int:
    """The number of nodes of the expression written as a tree."""
    written: dict[Expr, int] = {}
    for node in postorder(root):
        written[node] = 1 + sum(written[o] for o in node.operands)
    return written[root]


def _left(statement: Statement) -> str:
    lefts = zip(statement.indices, statement.target.shape, strict=True)
    inner = ", ".join(f"{i}: {n}" for i, n in lefts)
    dtype = _element_type(statement.target)
    left = f"{statement.target.name}[{inner}]" if inner else statement.target.name
    return f"{left}{dtype}"


def expression_text(e: Expr, spelling: Spelled | None = None) -> str:
    """The expression as text; `spelling` writes derived indices out."""
    text: str = descend(_text(e, spelling or {}))[0]
    return text


def spelled(derived: Iterable[Determined], spelling: Spelled) -> Spelled:
    """`spelling` with every derived index written as its division, in parentheses."""
    result = dict(spelling)
    for d in derived:
        match d:
            case Derived(name, form, modulus):
                result[name] = f"({_division(form.text(result), modulus)})"
            case Looked(name, tensor, subscripts):
                result[name] = _element_text(tensor, subscripts, result)
    return result


def tensor_text(tensor: Tensor) -> str:
    """`x[N, 2*K]: float32`, as a declaration says it."""
    shape = ", ".join(map(str, tensor.shape))
    return f"{tensor.name}[{shape}]{_element_type(tensor)}"


def _element_type(tensor: Tensor) -> str:
    if tensor.values is not None:
        low, high = tensor.values
        return f": {low}..{high}"
    if tensor.dtype == INDEX:
        return ": index"
    return f": {tensor.dtype}" if tensor.dtype else ""


def _element_text(tensor: str, subscripts: Iterable[Affine], spelling: Spelled) -> str:
    inner = ", ".join(_unwrapped(s.text(spelling)) for s in subscripts)
    return f"{tensor}[{inner}]" if inner else tensor


def _text(e: Expr, spelling: Spelled) -> Generator[Any, Any, Text]:
    match e:
        case Const(value):
            text = repr(value)
            return text, SIGN if text.startswith("-") else ATOM
        case IndexValue(form):
            return _affine_value(form, spelling)
        case Read(tensor, subscripts):
            return _element_text(tensor, subscripts, spelling), ATOM
        case Call("neg", (x,)):
            operand = yield _text(x, spelling)
            if operand[1] == REDUCTION:
                return f"-{operand[0]}", REDUCTION
            return f"-{_wrapped(operand, SIGN)}", SIGN
        case Call(function, (a, b)) if function in _INFIX:
            sign, level, left, right = _INFIX[function]
            first, second = (yield _text(a, spelling)), (yield _text(b, spelling))
            return f"{_wrapped(first, left)}{sign}{_wrapped(second, right)}", level
        case Call(function, args):
            parts = []
            for arg in args:
                parts.append((yield _text(arg, spelling))[0])
            return f"{function}({', '.join(parts)})", ATOM
        case Select(Domain() as condition, Reduce("sum") as then, Const(0)) if _has_data(
            condition, spelling
        ):
            # A read in the condition is checked where the others of the sum hold, which an `if` before it would not say.
            domain = then.domain & condition
            inner = Reduce("sum", then.indices, then.derived, domain, then.body)
            result: Text = yield _text(inner, spelling)
            return result
        case Select(condition, then, otherwise):
            if isinstance(condition, Comparison):
                a, b = (
                    (yield _text(condition.left, spelling)),
                    (yield _text(condition.right, spelling)),
                )
                relation = _RELATIONS[condition.relation]
                test = f"{_wrapped(a, SUM)} {relation} {_wrapped(b, SUM)}"
            else:
                test = condition.text(spelling)
            yes, no = (yield _text(then, spelling)), (yield _text(otherwise, spelling))
            return f"if {test} then {_wrapped(yes, SUM)} else {_wrapped(no, SUM)}", CHOICE
        case Reduce(op, _, derived, _, body):
            inner_spelling = spelled(derived, spelling)
            text = yield _text(body, inner_spelling)
            head = f"{op}{{{_ranges(e, inner_spelling)}}}"
            return f"{head} {_wrapped(text, REDUCTION)}", REDUCTION


def _has_data(condition: Domain, spelling: Spelled) -> bool:
    """Whether an index of the condition is an element of a tensor."""
    return any("[" in spelling.get(s, "") for s in condition.symbols)


def _ranges(reduce: Reduce, spelling: Spelled) -> str:
    bounds = bounded(reduce)
    ranges, tests = [], list(bounds.tests)
    for b in bounds.each:
        r = b.range
        if r.lows and r.highs:
            ranges.append(f"{r.index}={_low(r, spelling)}..{_high(r, spelling)}")
            tests += b.tests
        else:
            ranges.append(r.index)
            tests += [c for c in reduce.domain if c.form.coefficient(r.index)]
    condition = f" | {Domain.of(tests).text(spelling)}" if tests else ""
    return ", ".join(ranges) + condition


def _low(r: Range, spelling: Spelled) -> str:
    forms = [_division((e + (c - 1)).text(spelling), c) for e, c in r.lows]
    return forms[0] if len(forms) == 1 else f"max({', '.join(forms)})"


def _high(r: Range, spelling: Spelled) -> str:
    forms = [_division(e.text(spelling), c) for e, c in r.highs]
    return forms[0] if len(forms) == 1 else f"min({', '.join(forms)})"


def _division(form: str, divisor: int) -> str:
    if divisor == 1:
        return _unwrapped(form)
    simple = form.isidentifier() or _unwrapped(form) != form
    return f"{form if simple else f'({form})'} // {divisor}"


def _unwrapped(text: str) -> str:
    """Without a pair of parentheses around the whole."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if not depth:
            return text[1:-1] if k == len(text) - 1 else text
    return text


def _affine_value(form: Affine, spelling: Spelled) -> Text:
    text = form.text(spelling)
    if text.isidentifier() or _unwrapped(text) != text:
        return text, ATOM
    if len(form.terms) == 1 and not form.constant:
        return text, SIGN if form.terms[0][1] == -1 else PRODUCT
    return text, SUM


def _wrapped(text: Text, needed: int) -> str:
    return text[0] if text[1] >= needed else f"({text[0]})"
