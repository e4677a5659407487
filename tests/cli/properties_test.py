#!/usr/bin/env python3
"""Runs the program on models with formulas, claims, labels and traces: one verdict for each property, in text, JSON, trail and
exit code.

Usage: properties_test.py CMC
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CMC = None

# x goes round; the other process can keep it from moving.
ROUND = """byte x; bool other;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
active proctype Q() { do :: other = !other od }
ltl small { [] (x <= 3) }
ltl again { []<> (x == 3) }
"""
ENDS = "byte x; active proctype P() { x = 1; x = 2 }\nltl gets_on { <> (x == 3) }\nltl starts { <> (x == 1) }\n"
WRONG = "byte x; active proctype P() { do :: x < 3 -> x++; assert(x < 3) :: else -> x = 0 od }\nltl again { []<> (x == 0) }\n"
LABELS = """active proctype P() { bit x; do :: x = 1 - x; accept_a: x = 1 - x od }
active proctype Q() { bit y; do :: y = 1 - y; progress: y = 1 - y od }
"""
CLAIM = "byte x; active proctype P() { do :: x < 2 -> x++ :: else -> x = 0 od }\nnever { do :: x == 2 -> break :: else od }\n"
TRACE = """chan q = [2] of { byte };
active proctype P() { do :: q!1; q!1; q!2 od }
active proctype R() { byte v; do :: q?v od }
trace { do :: q!1; q!2 od }
"""
# About 2^40 states.
HUGE = "int x, y; active proctype P() { do :: x++ :: y++ :: x + y == -1 -> break od }\nltl zero { [] (x != -1) }\n"


class PropertiesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        for name, text in [("round", ROUND), ("ends", ENDS), ("wrong", WRONG), ("labels", LABELS), ("claim", CLAIM), ("trace", TRACE),
                           ("huge", HUGE)]:
            (self.path / f"{name}.pml").write_text(text)

    def tearDown(self):
        self.folder.cleanup()

    def expect(self, code, *arguments):
        run = subprocess.run([CMC, *arguments], cwd=self.path, capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, code, f"{arguments}: {run.stdout}{run.stderr}")
        return run

    def result(self, code, *arguments):
        return json.loads(self.expect(code, "check", *arguments, "--json").stdout)

    def verdicts(self, code, *arguments):
        return {row["name"]: row["verdict"] for row in self.result(code, *arguments)["properties"]}

    def test_all_properties_in_one_run(self):
        result = self.result(1, "round.pml")
        self.assertEqual([(row["name"], row["kind"], row["verdict"], row["line"]) for row in result["properties"]],
                         [("safety", "safety", "holds", None), ("small", "ltl", "holds", 4), ("again", "ltl", "violated", 5)])
        self.assertEqual(result["verdict"], "violated")
        self.assertEqual({error["property"] for error in result["errors"]}, {"again"})
        self.assertEqual(result["states_stored"], result["properties"][0]["states_stored"])
        self.assertEqual(result["states_stored"], 16)
        self.assertGreater(result["properties"][2]["counterexample"]["loop_steps"], 0)
        self.assertIsNone(result["properties"][0]["counterexample"])

    def test_the_report_has_a_table(self):
        lines = self.expect(1, "check", "round.pml").stdout.splitlines()
        self.assertEqual(lines[-1], "verdict: violated (property again)")
        head = next(i for i, line in enumerate(lines) if line.startswith("property "))
        self.assertEqual([line.split()[0] for line in lines[head + 1:head + 4]], ["safety", "small", "again"])
        self.assertRegex(lines[head + 3], r"again +ltl +round\.pml:5 +violated +\d+ +[\d.]+ m?s +\d+ steps?, loop of \d+$")
        # A model without such properties has none, nor a property by itself.
        (self.path / "plain.pml").write_text("active proctype P() { skip }\n")
        self.assertNotIn("property", self.expect(0, "check", "plain.pml").stdout)
        self.assertEqual(self.expect(0, "check", "plain.pml").stdout.splitlines()[-1],
                         "verdict: holds (no reachable state is in error; the search was reduced)")
        self.assertEqual(self.expect(0, "check", "round.pml", "--property", "small", "-q").stdout.splitlines()[-1],
                         "verdict: holds (no run violates the property)")

    def test_a_search_for_cycles_alone_has_a_log(self):
        self.expect(1, "check", "--property", "again", "--log", "l.log", "round.pml")
        self.expect(0, "log", "l.log")
        self.expect(0, "check", "--property", "again", "--fairness", "weak", "--log", "l.log", "round.pml")
        self.expect(0, "log", "l.log")

    def test_names_select(self):
        self.assertEqual(self.verdicts(0, "round.pml", "--property", "small"), {"small": "holds"})
        self.assertEqual(self.verdicts(0, "round.pml", "--property", "small", "--property", "safety"),
                         {"safety": "holds", "small": "holds"})
        run = self.expect(2, "check", "round.pml", "--property", "smal")
        self.assertIn("no property 'smal'; did you mean 'small'? (its properties: safety, small, again, accept, non-progress)", run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertIn("is not the name of a property", self.expect(2, "check", "round.pml", "--property", "[] x").stderr)

    def test_formulas_of_the_command_line(self):
        self.assertEqual(self.verdicts(0, "ends.pml", "--ltl", "<> (x == 2)", "--ltl", "[] (x < 3)", "--property", "ltl_0",
                                       "--property", "ltl_1"), {"ltl_0": "holds", "ltl_1": "holds"})
        run = self.expect(2, "check", "ends.pml", "--ltl", "<> (y == 2)")
        self.assertRegex(run.stderr, r"--ltl:1:\d+: error: undeclared variable 'y'")
        self.assertIn("ltl_0", self.expect(0, "info", "ends.pml", "--ltl", "<> (x == 2)").stdout)

    def test_fairness_changes_what_counts(self):
        self.assertEqual(self.verdicts(1, "round.pml")["again"], "violated")
        result = self.result(0, "round.pml", "--fairness", "weak")
        self.assertEqual([(row["verdict"], row["fairness"]) for row in result["properties"]],
                         [("holds", "none"), ("holds", "none"), ("holds", "weak")])

    def test_a_beginning_can_violate_a_formula(self):
        result = self.result(1, "round.pml", "--ltl", "[] (x < 3)", "--property", "ltl_0", "--search", "bfs", "--fairness", "weak")
        row = result["properties"][0]
        self.assertEqual((row["verdict"], row["fairness"], row["counterexample"]), ("violated", "none", {"steps": 6, "loop_steps": None}))
        self.assertEqual(result["errors"][0]["message"], "the formula is violated; no continuation can make it true")
        run = self.expect(1, "check", "round.pml", "--ltl", "[] (x < 3)", "--property", "ltl_0", "--trail", "t.json")
        self.assertIn("(x<3) becomes false", run.stdout)
        self.assertIn("reproduced: the formula is violated", self.expect(1, "replay", "round.pml", "t.json").stdout)

    def test_runs_that_end_stay_in_their_last_state(self):
        self.assertEqual(self.verdicts(1, "ends.pml"), {"safety": "holds", "gets_on": "violated", "starts": "holds"})
        run = self.expect(1, "check", "ends.pml")
        self.assertIn("counterexample of gets_on: ", run.stdout)
        self.assertIn("<<<< loop starts here >>>>\n", run.stdout)
        self.assertIn("the system stays here for ever\n", run.stdout)
        self.assertIn("3 steps, then blocked", run.stdout)

    def test_an_assertion_is_no_matter_of_formulas(self):
        self.assertEqual(self.verdicts(1, "wrong.pml"), {"safety": "violated", "again": "holds"})
        run = self.expect(0, "check", "wrong.pml", "--property", "again")
        self.assertIn("the property 'safety' is about that", run.stdout)

    def test_labels(self):
        self.assertEqual(self.verdicts(1, "labels.pml"), {"safety": "holds", "accept": "violated"})
        self.assertEqual(self.result(1, "labels.pml")["errors"][0]["kind"], "acceptance cycle")
        result = self.result(1, "labels.pml", "--property", "non-progress")
        self.assertEqual(result["errors"][0]["kind"], "non-progress cycle")
        self.assertEqual(self.verdicts(0, "labels.pml", "--property", "non-progress", "--fairness", "weak"), {"non-progress": "holds"})
        (self.path / "both.pml").write_text(LABELS + "never c { do :: true od }\n")
        result = self.result(1, "both.pml")
        self.assertEqual([row["name"] for row in result["properties"]], ["safety", "c"])

    def test_never_claims(self):
        result = self.result(1, "claim.pml")
        self.assertEqual(result["errors"][0]["kind"], "end of claim")
        self.assertEqual(self.verdicts(1, "claim.pml"), {"safety": "holds", "never_0": "violated"})
        (self.path / "vacuous.pml").write_text("byte x; active proctype P() { do :: x = 1 - x od }\nnever { x == 2; x == 2 }\n")
        run = self.expect(0, "check", "vacuous.pml")
        self.assertIn("warning: never_0: vacuous", run.stdout)

    def test_traces(self):
        result = self.result(1, "trace.pml")
        self.assertEqual([(row["kind"], row["verdict"]) for row in result["properties"]], [("safety", "holds"), ("trace", "violated")])
        name = result["properties"][1]["name"]
        self.assertEqual(self.verdicts(1, "trace.pml", "--property", name), {name: "violated"})
        self.expect(0, "check", "trace.pml", "--property", "safety")

    def test_a_loop_is_replayed(self):
        self.expect(1, "check", "round.pml", "--trail", "t.json")
        trail = json.loads((self.path / "t.json").read_text())
        self.assertEqual(trail["property"], "again")
        run = self.expect(1, "replay", "round.pml", "t.json")
        self.assertIn("<<<< loop starts here >>>>", run.stdout)
        self.assertIn("P[0] never moves in the loop, although it always could at ", run.stdout)
        self.assertIn("reproduced: ", run.stdout)
        full = self.expect(1, "replay", "round.pml", "t.json", "--trace", "full").stdout
        self.assertGreater(full.count("\n"), run.stdout.count("\n"))
        self.expect(1, "replay", "round.pml", "t.json", "--trace", "columns")
        for change in [{"loop_start": trail["loop_start"] + 1}, {"loop_start": 10**6}, {"property": "small"}, {"property": "none"}]:
            (self.path / "bad.json").write_text(json.dumps({**trail, **change}))
            self.expect(2, "replay", "round.pml", "bad.json")

    def test_a_trail_of_a_formula_of_the_command_line(self):
        self.expect(1, "check", "ends.pml", "--property", "ltl_0", "--ltl", "[] (x < 2)", "--trail", "t.json")
        self.assertIn("reproduced", self.expect(1, "replay", "ends.pml", "t.json").stdout)

    def test_engines_agree(self):
        for model in ["round", "ends", "wrong", "labels", "claim", "trace"]:
            found = {json.dumps(self.verdicts(code, f"{model}.pml", *extra, "--fairness", fairness))
                     for code, fairness in [(1, "none")]
                     for extra in [[], ["--engine", "simple"], ["--generator", "reference"], ["--threads", "3"],
                                   ["--check-generator"], ["--cycles", "hull"], ["--search", "bfs"]]}
            self.assertEqual(len(found), 1, (model, found))

    def test_limits_are_for_all_and_name_what_is_open(self):
        started = time.monotonic()
        result = self.result(3, "huge.pml", "--time", "0.5")
        self.assertLess(time.monotonic() - started, 60)
        self.assertEqual([row["verdict"] for row in result["properties"]], ["incomplete", "incomplete"])
        self.assertEqual([row["reasons"][0]["kind"] for row in result["properties"]], ["time", "time"])
        self.assertIn("zero: the time limit of 0.5 seconds was reached after ",
                      " ".join(reason["text"] for reason in result["reasons"]))
        self.assertEqual(self.expect(3, "check", "huge.pml", "--time", "0.5").stdout.splitlines()[-1],
                         "verdict: incomplete (properties safety, zero not decided; no error was found, but that proves nothing)")

    def test_an_interrupt_ends_all_searches(self):
        process = subprocess.Popen([CMC, "check", "huge.pml", "--json=r.json"], cwd=self.path, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        rows = json.loads((self.path / "r.json").read_text())["properties"]
        self.assertEqual([(row["name"], row["reasons"][0]["kind"]) for row in rows],
                         [("safety", "interrupted"), ("zero", "interrupted")])

    def test_a_log_is_that_of_the_first_search(self):
        self.expect(1, "check", "round.pml", "--log", "all.log")
        self.expect(0, "check", "round.pml", "--log", "safety.log", "--property", "safety")
        visited = [(self.path / name).read_text().split("visited ")[1].split(" ")[0] for name in ("all.log", "safety.log")]
        self.assertEqual(visited, ["16", "16"])
        self.expect(0, "log", "all.log")


if __name__ == "__main__":
    CMC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
