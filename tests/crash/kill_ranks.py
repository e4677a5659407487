#!/usr/bin/env python3
"""Kills a random rank of searches by cmc-mpi (kill -9, at random moments), goes on with another number of ranks (2, 3, 1, 2, ...),
until they are over, and compares with cmc.

    kill_ranks.py CMC MODELS [--kills N] [--seed S]

Skipped where there is no mpirun, or cmc-mpi was not built."""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import time

from kill import Run, kill_until_over, part_of_day, temporary_folder

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import mpi_run  # noqa: E402  (it is in the other folder)

RANKS = (2, 3, 1)
SEARCHES = {
    "peterson": ("peterson/peterson_busy.pml", ["-DN=3", "-DINIT", "--reductions", "none"]),
    "leader, 2 threads": ("leader/leader.pml", ["-DN=5", "--reductions", "none", "--threads", "2"]),
    "errors, reduced": ("features/termination.pml", ["-DROUNDS=1", "--reductions", "por,merge"]),
    "sieve, without paths": ("features/sieve.pml", ["--reductions", "none", "--paths", "off"]),
}


SAME = ("verdict", "complete", "states_stored", "states_matched", "transitions", "error_count", "endless_atomic", "coverage",
        "state_bytes_max", "reasons")


def figures(file):
    result = json.loads(file.read_text())
    return {name: result[name] for name in SAME}


def descendants(pid):
    """Of a process, with itself."""
    children = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(folder.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


def ranks_of(pid):
    """The processes that are ranks of that launcher, and run."""
    found = []
    for each in descendants(pid):
        try:
            name, _, state = pathlib.Path(f"/proc/{each}/stat").read_text().partition("(")[2].rpartition(")")
            if name == "cmc-mpi" and state.split()[0] != "Z":
                found.append(each)
        except OSError:
            pass
    return found


def end_launcher(process, patience_seconds=20):
    """Kills it if it does not end behind its ranks: mpirun of Open MPI 4.1.4 can wait for a lock of its own for ever
    (PMIx_server_finalize)."""
    alone_since = time.monotonic()
    while process.poll() is None and time.monotonic() - alone_since < patience_seconds:
        if ranks_of(process.pid):
            alone_since = time.monotonic()
        time.sleep(0.2)
    process.kill()


class RanksRun(Run):
    """One folder of checkpoints, and the mpirun that works on it, each time with another number of ranks."""

    def __init__(self, cmc, model, options, folder, random_source):
        super().__init__(cmc, model, options, folder)
        self.random, self.turn = random_source, 0

    def command(self, checks):
        launcher = mpi_run.command(self.cmc, RANKS[self.turn % len(RANKS)])
        self.turn += 1
        return [*launcher, *super().command(checks)[1:]]

    def kill(self, process):
        ranks = ranks_of(process.pid)
        if ranks:
            os.kill(self.random.choice(ranks), 9)
            end_launcher(process)
        else:
            process.kill()

    def was_killed(self, code):
        return code not in (0, 1, 2, 3, 4)


def kill_test(cmc, models, kills, random_source):
    left = kills
    turn = done_runs = 0
    expected = {}
    while left > 0:
        name, (model, options) = list(SEARCHES.items())[turn % len(SEARCHES)]
        turn += 1
        with temporary_folder() as text:
            folder = pathlib.Path(text)
            options = ["--max-errors", "0", "--memory", "64M", *options]
            if name not in expected:
                reference = folder / "reference.json"
                begun = time.monotonic()
                code = subprocess.run([cmc, "check", *options, models / model, f"--json={reference}"], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, check=False).returncode
                expected[name] = (figures(reference), code, time.monotonic() - begun)
            wanted, code, seconds = expected[name]
            run = RanksRun(cmc, models / model, [*options, f"--store={folder}"], folder, random_source)
            done, got = kill_until_over(run, random_source, 3 * seconds + 0.8, min(left, 8))
            assert got == code, (name, got, code)
            assert figures(run.result) == wanted, (name, figures(run.result), wanted)
            left -= max(done, 1)
            done_runs += 1
    print(f"{kills - left} kills in {done_runs} runs: as if nothing had happened")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cmc", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    part_of_day.add_to(parser)
    options = parser.parse_args()
    if not mpi_run.is_there(options.cmc):
        print("there is no MPI here")
        return 77
    print(f"seed {options.seed}")
    kills = part_of_day.share(options.kills, options)
    kill_test(options.cmc.resolve(), options.models.resolve(), kills, random.Random(options.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
