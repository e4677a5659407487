"""Lets each call that a search with checkpoints makes about its files fail, one at a time, and compares.

    faults.py CMC MODELS [--every N] [--seed S]

A library that is loaded before CMC (faulty_calls.c) fails call number i of open, read, write, fsync, rename and so on, for
i = 1, 2, ... (the method of SQLite's tests): the call is refused (EIO), the disk is full from then on (and what is being
written is written by half), or the process is killed there. Files of the run and of the disk store, while a search begins
and while one goes on. Whatever happens, a verdict and its figures are those of the search that nothing happened to, and
`cmc resume` without faults comes to them, from a checkpoint at least as new as the last one that was told of.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from kill import NO_CHECKPOINT, OVER, figures, part_of_day, temporary_folder

SEARCHES = {
    "dfs": ["--checkpoint-checks", "8"],
    "bfs": ["--search", "bfs", "--checkpoint-checks", "1"],
    "cached": ["--beyond", "cached", "--lookup-buffer", "64", "--lossy-capacity", "64", "--partitions", "4", "--memory", "64M",
               "--checkpoint-checks", "4"],
    "cycles": ["--property", "ltl_0", "--ltl", "[] (ncrit == 1 -> <> (ncrit <= 1))", "--checkpoint-checks", "1"],
    "rounds": ["--beyond", "sorted", "--lookup-buffer", "100", "--lossy-capacity", "64", "--partitions", "4", "--memory", "64M",
               "--checkpoint-checks", "40"],
}
OPTIONS = ["-DN=2", "-DINIT", "--max-errors", "0", "--reductions", "none", "--threads", "1", "--checkpoint-every", "0"]
KINDS = ("fail", "full", "kill")
FAILED = 3


class Place:
    """A folder for one run: its checkpoints, its store, its result."""

    def __init__(self, program, model, path):
        self.program, self.model, self.path = program, model, path
        self.run, self.result = path / "run", path / "result.json"
        (path / "tmp").mkdir(parents=True)

    def call(self, words, fault):
        environment = {**os.environ, "TMPDIR": str(self.path / "tmp"), **fault}
        if fault:
            environment |= {"LD_PRELOAD": str(self.program.library), "FAULT_FOLDER": str(self.path) + "/"}
        return subprocess.run([self.program.cmc, *words, f"--json={self.result}"], env=environment, capture_output=True, text=True, check=False)

    def check(self, options, **fault):
        return self.call(["check", *OPTIONS, *options, self.model, "--checkpoint", self.run], fault)

    def resume(self, **fault):
        return self.call(["resume", self.run], fault)


class Program:
    def __init__(self, cmc, folder):
        self.cmc, self.library = cmc, folder / "faulty_calls.so"
        source = pathlib.Path(__file__).with_name("faulty_calls.c")
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", self.library, source, "-ldl"], check=True)


def newest_told(outputs):
    return max([0, *(int(epoch) for text in outputs for epoch in re.findall(r"checkpoint (\d+): ", text))])


def come_to_the_end(place, options, outcome, wanted):
    """Goes on without faults; the name of what happened."""
    assert outcome.returncode in (*OVER, NO_CHECKPOINT, FAILED, -9), outcome
    if outcome.returncode in OVER:
        assert figures(place.result) == wanted, (outcome.args, figures(place.result), wanted)
        return "no matter"
    told = newest_told([outcome.stderr])
    place.result.unlink(missing_ok=True)
    after = place.resume()
    if after.returncode == NO_CHECKPOINT:
        assert not told, (outcome.stderr, after)
        shutil.rmtree(place.run, ignore_errors=True)
        after = place.check(options)
    assert after.returncode == 0, after
    if place.result.exists():
        assert figures(place.result) == wanted, (outcome.args, figures(place.result), wanted)
    else:
        assert "is over: verdict: holds" in after.stdout and str(f"{wanted['states_stored']:,}") in after.stdout, after
    return "killed" if outcome.returncode == -9 else "incomplete" if outcome.returncode == FAILED else "refused"


def count_calls(place, words):
    counter = place.path / "calls"
    process = place.call(words, {"FAULT_COUNT": str(counter)})
    return int(counter.read_text()), process


def search_test(program, model, name, options, arguments, source):
    outcomes = Counter()
    with temporary_folder() as text, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(text)
        first = Place(program, model, folder / "first")
        calls, process = count_calls(first, ["check", *OPTIONS, *options, model, "--checkpoint", first.run])
        assert process.returncode == 0, process
        wanted = figures(first.result)
        begun = begin_and_kill(program, model, options, folder / "begun", calls)
        again = Place(program, model, folder / "again")
        shutil.copytree(begun, again.run)
        calls_again, process = count_calls(again, ["resume", again.run])
        assert process.returncode == 0 and figures(again.result) == wanted, process

        def one(at, kind, resumes):
            place = Place(program, model, folder / f"{at}-{kind}-{resumes}")
            fault = {"FAULT_AT": str(at), "FAULT_KIND": kind}
            if resumes:
                shutil.copytree(begun, place.run)
            outcome = place.resume(**fault) if resumes else place.check(options, **fault)
            result = come_to_the_end(place, options, outcome, wanted)
            shutil.rmtree(place.path)
            return result

        jobs = [(at, kind, resumes) for resumes, count in ((False, calls), (True, calls_again)) for at in range(1, count + 1)
                for kind in KINDS]
        jobs = source.sample(jobs, part_of_day.share(-(-len(jobs) // arguments.every), arguments))
        outcomes.update(pool.map(lambda job: one(*job), jobs))
    print(f"{name}: {calls} calls, {calls_again} when it goes on; {sum(outcomes.values())} faults: {dict(outcomes)}", flush=True)


def begin_and_kill(program, model, options, path, calls):
    """The folder of a run that was killed on its way, behind a checkpoint."""
    for share in (0.5, 0.75, 0.9, 0.95):
        place = Place(program, model, path / str(share))
        process = place.check(options, FAULT_AT=str(int(calls * share)), FAULT_KIND="kill")
        assert process.returncode == -9, process
        if newest_told([process.stderr]) > 0:
            return place.run
    raise AssertionError("there is no checkpoint on the way")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cmc", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="one fault in so many is tried")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    part_of_day.add_to(parser)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    source = random.Random(options.seed)
    model = options.models.resolve() / "peterson" / "peterson_busy.pml"
    with temporary_folder() as text:
        program = Program(options.cmc.resolve(), pathlib.Path(text))
        for name, search in SEARCHES.items():
            search_test(program, model, name, search, options, source)


if __name__ == "__main__":
    sys.exit(main())
