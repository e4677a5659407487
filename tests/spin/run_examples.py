#!/usr/bin/env python3
"""Compares cmc with SPIN on SPIN's own example models, all reductions off: states, transitions and assertion errors.

SPIN's figures are in tests/data/spin-examples.json; the models come with the Debian package `spin`. Exit code 1 if a
model's states or transitions differ, 77 (ctest: skipped) if the models are not installed.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

import spin_counts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def counts_by_cmc(model, args):
    command = [args.cmc, "check", str(model), "--property", "safety", "--max-errors", "0", "--no-end-states", "--reductions", "none",
               "--json", *args.option]
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                             timeout=args.seconds)
        result = json.loads(run.stdout)
    except subprocess.TimeoutExpired:
        return {"note": f"no result in {args.seconds} s"}
    except json.JSONDecodeError:
        return {"note": f"exit code {run.returncode}: " + " ".join(run.stderr.split())[:160]}
    return {"stored": result["states_stored"], "transitions": result["transitions"],
            "errors": result.get("error_count", len(result["errors"]))}


def counts_by_spin(model, args):
    result = spin_counts.count(str(model), (), args.seconds, args.compiler)
    if "error" in result or not result["complete"]:
        return {"note": "spin: " + result.get("error", "search not completed")}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", metavar="NAME", help="models whose path contains one of these")
    parser.add_argument("--cmc", default=str(ROOT / "build" / "cmc"), help="the program (default build/cmc)")
    parser.add_argument("--option", action="append", default=[], help="further option of 'cmc check', repeatable")
    parser.add_argument("--examples", type=pathlib.Path, default="/usr/share/doc/spin/examples/Examples")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "tests" / "data" / "spin-examples.json")
    parser.add_argument("--seconds", type=int, default=60, help="limit for each model (default 60)")
    parser.add_argument("--max-states", type=int, metavar="N", help="leave out larger models")
    parser.add_argument("--only-spin", action="store_true", help="check the list itself: run SPIN, not cmc")
    parser.add_argument("--compiler", choices=spin_counts.COMPILERS, default="tcc", help="of SPIN's verifier")
    part_of_day.add_to(parser)
    args = parser.parse_args()
    if not args.examples.is_dir():
        print(f"{args.examples}: not installed (package spin)", file=sys.stderr)
        return SKIPPED

    models = json.loads(args.data.read_text())["models"]
    models = [m for m in models if not args.only or any(name in m["model"] for name in args.only)]
    selected = [m for m in models if args.max_states is None or m["stored"] <= args.max_states]
    selected = part_of_day.some(selected, args)
    run = counts_by_spin if args.only_spin else counts_by_cmc
    equal = equal_errors = 0
    print(f"{'model':34} {'states':>9} {'transitions':>11} {'errors':>6} {'seconds':>7}")
    for want in selected:
        started = time.monotonic()
        have = run(args.examples / want["model"], args)
        different = [name for name in ("stored", "transitions", "errors") if have.get(name) != want[name]]
        equal += not {"stored", "transitions"} & set(different)
        equal_errors += "errors" not in different
        note = have.get("note") or "; ".join(f"{name}: {have[name]} instead of {want[name]}" for name in different)
        print(f"{want['model']:34} {want['stored']:9} {want['transitions']:11} {want['errors']:6} "
              f"{time.monotonic() - started:7.2f} {' ' + note if note else ''}".rstrip(), flush=True)
    if args.part_of_day:
        print(part_of_day.text())
    elif len(selected) < len(models):
        print(f"left out as larger than {args.max_states} states: {len(models) - len(selected)}")
    print(f"errors: {equal_errors} of {len(selected)} equal")
    print(f"{equal} of {len(selected)} equal")
    return 0 if equal == len(selected) else 1


if __name__ == "__main__":
    sys.exit(main())
