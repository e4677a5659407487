#!/usr/bin/env python3
"""Compares what cmc and SPIN say about every property of Promela models: safety, never claims, formulas, traces, cycles
through accept labels and without progress labels; each without and with weak fairness. SPIN's reductions are off.

A model with `expect:` lines (models/README.md) is compared with each set of macros that they define. Prints one line
for each model and one for each difference. Exit code 1 if there is one.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import run_models
import spin_counts

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLAIM, TRACE, NOTRACE = "1", "5", "6"  # SPIN's numbers for kinds of proctypes
DEFINES = ["-DNOREDUCE", "-DNFAIR=16", "-DMEMLIM=4000", "-DVECTORSZ=16384"]
SEARCH = ["-m1000000", "-n", "-w22"]
ENDLESS = ("acceptance cycle", "accept stutter", "non-progress cycle")
FAIRNESS = ("none", "weak")
WITHOUT_CYCLES = ("safety", "trace", "notrace")  # fairness makes no difference


@dataclass
class Verifier:
    """SPIN's verifier of one model, compiled in a folder of its own once for each set of options."""
    folder: pathlib.Path
    compiler: str
    seconds: int
    built: set = field(default_factory=set)

    def run(self, options, flags):
        """(kinds of errors, was the search complete)."""
        program = "pan" + "".join(options)
        if program not in self.built:
            command = [*spin_counts.COMPILERS[self.compiler], *DEFINES, *options, "-o", program, "pan.c"]
            code, output = spin_counts.run_tool(self.compiler, command, self.folder, 600)
            if code != 0:
                raise spin_counts.ToolError(self.compiler, output)
            self.built.add(program)
        try:
            _, output = spin_counts.run_tool("pan", ["./" + program, *SEARCH, *flags], self.folder, self.seconds)
        except spin_counts.ToolError:
            return set(), False
        report = spin_counts.parse_report(output)
        if report["errors"] is None:
            raise spin_counts.ToolError("pan", output)
        kinds = {kind.strip() for kind in re.findall(r"^pan:\d+: (.*?) ?(?:\(at depth.*)?$", output, re.MULTILINE)}
        return kinds, report["complete"]


def claims_and_traces(folder):
    text = (folder / "pan.c").read_text(errors="replace")
    names = re.findall(r'"(.*)"', re.search(r"char \*procname\[\] = \{(.*?)\}", text, re.DOTALL).group(1))
    kinds = re.findall(r"^\s+(\d+),", re.search(r"int Btypes\[\] = \{(.*?)\}", text, re.DOTALL).group(1), re.MULTILINE)
    claims = [name for name, kind in zip(names, kinds) if kind == CLAIM]
    return claims, [name for name, kind in zip(names, kinds) if kind in (TRACE, NOTRACE)]


def word(kinds, complete):
    return "violated" if kinds else "holds" if complete else "unknown"


def safety_by_spin(verifier, verdicts, traces):
    kinds, complete = verifier.run(["-DSAFETY", "-DNOCLAIM"], ["-c0"])
    about_traces = {kind for kind in kinds if kind.startswith("event_trace error")}
    verdicts["safety", "none"] = word(kinds - about_traces, complete)
    if traces:
        missing = any("no matching event" in kind for kind in about_traces)
        verdicts["trace", "none"] = word(missing, complete)
        verdicts["notrace", "none"] = word(about_traces and not missing, complete)


def claim_by_spin(verifier, options, flags):
    """Assertions of processes and traces are other properties, but SPIN cannot tell an assertion in a claim, or the one
    that it makes of `[] p`, from them: the text of the latter shows it."""
    kinds, complete = verifier.run(options, flags)
    if not kinds:
        return word(kinds, complete)
    if any(kind in ENDLESS or kind.startswith("end state in claim") for kind in kinds):
        return "violated"
    kinds, complete = verifier.run(options, [*flags, "-c0"])
    own = {kind for kind in kinds if kind in ENDLESS or kind.startswith(("end state in claim", "assertion violated  !( !("))}
    return "violated" if own else "unknown" if any(kind.startswith("assertion") for kind in kinds) else word(own, complete)


def verdicts_by_spin(model, defines, args):
    """{(property, fairness): verdict}"""
    verdicts = {}
    with tempfile.TemporaryDirectory(prefix="compare_properties.") as scratch:
        folder = pathlib.Path(scratch, "model")
        shutil.copytree(model.parent, folder)  # the model may include its neighbours
        code, output = spin_counts.run_tool("spin", ["spin", *spin_counts.SPIN_FLAGS, *defines, model.name], folder, 60)
        if (code != 0 and not re.search(r"^error: \S+ defines local", output, re.MULTILINE)) or not (folder / "pan.c").exists():
            raise spin_counts.ToolError("spin", output)
        verifier = Verifier(folder, args.compiler, args.seconds)
        claims, traces = claims_and_traces(folder)
        safety_by_spin(verifier, verdicts, traces)
        for fairness, fair in zip(FAIRNESS, ([], ["-f"])):
            for claim in claims:
                chosen = ["-N", claim] if len(claims) > 1 else []
                verdicts[claim, fairness] = claim_by_spin(verifier, [], ["-a", *chosen, *fair])
            verdicts["accept", fairness] = claim_by_spin(verifier, ["-DNOCLAIM"], ["-A", "-a", *fair])
            verdicts["non-progress", fairness] = claim_by_spin(verifier, ["-DNOCLAIM", "-DNP"], ["-A", "-l", *fair])
    return verdicts


