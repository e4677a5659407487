#!/usr/bin/env python3
"""What a person sees while a search runs and before it; values that do not fit; experiments with options.

Usage: long_runs_test.py CMC
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CMC = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"

# About 2^40 states: never finished.
HUGE = "int x, y; active proctype P() { do :: x++ :: y++ :: x + y == -1 -> break od }\n"
WIDE = """byte x = 250;
chan q = [1] of { byte };
active proctype P() {
  do
  :: x++
  :: q ! x + 1
  :: q ? _
  od
}
"""
HOLDS = "byte x; active proctype P() { do :: x < 200 -> x++ :: x > 0 -> x-- od }\n"


class LongRunsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        for name, text in [("huge", HUGE), ("wide", WIDE), ("holds", HOLDS)]:
            (self.path / f"{name}.pml").write_text(text)

    def tearDown(self):
        self.folder.cleanup()

    def run_cmc(self, *arguments):
        return subprocess.run([CMC, *arguments], cwd=self.path, capture_output=True, text=True, timeout=300)

    def expect(self, code, *arguments):
        run = self.run_cmc(*arguments)
        self.assertEqual(run.returncode, code, f"{arguments}: {run.stdout}{run.stderr}")
        return run

    def test_overflow_is_an_error_for_all_generators(self):
        for extra in [[], ["--generator", "reference"], ["--generator", "native"], ["--engine", "simple"], ["--search", "bfs"],
                      ["--check-generator"], ["--reductions", "none", "--threads", "2"], ["--bloom-bits", "1M"],
                      ["--steps", "statement"], ["--generator", "auto"]]:
            run = self.expect(1, "check", "wide.pml", "--overflow", "error", "--trail", "t.trail", "--json=r.json", *extra)
            self.assertRegex(run.stdout, r"wide.pml:[56]: error: [^:]+: 256 does not fit in (a byte; 0 is stored|the field of)", extra)
            result = json.loads((self.path / "r.json").read_text())
            self.assertEqual(result["errors"][0]["kind"], "overflow")
            replay = self.expect(1, "replay", "wide.pml", "t.trail")
            self.assertRegex(replay.stdout, "reproduced: .*256 does not fit in")
            self.assertRegex(replay.stdout, "error: .*256 does not fit in")

    def test_overflow_is_counted_behind_the_first(self):
        counts = set()
        for extra in [["--threads", "1"], ["--threads", "2"], ["--generator", "reference"], ["--search", "bfs"]]:
            run = self.expect(1, "check", "wide.pml", "--overflow", "error", "--max-errors", "0", "--reductions", "none", "--json",
                              *extra)
            counts.add((json.loads(run.stdout)["error_count"], json.loads(run.stdout)["states_stored"]))
        # x = 255 loses bits in x++ with and without a message in q, and in the send without one.
        self.assertEqual(len(counts), 1)
        run = self.expect(0, "check", "wide.pml", "--reductions", "none", "--json")
        self.assertEqual(counts.pop()[1], json.loads(run.stdout)["states_stored"])

    def test_overflow_as_a_warning_changes_no_verdict(self):
        run = self.expect(0, "check", "wide.pml", "--overflow", "warn")
        self.assertIn("warning: wide.pml:5: x = (x+1): 256 does not fit in a byte; 0 is stored", run.stdout)
        self.assertIn("warning: wide.pml:6: q!(x+1): 256 does not fit in the field of the channel's messages", run.stdout)
        self.assertNotIn("does not fit", self.expect(0, "check", "wide.pml").stdout)
        self.assertNotIn("does not fit", self.expect(0, "check", "wide.pml", "--overflow", "off").stdout)

    def test_overflow_in_simulations_and_replays(self):
        run = self.expect(0, "simulate", "wide.pml", "--seed", "1", "--max-steps", "2000")
        self.assertIn("note: x = (x+1): 256 does not fit in a byte; 0 is stored", run.stdout)
        self.assertNotIn("does not fit", self.expect(0, "simulate", "wide.pml", "--seed", "1", "--max-steps", "2000",
                                                     "--overflow", "off").stdout)
        run = self.expect(1, "simulate", "wide.pml", "--seed", "1", "--max-steps", "2000", "--overflow", "error")
        self.assertIn("256 does not fit", run.stdout)
        text = WIDE.replace(":: q ? _", ":: q ? _\n  :: x == 2 -> assert(false)")
        (self.path / "false.pml").write_text(text)
        self.expect(1, "check", "false.pml", "--trail", "t.trail", "-q")
        self.assertIn("note: x = (x+1): 256 does not fit in a byte; 0 is stored", self.expect(1, "replay", "false.pml", "t.trail").stdout)
        self.assertNotIn("does not fit", self.expect(1, "replay", "false.pml", "t.trail", "--overflow", "off").stdout)

    def test_an_initial_value_that_does_not_fit(self):
        (self.path / "initial.pml").write_text("byte x = 256; active proctype P() { skip }\n")
        self.assertIn("256 does not fit in 'x'", self.expect(0, "check", "initial.pml").stderr)
        run = self.expect(1, "check", "initial.pml", "--overflow", "error", "--trail", "t.trail")
        self.assertIn("256 does not fit in the variable that it initialises", run.stdout)
        self.expect(1, "replay", "initial.pml", "t.trail")

    def test_plugins_do_not_look_at_values(self):
        self.assertIn("--overflow", self.expect(2, "check", "wide.pml", "--overflow", "error", "--generator", "plugin:x.so").stderr)

    def test_progress_as_json(self):
        run = self.expect(3, "check", "huge.pml", "--time", "2.5", "--progress", "json")
        lines = [json.loads(line) for line in run.stderr.splitlines()]
        self.assertGreaterEqual(len(lines), 2)
        for line in lines:
            self.assertEqual((line["schema"], line["event"]), ("cmc.progress/1", "progress"))
        self.assertGreater(lines[-1]["states"], lines[0]["states"])
        self.assertGreater(lines[-1]["open_states"], 0)
        self.assertIsNone(lines[-1]["estimate"])

    def test_beginning_again_with_the_disk_is_said(self):
        model = [str(MODELS / "leader/leader.pml"), "-DN=7", "--reductions", "none", "--threads", "1", "--store", str(self.path)]
        # How much is scarce depends on how large the program itself is.
        told = []
        for limit in ["20M", "17M", "14M", "12M", "10M"]:
            arguments = ["check", *model, "--memory", limit]
            run = self.expect(0, *arguments)
            told = [json.loads(line)["event"] for line in self.expect(0, *arguments, "--progress", "json").stderr.splitlines()]
            if run.stderr and "restart" in told:
                break
        self.assertIn("restart", told)
        self.assertRegex(run.stderr, r"cmc: memory is scarce after [\d,]+ states; the search begins again with the disk\n")
        self.assertEqual(self.expect(0, *arguments, "-q").stderr, "")

    def test_usr1_asks_for_the_report_so_far(self):
        process = subprocess.Popen([CMC, "check", "huge.pml", "--time", "3", "--json"], cwd=self.path, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(1.2)
        process.send_signal(signal.SIGUSR1)
        output, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        self.assertEqual(json.loads(output)["verdict"], "incomplete")
        self.assertRegex(error, r"cmc: report so far: searching for [\d.]+ s\n +[\d,]+  states stored \(total unknown\)\n")
        self.assertIn("  errors found\n", error)

    def test_info_says_what_states_take(self):
        run = self.expect(0, "info", "huge.pml")
        self.assertRegex(run.stdout, r"about [\d.]+ bytes a state in the set of states \(of the first [\d,]+: keys of \d+ bits\)")
        self.assertRegex(run.stdout, r"about [\d,]+ million states fit into the ")
        run = self.expect(0, "info", "holds.pml")
        self.assertIn("601 states in all; in the set of states ", run.stdout)
        cost = json.loads(self.expect(0, "info", "--json", "holds.pml").stdout)["state_cost"]
        self.assertTrue(cost["all"])

    def test_one_option_of_the_store_does_not_size_the_others_by_the_machine(self):
        small = json.loads(self.expect(0, "check", "holds.pml", "--bloom-bits", "1M", "--json").stdout)["log"]["store"]
        limited = json.loads(self.expect(0, "check", "holds.pml", "--bloom-bits", "1M", "--memory", "1G", "--json").stdout)
        self.assertLess(abs(small["lossy_capacity"] / limited["log"]["store"]["lossy_capacity"] - 1), 0.01)

    def test_a_share_of_the_cache_is_reclaimed(self):
        arguments = ["check", str(MODELS / "leader/leader.pml"), "-DN=5", "--reductions", "none", "--lossy-capacity", "1000",
                     "--threads", "1", "--json"]
        share = json.loads(self.expect(0, *arguments, "--reclaim-ahead", "10%").stdout)
        number = json.loads(self.expect(0, *arguments, "--reclaim-ahead", "100").stdout)
        self.assertEqual(share["states_stored"], 11598)
        self.assertEqual(share["log"]["store"]["reclaimed"], number["log"]["store"]["reclaimed"])

    def test_an_experiment(self):
        arguments = ["tune", "holds.pml", "--memo", "1M,2M", "--threads", "1,2", "--steps", "spin,path", "--out", "t"]
        run = self.expect(0, *arguments, "--runs", "2", "--best", "cpu")
        self.assertIn("8 combinations, 0 of them done already", run.stderr)
        table = json.loads((self.path / "t/runs.json").read_text())
        self.assertEqual([len(each["samples"]) for each in table["runs"]], [2] * 8)
        self.assertEqual([best["question"] for best in table["bests"]], ["steps=spin", "steps=path"])
        self.assertEqual(run.stdout.count("best by cpu with steps="), 2)
        if shutil.which("gnuplot"):
            for suffix, magic in [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]:
                self.assertTrue((self.path / f"t/time.{suffix}").read_bytes().startswith(magic))
        # More runs add to those that there are.
        run = self.expect(0, *arguments, "--runs", "3")
        self.assertEqual(len(re.findall(r"holds, ", run.stderr)), 8)
        self.assertIn("8 combinations, 8 of them done already", self.expect(0, *arguments, "--runs", "3").stderr)
        # Five runs of what takes less than 10 seconds, unless told otherwise.
        self.expect(0, "tune", "holds.pml", "--threads", "1", "--out", "u")
        self.assertEqual(len(json.loads((self.path / "u/runs.json").read_text())["runs"][0]["samples"]), 5)

    def test_an_option_without_effect_is_refused(self):
        run = self.expect(2, "tune", "holds.pml", "--zlib-level", "1,9", "--out", "t")
        self.assertIn("--zlib-level has no effect here: only --page-codec zlib compresses so", run.stderr)
        self.assertFalse((self.path / "t").exists())


if __name__ == "__main__":
    CMC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
