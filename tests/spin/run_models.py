#!/usr/bin/env python3
"""Checks the `expect:` lines in the models that CMC ships (docs/testing.md has their grammar), or in those of another
folder, against SPIN; `cmc test` checks them against cmc. A model in Promela/S is expanded by cmc for SPIN. Prints one line per
expectation and every difference; exit code 1 if there is one.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import spin_counts

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMC = ROOT / "build" / "cmc"
SAFETY_KINDS = tuple(spin_counts.ERROR_KINDS)
FIGURES = ("states", "transitions", "errors")
IN_PROMELA_S = "#define PROMELA_S"


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
    return [expectation_of(case) for case in json.loads(run.stdout)["cases"]]


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
    parser.add_argument("--fill", action="store_true", help="write missing figures, as SPIN finds them")
    args = parser.parse_args()

    paths = [path.resolve() for path in args.models] or [args.folder.resolve()]
    try:
        expectations = expectations_in(*paths, cmc=args.cmc)
    except BadExpectation as error:
        print(error, file=sys.stderr)
        return 1

    selected = [e for e in expectations if args.slow == "too" or e.slow == (args.slow == "only")]
    failed = asked = 0
    for e in selected:
        if e.solver or e.only_cmc or e.steps not in spin_counts.STEP_DEFINES:
            continue
        asked += 1
        started = time.monotonic()
        outcome = outcome_by_spin(e, args)
        found = differences(e, outcome)
        failed += bool(found)
        print(f"{'FAIL' if found else 'ok':4} {time.monotonic() - started:6.1f} s  {e}", flush=True)
        for difference in found:
            print(f"       {difference}  [{e.model}:{e.line}]")
        if args.fill and not found:
            fill_in(e, outcome)
    print(f"{asked} expectations, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
