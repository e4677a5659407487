#!/usr/bin/env python3
"""Checks the `expect:` lines in the models that CMC ships (docs/testing.md has their grammar), or in those of another
folder, against SPIN; `cmc test` checks them against cmc. A model in Promela/S is expanded by cmc for SPIN. Prints one line per
expectation and every difference; exit code 1 if there is one.

What SPIN says changes only with SPIN, the model and the line. --agreed FILE has a key of these for each line on which SPIN
agreed: such a line is not asked again, unless CMC_PARTS=all is in the environment. --update writes the file.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import spin_counts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMC = ROOT / "build" / "cmc"
SAFETY_KINDS = tuple(spin_counts.ERROR_KINDS)
FIGURES = ("states", "transitions", "errors")
IN_PROMELA_S = "#define PROMELA_S"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@dataclass
class Expectation:
    model: pathlib.Path
    line: int
    verdict: str = ""
    kinds: list = field(default_factory=list)    # what is violated
    figures: dict = field(default_factory=dict)  # states, transitions, errors: those that are given
    defines: list = field(default_factory=list)
    steps: str = "spin"
    property: str = ""                           # the only one that is asked for
    fairness: str = "none"
    slow: bool = False
    solver: bool = False
    only_cmc: bool = False

    def __str__(self):
        name = self.model.relative_to(ROOT) if self.model.is_relative_to(ROOT) else self.model
        steps = "" if self.steps == "spin" else f"steps={self.steps}"
        fairness = "" if self.fairness == "none" else f"fairness={self.fairness}"
        return " ".join(filter(None, [str(name), self.property, fairness, *self.defines, steps]))


@dataclass
class Outcome:
    verdict: str
    kinds: list
    figures: dict


class BadExpectation(Exception):
    pass


def expectation_of(case):
    """Of a case of cmc.test/1."""
    if not case["expected"]:
        raise BadExpectation(f"{case['model']}:{case['line'] or 1}: {'; '.join(case['messages'])}")
    expected = case["expected"]
    options = dict(re.fullmatch(r"--(\w+)=(.*)", each).groups() for each in expected["options"] if each.startswith("--"))
    return Expectation(
        pathlib.Path(case["model"]), case["line"], expected["verdict"], expected["kinds"],
        {name: expected[name] for name in FIGURES if expected[name] is not None},
        [each for each in expected["options"] if each.startswith("-D")], options.get("steps", "spin"), options.get("property", ""),
        options.get("fairness", "none"), expected["slow"], expected["solver"], expected["only_cmc"])


def expectations_in(*paths, cmc=CMC):
    """Those of models, and of folders of models."""
    run = subprocess.run([cmc, "test", "--list", "--slow", "too", "--json", *paths], stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, timeout=60)
    if not run.stdout:
        raise BadExpectation(run.stderr.strip())
    return [expectation_of(case) for case in json.loads(run.stdout)["cases"] if not case["expected"] or case["expected"]["verdict"]]


def text_of(path):
    """With the files that it includes, if they are there (some are generated)."""
    if not path.is_file():
        return ""
    text = path.read_text()
    return text + "".join(text_of(path.parent / name) for name in INCLUDE.findall(text))


def without_other_lines(text, e):
    """The other lines about expectations may change."""
    lines = text.splitlines()
    return "\n".join(line for number, line in enumerate(lines, 1) if "expect:" not in line or number == e.line)


def key_of(e, args, version):
    """Of everything that decides what SPIN answers, and of what is expected."""
    text = text_of(e.model)
    if IN_PROMELA_S in text:
        run = subprocess.run([args.cmc, "expand", str(e.model), *e.defines], stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=args.seconds)
        # The file's path is in it.
        text = text.splitlines()[e.line - 1] + run.stdout.replace(str(ROOT), "")
    else:
        text = without_other_lines(text, e)
    flags = [spin_counts.SPIN_FLAGS, spin_counts.PAN_DEFINES, spin_counts.PAN_FLAGS, spin_counts.STEP_DEFINES]
    parts = [version, repr(flags), e.property, e.fairness, e.steps, repr(e.defines), text]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def read_agreed(path):
    return {line.split()[0] for line in path.read_text().splitlines() if line and not line.startswith("#")}


def write_agreed(path, lines):
    path.write_text("# Lines on which SPIN agreed, written by tests/spin/run_models.py --update: a key, then the line's name.\n" +
                    "".join(f"{key}  {name}\n" for key, name in lines))


def expanded_by_cmc(e, args, folder):
    run = subprocess.run([args.cmc, "expand", str(e.model), *e.defines], stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, timeout=args.seconds)
    if run.returncode != 0:
        return None, f"cmc expand: exit code {run.returncode}: {run.stderr.strip()[-300:]}"
    path = pathlib.Path(folder) / e.model.name
    path.write_text(run.stdout)
    return path, None


def outcome_by_spin(e, args):
    with tempfile.TemporaryDirectory() as folder:
        model, defines = e.model, e.defines
        if IN_PROMELA_S in model.read_text():
            (model, problem), defines = expanded_by_cmc(e, args, folder), []
            if problem:
                return problem
        if e.property not in ("", "safety"):
            result = spin_counts.decide(str(model), e.property, defines, args.seconds, args.compiler, e.fairness == "weak")
        else:
            result = spin_counts.count(str(model), defines, args.seconds, args.compiler, end_states=True, steps=e.steps)
    if "error" in result or not result["complete"]:
        return f"spin: {result.get('error', 'search not completed')} {result.get('text', '')}".strip()
    figures = {"states": result["stored"], "transitions": result["transitions"], "errors": result["errors"]}
    if e.property not in ("", "safety"):
        # SPIN has other automata for formulas, and makes an assertion of an invariant: its verdict is what counts.
        return Outcome("violated" if result["errors"] else "holds", e.kinds, e.figures)
    # The run is one about safety: it leaves out claims and cycles.
    clean = "incomplete" if e.verdict == "incomplete" else "holds"
    others = [kind for kind in e.kinds if kind not in SAFETY_KINDS]
    return Outcome("violated" if result["errors"] or others else clean, sorted([*result["kinds"], *others]), figures)


def differences(e, outcome):
    if isinstance(outcome, str):
        return [outcome]
    pairs = [("verdict", e.verdict, outcome.verdict), ("kinds", e.kinds, outcome.kinds)]
    pairs += [(name, e.figures[name], outcome.figures[name]) for name in FIGURES if name in e.figures]
    return [f"{name}: expected {want}, found {have}" for name, want, have in pairs if want != have]


def fill_in(e, outcome):
    """Writes the figures that the expectation does not give into the model's header."""
    lines = e.model.read_text().splitlines(keepends=True)
    wanted = ("states", "transitions", "errors") if e.verdict == "violated" else ("states", "transitions")
    missing = [f"{name}={outcome.figures[name]}" for name in wanted if name not in e.figures]
    head = re.match(r"(.*?expect:\s*\S+)(.*)", lines[e.line - 1], re.DOTALL)
    lines[e.line - 1] = " ".join([head.group(1), *missing]) + head.group(2)
    e.model.write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=pathlib.Path, help="default: all of the folder")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "models", help="default: models/")
    parser.add_argument("--cmc", default=str(CMC), help="the program that reads the lines (default build/cmc)")
    parser.add_argument("--compiler", choices=spin_counts.COMPILERS, default="tcc", help="of SPIN's verifier")
    parser.add_argument("--slow", choices=("skip", "only", "too"), default="skip", help="lines marked slow")
    parser.add_argument("--seconds", type=int, default=60, help="limit for each run (default 60)")
    parser.add_argument("--agreed", type=pathlib.Path, metavar="FILE", help="keys of lines on which SPIN agreed")
    parser.add_argument("--update", action="store_true", help="write this file")
    part_of_day.add_to(parser)
    parser.add_argument("--fill", action="store_true", help="write missing figures, as SPIN finds them")
    args = parser.parse_args()

    paths = [path.resolve() for path in args.models] or [args.folder.resolve()]
    try:
        expectations = expectations_in(*paths, cmc=args.cmc)
    except BadExpectation as error:
        print(error, file=sys.stderr)
        return 1

    selected = [e for e in expectations if args.slow == "too" or e.slow == (args.slow == "only")]
    selected = part_of_day.some(selected, args)
    version = subprocess.run(["spin", "-V"], capture_output=True, text=True).stdout.strip() if args.agreed else ""
    asks_again = args.agreed is None or args.update or os.environ.get("CMC_PARTS") == "all"
    agreed = set() if asks_again or not args.agreed.exists() else read_agreed(args.agreed)
    failed = asked = known = 0
    lines = []
    for e in selected:
        if e.solver or e.only_cmc or e.steps not in spin_counts.STEP_DEFINES:
            continue
        key = key_of(e, args, version) if args.agreed else ""
        if key in agreed:
            known += 1
            continue
        asked += 1
        started = time.monotonic()
        outcome = outcome_by_spin(e, args)
        found = differences(e, outcome)
        failed += bool(found)
        print(f"{'FAIL' if found else 'ok':4} {time.monotonic() - started:6.1f} s  {e}", flush=True)
        for difference in found:
            print(f"       {difference}  [{e.model}:{e.line}]")
        if not found:
            lines.append((key, e))
        if args.fill and not found:
            fill_in(e, outcome)
    if args.update:
        write_agreed(args.agreed, lines)
    if args.agreed:
        print(f"{known} expectations are as when {version} agreed ({args.agreed.name}); all again: CMC_PARTS=all")
    print(f"{asked} expectations, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
