#!/usr/bin/env python3
"""How many states reductions leave, and what that costs: cmc, SPIN's verifier, and LTSmin if it is installed.

Searches for safety of the models of this folder, of models/ and of SPIN's examples that have more than 1,000 states.
Prints a table in Markdown for docs/reductions.md. A dash: no result within the limits. Exit code 77 (ctest: skipped) if
spin or gcc is missing.
"""
import argparse
import datetime
import json
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import compare
from compare import EXAMPLES, ROOT, Bench, Failure, Model, model, say

import run_models  # compare.py knows where
import spin_counts

LEAST_STATES = 1000
LEAST_SECONDS = 0.1  # of runs that are compared by time
MOST_OF_NONE, LEAST_OF_SPIN = 1.1, 1  # wanted: CPU seconds of the default at most 1.1 times those without, none above SPIN's
# Beside those of compare.py, which are smaller here: a search without reductions is to end in a minute.
SMALLER = {"conveyor1": ("-DPRODUCERS=2",), "conveyor2": ("-DBELTS=2", "-DQSZ=4"), "msi": ("-DCACHES=7",),
           "pancakes": ("-DN=8",), "readers_writers": ("-DREADERS=6", "-DWRITERS=5"), "sandpile": ("-DGRAINS=40",),
           "swarm": ("-DTASKS=12", "-DROUNDS=1"), "swarm-shared": ("-DTASKS=12", "-DROUNDS=1", "-DSHARED"),
           "sliding_puzzle": ("-DCOLUMNS=4",)}
DEFAULT = "default"  # without --reductions
CMC_COLUMNS = ("none", "por", "por,merge", DEFAULT, "all")  # otherwise values of it
# SPIN's default also resets dead variables and merges statements; its options switch that off.
SPIN_PLAIN = "SPIN -o1 -o2 -o3"
SPIN_COLUMNS = {"SPIN": (), SPIN_PLAIN: ("-o1", "-o2", "-o3")}
LTSMIN = "prom2lts-mc"


def models(cmc):
    """Those of compare.py; of models/ and SPIN's examples what is not among them."""
    chosen = [Model(each.name, each.path, SMALLER.get(each.name, each.defines)) for each in compare.MODELS]
    known = {each.path for each in chosen}
    for path in sorted((ROOT / "models").glob("*/*.pml")):
        if path in known or path.parent.name == "solver":
            continue
        sizes = [each for each in run_models.expectations_in(path, cmc=cmc)
                 if not each.slow and each.property in ("", "safety") and each.steps == "spin"
                 and each.figures.get("states", 0) > LEAST_STATES]
        if sizes:
            largest = max(sizes, key=lambda each: each.figures["states"])
            chosen.append(Model(path.stem, path, tuple(largest.defines)))
    examples = json.loads((ROOT / "tests/data/spin-examples.json").read_text())["models"]
    for example in sorted(examples, key=lambda each: each["model"]):
        path = EXAMPLES / example["model"]
        if example["stored"] > LEAST_STATES and path not in known and path.exists():
            chosen.append(model("spin:" + path.stem, example["model"], root=EXAMPLES))
    return chosen


def states_by_cmc(bench, each, reductions):
    """(states, CPU seconds)."""
    result_file = bench.folder / "result.json"
    result_file.unlink(missing_ok=True)
    command = [bench.args.cmc, "check", "-q", "--property", "safety", f"--json={result_file}", "--threads", "1",
               "--max-errors", "0", "--shorten", "0", "--memory", f"{bench.args.memory}M", *each.arguments()]
    if reductions != DEFAULT:
        command += ["--reductions", reductions]
    _, output, cost = bench.measured(command, ROOT)
    if not result_file.exists():
        raise Failure(f"cmc: {output[-300:]}")
    result = json.loads(result_file.read_text())
    if not result["complete"]:
        raise Failure("cmc: " + ", ".join(reason["kind"] for reason in result["reasons"]))
    return result["states_stored"], cost["cpu_seconds"]


