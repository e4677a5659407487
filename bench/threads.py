#!/usr/bin/env python3
"""Measures how many times as fast cmc is with several threads as with one, by the clock.

Beside that, how many times as much the same number of independent processes with one thread each do at once: what the machine
has to give. Cores share caches and memory, and a virtual machine's cores share others with strangers. All in turns, medians and
quickest runs. README.md in this folder has more. Exit code 1 if counts differ.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import compare

# Of models above a million states, those that take a second or more; smaller ones of compare.py are in the way of themselves:
# threads start, and keys change, in the first hundredths of a second.
LARGER = [
    compare.model("leader9", "models/leader/leader.pml", "-DN=9"),
    compare.model("bakery3-4", "models/classics/bakery.pml", "-DN=3", "-DROUNDS=4"),
    compare.model("sliding_window8", "models/classics/sliding_window.pml", "-DW=8"),
    compare.model("msi10", "models/classics/msi.pml", "-DCACHES=10"),
    compare.model("philosophers11", "models/classics/philosophers.pml", "-DN=11"),
    compare.model("readers_writers9", "models/classics/readers_writers.pml", "-DREADERS=9", "-DWRITERS=8"),
    compare.model("sieve36", "models/features/sieve.pml", "-DMAX=36", "-DPRIMES=11"),
    compare.model("conveyor2-7", "bench/models/conveyor.pml", "-DBELTS=2", "-DQSZ=7"),
]
MODELS = {model.name: model for model in compare.MODELS + LARGER}
DEFAULT = ["peterson4", "leader8", "leader9", "lunar-h", "bakery3", "bakery3-4", "sliding_window", "sliding_window8", "msi10",
           "philosophers11", "readers_writers9", "sieve", "sieve36", "spin:leader", "spin:cambridge", "sandpile",
           "sliding_puzzle", "conveyor1", "conveyor2", "conveyor2-7", "swarm", "swarm-shared"]


@dataclass(frozen=True)
class Run:
    wall: float
    cpu: float
    counts: tuple  # of each process: states, transitions


def run(cmc, model, threads, processes, folder):
    """So many processes at once; the wall time of all."""
    results = [folder / f"{number}.json" for number in range(processes)]
    begin = time.monotonic()
    children = [subprocess.Popen([cmc, "check", "-q", "--property", "safety", f"--json={result}", "--threads", str(threads),
                                  "--max-errors", "0", "--shorten", "0", "--reductions", "none",
                                  *model.arguments()], cwd=compare.ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for result in results]
    cpu = 0
    for child in children:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        cpu += usage.ru_utime + usage.ru_stime
    wall = time.monotonic() - begin
    if any(child.returncode not in (0, 1, 3) for child in children):
        raise compare.Failure(f"cmc ended with {[child.returncode for child in children]}")
    reports = [json.loads(result.read_text()) for result in results]
    return Run(wall, cpu, tuple((each["states_stored"], each["transitions"]) for each in reports))


def measure(args, model, folder):
    """A row of the table; None: counts differ."""
    alone, together, threaded = runs = [], [], []
    kinds = [(alone, 1, 1), (together, 1, args.threads), (threaded, args.threads, 1)]
    for number in range(args.runs):
        for into, threads, processes in kinds if number % 2 == 0 else reversed(kinds):
            into.append(run(args.cmc, model, threads, processes, folder))
    counts = {count for kind in runs for each in kind for count in each.counts}
    if len(counts) > 1:
        compare.say(f"{model.name}: counts differ: {sorted(counts)}")
        return None

    def wall(kind, choose=statistics.median):
        return choose(each.wall for each in kind)

    def cpu(kind):
        return statistics.median(each.cpu for each in kind)

    return [model.name, compare.number(counts.pop()[0]), f"{wall(alone):.2f}", f"{wall(threaded):.2f}",
            f"{wall(alone) / wall(threaded):.2f}", f"{wall(alone, min) / wall(threaded, min):.2f}",
            f"{args.threads * wall(alone) / wall(together):.2f}", f"{cpu(threaded) / cpu(alone):.2f}",
            f"{cpu(together) / args.threads / cpu(alone):.2f}"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="MODEL", help=f"default: {', '.join(DEFAULT)}")
    parser.add_argument("--cmc", default=str(compare.ROOT / "build" / "cmc"), help="the program (default build/cmc)")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="compared with one (default 2)")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="of each kind (default 5)")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in MODELS]
    if unknown:
        parser.error(f"no such model: {', '.join(unknown)}. There are {', '.join(MODELS)}")
    if args.runs < 1 or args.threads < 1:
        parser.error("--runs, --threads: at least 1")
    args.cmc = str(pathlib.Path(args.cmc).resolve())
    if not os.access(args.cmc, os.X_OK):
        parser.error(f"{args.cmc}: no such program (--cmc)")
    return args


def main():
    args = parse_arguments()
    models = [MODELS[name] for name in args.names or DEFAULT]
    equal = True
    head = ["model", "states", "1 thread: s", f"{args.threads} threads: s", "speed-up", "of quickest",
            f"{args.threads} processes", "CPU ×", "of processes"]
    print(compare.table(head, []), flush=True)
    with tempfile.TemporaryDirectory(prefix="cmc-threads-") as folder:
        for model in models:
            if not model.path.is_file():
                compare.say(f"{model.name}: {model.path} is not installed")
                continue
            row = measure(args, model, pathlib.Path(folder))
            equal = equal and row is not None
            if row:
                print("| " + " | ".join(row) + " |", flush=True)
    return 0 if equal else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (compare.Failure, OSError) as error:
        sys.exit(f"threads.py: {error}")
