"""Models for limits.py: those of the tree, kinds that broke limits before, and random programs.

A kind is a function of a random.Random that returns a text and the verdicts that are known by construction:
{(property, fairness): verdict}. So a wrong verdict is seen also where a plain search would not end.
"""

import pathlib
import random
import textwrap
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("models", "bench/models", "tests/data", "tests/spin/cases")
SIZES = {"leader.pml": ("-DN=5", "-DN=7"), "philosophers.pml": ("-DN=4", "-DN=7"), "lunar.pml": ("",),
         "msi.pml": ("-DCACHES=5",), "sieve.pml": ("-DMAX=30", "-DPRIMES=10"), "pancakes.pml": ("-DN=7",)}


@dataclass
class Model:
    name: str
    path: pathlib.Path = None  # of a model in the tree, which may include others
    text: str = None
    defines: tuple = ()
    answers: dict = field(default_factory=dict)


def both(name, verdict):
    return {(name, "none"): verdict, (name, "weak"): verdict}


def counters(rng):
    """Counters that go round: a formula that weak fairness makes false in a product of millions of nodes."""
    count = rng.randint(2, 4)
    tops = [rng.choice([3, 20, 60, 200]) for _ in range(count)]
    lines = ["byte " + ", ".join(f"v{i}" for i in range(count)) + ";"]
    for i, top in enumerate(tops):
        lines.append(f"active proctype P{i}() {{ do :: v{i} < {top} -> v{i}++ :: v{i} == {top} -> v{i} = 0 od }}")
    lines.append(f"ltl never_reached {{ <> (v0 == {tops[0] + 1}) }}")
    lines.append(f"ltl bounded {{ [] (v0 <= {tops[0]}) }}")
    lines.append(f"ltl reached {{ [] <> (v0 == {tops[0]}) }}")
    answers = both("never_reached", "violated") | both("bounded", "holds") | both("safety", "holds")
    answers |= {("reached", "weak"): "holds", ("reached", "none"): "violated"}
    return "\n".join(lines), answers


def walks(rng):
    """Walks to and fro: all states within few steps of each other, an assertion that fails, or an impossible one."""
    count, top, fails = rng.randint(2, 4), rng.choice([9, 30, 60]), rng.random() < 0.6
    lines = ["byte " + ", ".join(f"v{i}" for i in range(count)) + ";"]
    for i in range(count):
        lines.append(f"active proctype P{i}() {{ do :: v{i} < {top} -> v{i}++ :: v{i} > 0 -> v{i}-- od }}")
    at = " && ".join(f"v{i} == {rng.randint(1, top)}" for i in range(count - 1))
    lines.append(f"active proctype Q() {{ do :: ({at}) -> assert(v{count - 1} != {3 if fails else top + 1}) od }}")
    return "\n".join(lines), both("safety", "violated" if fails else "holds")


def endless_atomic(rng):
    """An atomic sequence that never ends, beside another process."""
    statement = rng.choice(["x = 1 - x", "x++", ":: x < 200 -> x++ :: else -> x = 0"])
    loop = statement if statement.startswith("::") else ":: " + statement
    return textwrap.dedent(f"""\
        byte x; bit y; {"int n;" if rng.random() < 0.3 else ""}
        active proctype P() {{ atomic {{ do {loop} od }} }}
        active proctype Q() {{ do :: y = 1 - y od }}
        ltl p {{ <> (y == 2) }}
        ltl q {{ [] (y < 2) }}"""), both("q", "holds")


def atomic_outcomes(rng):
    """One atomic sequence with 2^n outcomes."""
    bits = rng.randint(8, 20)
    text = f"""\
        byte i; bit v[{bits}];
        active proctype P() {{ atomic {{ do :: i < {bits} -> if :: v[i] = 0 :: v[i] = 1 fi; i++ :: else -> break od }};
          assert(v[0] + v[{bits - 1}] < {rng.choice([2, 3])}) }}"""
    return textwrap.dedent(text), both("safety", "holds" if text.rstrip().endswith("< 3) }") else "violated")


