#!/usr/bin/env python3
"""Profiles of searches: totals equal those of the report, a line that was made slow is first, counts are those of SPIN's
verifier.

Usage: profile_test.py CMC
"""

import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMC = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"

SLOW = """byte a, b; int sum
active proctype Quick() { do :: a = (a + 1) % 50 od }
active proctype Slow() {
  int i;
  do
  :: b = (b + 3) % 50
  :: d_step { i = 0; do :: i < 2000 -> i++ :: else -> break od; b = (b + a + i) % 50; i = 0 }
  od
}
"""

# Guards, selections and loops, each on a line of its own; no rendezvous, atomic or d_step, which SPIN's verifier
# counts in other units.
PLAIN = """byte turn, x, y
chan c = [2] of { byte }
active [2] proctype P() {
  byte n;
  do
  :: n < 3 ->
     n++
  :: turn == _pid ->
     c!n
  :: nfull(c) && turn != _pid ->
     turn = _pid
  :: n == 3 ->
     break
  od;
  x = x + 1
}
active proctype Q() {
  byte m;
  do
  :: c?m ->
     y = (y + m) % 3
  :: timeout ->
     break
  od
}
"""


def run(*arguments):
    done = subprocess.run([CMC, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    return done.returncode, done.stdout


class Profiles(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def profile(self, model, *arguments):
        """(profile, result) of `cmc check`."""
        profile, result = self.folder / "profile.json", self.folder / "result.json"
        code, text = run("check", "--progress", "off", "--profile", profile, f"--json={result}", *arguments, model)
        self.assertIn(code, (0, 1), text)
        return json.loads(profile.read_text()), json.loads(result.read_text())

    def check_totals(self, profile, result):
        rows = profile["statements"]
        self.assertEqual(profile["transitions"], result["transitions"])
        for name, value in profile["counts"].items():
            if value is not None:
                self.assertEqual(value, sum(row[name] for row in rows), name)
                self.assertEqual(value, sum(row[name] for row in profile["processes"]), name)
        self.assertEqual(profile["counts"]["transitions"], result["transitions"])
        if profile["counts"]["first_reached"] is not None:
            self.assertEqual(profile["counts"]["first_reached"], result["states_stored"] - 1)
        parts = profile["seconds"]
        self.assertAlmostEqual(parts["total"], sum(value for name, value in parts.items() if name != "total"))
        self.assertAlmostEqual(parts["total"], sum(row["seconds"]["total"] for row in rows), places=6)
        costs = [row["seconds"]["total"] for row in rows]
        self.assertEqual(costs, sorted(costs, reverse=True))

    def test_totals_are_those_of_the_report(self):
        for model in ["leader/leader.pml", "peterson/peterson3.pml", "features/client_server.pml", "features/sieve.pml",
                      "classics/sliding_window.pml", "properties/traces.pml", "features/handshake.pml"]:
            for options in [["--threads", "1"], ["--threads", "2", "--reductions", "none"], ["--threads", "2", "--search", "bfs"],
                            ["--reductions", "all"], ["--steps", "statement"], ["--memo", "1K", "--max-errors", "0"],
                            ["--store", self.folder, "--lossy-capacity", "1000"], ["--check-generator"]]:
                with self.subTest(model=model, options=options):
                    self.check_totals(*self.profile(MODELS / model, "--property", "safety", *options))

    def test_a_claim(self):
        model = self.file("claim.pml", PLAIN + "never { do :: x < 2 :: x == 2 -> break od; do :: y < 4 od }")
        for options in [[], ["--reductions", "none"]]:
            profile, result = self.profile(model, "--property", "never_0", *options)
            self.check_totals(profile, result)
            self.assertTrue(any(row["proctype"] == "never_0" for row in profile["processes"]), profile["processes"])

    def test_the_slow_line_is_first(self):
        model = self.file("slow.pml", SLOW)
        for options in [["--threads", "1"], ["--threads", "2"]]:
            profile, _ = self.profile(model, "--reductions", "none", *options)
            first = profile["statements"][0]
            self.assertEqual((first["line"], first["proctype"]), (7, "Slow"), options)
            self.assertGreater(first["seconds"]["execution"], 0.9 * profile["seconds"]["execution"], options)
        code, text = run("profile", "--color", "never", "--threads", "1", model)
        self.assertEqual(code, 0, text)
        table = text[text.index("statement\n"):].split("\n")
        self.assertIn("slow.pml:7 Slow", table[1])
        self.assertIn("verdict: holds", text)
        for name in ["selection", "execution", "keys", "look-ups", "storing", "Quick", "component"]:
            self.assertIn(name, text)

    @unittest.skipUnless(all(map(shutil.which, ["spin", "gcc", "gcov"])), "needs spin, gcc, gcov")
    def test_counts_are_those_of_the_verifier(self):
        """How often each case of pan.m is entered and left, by gcov, is tried and executable."""
        model = self.file("plain.pml", PLAIN)
        for command in ["spin -a -o1 -o2 -o3 plain.pml",
                        "gcc --coverage -O0 -w -DSAFETY -DNOREDUCE -DNOFAIR -o pan pan.c", "./pan -c0 -E", "gcov pan*.gcda"]:
            done = subprocess.run(command, shell=True, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}")
            if command.startswith("./pan"):
                transitions = int(re.search(r"(\d+) transitions", done.stdout).group(1))
        profile, result = self.profile(model, "--threads", "2", "--reductions", "none", "-E")
        self.check_totals(profile, result)
        self.assertEqual(profile["counts"]["transitions"], transitions - 1)  # theirs count the initial state
        theirs = {}
        place = None
        for row in (self.folder / "pan.m.gcov").read_text().split("\n"):
            count, _, text = (row.split(":", 2) + ["", ""])[:3]
            number = int(count.strip(" *")) if count.strip(" *").isdigit() else 0
            case = re.search(r"case \d+: // STATE \d+ - plain\.pml:(\d+) - \[(.*)\]", text)
            if case:
                place = int(case.group(1)), "timeout" in text
            elif "case" in text and "STATE" not in text:
                place = None
            elif place and "reached[" in text and place not in theirs:
                theirs[place] = [number, 0]
            elif place and place in theirs and "_m = " in text and "goto P999" in text:
                theirs[place][1] += number
        compared = 0
        for row in profile["statements"]:
            counts = theirs.get((row["line"], "timeout" in row["text"]))
            if counts and "-end-" not in row["text"]:
                compared += 1
                self.assertEqual([row["tried"], row["executable"]], counts, row)
        self.assertGreater(compared, 9)

    def test_totals_of_large_searches_are_those_of_the_report(self):
        """Each step of a large board is computed; token_ring is about handshakes."""
        never = self.file("never.pml", "byte a, b, c; active proctype P() { do :: a++ :: b = (b + 1) % 16 :: c = (c + 1) % 32 od }\n"
                          "never { do :: a < 200 :: b > c -> break od; do :: c < 31 od }")
        models = ROOT / "bench/models"
        for model, options in [(MODELS / "leader/leader.pml", ["-DN=7", "--reductions", "none"]),
                               (MODELS / "leader/leader.pml", ["-DN=7", "--reductions", "none", "--threads", "2", "--search", "bfs"]),
                               (MODELS / "peterson/peterson4.pml", ["--reductions", "all", "--threads", "2"]),
                               (never, ["--property", "never_0"]), (models / "pegs.pml", ["-DSIDE=4", "--reductions", "none"]),
                               (models / "token_ring.pml", ["--reductions", "none", "--search", "bfs", "--threads", "2"]),
                               (models / "token_ring.pml", ["--reductions", "none", "--memory", "24M"]),
                               (models / "token_ring.pml", ["--reductions", "none", "--generator", "native"])]:
            with self.subTest(model=model, options=options):
                options = options if "--property" in options else ["--property", "safety", *options]
                profile, result = self.profile(model, *options)
                self.check_totals(profile, result)

    def test_a_profile_does_not_change_the_search(self):
        for model in ["features/client_server.pml", "features/handshake.pml", "properties/traces.pml"]:
            with self.subTest(model=model):
                options = ["--property", "safety", "--reductions", "none", "--threads", "1", "--max-errors", "0"]
                _, with_profile = self.profile(MODELS / model, *options)
                result = self.folder / "without.json"
                code, text = run("check", "--progress", "off", f"--json={result}", *options, MODELS / model)
                self.assertIn(code, (0, 1), text)
                without = json.loads(result.read_text())
                for field in ["states_stored", "transitions", "verdict"]:
                    self.assertEqual(with_profile[field], without[field], field)

    def test_files(self):
        model = MODELS / "features/client_server.pml"
        names = {kind: self.folder / f"p.{kind}" for kind in ["json", "csv", "trace"]}
        options = ["--profile", names["json"], "--profile-csv", names["csv"], "--profile-trace", names["trace"]]
        if shutil.which("gnuplot"):
            options += ["--profile-plot", self.folder / "plots"]
        code, text = run("check", *options, model)
        self.assertEqual(code, 0, text)
        profile = json.loads(names["json"].read_text())
        self.assertEqual(profile["schema"], "cmc.profile/1")
        with names["csv"].open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(profile["statements"]))
        for row, statement in zip(rows, profile["statements"]):
            self.assertEqual(row["text"], statement["text"])
            self.assertEqual(int(row["executed"]), statement["executed"])
            self.assertEqual(int(row["samples"]), statement["samples"])
        events = json.loads(names["trace"].read_text())["traceEvents"]
        timed = [event for event in events if event["ph"] == "X"]
        self.assertTrue(timed)
        self.assertTrue(all(event["ts"] >= 0 and event["dur"] >= 0 for event in timed))
        if shutil.which("gnuplot"):
            picture = (self.folder / "plots/profile.svg").read_text()
            for part in ["<svg", "selection", "execution", "keys", "look-ups", "storing"]:  # the whole legend
                self.assertIn(part, picture)
            self.assertTrue((self.folder / "plots/profile.png").exists())

    def test_quiet_prints_no_table(self):
        code, text = run("profile", "-q", MODELS / "features/client_server.pml")
        self.assertEqual((code, text.count("\n")), (0, 1), text)
        self.assertIn("verdict: holds", text)

    def test_what_there_is_no_profile_of(self):
        model = MODELS / "features/client_server.pml"
        for options, message in [(["--engine", "simple"], "fast engine"), (["--generator", "reference"], "fast engine"),
                                 (["--reductions", "por-queue"], "por-queue"), (["--profile", model], "would write over")]:
            code, text = run("profile", *options, model)
            self.assertEqual(code, 2, text)
            self.assertIn(message, text)
        for option in ["--every", "--with-interruptions"]:  # of CMC 0.1
            code, text = run("profile", option, model)
            self.assertEqual(code, 2, text)
            self.assertIn("option", text)
        endless = self.file("endless.pml", "byte x; active proctype P() { do :: x = 1 - x od }\nltl p { []<> (x == 1) }")
        code, text = run("profile", "--property", "p", endless)
        self.assertEqual(code, 2, text)
        self.assertIn("endless runs", text)
        self.assertIn("verdict:", text)
        hidden = self.file("hidden.pml", "hidden byte h; byte x; active proctype P() { h = 1; x = h }")
        code, text = run("profile", hidden)
        self.assertEqual(code, 2, text)
        self.assertIn("fast engine", text)


def main():
    global CMC
    CMC = sys.argv.pop(1)
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
