#!/usr/bin/env python3
"""The counterexample behind a search: the same in every run, as short as breadth first and SPIN's verifier find it.

Usage: shorten_test.py CMC
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMC = None
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
# Assertion, deadlock, formula, fairness, non-progress, trace.
VIOLATED = [
    ["classics/bakery.pml", "-DHASTY"],
    ["classics/philosophers.pml", "-DN=4"],
    ["properties/mutex.pml", "--property", "served"],
    ["properties/mutex.pml", "--property", "served", "--fairness", "weak", "-DTESTANDSET"],
    ["properties/labels.pml", "--property", "non-progress"],
    ["properties/traces.pml", "-DHASTY"],
]
WAYS = [[], ["--threads", "1"], ["--search", "bfs"], ["--search", "dfs", "--reductions", "none"], ["--engine", "simple"],
        ["--steps", "statement", "--reductions", "none"], ["--reductions", "all"], ["--cycles", "hull"], ["--generator", "reference"]]
FROM_START = ["--page-codec", "keys"]  # the disk store
# Breadth first with nothing left out, one thread, whole states.
YARDSTICK = ["--engine", "simple", "--search", "bfs", "--steps", "statement", "--reductions", "none", "--shorten", "0"]
SAFETY = [["classics/bakery.pml", "-DHASTY"], ["classics/philosophers.pml"], ["features/provided.pml", "-DUNLOCKED"],
          ["classics/dekker.pml", "-DPOLITE=0"], ["peterson/peterson_busy.pml", "-DN=2", "-DSWAPPED"],
          ["classics/sliding_window.pml", "-DW=2", "-DS=2"]]
LONG = "byte x, y; active proctype P() { do :: x++ :: y++ :: x == 3 && y == 200 -> assert(false) od }\n"
SEVERAL = "byte x; active proctype P() { do :: x < 9 -> x++; assert(x != 3); assert(x != 6) :: x == 9 -> break od; false }\n"


class ShortenTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def check(self, model, *arguments, code=1):
        """The result, and the trail, which is None if there is none."""
        trail = self.path / "t.json"
        trail.unlink(missing_ok=True)
        name = model if os.path.isabs(model) else str(MODELS / model)
        run = subprocess.run([CMC, "check", name, *arguments, "--trail", str(trail), "--json", "-"], cwd=self.path, capture_output=True,
                             text=True, timeout=300)
        self.assertEqual(run.returncode, code, f"{model} {arguments}: {run.stdout[-500:]}{run.stderr}")
        return json.loads(run.stdout), trail.read_bytes() if trail.exists() else None

    def write(self, text):
        (self.path / "m.pml").write_text(text)
        return str(self.path / "m.pml")

    def shortening(self, result):
        return next(row["shortening"] for row in result["properties"] if row["verdict"] == "violated")

    def test_twelve_runs_find_the_same_counterexample(self):
        for model, *options in VIOLATED[:5]:
            trails = {self.check(model, *options, "--shorten", "60")[1] for _ in range(12)}
            self.assertEqual(len(trails), 1, model)

    def test_every_way_finds_the_same_counterexample(self):
        for model, *options in VIOLATED:
            ways = WAYS + [FROM_START, ["--memory", "64M"]]
            trails = {self.check(model, *options, *way, "--shorten", "60")[1] for way in ways}
            self.assertEqual(len(trails), 1, model)

    def test_it_is_as_short_as_breadth_first(self):
        for model, *options in SAFETY:
            result, _ = self.check(model, *options, "--shorten", "60")
            yardstick, _ = self.check(model, *options, *YARDSTICK)
            steps = [each["properties"][0]["counterexample"]["steps"] for each in (result, yardstick)]
            self.assertEqual(*steps, model)
            done = self.shortening(result)
            self.assertEqual((done["shortest"], done["cut"], done["steps_after"]), (True, None, steps[0]))
            self.assertGreaterEqual(done["steps_before"], steps[0])
            self.assertEqual(result["errors"][0]["depth"], steps[0])
            self.assertIsNone(yardstick["properties"][0]["shortening"])

    @unittest.skipUnless(shutil.which("spin") and shutil.which("gcc"), "needs SPIN and gcc")
    def test_it_is_as_short_as_spin_finds_it_breadth_first(self):
        for model, *options in SAFETY:
            for command in (["spin", "-o1", "-o2", "-o3", "-a", *options, str(MODELS / model)],
                            ["gcc", "-w", "-DBFS", "-DNOREDUCE", "-DSAFETY", "-o", "pan", "pan.c"]):
                subprocess.run(command, cwd=self.path, check=True, capture_output=True, timeout=120)
            output = subprocess.run(["./pan"], cwd=self.path, capture_output=True, text=True, timeout=120).stdout
            found = re.search(r"^pan:1: (.*) \(at depth (\d+)\)", output, re.MULTILINE)
            # The verifier names the depth before a failing statement.
            expected = int(found[2]) + (found[1] != "invalid end state")
            result, _ = self.check(model, *options, "--shorten", "60")
            self.assertEqual(result["properties"][0]["counterexample"]["steps"], expected, model)

    def test_the_search_stays_what_was_asked_for(self):
        model = self.write(LONG)
        options = ["--search", "dfs", "--threads", "1", "--reductions", "none", "--engine", "simple"]
        off, _ = self.check(model, *options, "--shorten", "0")
        on, _ = self.check(model, *options, "--shorten", "60")
        for field in ("verdict", "order", "states_stored", "transitions", "depth_reached", "error_count"):
            self.assertEqual(on[field], off[field])
        before = off["properties"][0]["counterexample"]["steps"]
        self.assertEqual(self.shortening(on)["steps_before"], before)
        self.assertEqual(on["properties"][0]["counterexample"]["steps"], 205)
        text = subprocess.run([CMC, "check", model, *options, "--shorten", "60"], capture_output=True, text=True, timeout=100).stdout
        self.assertRegex(text, rf"counterexample: 205 steps, the shortest possible; the search had found one of {before:,} \([\d,]+ states, [\d.]+ s\)")

    def test_a_limit_keeps_a_counterexample(self):
        model = self.write(LONG)
        options = ["--threads", "1", "--reductions", "none"]
        before = self.check(model, *options, "--shorten", "0")[0]["properties"][0]["counterexample"]["steps"]
        for limit, cut in ((["--shorten", "0.001"], "time"), (["--memory", "16M", "--shorten", "60"], None)):
            result, trail = self.check(model, *options, *limit)
            done = self.shortening(result)
            if cut:
                self.assertEqual((done["shortest"], done["cut"]), (False, cut))
            self.assertLessEqual(done["steps_after"], before)
            (self.path / "kept.json").write_bytes(trail)
            replay = subprocess.run([CMC, "replay", model, "kept.json"], cwd=self.path, capture_output=True, text=True, timeout=100)
            self.assertEqual(replay.returncode, 1, replay.stderr)

    def test_all_errors_have_their_first_counterexamples(self):
        model = self.write(SEVERAL)
        results = [self.check(model, "--max-errors", "0", "--shorten", "60", *way)[0] for way in WAYS]
        for result in results:
            # Four steps each time round; then a process is stuck.
            self.assertEqual([(error["kind"], error["depth"]) for error in result["errors"]][:3],
                             [("assertion", 11), ("assertion", 24), ("invalid end state", 37)])

    def test_the_fewest_switches_are_asked_for(self):
        first = {json.dumps(arguments): self.check(*arguments)[0]["properties"] for arguments in VIOLATED}
        for arguments in VIOLATED:
            result, trail = self.check(*arguments, "--trail-order", "switches")
            again, same = self.check(*arguments, "--trail-order", "switches", "--threads", "1", "--reductions", "none")
            self.assertEqual(trail.split(b'"path"')[1], same.split(b'"path"')[1], arguments)
            for now, before in zip(result["properties"], first[json.dumps(arguments)]):
                if now["verdict"] == "violated":
                    self.assertEqual(now["counterexample"]["steps"], before["counterexample"]["steps"])
                    self.assertNotIn("switches", before["counterexample"])
                    self.assertTrue(now["shortening"]["shortest"], now)
        turns = self.write("byte a, b; active proctype P() { a++; a++; a++ } active proctype Q() { b++; b++; b++; assert(a < 3) }\n")
        result, trail = self.check(turns, "--trail-order", "switches")
        self.assertEqual(result["properties"][0]["counterexample"]["switches"], 1)
        pids = [step["pid"] for step in json.loads(trail)["path"]]
        self.assertEqual(pids, [0] * 3 + [1] * 4)
        run = subprocess.run([CMC, "check", turns, "--trail-order", "switches"], capture_output=True, text=True, timeout=300)
        self.assertIn("the shortest possible, with 1 switch between processes, the fewest possible", run.stdout)
        for arguments in (["--shorten", "0"], ["--max-errors", "0"]):
            run = subprocess.run([CMC, "check", turns, "--trail-order", "switches", *arguments], capture_output=True, text=True, timeout=300)
            self.assertEqual(run.returncode, 2)
            self.assertIn("--trail-order has no effect here", run.stderr)

    def test_what_the_option_takes(self):
        model = self.write(LONG)
        for wrong in ("-1", "x", "0s"):
            run = subprocess.run([CMC, "check", model, f"--shorten={wrong}"], capture_output=True, text=True, timeout=60)
            self.assertEqual((run.returncode, run.stdout), (2, ""), wrong)
            self.assertIn("--shorten", run.stderr)

    def test_an_error_is_said_before_its_counterexample_is_short(self):
        model = str(MODELS.parent / "bench/fair_turns/puzzle.pml")
        says = r"^cmc: an error was found: invalid end state, [\d,]+ steps; looking for a shorter counterexample, [\d.]+ s at most\n$"
        for arguments, expected in (["--shorten", "2"], says), (["--quiet"], "^$"), (["--shorten", "0"], "^$"):
            run = subprocess.run([CMC, "check", model, *arguments], cwd=self.path, capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertRegex(run.stderr, expected)

    def test_a_very_long_counterexample_is_shortened_before_it_is_said(self):
        model = str(MODELS.parent / "bench/first_error/response_beside_counters.pml")
        arguments = ["--fairness", "weak", "--threads", "1", "--property", "answered", "--shorten", "60", "--json", "-"]
        run = subprocess.run([CMC, "check", model, *arguments], cwd=self.path, capture_output=True, text=True, timeout=300)
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        done = self.shortening(json.loads(run.stdout))
        self.assertGreater(done["steps_before"], 100_000)
        self.assertEqual((done["steps_after"], done["cut"]), (71, None))


if __name__ == "__main__":
    CMC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
