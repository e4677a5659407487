#!/usr/bin/env python3
"""Compares cmc with SPIN's verifier on searches for cycles: formulas that hold and that fail, CPU time and memory.

A product is a model with one formula appended, `ltl p { ... }`. Each program decides it alone, one after the other.
Exit code 1 if a verdict is not the expected one; 77 (ctest: skipped) if spin or gcc is missing.
"""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare  # noqa: E402
import spin_counts  # noqa: E402
from compare import EXAMPLES, Failure, ROOT, say  # noqa: E402


@dataclass(frozen=True)
class Product:
    name: str
    path: pathlib.Path
    defines: tuple
    formula: str
    holds: bool


def product(name, holds, path, *arguments, root=ROOT):
    *defines, formula = arguments
    return Product(name, root / path, tuple(defines), formula, holds)


LEADER, PETERSON = "models/leader/leader.pml", "models/peterson/peterson4.pml"
PRODUCTS = [
    product("leader7, in the end empty", True, LEADER, "-DN=7", "<>[] (len(link[0]) == 0)"),
    product("leader8, in the end empty", True, LEADER, "-DN=8", "<>[] (len(link[0]) == 0)"),
    product("leader8, response", True, LEADER, "-DN=8", "[] (len(link[0]) == 1 -> <> (len(link[0]) == 0))"),
    product("peterson4, again and again", True, PETERSON, "[]<> (ncrit == 1)"),
    product("peterson4, response", True, PETERSON, "[] (ncrit == 1 -> <> (ncrit == 0))"),
    product("peterson4, out again", True, PETERSON, "[] (flag[0] == 3 -> <> (flag[0] == 0))"),
    product("philosophers9, all eat", False, "models/classics/philosophers.pml", "-DN=9", "-DCURED",
            "[]<> (held[0] == 1)"),
    product("philosophers9, never both", True, "models/classics/philosophers.pml", "-DN=9", "-DCURED",
            "[] (held[0] <= 1) || <>[] (held[1] == 2)"),
    product("lunar-h, delivered", True, "models/lunar/lunar-h.pml", "-DFLOWS=2", "<> (got[0] == 1)"),
    product("lunar-h, once got", True, "models/lunar/lunar-h.pml", "-DFLOWS=2", "[] (got[0] == 1 -> [] (got[0] == 1))"),
    product("sliding_window5, response", True, "models/classics/sliding_window.pml", "-DW=5",
            "[] (len(forth) == 5 -> <> (len(forth) < 5))"),
    product("spin:leader, one", True, "LTL/leader.pml", "<>[] (nr_leaders == 1)", root=EXAMPLES),
    product("spin:leader, none until one", True, "LTL/leader.pml", "[] (nr_leaders == 0 U nr_leaders == 1)",
            root=EXAMPLES),
    product("bakery3, in and out", True, "models/classics/bakery.pml", "-DN=3", "-DROUNDS=2",
            "[] (inside == 1 -> <> (inside == 0))"),
    product("readers_writers, again", False, "models/classics/readers_writers.pml", "-DREADERS=7", "-DWRITERS=5",
            "[]<> (writing == 1)"),
]


@dataclass(frozen=True)
class Program:
    key: str
    title: str
    options: tuple = ()       # of cmc check, or of gcc
    spin_flags: tuple = ("-a",)
    pan_flags: tuple = ("-a", "-N", "p")


PROGRAMS = [
    Program("cmc", "cmc, 1 thread", ("--threads", "1", "--reductions", "none")),
    Program("cmc2", "cmc, 2 threads", ("--threads", "2", "--reductions", "none")),
    Program("merge", "cmc, merge", ("--threads", "1", "--reductions", "merge")),
    Program("por", "cmc, por,merge", ("--threads", "1", "--reductions", "por,merge")),
    Program("fair", "cmc, weak fairness", ("--threads", "1", "--reductions", "none", "--fairness", "weak")),
    Program("pan", "pan -a -DNOREDUCE", ("-DNOREDUCE",)),
    Program("pan_reduced", "pan -a", ()),
]


PAIRS = (("pan", "cmc"), ("pan", "merge"), ("pan_reduced", "por"))  # whose CPU times are compared