def states_by_spin(bench, each, flags):
    """The same. With more depth until it is enough, and a hash table of the size that the states ask for."""
    folder = bench.folder / "pan"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(each.path.parent, folder)  # the model may include its neighbours
    bench.tool("spin", ["spin", "-a", *flags, *each.defines, each.path.name], folder)
    bench.tool("gcc", ["gcc", "-O2", "-w", "-DSAFETY", "-DNOFAIR", "-DNOCLAIM", "-DVECTORSZ=16384",
                       f"-DMEMLIM={bench.args.memory}", "-o", "pan", "pan.c"], folder)
    depth, table = 100_000, 16
    while True:
        _, output, cost = bench.measured(["./pan", f"-m{depth}", "-n", "-c0", f"-w{table}"], folder)
        report = spin_counts.parse_report(output)
        if "max search depth too small" in output and depth < 10_000_000:
            depth *= 10
            continue
        if not report["complete"]:
            raise Failure("pan: " + output[-300:])
        needed = compare.fitting_table(report["stored"])
        if needed <= table:
            return report["stored"], cost["cpu_seconds"]
        table = needed


def states_by_ltsmin(bench, each):
    folder = bench.folder / "ltsmin"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(each.path.parent, folder)
    bench.tool("spins", ["spins", *each.defines, each.path.name], folder)
    _, output, cost = bench.measured([LTSMIN, "--por", "--threads=1", each.path.name + ".spins"], folder)
    found = re.search(r"State space has (\d+) states", output)
    if not found:
        raise Failure("ltsmin: " + output[-300:])
    return int(found.group(1)), cost["cpu_seconds"]


def measure(bench, each):
    """(states, median of CPU seconds) by column; None: no result. The columns take turns."""
    runs = {name: lambda name=name: states_by_cmc(bench, each, name) for name in CMC_COLUMNS}
    runs.update({name: lambda flags=flags: states_by_spin(bench, each, flags) for name, flags in SPIN_COLUMNS.items()})
    if shutil.which(LTSMIN):
        runs["LTSmin"] = lambda: states_by_ltsmin(bench, each)
    found = {name: [] for name in runs if not bench.args.columns or name in bench.args.columns}
    for _ in range(bench.args.runs):
        for name, results in found.items():
            try:
                if None not in results:
                    results.append(runs[name]())
            except (Failure, spin_counts.ToolError) as failure:
                say(f"  {name}: {failure}")
                results.append(None)
    return {name: None if None in results else (results[0][0], statistics.median_low(cpu for _, cpu in results))
            for name, results in found.items()}


def ratio_of_times(row, one, other):
    """Of CPU seconds; None where there is no result, or both are too short to say."""
    both = [row.get(name) for name in (one, other)]
    if None in both or max(seconds for _, seconds in both) < LEAST_SECONDS:
        return None
    return both[0][1] / max(both[1][1], 0.001)


def label(each):
    defines = ", ".join(define.removeprefix("-D") for define in each.defines)
    return f"{each.name}{', ' if defines else ''}{defines}"


def table(rows):
    columns = list(next(iter(rows.values())))
    timed = [name for name in ("none", DEFAULT, "SPIN") if name in columns]
    ratios = ((DEFAULT, "none"), ("SPIN", DEFAULT))
    titles = [f"`{name}`" if name in CMC_COLUMNS and name != DEFAULT else name for name in columns]
    titles += [*(f"s, {name}" for name in timed), *(f"s, {one} / {other}" for one, other in ratios)]
    lines = ["| model | " + " | ".join(titles) + " |", "|---|" + "---:|" * len(titles)]
    for name, row in rows.items():
        states = [f"{row[column][0]:,}" if row[column] else "-" for column in columns]
        seconds = [f"{row[column][1]:.2f}" if row[column] else "-" for column in timed]
        times = [ratio_of_times(row, one, other) for one, other in ratios]
        times = ["-" if ratio is None else f"{ratio:.2f}" for ratio in times]
        lines.append(f"| {name} | " + " | ".join([*states, *seconds, *times]) + " |")
    return lines


