#!/usr/bin/env python3
"""Verdicts are earned: under limits of memory near the least that a search needs, no engine says "holds" of a violated
property or "violated" of one that holds, and what is incomplete has a reason. tests/data/earned has the models.

Usage: earned_test.py CMC [--all]     by default a part of the grid, in half a minute; all of it is 7,920 runs of half a second at most
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

CMC = None
ALL = False
MODELS = pathlib.Path(__file__).resolve().parents[1] / "data" / "earned"
VERDICTS = {0: "holds", 1: "violated", 3: "incomplete"}
SECONDS = "0.3"  # of a run; most limits of memory are met earlier

ENGINES = {
    "depth first in RAM": ["--search", "dfs", "--no-store"],
    "breadth first in RAM": ["--search", "bfs", "--no-store"],
    "RAM, then disk": [],
    "disk": ["--partitions", "4"],
    "depth first on disk": ["--search", "dfs", "--partitions", "2", "--lossy-capacity", "1000"],
    "key sets": ["--key-set", "compact", "--memo", "64K"],
    "all reductions": ["--reductions", "all"],
    "no reductions": ["--reductions", "none"],
    "nested search": ["--cycles", "ndfs", "--no-store"],
    "hull in RAM": ["--cycles", "hull", "--no-store"],
    "hull on disk": ["--cycles", "hull", "--partitions", "4"],
    "fair: components": ["--fairness", "weak"],
    "fair: components in RAM": ["--fairness", "weak", "--no-store"],
    "fair: disk": ["--fairness", "weak", "--partitions", "4", "--bloom-bits", "4K"],
    "fair: hull": ["--fairness", "weak", "--cycles", "hull"],
    "simple": ["--engine", "simple"],
    "fair: simple": ["--engine", "simple", "--fairness", "weak"],
}


def rights_of(path):
    """{(property, fairness): verdict}"""
    line = re.search(r"verdicts: (.*)", path.read_text()).group(1)
    found = {}
    for part in line.split(";"):
        name, fair, verdict = re.fullmatch(r"\s*([\w-]+)( \(weak\))? (holds|violated)\s*", part).groups()
        found[name, "weak" if fair else "none"] = verdict
    return found


def limits(step):
    """From less than the program needs at all, through all that is resident when a search begins."""
    return [f"{kilobytes}K" for kilobytes in range(4 << 10, (16 << 10) + 1, step)] + ["24M"]


def grid():
    """(model, property, fairness, engine, threads, limit) of each run."""
    for path in sorted(MODELS.glob("*.pml")):
        for (name, fairness), right in rights_of(path).items():
            for engine, options in ENGINES.items():
                if ("--fairness" in options) != (fairness == "weak"):
                    continue
                for threads in ("1", "2"):
                    if "--engine" in options and threads == "2":
                        continue
                    fine = engine.startswith("fair: components") and threads == "1"
                    for limit in limits(512 if fine else 1024 if threads == "1" else 2048):
                        yield path, name, right, engine, threads, limit


def some_of(runs):
    """Each engine, limit and model now and then; the search for fair components, which failed once, at the limits that
    matter."""
    for number, run in enumerate(runs):
        path, name, _, engine, threads, limit = run
        fair = (path.stem, name, engine, threads) == ("fair_counters", "p", "fair: components", "1")
        if number % 211 == 0 or fair and 7 << 10 <= int(limit[:-1]) <= 12 << 10:
            yield run


def check(words):
    """Exit code, JSON and text of a run that may not last much longer than SECONDS."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        process = subprocess.run([CMC, "check", *words, f"--json={result}"], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=120, env=dict(os.environ, TMPDIR=folder))
        return process.returncode, json.loads(result.read_text()) if result.exists() else None, process.stdout


class EarnedTest(unittest.TestCase):
    def judge(self, path, name, right, engine, threads, limit):
        words = ["--property", name, "--time", SECONDS, "--shorten", "0", "--generator", "vm", "--memory", limit]
        words += ["--threads", threads] if engine not in ("simple", "fair: simple") else []
        words += [*ENGINES[engine], str(path)]
        code, result, text = check(words)
        command = " ".join([CMC, "check", *words]) + "\n" + text
        self.assertIn(code, VERDICTS, command)
        self.assertIsNotNone(result, command)
        self.assertEqual(result["verdict"], VERDICTS[code], command)
        wrong = {"holds": "violated", "violated": "holds"}[right]
        self.assertNotEqual(result["verdict"], wrong, command)
        if result["verdict"] == "incomplete":
            self.assertTrue(result["reasons"], command)
        else:
            self.assertEqual(result["reasons"], [] if code == 0 else result["reasons"], command)

    def test_no_verdict_comes_from_a_limit(self):
        for run in part_of_day.of(grid()) if ALL else some_of(grid()):
            with self.subTest(model=run[0].name, run=run[1:]):
                self.judge(*run)

    def test_a_violation_without_a_counterexample_says_so(self):
        """Of a cycle that was found on disk there may be no room for the way to it."""
        model = MODELS.parents[2] / "models/properties/mutex.pml"
        for limit in ("4M", "6M", "7M", "8M", "10M"):
            with self.subTest(limit=limit), tempfile.TemporaryDirectory() as folder:
                trail, page = (pathlib.Path(folder) / name for name in ("bug.trail", "bug.html"))
                code, result, text = check(["--property", "served", "--memory", limit, "--trail", str(trail), "--html", str(page), str(model)])
                if code != 1:
                    continue
                missing = result["properties"][0]["counterexample"] is None
                self.assertEqual((trail.exists(), page.exists()), (not missing, not missing), text)
                self.assertEqual("acceptance cycle (no counterexample)" in text, missing, text)
                self.assertEqual("there is no counterexample: a second search" in text, missing, text)
                self.assertEqual("there is no counterexample: nothing is written for --trail, --html" in text, missing, text)

    def test_a_step_that_is_cut_is_no_error(self):
        """SPIN's verifier holds the first one, and does not end with the others."""
        models = {
            "ends": "init { int i; d_step { do :: i < 500010 -> i++ :: else -> break od; i = 0 } assert(i == 0) }",
            "never": "byte x; active proctype P() { d_step { do :: x = 1 - x od } }",
            "handshake": "chan c = [0] of { byte }; active proctype S() { c!1 }\n"
                         "active proctype R() { byte x; d_step { c?x; do :: x = 1 - x od } }",
        }
        for name, text in models.items():
            for options in ([], ["--engine", "simple"], ["--generator", "reference"], ["--partitions", "4"], ["--search", "bfs"]):
                with self.subTest(model=name, options=options), tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder) / "model.pml"
                    path.write_text(text)
                    code, result, text_out = check(["-E", *options, str(path)])
                    self.assertEqual((code, [reason["kind"] for reason in result["reasons"]]), (3, ["atomic"]), text_out)
                    self.assertRegex(result["reasons"][0]["text"], r"model.pml:\d: a d_step of more than 1,000,000 statements was cut")

    def test_without_limits_the_verdicts_are_right(self):
        if not ALL:
            self.skipTest("takes minutes")
        for path in sorted(MODELS.glob("*.pml")):
            for (name, fairness), right in rights_of(path).items():
                with self.subTest(model=path.name, property=name, fairness=fairness):
                    words = ["--property", name, "--fairness", fairness, "--memory", "1G", str(path)]
                    self.assertEqual(VERDICTS[check(words)[0]], right)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if "--all" in sys.argv:
        ALL, SECONDS = True, "0.5"
        sys.argv.remove("--all")
    CMC = sys.argv.pop(1)
    unittest.main()