def local_loop(rng):
    """A loop of local steps in a large range, which may be left at any time."""
    top, count = rng.choice([100, 4000, 32000]), rng.randint(1, 2)
    return textwrap.dedent(f"""\
        byte g;
        active [{count}] proctype P() {{ short n = {top // 2};
          do :: n < {top} -> n++ :: n > 0 -> n-- :: g = 1 - g :: break od; g = 2; assert(n <= {top}) }}
        ltl p {{ [] (g < 3) }}"""), both("safety", "holds") | (both("p", "holds") if count == 1 else {})


def selected(rng):
    """Bits that are turned one by one: all 2^n states."""
    bits = rng.choice([8, 14, 24, 40])
    return textwrap.dedent(f"""\
        bit v[{bits}];
        active proctype P() {{ byte i; do :: select(i : 0 .. {bits - 1}); v[i] = 1 - v[i] od }}
        ltl p {{ [] <> (v[3] == 1) }}"""), both("p", "violated") | both("safety", "holds")


def recursion(rng):
    """A process that runs itself, as deep as processes go."""
    depth = rng.choice([5, 40, 200])
    return textwrap.dedent(f"""\
        short calls;
        proctype F(short n; chan back) {{ chan mine = [1] of {{ short }}; short x;
          if :: n == 0 -> x = 1 :: n > 0 -> run F(n - 1, mine); mine ? x; x++ fi;
          calls++; back ! x }}
        init {{ chan answer = [1] of {{ short }}; short x; run F({depth}, answer); answer ? x;
          assert(x == {depth + 1}) }}"""), both("safety", "holds")


def creation(rng):
    """Processes that come and go: the layout of states changes again and again."""
    return textwrap.dedent(f"""\
        byte n;
        proctype C(byte x) {{ {rng.choice(["byte", "int"])} y;
          do :: y = y + x; n++ :: {"y < 200 -> y++ ::" if rng.random() < 0.4 else ""} break od }}
        init {{ do :: run C(1) :: run C(2) {":: break" if rng.random() < 0.5 else ""} od }}"""), {}


def queues(rng):
    """Producers and consumers."""
    size, messages, lost = rng.randint(0, 6), rng.randint(2, 5), rng.random() < 0.5
    producers = rng.randint(1, 3)
    return textwrap.dedent(f"""\
        chan q = [{size}] of {{ byte, bit }};
        byte received;
        active [{producers}] proctype producer() {{ byte m; bit b;
          do :: m < {messages} -> q ! m, b; b = 1 - b; m++ :: m == {messages} -> {"break" if lost else "m = 0"} od }}
        active proctype consumer() {{ byte m; bit b;
          {"end:" if lost else ""} do :: q ? m, b -> received = m; assert(m < {messages}) od }}
        ltl small {{ [] (received < {messages}) }}
        ltl last {{ [] <> (received == {messages - 1}) }}"""), both("small", "holds") | both("safety", "holds")


def large_state(rng):
    """States of some kilobytes."""
    size, violated = rng.choice([50, 1000, 4000]), rng.random() < 0.5
    return textwrap.dedent(f"""\
        int a[{size}]; short i;
        active [2] proctype P() {{ do :: atomic {{ i < {size} -> a[i] = i; i++ }} :: i > 0 -> a[i - 1] = 0; i-- od }}
        active proctype Q() {{ do :: i == 20 -> assert({"a[5] == 0" if violated else "i <= " + str(size)}) od }}
        ltl p {{ <> (i == {size + 1}) }}"""), both("p", "violated") | ({} if not violated else both("safety", "violated"))


def observers(rng):
    """A never claim, or a trace, beside labels."""
    claim = rng.choice([
        "never { do :: true :: c == 3 -> break od; accept: do :: c != 2 od }",
        "trace { do :: q ! 0 :: q ! 1 od }",
        "notrace { do :: q ! 1; q ! 1 :: q ! 0 od }"])
    return textwrap.dedent(f"""\
        byte c; chan q = [{rng.randint(1, 2)}] of {{ byte }};
        active proctype A() {{ do :: q ! 0 :: q ! 1; {"accept: skip" if rng.random() < 0.4 else "skip"} od }}
        active proctype B() {{ byte m; do :: q ? m -> progress: c = (c + m) % {rng.randint(3, 200)} od }}
        active proctype W() {{ short n; do :: n < {rng.choice([3, 2000])} -> n++ :: n > 0 -> n-- od }}
        """) + claim, {}