def result_of_cmc(model, defines, properties, fairness, options, args):
    asked = [word for name in properties for word in ("--property", name)]
    command = [args.cmc, "check", str(model), *defines, *asked, "--fairness", fairness, "--memory", "3G", "--json",
               "--time", str(args.seconds * max(1, len(properties))), *options]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if run.returncode not in (0, 1, 3):
        raise spin_counts.ToolError(f"cmc (exit code {run.returncode})", run.stderr)
    return json.loads(run.stdout)


def verdicts_by_cmc(model, defines, names, options, args):
    """{(property, fairness): verdict}, and what is said beside them."""
    verdicts, notes = {}, {}
    for fairness in FAIRNESS:
        asked = [name for name in names if fairness == "none" or name not in WITHOUT_CYCLES]
        for found in result_of_cmc(model, defines, asked, fairness, options, args)["properties"]:
            verdicts[found["name"], fairness] = found["verdict"]
            for note in [*found["warnings"], *(reason["text"] for reason in found["reasons"])]:
                notes[f"{found['name']}: {note}"] = None
    return verdicts, list(notes)


def names_of_cmc(model, defines, args):
    run = subprocess.run([args.cmc, "info", *defines, str(model)], capture_output=True, text=True, errors="replace")
    if run.returncode != 0:
        raise spin_counts.ToolError("cmc", run.stderr)
    return re.findall(r"^  (\S+): ", run.stdout.split("\nproperties\n")[1], re.MULTILINE)


def compare(model, defines, args):
    """(lines about differences, lines to read, number of verdicts that are equal)"""
    label = " ".join([str(model), *defines])
    theirs, refused = {}, None
    try:
        theirs = verdicts_by_spin(model, defines, args)
    except spin_counts.ToolError as error:
        refused = f"{error}: {' '.join(error.text.split())}"
    try:
        names = names_of_cmc(model, defines, args)
        runs = [(" ".join(options), *verdicts_by_cmc(model, defines, names, options, args)) for options in args.configurations]
    except spin_counts.ToolError as error:
        text = f"{error}: {' '.join(error.text.split())}"
        return ([f"{label}: only cmc refuses: {text}"], [], 0) if not refused else ([], [f"both refuse: {refused} / {text}"], 0)
    differences, equal = [], 0
    notes = [*([f"only SPIN refuses: {refused}"] if refused else []), *runs[0][2]]
    for options, ours, _ in runs:
        for key in sorted(ours.keys() | theirs.keys()):
            have, want = ours.get(key), theirs.get(key)
            fair = " (weak fairness)" if key[1] == "weak" else ""
            if refused or (have is None and key[0] in ("trace", "notrace")):  # SPIN calls each trace a notrace
                continue
            if want == "unknown" or have == "incomplete":
                notes.append(f"{key[0]}{fair} [{options}]: SPIN {want}, cmc {have}")
            elif have != want:
                differences.append(f"{label}: {key[0]}{fair} [{options}]: SPIN {want}, cmc {have}")
            else:
                equal += 1
    return differences, notes, equal


def sets_of_macros(model, cmc):
    try:
        expectations = run_models.expectations_in(model, cmc=cmc)
    except run_models.BadExpectation:
        return [()]
    chosen = {tuple(e.defines): None for e in expectations if not (e.slow or e.solver)}
    return [] if run_models.IN_PROMELA_S in model.read_text() else list(chosen)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=pathlib.Path, metavar="MODEL", help="a model, or a folder of models")
    parser.add_argument("--cmc", default=str(ROOT / "build" / "cmc"), help="the program (default build/cmc)")
    parser.add_argument("--options", action="append", default=[], metavar="'OPTION ...'",
                        help="of 'cmc check'; repeatable: each is a run of its own (default: none)")
    parser.add_argument("--compiler", choices=spin_counts.COMPILERS, default="tcc", help="of SPIN's verifier")
    parser.add_argument("--seconds", type=int, default=20, help="limit for each property (default 20)")
    parser.add_argument("-v", "--verbose", action="store_true", help="also show warnings and what is not decided")
    args = parser.parse_args()
    args.configurations = [options.split() for options in args.options] or [[]]

    models = [model for path in args.models for model in (sorted(path.rglob("*.pml")) if path.is_dir() else [path])]
    total = failed = 0
    for model in models:
        for defines in sets_of_macros(model, args.cmc):
            differences, notes, equal = compare(model.resolve(), defines, args)
            total += equal
            failed += len(differences)
            print(f"{'FAIL' if differences else 'ok':4} {equal:3} equal  {' '.join([str(model), *defines])}", flush=True)
            for line in [*differences, *(notes if args.verbose else [])]:
                print("       " + line, flush=True)
    print(f"{total} verdicts equal, {failed} differ, {len(models)} models")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
