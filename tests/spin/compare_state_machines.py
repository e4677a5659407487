#!/usr/bin/env python3
"""Compares the state machines of proctypes, claims and traces with SPIN's: the numbers of all states that SPIN's
verifier lists (`pan -d`), their successors, in order, and which are ends, accepting or progress. Counts of states can
agree by chance; pc_value and remote references need the numbers.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import spin_counts

TESTS = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = [TESTS / "spin" / "cases", TESTS / "promela" / "golden"]


def machines(text, heading, state, successor, marks):
    """{name: {state: ([successor, ...], marks)}}. Headings stand at the margin; one line may match `state` and
    `successor`. `marks`: the words that stand for end, accept and progress in a line that matches `state`."""
    result, current, number = {}, None, None
    for line in text.splitlines():
        if line and not line[0].isspace():
            found = re.match(heading, line)
            current = result.setdefault(found.group(1), {}) if found else None
        elif current is not None:
            if found := re.match(state, line):
                number = int(found.group(1))
                current.setdefault(number, ([], "".join(mark for mark, word in marks.items() if re.search(word, line))))
            if found := re.match(successor, line):
                current[number][0].append(int(found.group(1)))
    return result


def machines_of_cmc(model, program):
    run = subprocess.run([program, "info", "--dump", str(model)], capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        raise spin_counts.ToolError("cmc", run.stderr)
    found = machines(run.stdout, r"(?:proctype|claim) \d+ (\S+?):", r"  location (\d+)", r"    -> (\d+)",
                     {"e": " valid-end", "a": " accepting", "p": " progress"})
    formulas = re.findall(r"^property ltl (\S+):", run.stdout, re.MULTILINE)
    return found, formulas


def machines_of_spin(model, compiler):
    with tempfile.TemporaryDirectory(prefix="state_machines.") as folder:
        pathlib.Path(folder, model.name).write_text(model.read_text())
        spin_counts.build_verifier(folder, model.name, [], compiler, [])
        _, output = spin_counts.run_tool("pan", ["./pan", "-d"], folder, 60)
    # `init` and traces have headings of their own; it calls each trace a notrace. tr 0 leads nowhere.
    output = re.sub(r"^init$", "proctype :init:", output, flags=re.MULTILINE)
    output = re.sub(r"^notrace assertion$", "proctype trace", output, flags=re.MULTILINE)
    output = re.sub(r"^.*-\(tr +0\)-> state +0.*$", "", output, flags=re.MULTILINE)
    found = machines(output, r"(?:proctype|claim) (\S+)", r"\s+state\s+(\d+) ",
                     r"\s+state\s+\d+ -\(tr\s+\d+\)-> state\s+(\d+)",
                     {"e": r"\] \[..e..\]", "a": r"\] \[.a...\]", "p": r"\] \[...p.\]"})
    return {"init" if name == ":init:" else name: states for name, states in found.items()}


def differences(model, args):
    try:
        (ours, formulas), theirs = machines_of_cmc(model, args.cmc), machines_of_spin(model, args.compiler)
    except (spin_counts.ToolError, subprocess.TimeoutExpired) as error:
        return [f"{error} {getattr(error, 'text', '')}".strip()]
    if not theirs:
        return ["pan -d lists no proctype"]
    found = []
    if "notrace" in ours:
        ours["trace"] = ours.pop("notrace")
    for name in theirs.keys() - formulas:  # CMC translates formulas otherwise
        for state, (successors, marks) in theirs[name].items():
            have, own_marks = ours.get(name, {}).get(state, ([], ""))
            if successors and have != successors:
                found.append(f"{name}, state {state}: SPIN goes to {successors}, cmc to {have}")
            elif successors and own_marks != marks:
                found.append(f"{name}, state {state}: SPIN has the marks '{marks}', cmc '{own_marks}'")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=pathlib.Path, help="default: spin/cases, promela/golden")
    parser.add_argument("--cmc", default=str(TESTS.parent / "build" / "cmc"), help="the program (default build/cmc)")
    parser.add_argument("--compiler", choices=spin_counts.COMPILERS, default="tcc", help="of SPIN's verifier")
    args = parser.parse_args()
    models = args.models or sorted(path for folder in FOLDERS for path in folder.glob("*.pml"))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for model, found in zip(models, pool.map(lambda model: differences(model, args), models)):
            failed += bool(found)
            print("\n  ".join([f"{'FAIL' if found else 'ok':4} {model.name}", *found]), flush=True)
    print(f"{len(models)} models, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
