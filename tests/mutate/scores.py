#!/usr/bin/env python3
"""The table of scores of models: how many of their mutants `cmc mutate` says that the properties notice.

Usage: scores.py [--cmc CMC] [--mutants N] [--seconds N] [MODEL|FOLDER...]

Prints a row in Markdown for each model, with the macros and properties of its lines `expect: holds`, or as it is if it has no such
lines; models without a property that holds are named below. Default: models/ and SPIN's examples.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = pathlib.Path("/usr/share/doc/spin/examples/Examples")
COLUMNS = ("killed", "survived", "equal", "unreachable", "invalid")


def shown(path):
    for root, mark in ((ROOT, ""), (EXAMPLES, "spin:")):
        if path.is_relative_to(root):
            return mark + str(path.relative_to(root))
    return str(path)


def ways_of(model, args):
    """[options of `cmc mutate`]: the properties that hold with the same macros and fairness are asked for together."""
    listed = subprocess.run([args.cmc, "test", "--list", "--json", str(model)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    ways = {}
    for case in json.loads(listed.stdout)["cases"] if listed.stdout else []:
        expected = case["expected"]
        if not expected or expected["verdict"] != "holds" or expected["slow"] or expected["solver"]:
            continue
        options = expected["options"]
        key = tuple(sorted(each for each in options if not each.startswith("--") or each.startswith("--fairness")))
        ways.setdefault(key, set()).update(each for each in options if each.startswith("--property"))
        if not any(each.startswith("--property") for each in options):
            ways[key].add("")
    # Of lines that differ only in how large the model is, the first one says enough.
    first = {}
    for key, properties in ways.items():
        shape = (tuple(each.split("=")[0] for each in key), frozenset(properties))
        first.setdefault(shape, [*key, *([] if "" in properties else sorted(properties))])
    return list(first.values()) or [[]]


def report_of(model, options, args):
    """(the report of its mutants or None, why there is none)"""
    command = [args.cmc, "mutate", str(model), *options, "--json", "--seed", str(args.seed), "--mutants", str(args.mutants), "--memory", "1G",
               "--time", str(args.seconds)]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if run.returncode in (0, 3) and run.stdout:
        return json.loads(run.stdout), ""
    said = [line for line in run.stderr.splitlines() if "error" in line or "cmc:" in line or "property" in line]
    return None, (said or [f"exit code {run.returncode}"])[0]


def row(name, report):
    counts, properties = report["counts"]["model"], report["counts"]["property"]
    score = "-" if report["score"] is None else f"{int(report['score'])}%"
    open_ = counts["budget"] + counts["not run"]
    parts = sum(properties[name] for name in ("killed", "survived"))
    empty = f"{properties['survived']} of {parts}" if parts else "-"
    return (f"| {name} | {sum(counts.values())} of {report['mutants']} | "
            + " | ".join(str(counts[name]) for name in COLUMNS) + f" | {open_} | **{score}** | {empty} | {report['seconds']:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=pathlib.Path, default=[ROOT / "models", EXAMPLES], metavar="MODEL")
    parser.add_argument("--cmc", default=str(ROOT / "build" / "cmc"))
    parser.add_argument("--mutants", type=int, default=200, metavar="N", help="at most, of each model (default 200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=30, help="for each model (default 30)")
    args = parser.parse_args()
    models = [model.resolve() for path in args.models for model in (sorted(path.rglob("*.pml")) if path.is_dir() else [path])]
    print(f"| model | mutants | {' | '.join(COLUMNS)} | open | score | parts that say nothing | s |")
    print("|---|" + "---:|" * (len(COLUMNS) + 5))
    without = []
    for model in models:
        for options in ways_of(model, args):
            name = " ".join([shown(model), *(each.replace("--", "") for each in options)])
            report, why = report_of(model, options, args)
            if report:
                print(row(name, report), flush=True)
            else:
                without.append(f"{name}: {why}")
    print("\nWithout a score:", *without, sep="\n- ")


if __name__ == "__main__":
    sys.exit(main())