def write_model(item, folder):
    """A copy of the model, in a folder with its neighbours, that ends with the formula."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(item.path.parent, folder)
    with open(folder / item.path.name, "a") as file:
        file.write(f"\nltl p {{ {item.formula} }}\n")


def run_cmc(bench, item, program, folder):
    result_file = folder / "result.json"
    command = [os.path.abspath(bench.args.cmc), "check", "-q", "--property", "p", f"--json={result_file}",
               "--shorten", "0", "--memory", f"{bench.args.memory}M", *program.options, *item.defines, item.path.name]
    code, output, cost = bench.measured(command, folder)
    if code not in (0, 1, 3):
        raise Failure(f"cmc ended with {code}: {output[-300:]}")
    result = json.loads(result_file.read_text())["properties"][0]
    if result["verdict"] == "incomplete":
        raise Failure("incomplete", limit=True)
    return {**cost, "states": result["states_stored"], "holds": result["verdict"] == "holds"}, shlex.join(command)


def build_pan(bench, item, program, folder):
    bench.tool("spin", ["spin", *program.spin_flags, *item.defines, item.path.name], folder)
    if not (folder / "pan.c").exists():
        raise Failure("spin made no verifier")
    bench.tool("gcc", ["gcc", "-O3", "-w", *program.options, f"-DMEMLIM={bench.args.memory}", "-o", "pan", "pan.c"],
               folder)


def run_pan(bench, program, folder):
    depth, table = 1_000_000, 20
    while depth <= compare.LARGEST_DEPTH:
        command = ["./pan", *program.pan_flags, f"-m{depth}", "-n", f"-w{table}"]
        _, output, cost = bench.measured(command, folder)
        report = spin_counts.parse_report(output)
        if "max search depth too small" in output:
            depth *= 10
            continue
        if "out of memory" in output or "MEMLIM bound" in output:
            raise Failure(f"> {bench.args.memory} MB", limit=True)
        needed = compare.fitting_table(report["stored"])
        if report["errors"] == 0 and needed > table:
            table = needed
            continue
        return {**cost, "states": report["stored"], "holds": report["errors"] == 0}, shlex.join(command)
    raise Failure("too deep", limit=True)


def measure(bench, item):
    results = {}
    for program in PROGRAMS:
        say(f"  {program.title}")
        folder = bench.folder / "product"
        entry = results[program.key] = {}
        try:
            write_model(item, folder)
            of_spin = program.key.startswith("pan")
            if of_spin:
                build_pan(bench, item, program, folder)
            runs = []
            for _ in range(bench.args.runs):
                run, entry["command"] = run_pan(bench, program, folder) if of_spin else run_cmc(bench, item, program,
                                                                                               folder)
                runs.append(run)
            entry["median"] = compare.median_of(runs)
        except Failure as failure:
            entry["failure"] = str(failure)
            say(f"    {failure}")
    return results


def cell(entry):
    median = entry.get("median")
    if not median:
        return entry.get("failure", "")
    return f"{median['cpu_seconds']:.2f} s, {median['peak_bytes'] / compare.MB:.0f} MB, {median['states']:,}"


def ratio(results, key, of="cmc", name="cpu_seconds"):
    one, other = results[of].get("median"), results[key].get("median")
    return other[name] / max(one[name], 0.01) if one and other else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmc", default="build/cmc")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], help="products whose name contains one of these")
    parser.add_argument("--memory", type=int, default=12000, help="limit in MB")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for a run")
    parser.add_argument("--json", help="write all figures there")
    args = parser.parse_args()
    if not shutil.which("spin") or not shutil.which("gcc"):
        say("spin or gcc is missing")
        return compare.SKIPPED
    chosen = [item for item in PRODUCTS if not args.only or any(word in item.name for word in args.only)]
    report, wrong = {}, []
    with tempfile.TemporaryDirectory() as folder:
        bench = compare.Bench(args, folder)
        print("| product | " + " | ".join(program.title for program in PROGRAMS) + " | pan / cmc | pan / merge | reduced / por |")
        print("|---" * (len(PROGRAMS) + 4) + "|")
        for item in chosen:
            say(item.name)
            results = report[item.name] = measure(bench, item)
            for program in PROGRAMS:
                median = results[program.key].get("median")
                if median and program.key != "fair" and median["holds"] != item.holds:
                    wrong.append(f"{item.name}: {program.title} says {'holds' if median['holds'] else 'violated'}")
            ratios = [ratio(results, *pair) for pair in PAIRS]
            cells = [cell(results[program.key]) for program in PROGRAMS]
            cells += [f"{each:.1f}" if each else "" for each in ratios]
            print(f"| {item.name} ({'holds' if item.holds else 'fails'}) | " + " | ".join(cells) + " |", flush=True)
    for key, of in PAIRS:
        known = [ratio(report[item.name], key, of) for item in chosen if item.holds]
        known = [each for each in known if each]
        if known:
            print(f"median of {key} / {of} where the formula holds: {statistics.median(known):.2f}")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(report, indent=1) + "\n")
    for each in wrong:
        say(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
