#!/usr/bin/env python3
"""Checks every `expect:` line in the models that CMC ships (models/README.md has their grammar), or in those of
another folder (cases/README.md), against cmc, and, with --with-spin, against SPIN. A model in Promela/S is expanded by cmc for
SPIN. Prints one line per expectation and every difference; exit code 1 if there is one.
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
VERDICTS = ("holds", "violated", "incomplete")
SAFETY_KINDS = tuple(spin_counts.ERROR_KINDS)
KINDS = (*SAFETY_KINDS, "acceptance-cycle", "non-progress-cycle", "end-of-claim", "trace", "notrace")
FAIRNESS = ("none", "weak")
FIGURES = ("states", "transitions", "errors")
IN_PROMELA_S = "#define PROMELA_S"
STEPS = (*spin_counts.STEP_DEFINES, "path")  # the last one is CMC's only


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


def parse_expectation(model, number, text):
    e = Expectation(model, number)
    words = text.split()
    verdict = re.fullmatch(r"(\w+)(?:\(([\w,-]+)\))?", words.pop(0)) if words else None
    if not verdict or verdict.group(1) not in VERDICTS:
        raise BadExpectation(f"{model}:{number}: expected one of {', '.join(VERDICTS)}")
    e.verdict, e.kinds = verdict.group(1), sorted(filter(None, (verdict.group(2) or "").split(",")))
    if (e.verdict == "violated") != bool(e.kinds) or not set(e.kinds) <= set(KINDS):
        raise BadExpectation(f"{model}:{number}: 'violated' needs its kinds in brackets, of {', '.join(KINDS)}")
    for word in words:
        key, _, value = word.partition("=")
        if word.startswith("-D"):
            e.defines.append(word)
        elif word == "slow":
            e.slow = True
        elif word == "solver":
            e.solver = True
        elif word == "only-cmc":
            e.only_cmc = True
        elif key == "property" and value:
            e.property = value
        elif key == "fairness" and value in FAIRNESS:
            e.fairness = value
        elif key in FIGURES and value.isdigit():
            e.figures[key] = int(value)
        elif key == "steps" and value in STEPS:
            e.steps = value
        elif word != "with":
            raise BadExpectation(f"{model}:{number}: unknown word '{word}'")
    return e


def expectations_in(model):
    lines = model.read_text().splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        match = re.match(r"[\s*/]*expect:\s*(.*?)\s*(\*/)?$", line)
        if match:
            found.append(parse_expectation(model, number, match.group(1)))
    if not found:
        raise BadExpectation(f"{model}: no 'expect:' line")
    return found


def outcome_by_cmc(e, args):
    asked = ["--property", e.property] if e.property else []
    command = [args.cmc, "check", str(e.model), *e.defines, *asked, "--fairness", e.fairness, "--max-errors", "0",
               "--reductions", "none", "--steps", e.steps, "--json", *args.option]
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=args.seconds)
        result = json.loads(run.stdout)
    except subprocess.TimeoutExpired:
        return f"cmc: no verdict in {args.seconds} s"
    except json.JSONDecodeError:
        return f"cmc: exit code {run.returncode}, no result: {run.stderr.strip()[-300:]}"
    kinds = {error["kind"] for error in result["errors"]}
    words = {kind: kind.replace("-", " ") for kind in KINDS}
    words.update({"end-state": "invalid end state", "non-progress-cycle": "non-progress cycle"})
    short = {kind for kind in KINDS if words[kind] in kinds}
    unknown = kinds - set(words.values())
    figures = {"states": result["states_stored"], "transitions": result["transitions"],
               "errors": result.get("error_count", len(result["errors"]))}
    return Outcome(result["verdict"], sorted(short | unknown), figures)


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
    parser.add_argument("--cmc", default=str(ROOT / "build" / "cmc"), help="the program (default build/cmc)")
    parser.add_argument("--option", action="append", default=[], help="further option of 'cmc check', repeatable")
    parser.add_argument("--with-spin", action="store_true", help="compare SPIN too")
    parser.add_argument("--only-spin", action="store_true", help="compare SPIN, not cmc")
    parser.add_argument("--compiler", choices=spin_counts.COMPILERS, default="tcc", help="of SPIN's verifier")
    parser.add_argument("--slow", choices=("skip", "only", "too"), default="skip", help="lines marked slow")
    parser.add_argument("--seconds", type=int, default=60, help="limit for each run (default 60)")
    parser.add_argument("--fill", action="store_true", help="write missing figures, as SPIN finds them")
    args = parser.parse_args()

    models = [path.resolve() for path in args.models] or sorted(args.folder.resolve().rglob("*.pml"))
    try:
        expectations = [e for model in models for e in expectations_in(model)]
    except BadExpectation as error:
        print(error, file=sys.stderr)
        return 1
    oracles = [] if args.only_spin else [("cmc", outcome_by_cmc)]
    if args.with_spin or args.only_spin or args.fill:
        oracles.append(("spin", outcome_by_spin))

    selected = [e for e in expectations if args.slow == "too" or e.slow == (args.slow == "only")]
    failed = 0
    for e in selected:
        for name, oracle in oracles:
            if name == "spin" and (e.solver or e.only_cmc or e.steps not in spin_counts.STEP_DEFINES):
                continue
            started = time.monotonic()
            outcome = oracle(e, args)
            found = differences(e, outcome)
            failed += bool(found)
            print(f"{'FAIL' if found else 'ok':4} {name:4} {time.monotonic() - started:6.1f} s  {e}", flush=True)
            for difference in found:
                print(f"       {difference}  [{e.model}:{e.line}]")
            if args.fill and name == "spin" and not found:
                fill_in(e, outcome)
    print(f"{len(selected)} expectations in {len(models)} models, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