class RandomProgram:
    """Processes with locals, globals, channels, jumps and a formula."""

    def __init__(self, rng):
        self.rng = rng
        self.labels = 0

    def value(self):
        return self.rng.choice(["0", "1", "2", "x", "y", "g0", "g1"])

    def guard(self):
        return f"{self.rng.choice(['x', 'y', 'g0', 'g1'])} {self.rng.choice(['==', '!=', '<', '>'])} {self.value()}"

    def statement(self, depth):
        pick = self.rng.randint(0, 13 if depth < 2 else 8)
        if pick <= 2:
            return f"{self.rng.choice(['x', 'y', 'g0', 'g1'])} = {self.value()}"
        if pick <= 4:
            name = self.rng.choice(["x", "y", "g0"])
            return self.rng.choice([f"{name}++", f"{name} = ({name} + 1) % {self.rng.choice([2, 5, 50])}"])
        if pick == 5:
            return self.guard()
        if pick <= 7:
            return self.rng.choice(["c0 ! {v}", "c1 ! {v}", "c0 ? x", "c1 ? y"]).format(v=self.value())
        if pick == 8:
            return f"assert({self.guard()} || g1 < {self.rng.randint(2, 200)})"
        if pick == 9:
            return f"atomic {{ {self.block(depth + 1)} }}"
        if pick == 10:
            return f"d_step {{ x = {self.value()}; g0 = x }}"
        branches = " ".join(f":: true; {self.block(depth + 1)}" for _ in range(self.rng.randint(1, 3)))
        if pick == 11:
            return f"if {branches} :: else fi"
        return f"do {branches} :: {self.guard()} -> break od"

    def block(self, depth=0):
        return "; ".join(self.statement(depth) for _ in range(self.rng.randint(1, 3)))

    def text(self):
        rng = self.rng
        lines = [f"byte g0; {rng.choice(['bit', 'byte', 'short'])} g1;",
                 f"chan c0 = [{rng.randint(0, 3)}] of {{ byte }}; chan c1 = [{rng.randint(0, 1)}] of {{ byte }};"]
        for i in range(rng.randint(1, 3)):
            lines.append(f"active [{rng.choice([1, 1, 2])}] proctype P{i}() {{ {rng.choice(['byte', 'bit'])} x; byte y;\n"
                         f"L{i}: {self.block()};\n{self.block()}; {rng.choice([f'goto L{i}', 'skip'])} }}")
        atoms = ["(g0 == 1)", "(g1 < 2)", "(len(c0) > 0)", "(g0 == g1)"]
        lines.append(f"ltl p {{ {rng.choice(['[] <>', '<> []', '[]', '<>'])} {rng.choice(atoms)} }}")
        lines.append(f"ltl q {{ {rng.choice(atoms)} {rng.choice(['U', 'W', '->'])} <> {rng.choice(atoms)} }}")
        return "\n".join(lines)


def program(rng):
    return RandomProgram(rng).text(), {}


KINDS = (counters, walks, endless_atomic, atomic_outcomes, local_loop, selected, recursion, creation, queues, large_state,
         observers, program, program)


def of_tree():
    """The models of the tree that are read without -D, and some with."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.pml")):
            if "solver" in path.parts or "golden" in path.parts:
                continue
            for define in SIZES.get(path.name, ("",)):
                yield Model(str(path.relative_to(ROOT)), path=path, defines=(define,) if define else ())


def generated(number):
    """The random model with this number: the same each time."""
    rng = random.Random(f"model {number}")
    kind = KINDS[number % len(KINDS)]
    text, answers = kind(rng)
    return Model(f"{kind.__name__}-{number}", text=text + "\n", answers=answers)