def comparison(rows, own, other):
    """A sentence about the states of two columns."""
    ratios = sorted(row[own][0] / row[other][0] for row in rows.values() if row.get(own) and row.get(other))
    if not ratios:
        return ""
    fewer = sum(ratio <= 1 for ratio in ratios)
    return (f"- `{own}` stores at most as many states as {other} on {fewer} of {len(ratios)} models; the ratio is "
            f"{ratios[0]:.2g} to {ratios[-1]:.3g}, {statistics.median(ratios):.2f} in the median.")


def summary(rows):
    """Sentences about the models on which both have a result."""
    kept = [name for name, row in rows.items()
            if row.get(DEFAULT) and row.get("none") and row[DEFAULT][0] >= 0.99 * row["none"][0]]
    sentences = [comparison(rows, "por", SPIN_PLAIN), comparison(rows, "por,merge", "SPIN"),
                 comparison(rows, DEFAULT, "SPIN"),
                 cpu_seconds(rows, "SPIN", rows, "compilation of the verifier apart"),
                 cpu_seconds(rows, "none", rows, "all"),
                 cpu_seconds(rows, "none", kept, "where hardly a state is left out"),
                 outside(rows, "none", lambda ratio: ratio > MOST_OF_NONE, f"above {MOST_OF_NONE}"),
                 outside(rows, "SPIN", lambda ratio: ratio * LEAST_OF_SPIN > 1, f"above {1 / LEAST_OF_SPIN:.3g}")]
    return [sentence for sentence in sentences if sentence]


def outside(rows, other, is_outside, what):
    """A sentence about the models on which the default takes longer than is wanted."""
    ratios = {name: ratio_of_times(row, DEFAULT, other) for name, row in rows.items()}
    names = [f"{name} {ratios[name]:.2f}" for name in sorted(ratios, key=lambda name: -(ratios[name] or 0))
             if ratios[name] is not None and is_outside(ratios[name])]
    return f"- CPU seconds of `{DEFAULT}` by those of {other} {what}: {', '.join(names) or 'none'}."


def cpu_seconds(rows, other, names, remark):
    """A sentence about the time of the default and of another column, in these rows."""
    ratios = [ratio_of_times(rows[name], DEFAULT, other) for name in names]
    ratios = sorted(ratio for ratio in ratios if ratio is not None)
    if not ratios:
        return ""
    return (f"- Of the {len(ratios)} models on which one of `{DEFAULT}` and {other} takes {LEAST_SECONDS} s, {remark}: the "
            f"ratio of their CPU seconds is {ratios[0]:.2g} to {ratios[-1]:.3g}, {statistics.median(ratios):.2f} in the median.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cmc", default=str(ROOT / "build/cmc"), help="the program (default build/cmc)")
    parser.add_argument("--only", nargs="+", default=[], help="models whose name contains one of these")
    parser.add_argument("--columns", nargs="+", default=[], metavar="NAME",
                        help=f"only these: {', '.join([*CMC_COLUMNS, *SPIN_COLUMNS])}")
    parser.add_argument("--runs", type=int, default=1, help="of each, in turns; the median of CPU seconds counts (default 1)")
    parser.add_argument("--timeout", type=int, default=120, help="seconds for each run (default 120)")
    parser.add_argument("--memory", type=int, default=2000, help="MB for each run (default 2000)")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table there, too")
    args = parser.parse_args()
    if not shutil.which("spin") or not shutil.which("gcc"):
        return compare.SKIPPED
    args.cmc = str(pathlib.Path(args.cmc).resolve())
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, folder)
        for each in models(bench.args.cmc):
            if args.only and not any(name in each.name for name in args.only):
                continue
            say(label(each))
            rows[label(each)] = measure(bench, each)
    if not rows:
        return 1
    spin = subprocess.run(["spin", "-V"], capture_output=True, text=True).stdout.split()[2]
    lines = [*summary(rows), "", *table(rows), "",
             f"Measured with `bench/reductions.py` on {datetime.date.today()}, {platform.machine()}, SPIN {spin}, gcc -O2, "
             f"one thread; at most {args.timeout} seconds and {args.memory} MB for each run."]
    print("\n".join(lines))
    if args.markdown:
        args.markdown.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
