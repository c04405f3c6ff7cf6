"""Loop nests as C: expressions, subscripts, bounds and steps. All targets of the kind share it."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, TypeAlias, assert_never

from tadc.emit.clike.spelling import (
    DType,
    Precedence,
    Target,
    Text,
    bracketed,
    comparison,
    conditional,
    integer_type,
    literal,
    long_suffix,
    name,
    spell,
)
from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import EVERYWHERE, Condition, Domain
from tadc.ir.element_types import HALF_TYPES
from tadc.ir.expr import (
    NEUTRAL,
    Call,
    Comparison,
    Const,
    Expr,
    IndexValue,
    Read,
    Reduce,
    ReduceOp,
    Select,
)
from tadc.ir.program import DerivedSize, Tensor
from tadc.ir.walk import descend
from tadc.schedule.gpu.cost import is_unrolled
from tadc.schedule.nest.long_sums import LENGTH
from tadc.schedule.nest.loop_nest import (
    FIRST,
    FIRST_LANE,
    LAST,
    LAST_LANE,
    Accumulate,
    Accumulator,
    Assign,
    Barrier,
    Branch,
    Chunks,
    GpuStep,
    Interior,
    Lanes,
    Leader,
    Let,
    LetIndex,
    Loop,
    Staged,
    Step,
    Store,
    Strips,
    TeamLoop,
    TeamScan,
    TeamSums,
    Tile,
    steps_of,
    symbols_of,
)

__all__ = ["CHUNKS", "ENDED", "REAL", "TERM", "CText", "part"]

REAL = {"float32": "float", "float64": "double", **{t: t for t in HALF_TYPES}}
ENDED = "ended"  # in C, where the flag is that ends a launcher early
TERM = "term"  # a local variable of one line: what is squared
CHUNKS = 64  # parts of a sum that threads share

Walk: TypeAlias = Generator[Any, Any, Text]


def part(local: str) -> str:
    """The name of what a lane, a thread or a chunk adds to a sum: no program has it, and in C it is `<local>_`."""
    return f"{local}\u2032_"


@dataclass(frozen=True, slots=True)
class CText:
    """Prints one kernel's parts. `names` gives every tensor, symbol and local its C name."""

    names: Mapping[str, str]
    tensors: Mapping[str, Tensor]
    locals: frozenset[str]
    dtype: DType  # of the arithmetic
    dtypes: Mapping[str, str]  # of the elements of each tensor
    index_type: DType
    # The indices that lanes differ in, as each lane has them.
    lane: tuple[tuple[Symbol, str], ...] = ()
    lanes: int = 0  # of a strip or a tile
    together: bool = False  # all threads compute the same, and share chunks: one of them stores

    target: ClassVar[Target] = "c"
    own_names: ClassVar[tuple[str, ...]] = ()  # of the target, besides those that no target has

    @property
    def integer(self) -> str:
        """The type of index arithmetic."""
        return integer_type(self.index_type, self.target)

    # ------------------------------------------------------------------ steps

    def lines(self, steps: Sequence[Step], indent: int) -> list[str]:
        """The steps as indented lines."""
        return descend(self._lines(steps, indent))

    def _lines(self, steps: Sequence[Step], indent: int) -> Generator[Any, Any, list[str]]:
        lines: list[str] = []
        pad = "  " * indent
        real, integer = REAL[self.dtype], self.integer
        for step in steps:
            match step:
                case Let(local, value):
                    lines.append(
                        f"{pad}const {real} {self.names[local]} = {self.value(value).text};"
                    )
                case LetIndex(d):
                    quotient = self.floor(d.form, d.modulus).text
                    lines.append(f"{pad}const {integer} {self.names[d.name]} = {quotient};")
                case Accumulator(local, initial):
                    lines.append(f"{pad}{real} {self.names[local]} = {self.value(initial).text};")
                case Accumulate(local, op, value):
                    lines.append(pad + self._added(self.names[local], op, value))
                case Assign(local, value):
                    lines.append(f"{pad}{self.names[local]} = {self.value(value).text};")
                case Store(tensor, subscripts, value, atomic=True):
                    element, added = self.element(tensor, subscripts).text, self.value(value).text
                    if self.target == "cuda":
                        lines.append(f"{pad}atomicAdd(&{element}, {added});")
                    else:
                        lines += [f"{pad}#pragma omp atomic", f"{pad}{element} += {added};"]
                case Store(tensor, subscripts, value, op):
                    element = self.element(tensor, subscripts).text
                    lines += [f"{pad}#pragma omp master"] if self.together else []
                    if op:
                        lines.append(pad + self._added(element, op, value))
                    else:
                        lines.append(f"{pad}{element} = {self.value(value).text};")
                case Loop(index, lows, highs, body):
                    i = self.names[index]
                    low, (relation, high) = self.low(lows), self._below(highs)
                    head = f"{integer} {i} = {low}; {i} {relation} {high}; {i}++"
                    unrolled = self.target != "c" and is_unrolled(step)
                    lines += [f"{pad}#pragma unroll"] if unrolled else []
                    lines.append(f"{pad}for ({head}) {{")
                    if any(isinstance(s, Strips) for s in steps_of(body)):  # long loops, of a CPU
                        lines.append(f"{pad}  if (*{ENDED}) continue;")
                    lines += yield self._lines(body, indent + 1)
                    lines.append(f"{pad}}}")
                case Branch(condition, then, otherwise):
                    lines.append(f"{pad}if ({self.condition(condition).text}) {{")
                    lines += yield self._lines(then, indent + 1)
                    if otherwise:
                        lines.append(f"{pad}}} else {{")
                        lines += yield self._lines(otherwise, indent + 1)
                    lines.append(f"{pad}}}")
                case Strips() if step.sums:
                    lines += yield self._summed(step, indent)
                case Strips(_, _, _, body, single, wide):
                    i, (low, end) = self.names[step.index], self._span(step)
                    width = self._width(step)
                    arrays = ", ".join(f"{self.names[t]}[{width}]" for t in wide)
                    strip = replace(
                        self,
                        names={
                            **self.names,
                            **{t: f"{self.names[t]}[lane]" for t in wide},
                            FIRST_LANE: "first",
                            LAST_LANE: f"(first + {width - 1})",
                        },
                        lane=((step.index, "first + lane"),),
                        lanes=width,
                    )
                    lines.append(f"{pad}const {integer} end = {end};")
                    lines.append(f"{pad}if (end - ({low}) >= {width}) {{")
                    lines.append(
                        f"{pad}  for ({integer} first = {low}; first < end; first += {width}) {{"
                    )
                    lines.append(f"{pad}    if (first > end - {width}) first = end - {width};")
                    lines += [f"{pad}    {real} {arrays};"] if wide else []
                    lines += yield strip._lines(body, indent + 2)
                    lines += [f"{pad}  }}", f"{pad}}} else {{"]
                    lines.append(f"{pad}  for ({integer} {i} = {low}; {i} < end; {i}++) {{")
                    lines += yield self._lines(single, indent + 2)
                    lines += [f"{pad}  }}", f"{pad}}}"]
                case Interior():
                    lines += yield self._interior(step, indent)
                case Chunks():
                    lines += yield self._chunks(step, indent)
                case Lanes(body):
                    lines += [f"{pad}#pragma unroll"] if self.target != "c" else []
                    lines.append(f"{pad}for (int lane = 0; lane < {self.lanes}; lane++) {{")
                    inner = yield self._lines(body, indent + 1)
                    mentioned = {s for within in steps_of(body) for s in symbols_of(within)}
                    lines += [
                        f"{pad}  const {integer} {self.names[index]} = {at};"
                        for index, at in self.lane
                        if index in mentioned
                    ]
                    lines += inner
                    lines.append(f"{pad}}}")
                case (
                    Tile() | Staged() | TeamLoop() | TeamSums() | TeamScan() | Leader() | Barrier()
                ):
                    lines += yield self._of_gpu(step, indent)
                case _:
                    assert_never(step)
        return lines

    def _of_gpu(self, step: GpuStep, indent: int) -> Generator[Any, Any, list[str]]:
        """A step that only kernels of a GPU have."""
        raise AssertionError(f"a {type(step).__name__} on a CPU")

    def _summed(self, step: Strips, indent: int) -> Generator[Any, Any, list[str]]:
        """A reduction in strips: an accumulator a lane, combined pairwise."""
        pad, inner = "  " * indent, "  " * (indent + 1)
        real, integer = REAL[self.dtype], self.integer
        low, end = self._span(step)
        width = self._width(step)
        own = {s: self.names[part(s)] for s, _ in step.sums}
        starts = [(own[s], self.value(Const(NEUTRAL[op])).text) for s, op in step.sums]
        kept = [(self.names[s], self.value(Const(0)).text) for s in step.wide]
        wide = {**own, **{s: self.names[s] for s in step.wide}}
        lane = replace(
            self,
            names={**self.names, **{s: f"{n}[lane]" for s, n in wide.items()}},
            lane=((step.index, "first + lane"),),
            lanes=width,
        )
        lines = [
            f"{pad}{{",
            f"{inner}{integer} first = {low};",
            f"{inner}const {integer} end = {end};",
        ]
        lines.append(f"{inner}{real} {', '.join(f'{n}[{width}]' for n, _ in starts + kept)};")
        lines.append(inner + _in_each_lane(starts, width))
        block = LENGTH * width
        if step.between:
            lines.append(f"{inner}{integer} stop = first + {block};")
            lines.append(f"{inner}const int many = stop < end;")
            lines.append(f"{inner}if (many) {_in_each_lane(kept, width)}")
        lines.append(f"{inner}for (; first + {width} <= end; first += {width}) {{")
        if step.between:
            lines.append(f"{inner}  if (first == stop) {{")
            lines += yield lane._lines((Lanes(step.between),), indent + 3)
            lines += [f"{inner}    stop += {block};", f"{inner}  }}"]
        lines += yield lane._lines(step.body, indent + 2)
        lines += [f"{inner}}}", f"{inner}for (int lane = 0; first + lane < end; lane++) {{"]
        lines.append(f"{inner}  const {integer} {self.names[step.index]} = first + lane;")
        lines += yield lane._lines(step.single, indent + 2)
        lines.append(f"{inner}}}")
        if step.after:
            lines.append(f"{inner}if (many) {{")
            lines += yield lane._lines((Lanes(step.after),), indent + 2)
            lines.append(f"{inner}}}")
        lines += self._combined([(s, own[s], op) for s, op in step.sums], width, indent + 1)
        return [*lines, f"{pad}}}"]

    def _combined(
        self, sums: Sequence[tuple[str, str, ReduceOp]], count: int, indent: int
    ) -> list[str]:
        """Arrays of `count` parts, a power of 2, combined pairwise and into the accumulators."""
        pad = "  " * indent
        lines = [f"{pad}for (int half = {count // 2}; half > 0; half /= 2) {{"]
        lines.append(f"{pad}  for (int n = 0; n < half; n++) {{")
        for _, parts, op in sums:
            other = name(f"{parts}[n + half]")
            lines.append(f"{pad}    {self._accumulate(f'{parts}[n]', op, other)}")
        lines += [f"{pad}  }}", f"{pad}}}"]
        for local, parts, op in sums:
            lines.append(pad + self._accumulate(self.names[local], op, name(f"{parts}[0]")))
        return lines

    def _interior(self, step: Interior, indent: int) -> Generator[Any, Any, list[str]]:
        """The parts of a row: left and right of the interior one by one, with all tests."""
        pad, integer, i = "  " * indent, self.integer, self.names[step.index]
        low, end = self.low(step.loop[0]), self._end(step.loop[1])
        inner = f"max(from, {self.low(step.lows)})" if step.lows else "from"
        inner_end = f"min(to, {self._end(step.highs)})" if step.highs else "to"
        lines = [f"{pad}{{"]
        pad, indent = pad + "  ", indent + 1
        lines.append(f"{pad}const {integer} from = {low}, to = {end};")
        lines.append(f"{pad}{integer} inner = {inner}, inner_end = {inner_end};")
        empty = "inner >= inner_end"
        if step.tests != EVERYWHERE:
            tests = self.condition(step.tests)
            empty = f"!({tests.text}) || {empty}"
        lines.append(f"{pad}if ({empty}) inner = inner_end = to;")
        lines.append(f"{pad}for (int side = 0; side < 2; side++) {{")
        head = f"{integer} {i} = side ? inner_end : from; {i} < (side ? to : inner); {i}++"
        lines.append(f"{pad}  for ({head}) {{")
        lines += yield self._lines(step.outside, indent + 2)
        lines += [f"{pad}  }}", f"{pad}}}", f"{pad}if (inner < inner_end) {{"]
        within = replace(self, names={**self.names, FIRST: "inner", LAST: "inner_end"})
        lines += yield within._lines(step.inside, indent + 1)
        return [*lines, f"{pad}}}", f"{'  ' * (indent - 1)}}}"]

    def _chunks(self, step: Chunks, indent: int) -> Generator[Any, Any, list[str]]:
        """Sums whose parts threads share. Every thread combines the parts, in arrays of its own."""
        pad, inner = "  " * indent, "  " * (indent + 1)
        real, integer = REAL[self.dtype], self.integer
        low, end = self._span(step)
        own = [(s, self.names[part(s)], op) for s, op in step.sums]
        lines = [f"{pad}{{", f"{inner}const {integer} start = {low}, end = {end};"]
        size = f"max({step.least}, (end - start + {CHUNKS - 1}) / {CHUNKS})"
        lines.append(f"{inner}const {integer} size = {size};")
        lines.append("#pragma omp for schedule(static)")
        lines.append(f"{inner}for (int chunk = 0; chunk < {CHUNKS}; chunk++) {{")
        lines.append(f"{inner}  if (*{ENDED}) continue;")
        lines.append(f"{inner}  const {integer} block = start + chunk * size;")
        lines.append(f"{inner}  const {integer} block_end = min(block + size, end);")
        for s, _, op in own:
            lines.append(
                f"{inner}  {real} {self.names[s]} = {self.value(Const(NEUTRAL[op])).text};"
            )
        lines += yield self._lines(step.body, indent + 2)
        for k, (s, _, _) in enumerate(own):
            lines.append(f"{inner}  (({real}*)parts)[{k * CHUNKS} + chunk] = {self.names[s]};")
        lines.append(f"{inner}}}")
        for k, (_, parts, _) in enumerate(own):
            lines.append(f"{inner}{real} {parts}[{CHUNKS}];")
            copied = f"{parts}[n] = (({real}*)parts)[{k * CHUNKS} + n];"
            lines.append(f"{inner}for (int n = 0; n < {CHUNKS}; n++) {copied}")
        lines.append("#pragma omp barrier")
        lines += self._combined(own, CHUNKS, indent + 1)
        return [*lines, f"{pad}}}"]

    def _width(self, step: Strips) -> int:
        return min(self.lanes, step.lanes or self.lanes)

    def low(self, lows: Sequence[tuple[Affine, int]]) -> str:
        return self._extreme("max", [self.ceil(e, c) for e, c in lows]).text

    def _below(self, highs: Sequence[tuple[Affine, int]]) -> tuple[str, str]:
        """What an index is compared with while it is not beyond the highs, and how."""
        if len(highs) == 1 and highs[0][1] == 1 and highs[0][0].terms:
            return "<", self.affine(highs[0][0] + 1).text
        return "<=", self._extreme("min", [self.floor(e, c) for e, c in highs]).text

    def _span(self, step: Strips | Chunks) -> tuple[str, str]:
        """The first value of the index, and the first beyond it."""
        return self.low(step.lows), self._end(step.highs)

    def _end(self, highs: Sequence[tuple[Affine, int]]) -> str:
        relation, high = self._below(highs)
        if relation == "<":
            return high
        return str(int(high) + 1) if high.isdigit() else f"{high} + 1"

    def _added(self, local: str, op: str, value: Expr) -> str:
        """One more term; a product is added to a sum without being rounded before."""
        match op, value:
            case "sum", Call("mul", (a, b)):
                factors = [self.value(a), self.value(b)]
            case "sum", Call("pow", (Read(subscripts=()) as a, Const(2))):
                factors = [self.value(a)] * 2
            case "sum", Call("pow", (base, Const(2))):
                added = spell("fma", [name(TERM), name(TERM), name(local)], self.dtype).text
                kept = f"const {REAL[self.dtype]} {TERM} = {self.value(base).text};"
                return f"{{ {kept} {local} = {added}; }}"
            case _:
                return self._accumulate(local, op, self.value(value))
        return f"{local} = {spell('fma', [*factors, name(local)], self.dtype).text};"

    def _accumulate(self, local: str, op: str, value: Text) -> str:
        match op:
            case "sum":
                return f"{local} += {value.text};"
            case "prod":
                return f"{local} *= {value.text};"
            case _:
                return f"{local} = {spell(op, [name(local), value], self.dtype).text};"

    # ------------------------------------------------------------------ values

    def value(self, e: Expr) -> Text:
        return descend(self._value(e))

    def _value(self, e: Expr) -> Walk:
        match e:
            case Const(value):
                return literal(value, self.dtype, self.target)
            case IndexValue(form):
                if form.is_constant:
                    return literal(form.constant, self.dtype, self.target)
                index = bracketed(self.affine(form), Precedence.UNARY)
                return Text(f"({REAL[self.dtype]}){index}", Precedence.UNARY)
            case Read(tensor, ()) if tensor in self.locals:
                return name(self.names[tensor])
            case Read(tensor, subscripts):
                element = self.element(tensor, subscripts)
                if self.dtypes[tensor] == self.dtype:
                    return element
                return Text(f"({REAL[self.dtype]}){element.text}", Precedence.UNARY)
            case Call(function, args):
                parts = []
                for arg in args:
                    parts.append((yield self._value(arg)))
                return spell(function, parts, self.dtype)
            case Select(Domain() as domain, then, otherwise):
                a, b = (yield self._value(then)), (yield self._value(otherwise))
                return conditional(self.condition(domain), a, b)
            case Select(condition, then, otherwise):
                assert isinstance(condition, Comparison)
                relation, left, right = condition.relation, condition.left, condition.right
                test = comparison(relation, (yield self._value(left)), (yield self._value(right)))
                a, b = (yield self._value(then)), (yield self._value(otherwise))
                return conditional(test, a, b)
            case Reduce():
                raise AssertionError("a reduction is loops by now")

    def condition(self, condition: Domain | Comparison) -> Text:
        if isinstance(condition, Comparison):
            left, right = self.value(condition.left), self.value(condition.right)
            return comparison(condition.relation, left, right)
        tests = [self._test(c) for c in condition]
        if len(tests) == 1:
            return tests[0]
        return Text(" && ".join(bracketed(t, Precedence.EQUALITY) for t in tests), Precedence.AND)

    def _test(self, c: Condition) -> Text:
        if c.relation == "|":
            form = bracketed(self.affine(c.form), Precedence.PRODUCT)
            return Text(f"{form} % {c.modulus} == 0", Precedence.EQUALITY)
        positive = Affine.of({s: k for s, k in c.form.terms if k > 0}, max(0, c.form.constant))
        negative = Affine.of({s: -k for s, k in c.form.terms if k < 0}, max(0, -c.form.constant))
        if c.relation == "==":
            left, right = positive, negative
        else:
            left, right = negative, positive
        relation = "==" if c.relation == "==" else "<="
        if relation == "<=" and left.terms and left.constant == 1:
            relation, left = "<", left - 1
        precedence = Precedence.EQUALITY if c.relation == "==" else Precedence.RELATION
        return Text(f"{self.affine(left).text} {relation} {self.affine(right).text}", precedence)

    # ------------------------------------------------------------------ index arithmetic

    def affine(self, form: Affine) -> Text:
        text = form.text({s: self.names[s] for s in form.symbols})
        if form.is_constant or form.as_symbol() is not None:
            negative = text.startswith("-")
            return Text(text, Precedence.UNARY if negative else Precedence.PRIMARY)
        single = len(form.terms) == 1 and not form.constant
        return Text(
            re.sub(r" ?\* ?", " * ", text), Precedence.PRODUCT if single else Precedence.SUM
        )

    def floor(self, form: Affine, divisor: int) -> Text:
        if divisor == 1:
            return self.affine(form)
        args = [self.affine(form), literal(divisor, self.index_type, self.target)]
        return spell("floor_div", args, self.index_type)

    def ceil(self, form: Affine, divisor: int) -> Text:
        return self.floor(form + (divisor - 1), divisor)

    def derived_size(self, size: DerivedSize) -> Text:
        if size.op == "floor":
            return self.floor(size.forms[0], size.modulus)
        return self._extreme(size.op, [self.affine(form) for form in size.forms])

    def _extreme(self, op: str, values: list[Text]) -> Text:
        if (
            self.index_type == "int64" and len(values) > 1
        ):  # CUDA's `min(int, long long)` is ambiguous
            suffix = long_suffix(self.target)
            values = [v._replace(text=v.text + suffix) if _is_number(v) else v for v in values]
        result = values[0]
        for value in values[1:]:
            result = spell(op, [result, value], self.index_type)
        return result

    def element(self, tensor: str, subscripts: Sequence[Affine]) -> Text:
        """`tensor[offset]`, the offset in row-major order: with strides that are numbers, else by Horner's rule."""
        shape = self.tensors[tensor].shape
        static = all(n.is_constant for n in shape[1:])
        terms: list[Text] = []
        for d, (form, extent) in enumerate(zip(subscripts, shape, strict=True)):
            if terms and not static:
                whole = bracketed(self._sum(terms), Precedence.PRODUCT)
                factor = bracketed(self.affine(extent), Precedence.UNARY)
                terms = [Text(f"{whole} * {factor}", Precedence.PRODUCT)]
            if form != constant(0):
                stride = prod(n.constant for n in shape[d + 1 :]) if static else 1
                terms.append(self._scaled(form, stride))
        return name(f"{self.names[tensor]}[{self._sum(terms).text}]")

    def _scaled(self, form: Affine, stride: int) -> Text:
        if (len(form.terms) <= 1 and (form.is_constant or not form.constant)) or stride == 1:
            return self.affine(form * stride)
        return Text(f"{stride} * ({self.affine(form).text})", Precedence.PRODUCT)

    def _sum(self, terms: Sequence[Text]) -> Text:
        if len(terms) == 1:
            return terms[0]
        if not terms:
            return self.affine(constant(0))
        text = " + ".join(t.text for t in terms).replace("+ -", "- ")
        return Text(text, Precedence.SUM)


def _in_each_lane(values: Sequence[tuple[str, str]], width: int) -> str:
    """Arrays with these values in all lanes."""
    set_ = " ".join(f"{array}[lane] = {value};" for array, value in values)
    return f"for (int lane = 0; lane < {width}; lane++) {{ {set_} }}"


def _is_number(x: Text) -> bool:
    return x.text.removeprefix("-").isdigit()
