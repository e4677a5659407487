#!/usr/bin/env python3
"""Trails in both directions: those of SPIN's verifier are followed by cmc, those of cmc by spin.

Usage: trails.py --cmc CMC [MODEL ...]

Without models: every case of models/ that is said to be violated (see models/README.md). With the texts of both
programs for the same trail (-p -g -l -r -s) the difference is counted, too: d_steps and claims are shown otherwise.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHOW = ["-p", "-g", "-l", "-r", "-s"]
LOST = re.compile(r"transition failed|no matching stmnt|invalid statement|stop error|couldn't find|proc +\d+ \(\?\)")


def cases():
    for path in sorted((ROOT / "models").rglob("*.pml")):
        for line in path.read_text().splitlines():
            words = line.strip(" *").split()
            if len(words) < 2 or words[0] != "expect:" or not words[1].startswith("violated"):
                continue
            if any(word in words for word in ("slow", "solver", "only-cmc")):
                continue
            yield path, [word for word in words if word.startswith("-D")]


def run(arguments, folder, seconds=300):
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds)
    return done.returncode, done.stdout


def claims(text):
    return bool(re.search(r"^\s*(never|ltl)\b", text, re.MULTILINE))


def compare(cmc, path, defines, folder, problems):
    name = str(path)
    trail = pathlib.Path(folder, "trail")
    # From SPIN to cmc.
    run(["spin", "-a", "-o1", "-o2", "-o3", *defines, name], folder)
    run(["gcc", "-w", "-O0", "-DNOREDUCE", "-o", "pan", "pan.c"], folder)
    if not pathlib.Path(folder, "pan").exists():
        return 0, 0, 0  # SPIN refuses the model
    run(["./pan", "-a", "-m100000"], folder)
    written = list(pathlib.Path(folder).glob("*.trail"))
    followed = equal = 0
    for each in written:
        each.rename(trail)
        _, spin = run(["spin", *defines, *SHOW, "-k", str(trail), name], folder)
        code, own = run([cmc, "spin", *defines, *SHOW, "-k", str(trail), name], folder)
        if code != 0:
            problems.append(f"{name} {defines}: cmc cannot follow SPIN's trail: {own.strip()[-300:]}")
        followed = 1
        equal = int(own == spin.replace(f'spin: warning, "{name}" is newer than {trail}\n', ""))
    # From cmc to SPIN.
    _, report = run([cmc, "spin", *defines, "-run", "-a", name], folder)
    written = list(pathlib.Path(folder).glob(path.name + ".trail"))
    if "pan: wrote" in report and not written:
        problems.append(f"{name} {defines}: the trail that cmc says it wrote is not there")
    given = 0
    for each in written:
        each.rename(trail)
        steps = sum(1 for line in trail.read_text().splitlines() if not line.startswith("-"))
        _, spin = run(["spin", *defines, "-p", "-k", str(trail), name], folder)
        if LOST.search(spin) or f"trail ends after {steps} steps" not in spin:
            problems.append(f"{name} {defines}: SPIN cannot follow cmc's trail: {spin[-300:]}")
        if "assertion violated" in report.split("\n(Spin")[0] and "assertion violated" not in spin:
            problems.append(f"{name} {defines}: SPIN sees no violated assertion at the end of cmc's trail")
        given = 1
    return followed, equal, given


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmc", required=True)
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    cmc = str(pathlib.Path(options.cmc).resolve())
    given = [(pathlib.Path(model).resolve(), []) for model in options.models]
    problems = []
    totals = [0, 0, 0]
    count = 0
    for path, defines in given or cases():
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "model.pml")
            # Includes are found beside the model: so a folder of its own.
            for each in path.parent.glob("*"):
                if each.is_file() and each.suffix in (".pml", ".h", ".inc", ""):
                    pathlib.Path(folder, each.name).write_bytes(each.read_bytes())
            copy = pathlib.Path(folder, path.name)
            work = pathlib.Path(folder, "work")
            work.mkdir()
            result = compare(cmc, copy, defines, work, problems)
        count += 1
        totals = [a + b for a, b in zip(totals, result)]
        if given:
            print(path, *result, flush=True)
    print(f"{count} cases: {totals[0]} trails of SPIN followed ({totals[1]} with equal texts), {totals[2]} of cmc followed by SPIN")
    for problem in problems:
        print(problem)
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
