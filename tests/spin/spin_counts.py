#!/usr/bin/env python3
"""Exact counts of a Promela model by SPIN, all reductions off: the second oracle of CMC's tests.

Needs `spin` and a C compiler (`gcc`, or `tcc`, which is enough for small models and compiles a verifier in 10 ms).
SPIN's verifier counts one transition for entering the initial state; `transitions` here is without it, as in CMC.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

# One edge per basic statement: no data-flow reduction, no write-only variables, no statement merging.
SPIN_FLAGS = ["-a", "-o1", "-o2", "-o3"]
PAN_DEFINES = ["-DNOREDUCE", "-DSAFETY", "-DNOFAIR", "-DMEMLIM=12000", "-DVECTORSZ=65536"]
CYCLE_DEFINES = [define for define in PAN_DEFINES if define not in ("-DSAFETY", "-DNOFAIR")]
PAN_FLAGS = ["-m4000000", "-n", "-c0", "-w24"]  # no unreached report; explore on behind every error
STEP_DEFINES = {"spin": [], "statement": ["-DBFS"]}  # breadth-first, SPIN also stores the states inside atomic
COMPILERS = {"gcc": ["gcc", "-O2", "-w"], "tcc": ["tcc", "-w"]}

COUNTERS = {
    "stored": r"(\d+) states, stored",
    "matched": r"(\d+) states, matched",
    "transitions": r"(\d+) transitions",
    "atomic": r"(\d+) atomic steps",
    "errors": r"errors: (\d+)",
    "vector_bytes": r"State-vector (\d+) byte",
}
SIGNS_OF_A_CUT = ["Search not completed", "depth too small", "out of memory"]
ERROR_KINDS = {"assertion": r"pan:\d+: assertion violated", "end-state": r"pan:\d+: invalid end state"}


class ToolError(Exception):
    """A tool of the chain failed: `stage` says which, `text` is the end of its output."""

    def __init__(self, stage, text=""):
        super().__init__(stage)
        self.stage, self.text = stage, text[-500:]


def run_tool(stage, command, folder, seconds):
    """Runs a command in its own process group, so that a time-out also ends what it started. Returns its output."""
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise ToolError("timeout") from None
    return process.returncode, output


def build_verifier(folder, name, defines, compiler, options, base=PAN_DEFINES):
    code, output = run_tool("spin", ["spin", *SPIN_FLAGS, *defines, name], folder, 60)
    # SPIN calls the locals of a claim errors, and generates a verifier that is right.
    failed = code != 0 and not re.search(r"^error: \S+ defines local", output, re.MULTILINE)
    if failed or not os.path.exists(os.path.join(folder, "pan.c")):
        raise ToolError("spin", output)
    command = [*COMPILERS[compiler], *base, *options, "-o", "pan", "pan.c"]
    code, output = run_tool(compiler, command, folder, 600)
    if code != 0:
        raise ToolError(compiler, output)


def parse_report(output):
    result = {}
    for name, pattern in COUNTERS.items():
        found = re.search(pattern, output)
        result[name] = int(found.group(1)) if found else None
    if result["transitions"] is not None:
        result["transitions"] -= 1
    result["kinds"] = sorted(kind for kind, pattern in ERROR_KINDS.items() if re.search(pattern, output))
    result["complete"] = result["stored"] is not None and not any(sign in output for sign in SIGNS_OF_A_CUT)
    return result


def count(model, defines=(), seconds=60, compiler="gcc", claim=False, end_states=False, steps="spin"):
    """Counts of `model`, a dict: the COUNTERS, `kinds` of errors, `complete`; or `error` and `text` if a tool failed.

    defines: preprocessor options ("-DN=4"). seconds: limit of the verifier's run. claim: explore the product with the
    first never claim instead of the system alone. end_states: report invalid end states (this changes errors only).
    steps: what is one step, see STEP_DEFINES.
    """
    result = {"model": model}
    with tempfile.TemporaryDirectory(prefix="spin_counts.") as scratch:
        folder = os.path.join(scratch, "model")
        shutil.copytree(os.path.dirname(os.path.abspath(model)), folder)  # the model may include its neighbours
        try:
            options = STEP_DEFINES[steps] + ([] if claim else ["-DNOCLAIM"])
            build_verifier(folder, os.path.basename(model), defines, compiler, options)
            flags = PAN_FLAGS if end_states else [*PAN_FLAGS, "-E"]
            _, output = run_tool("pan", ["./pan", *flags], folder, seconds)
        except ToolError as error:
            return {**result, "error": error.stage, "text": error.text}
    return {**result, **parse_report(output)}


def decide(model, name, defines=(), seconds=60, compiler="gcc", fair=False):
    """What SPIN says about one property, a dict as that of count(): a claim or formula, "trace", "notrace", "accept",
    "non-progress"; `fair`: under weak fairness."""
    special = {"accept": (["-DNOCLAIM"], ["-a"]), "non-progress": (["-DNP", "-DNOCLAIM"], ["-l"]),
               "trace": (["-DNOCLAIM"], []), "notrace": (["-DNOCLAIM"], [])}
    options, flags = special.get(name, ([], ["-a", "-N", name]))
    with tempfile.TemporaryDirectory(prefix="spin_counts.") as scratch:
        folder = os.path.join(scratch, "model")
        shutil.copytree(os.path.dirname(os.path.abspath(model)), folder)
        try:
            base = PAN_DEFINES if not flags else CYCLE_DEFINES
            build_verifier(folder, os.path.basename(model), defines, compiler, options, base)
            _, output = run_tool("pan", ["./pan", "-E", "-m1000000", "-n", *flags, *(["-f"] if fair else [])], folder, seconds)
        except ToolError as error:
            return {"model": model, "error": error.stage, "text": error.text}
    result = {"model": model, **parse_report(output)}
    return {**result, "complete": result["complete"] or bool(result["errors"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]")
    parser.add_argument("-t", "--seconds", type=int, default=60, help="limit for each verifier run (default 60)")
    parser.add_argument("--compiler", choices=COMPILERS, default="gcc")
    parser.add_argument("--claim", action="store_true", help="count the product with the model's claim")
    parser.add_argument("--end-states", action="store_true", help="report invalid end states as errors")
    parser.add_argument("--steps", choices=STEP_DEFINES, default="spin", help="what is one step (default spin)")
    args = parser.parse_args()
    for model in args.models:
        counts = count(model, ["-D" + define for define in args.defines], args.seconds, args.compiler, args.claim,
                       args.end_states, args.steps)
        print(json.dumps(counts), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
