#!/usr/bin/env python3
"""Runs the program as people and scripts do: exit codes, streams, files, signals.

Usage: program_test.py CMC
"""

import hashlib
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

HOLDS = "byte x; active proctype P() { x = 1; assert(x == 1) }\n"
VIOLATED = "byte x; active [2] proctype P() { x++; printf(\"x is %d\\n\", x); assert(x < N) }\n"
STUCK = "chan q = [0] of { byte }; active proctype P() { q!1 }\n"
CLAIM = "byte x; active proctype P() { x = 1 } ltl p { <> (x == 1) }\n"
C_CODE = "byte x; active proctype P() { c_code { now.x = 1; } }\n"
# About 2^40 states: never finished.
HUGE = "int x, y; active proctype P() { do :: x++ :: y++ :: x + y == -1 -> break od }\n"


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        for name, text in [("holds", HOLDS), ("violated", VIOLATED), ("stuck", STUCK), ("claim", CLAIM), ("c", C_CODE), ("huge", HUGE),
                           ("wrong", "active proctype P() { y = 1 }\n")]:
            (self.path / f"{name}.pml").write_text(text)

    def tearDown(self):
        self.folder.cleanup()

    def run_cmc(self, *arguments, text=None, env=None, preexec_fn=None):
        return subprocess.run([CMC, *arguments], cwd=self.path, capture_output=True, text=True, input=text, timeout=120,
                              env={**os.environ, **(env or {})}, preexec_fn=preexec_fn)

    def expect(self, code, *arguments, **keywords):
        run = self.run_cmc(*arguments, **keywords)
        self.assertEqual(run.returncode, code, f"{arguments}: {run.stdout}{run.stderr}")
        return run

    def test_exit_codes_tell_the_verdict(self):
        self.expect(0, "check", "holds.pml")
        self.expect(1, "check", "violated.pml", "-DN=2")
        self.expect(0, "check", "violated.pml", "-DN=3")
        self.expect(1, "check", "stuck.pml")
        self.expect(0, "check", "-E", "stuck.pml")
        self.expect(0, "check", "claim.pml")
        self.expect(3, "check", "c.pml")
        self.expect(2, "check", "wrong.pml")
        self.expect(2, "check", "missing.pml")
        self.expect(2, "check", ".")
        self.expect(2, "check", "--nonsense", "holds.pml")

    def test_switches_of_spins_verifier_are_noted(self):
        run = self.expect(0, "check", "holds.pml", "-DNOREDUCE")
        self.assertIn("note: the model does not use NOREDUCE; -DNOREDUCE is for the compilation of SPIN's verifier", run.stderr)
        self.assertNotIn("note:", self.expect(0, "check", "holds.pml", "-DN=3").stderr)

    def test_the_last_line_is_the_verdict(self):
        for name, verdict in [("holds", "holds"), ("stuck", "violated"), ("claim", "holds"), ("c", "incomplete")]:
            for style in ["-q", "-v"]:
                lines = self.run_cmc("check", style, f"{name}.pml").stdout.splitlines()
                self.assertTrue(lines[-1].startswith(f"verdict: {verdict} "), lines)

    def test_an_incomplete_search_names_its_reasons(self):
        run = self.expect(3, "check", "c.pml")
        self.assertIn("incomplete: ", run.stdout)
        self.assertIn("embedded C", run.stdout)
        self.assertNotIn("holds", run.stdout)
        run = self.expect(3, "check", "huge.pml", "--time", "0.3", "--json")
        result = json.loads(run.stdout)
        self.assertEqual(result["reasons"][0]["kind"], "time")
        self.assertFalse(result["complete"])
        run = self.expect(3, "check", "huge.pml", "--memory", "100M", "--no-store", "--json")
        result = json.loads(run.stdout)
        self.assertEqual(result["reasons"][0]["kind"], "memory")
        self.assertGreater(result["states_stored"], 1000)
        self.assertLess(result["memory_peak_bytes"], 200 << 20)

    def test_a_model_error_is_shown_with_its_place(self):
        run = self.expect(2, "check", "wrong.pml")
        self.assertRegex(run.stderr, r"wrong\.pml:1:\d+: error: ")
        self.assertEqual(run.stdout, "")

    def test_a_model_error_has_json(self):
        run = self.expect(2, "check", "wrong.pml", "--json")
        result = json.loads(run.stdout)
        self.assertEqual((result["schema"], result["model"]["file"]), ("cmc.diagnostics/1", "wrong.pml"))
        first = result["diagnostics"][0]
        self.assertEqual((first["severity"], first["file"], first["line"]), ("error", "wrong.pml", 1))
        self.assertIn(first["message"], run.stderr)
        self.expect(2, "check", "wrong.pml", "--json=result.json")
        self.assertEqual((self.path / "result.json").read_text(), run.stdout)
        (self.path / "mine.txt").write_text("mine")
        self.expect(2, "check", "wrong.pml", "--json=mine.txt")
        self.assertEqual((self.path / "mine.txt").read_text(), "mine")

    def test_standard_input(self):
        self.expect(0, "check", "-", text=HOLDS)
        run = self.expect(1, "check", "-", text=STUCK)
        self.assertIn("<stdin>:1", run.stdout)
        self.expect(2, "simulate", "-i", "-", text=HOLDS)

    def test_json_alone_on_standard_output(self):
        for model in ["violated.pml", "holds.pml"]:
            run = self.run_cmc("check", model, "-DN=2", "--json", "--max-errors", "0")
            result = json.loads(run.stdout)
            self.assertEqual(result["schema"], "cmc.result/1")
            self.assertEqual(result["options"]["preprocessor"], ["-DN=2"])
        self.expect(1, "check", "violated.pml", "-DN=2", "--json=r.json")
        result = json.loads((self.path / "r.json").read_text())
        self.assertEqual(result["errors"][0]["kind"], "assertion")
        self.assertEqual(result["errors"][0]["line"], 1)

    def test_a_result_says_how_it_came_about(self):
        (self.path / "limits.h").write_text("#define LIMIT 3\n")
        (self.path / "main.pml").write_text('#include "limits.h"\n#include "limits.h"\n'
                                            "byte x; active proctype P() { x = LIMIT }\n")
        result = json.loads(self.expect(0, "check", "-DN=2", "--ltl", "[] (x < 4)", "main.pml", "--json").stdout)
        self.assertEqual(result["arguments"], ["check", "-DN=2", "--ltl", "[] (x < 4)", "main.pml", "--json"])
        self.assertRegex(result["begun"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(result["host"], os.uname().nodename)
        self.assertEqual(result["model"]["includes"],
                         [{"file": "limits.h", "hash": hashlib.sha1(b"#define LIMIT 3\n").hexdigest()}])

    def test_reference_and_vm_and_both_agree(self):
        counts = set()
        for extra in [["--generator", "vm"], ["--generator", "reference"], ["--check-generator"]]:
            result = json.loads(self.run_cmc("check", "violated.pml", "-DN=2", "--max-errors", "0", "--reductions", "none",
                                             "--json", *extra).stdout)
            counts.add((result["states_stored"], result["transitions"], result["error_count"]))
        self.assertEqual(len(counts), 1)

    def test_a_trail_is_replayed(self):
        self.expect(1, "check", "violated.pml", "-DN=2", "--trail", "t.trail")
        run = self.expect(1, "replay", "violated.pml", "t.trail")
        self.assertIn("reproduced: assertion violated", run.stdout)
        self.assertIn("| x is ", run.stdout)
        self.assertEqual(run.stderr, "")
        for style in ["full", "columns"]:
            self.expect(1, "replay", "violated.pml", "t.trail", "--trace", style)
        self.expect(1, "replay", "violated.pml", "t.trail", "-q")

    def test_a_formula_may_have_the_name_of_another_property(self):
        (self.path / "named.pml").write_text("byte x;\nactive proctype P() { do :: x = 1 - x od }\n"
                                             "ltl live { <> (x == 1) }\nltl safety { [] (x == 0) }\nltl accept { [] (x < 2) }\n")
        self.expect(1, "check", "named.pml", "--trail", "t.trail")
        self.assertIn("reproduced: the formula is violated", self.expect(1, "replay", "named.pml", "t.trail").stdout)
        self.assertIn("2 properties", self.expect(0, "check", "named.pml", "--property", "accept").stdout)
        self.expect(1, "check", "named.pml", "--property", "safety")
        self.expect(0, "check", "named.pml", "--property", "safety-safety")
        run = self.expect(2, "check", "named.pml", "--property", "safety", "--certificate", "c")
        self.assertIn("choose one with --property safety-safety", run.stderr)
        for claim, errors in [(["-noclaim"], 0), (["-ltl", "live"], 0), (["-ltl", "safety"], 1)]:
            self.assertIn(f"errors: {errors}\n", self.run_cmc("spin", "-run", "-a", *claim, "named.pml").stdout)

    def test_an_error_before_the_first_step(self):
        (self.path / "i.pml").write_text("byte a[2]; byte i = 5; byte z = a[i]; active proctype P() { skip }\n")
        self.expect(1, "check", "i.pml", "--trail", "t.trail")
        self.assertIn("reproduced", self.expect(1, "replay", "i.pml", "t.trail").stdout)
        self.expect(1, "simulate", "i.pml")

    def test_a_changed_model_is_told(self):
        model = '#include "part.pml"\nactive proctype P() { y = y + STEP; y = 0; assert(y == 1) }\n'
        (self.path / "whole.pml").write_text(model)
        (self.path / "part.pml").write_text("byte y;\n#define STEP 1\n")
        self.expect(1, "check", "whole.pml", "--trail", "t.trail")
        self.assertEqual(self.expect(1, "replay", "whole.pml", "t.trail").stderr, "")
        (self.path / "part.pml").write_text("byte y;\n#define STEP 2\n")
        self.assertIn("warning: the model has changed: step 1 was `y = (y+1)` when the trail was written, and is `y = (y+2)` now",
                      self.expect(1, "replay", "whole.pml", "t.trail").stderr)

    def test_a_trail_of_spin_is_recognised(self):
        (self.path / "spin.trail").write_text("-4:-4:-4\n1:0:0\n2:0:1\n")
        run = self.expect(2, "replay", "violated.pml", "spin.trail")
        self.assertIn("this is a trail of SPIN; `cmc spin -k spin.trail -p violated.pml` follows it", run.stderr)

    def test_a_trail_keeps_text_that_is_no_utf8(self):
        (self.path / "latin.pml").write_bytes(b'byte x; active proctype P() { printf("caf\xe9 \xff\xfe\\n"); x++; assert(x == 0) }')
        subprocess.run([CMC, "check", "latin.pml", "--trail", "t.trail"], cwd=self.path, stdout=subprocess.DEVNULL, timeout=60)
        run = subprocess.run([CMC, "replay", "latin.pml", "t.trail"], cwd=self.path, capture_output=True, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (1, b""))

    def test_results_go_to_descriptors_that_are_open(self):
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            with open(self.path / "out", "w+") as out:
                run = subprocess.run([CMC, "check", f"--json={name}", "holds.pml"], cwd=self.path, stdout=out, timeout=60)
                out.seek(0)
                self.assertEqual((run.returncode, json.load(out)["verdict"]), (0, "holds"), name)
        with open(self.path / "out", "w+") as out:
            out.write("before\n")
            out.flush()
            run = subprocess.run([CMC, "check", "-q", f"--trail=/dev/fd/{out.fileno()}", "violated.pml", "-DN=2"], cwd=self.path,
                                 stdout=subprocess.DEVNULL, pass_fds=[out.fileno()], timeout=60)
            out.seek(0)
            self.assertEqual((run.returncode, out.readline()), (1, "before\n"))
            self.assertIn("steps", json.load(out))
        self.assertIn("/dev/stdout.csv, too", self.expect(2, "check", "--log", "/dev/stdout", "holds.pml").stderr)
        self.assertFalse([each for each in os.listdir(self.path) if "deleted" in each])

    def test_a_trail_that_does_not_fit_is_refused(self):
        self.expect(1, "check", "violated.pml", "-DN=2", "--trail", "t.trail")
        run = self.expect(2, "replay", "violated.pml", "t.trail", "-DN=3")
        self.assertIn("there is no error", run.stderr)
        run = self.expect(2, "replay", "holds.pml", "t.trail")
        self.assertIn("warning: the trail was written for violated.pml", run.stderr)
        self.assertIn("does not fit", run.stderr)
        self.expect(2, "replay", "violated.pml", "violated.pml")
        self.expect(2, "replay", "violated.pml", "missing.trail")
        text = (self.path / "t.trail").read_text()
        (self.path / "bad.trail").write_text(text[:-3])
        said = self.expect(2, "replay", "violated.pml", "bad.trail").stderr
        self.assertIn("it is not well-formed JSON: parse error at line ", said)
        for old, new in [('"location":', '"location":9'), ('"pid":', '"pid":20'), ('"edge":', '"edge":7')]:
            (self.path / "bad.trail").write_text(text.replace(old, new))
            self.expect(2, "replay", "violated.pml", "bad.trail")

    def test_simulation_is_repeatable(self):
        runs = {self.expect(0, "simulate", "--seed", "5", "violated.pml", "-DN=3").stdout for _ in range(3)}
        self.assertEqual(len(runs), 1)
        seeds = {self.run_cmc("simulate", "--seed", str(seed), "violated.pml", "-DN=3").stdout.split("\n", 1)[1] for seed in range(20)}
        self.assertGreater(len(seeds), 1)
        self.assertRegex(self.expect(0, "simulate", "-q", "violated.pml", "-DN=3").stdout, r"^x is \d\nx is \d\n$")
        run = self.expect(0, "simulate", "huge.pml", "--max-steps", "50")
        self.assertIn("stopped after 50 steps (--max-steps)", run.stdout)
        self.expect(1, "simulate", "stuck.pml")
        (self.path / "wraps.pml").write_text("byte x = 255;\nactive proctype P() { x++; assert(x == 0) }\n")
        self.assertIn("note: x = (x+1): 256 does not fit in a byte; 0 is stored", self.expect(0, "simulate", "wraps.pml").stdout)
        self.assertNotIn("does not fit", self.expect(0, "check", "wraps.pml").stdout)

    def test_interactive_simulation(self):
        run = self.expect(0, "simulate", "-i", "violated.pml", "-DN=3", text="2\ns\nnonsense\n1\nq\n")
        self.assertIn("'nonsense' is not a valid choice", run.stdout)
        self.assertIn("(after 2 steps)", run.stdout)
        self.expect(0, "simulate", "-i", "violated.pml", "-DN=3", text="")

    def test_interactive_simulation_goes_back(self):
        (self.path / "back.pml").write_text("byte x;\nactive proctype P() { do :: x < 9 -> x++ :: x < 2 -> x = 7 :: x > 8 -> x = 0 od }\n")
        (self.path / "end.pml").write_text("active proctype P() { skip; skip; assert(false) }\n")
        run = self.expect(0, "simulate", "-i", "back.pml", text="1\n1\n1\nb\nb 2\nb x\n2\n1\ns\nq\n").stdout
        self.assertIn("back at step 2\n", run)
        self.assertIn("back at the start\n", run)
        self.assertIn("'b x' is not a valid choice", run)
        self.assertIn("x = 7", run[run.index("'b x'"):])
        self.assertIn("(after 2 steps)", run)
        # Beyond the start is the start; an end, too, is left backwards.
        self.assertIn("(after 0 steps)", self.expect(0, "simulate", "-i", "back.pml", text="1\nb 99\nq\n").stdout)
        run = self.expect(0, "simulate", "-i", "end.pml", text="\n\n\nb 2\nq\n").stdout
        self.assertIn("error: assertion violated", run)
        self.assertIn("(after 1 step)", run)
        run = self.expect(1, "simulate", "-i", "end.pml", text="\n\n\nnonsense\np 1\n\n").stdout
        self.assertEqual(run.count("final state:"), 1)
        # Breakpoints and searches; what was walked stays to be walked again.
        run = self.expect(0, "simulate", "-i", "--seed", "1", "--json=t.json", "back.pml",
                          text="find x == 9\nbreak x == 2\ngoto 0\nrun\nb\nfind y\nrun 1\np x\ngoto 3\nh\nq\n").stdout
        for said in ("x: 8 -> 9\n", "breakpoint 1: break when x == 2\n", "'y': undeclared variable 'y'\n", "help, h"):
            self.assertIn(said, run)
        self.assertEqual(run.count("breakpoint 1: break when x == 2\n"), 3)
        self.assertEqual(len(json.loads((self.path / "t.json").read_text())["traces"][0]["steps"]), 3)

    def test_info(self):
        self.assertIn("P[", self.run_cmc("check", "violated.pml", "-DN=2").stdout)
        self.assertIn("proctype P", self.expect(0, "info", "violated.pml", "-DN=2").stdout)
        info = json.loads(self.expect(0, "info", "--json", "claim.pml").stdout)
        self.assertEqual([(each["name"], each["by_default"]) for each in info["properties"]],
                         [("safety", True), ("p", True), ("accept", False), ("non-progress", False)])
        self.assertEqual(info["properties"][1]["formula"], "<> (x==1)")
        self.assertEqual(info["undecided"], [])
        self.assertIn("  p: ltl (claim.pml:1): <> (x==1)\n", self.expect(0, "info", "claim.pml").stdout)
        self.assertIn("location 1", self.expect(0, "info", "--dump", "holds.pml").stdout)
        self.assertIn("statement", self.expect(0, "info", "--disassemble", "holds.pml").stdout)

    def test_nested_escapes(self):
        (self.path / "u.pml").write_text("""active proctype P() {
  { { false } unless { printf("inner\\n") } } unless { printf("outer\\n") }
}
""")
        for flags, first, said in [([], "outer", False), (["-J"], "inner", True)]:
            # Without a choice of the user both can be taken; the first one in the order of the escapes is.
            self.assertEqual(self.expect(0, "simulate", "-q", "u.pml", *flags).stdout.split()[0], first)
            self.assertEqual("escapes inner first" in self.expect(0, "info", "--dump", "u.pml", *flags).stdout, said)

    def test_complete_means_that_everything_was_decided(self):
        for name, complete, exhaustive in [("holds", True, True), ("claim", True, True), ("c", False, False), ("stuck", False, False)]:
            result = json.loads(self.run_cmc("check", f"{name}.pml", "--json").stdout)
            self.assertEqual((result["complete"], result["exhaustive"], result["all_states"]), (complete, exhaustive, False), name)
            result = json.loads(self.run_cmc("check", f"{name}.pml", "--json", "--reductions", "none").stdout)
            self.assertEqual((result["exhaustive"], result["all_states"]), (exhaustive, exhaustive), name)
        # Every error of a model was found: nothing is open.
        self.assertTrue(json.loads(self.run_cmc("check", "stuck.pml", "--max-errors", "0", "--json").stdout)["complete"])
        # For tune a run is one that explored all states.
        run = self.expect(0, "tune", "claim.pml", "--threads", "1,2", "--out", "t")
        self.assertIn("best by time: ", run.stdout)
        self.assertNotIn("failed", run.stdout)

    def test_lint(self):
        (self.path / "dead.pml").write_text("byte x;\nactive proctype P() {\n  if\n  :: x > 300 -> x = 1\n  :: else\n  fi\n}\n")
        run = self.expect(0, "lint", "dead.pml")
        self.assertIn("dead.pml:4:6: warning: guard (x>300) is never true, so this option is never taken [never-true]\n"
                      "  :: x > 300 -> x = 1\n     ^\ndead.pml:1:6: note: x can be 0..255\n", run.stdout)
        self.assertEqual(run.stderr, "")
        self.assertEqual(self.expect(0, "lint", "holds.pml").stdout, "no findings.\n")
        found = json.loads(self.expect(0, "lint", "--json", "dead.pml").stdout)
        self.assertEqual(found["schema"], "cmc.lint/1")
        self.assertEqual([(each["kind"], each["file"], each["line"]) for each in found["findings"]],
                         [("never-true", "dead.pml", 4)])
        for kinds, code in [("any", 1), ("never-true", 1), ("overlap,never-true", 1), ("overlap", 0), ("never", 2), ("any,", 2)]:
            self.expect(code, "lint", "--fail-on", kinds, "dead.pml")
        self.expect(0, "lint", "--fail-on", "any", "holds.pml")
        self.expect(2, "lint", "wrong.pml")
        run = self.expect(3, "lint", "dead.pml", "--solver-program", "./none")
        self.assertEqual(run.stdout, "")
        self.assertIn("cannot start the solver worker './none': No such file or directory", run.stderr)

    def test_automaton(self):
        text = "byte x; active proctype P() { x = 1 }\nltl never_two { [] (x != 2) }\nltl later { [] (x == 0 -> <> (x == 1)) }\n"
        (self.path / "formulas.pml").write_text(text)
        both = self.expect(0, "automaton", "formulas.pml").stdout
        later = ("never later {  /* !([] ((x==0) -> <> (x==1))) */\n"
                 "T0_init:\n\tdo\n\t:: (1) -> goto T0_init\n\t:: (!x && !(x==1)) -> goto accept_S1\n\tod;\n"
                 "accept_S1:\n\tdo\n\t:: (!(x==1)) -> goto accept_S1\n\tod;\n}\n")
        self.assertTrue(both.startswith("never never_two {"))
        self.assertTrue(both.endswith("}\n" + later))
        self.assertEqual(self.expect(0, "automaton", "--property", "later", "formulas.pml").stdout, later)
        self.assertIn("AP: 1 \"x\"\n", self.expect(0, "automaton", "--ltl", "<> x", "--format", "hoa", "formulas.pml").stdout)
        self.assertTrue(self.expect(0, "automaton", "--ltl", "p U (q && X r)", "--format", "dot").stdout.startswith("digraph "))
        self.assertIn("did you mean 'later'?", self.expect(2, "automaton", "--property", "latr", "formulas.pml").stderr)
        self.assertIn("no formula", self.expect(2, "automaton", "holds.pml").stderr)
        large = "!(" + " && ".join(f"<> v{i}" for i in range(20)) + ")"
        self.assertIn("ltl_0: the formula is too large", self.expect(2, "automaton", "--ltl", large).stderr)
        self.expect(2, "automaton")
        self.expect(2, "automaton", "--ltl", "p U")

    @unittest.skipUnless(shutil.which("spin"), "spin is missing")
    def test_spin_reads_automata(self):
        text = ("mtype = { idle, busy }; mtype s = idle; byte x; bool f[2]; chan q = [2] of { byte };\n"
                "active proctype P() { do :: x < 3 -> L: x++ :: else -> x = 0; s = busy; f[1] = !f[1] od }\n")
        formulas = ["[] (x == 3 -> <> (s == idle))", "[] (P@L -> (len(q) == 0 U !f[1])) || <> [] empty(q)", "[] (x <= 3)",
                    "[]<> (s == busy) && <> [] !f[0]", "x < 1", "true"]
        (self.path / "text.pml").write_text(text)
        for formula in formulas:
            claim = self.expect(0, "automaton", "--ltl", formula, "text.pml").stdout
            (self.path / "with_claim.pml").write_text(text + claim)
            run = subprocess.run(["spin", "-a", "with_claim.pml"], cwd=self.path, capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout), (0, ""), claim + run.stderr)

    def test_solver(self):
        for transport in ("ipc", "tcp"):
            self.assertRegex(self.expect(0, "solver", "ping", "--solver-transport", transport).stdout,
                             r"answers: Z3 [\d.]+, protocol \d+ on both sides\nstarted in \d+ ms, a round trip takes [\d.]+ ms\n")
        self.assertRegex(self.expect(0, "solver", "stats").stdout, r"\d+  memory_limit\n")
        question = "(declare-const x Int)(assert (> x {}))(assert (< x 5))(check-sat)"
        (self.path / "q.smt2").write_text(question.format(3))
        self.assertEqual(self.expect(0, "solver", "eval", "q.smt2").stdout, "sat\n")
        self.assertEqual(self.expect(0, "solver", "eval", "-", text=question.format(4)).stdout, "unsat\n")
        self.assertIn("(error ", self.expect(0, "solver", "eval", "-", text="(assert ").stdout)
        self.assertIn("'set-option' is refused", self.expect(3, "solver", "eval", "-",
                      text='(set-option :regular-output-channel "written")(echo "x")').stderr)
        self.assertFalse((self.path / "written").exists())
        self.assertIn("missing.smt2", self.expect(2, "solver", "eval", "missing.smt2").stderr)
        self.assertIn("eval which file?", self.expect(2, "solver", "eval").stderr)
        self.assertIn("'pong' is not one of", self.expect(2, "solver", "pong").stderr)
        self.assertIn("unexpected argument 'x'", self.expect(2, "solver", "ping", "x").stderr)
        for words in ([], ["--out", "folder"]):
            self.assertIn("is a program of its own now: cmc-latency", self.expect(2, "solver", "latency", *words).stderr)
        self.assertIn("cannot start", self.expect(3, "solver", "ping", "--solver-program", "./none").stderr)
        self.assertIn("exit code 1", self.expect(3, "solver", "ping", "--solver-program", "/bin/false").stderr)

    def test_colours(self):
        always = self.run_cmc("check", "stuck.pml", "--color", "always").stdout
        self.assertIn("\033[", always)
        self.assertNotIn("\033", self.run_cmc("check", "stuck.pml").stdout)
        self.assertEqual(re.sub(r"\033\[[\d;]*m", "", always).splitlines()[:4], self.run_cmc("check", "stuck.pml").stdout.splitlines()[:4])
        self.assertNotIn("\033", self.run_cmc("check", "wrong.pml").stderr)

    def test_colours_on_a_terminal_unless_no_color(self):
        for env, coloured in [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]:
            text = self.on_a_terminal("check", "stuck.pml", "--progress", "off", env=env)
            self.assertEqual("\033[1;31m" in text, coloured, env)

    def test_progress_is_erased(self):
        text = self.on_a_terminal("check", "huge.pml", "--time", "0.7", env={"NO_COLOR": "1"})
        self.assertRegex(text, r"\r[\d,]+ states \(total unknown\), [\d,]+ open, [\d,]+ states/s, ")
        self.assertIn("\r\033[Kincomplete", text)
        self.assertNotIn("states/s", self.on_a_terminal("check", "huge.pml", "--time", "0.3", "--progress", "off"))

    def on_a_terminal(self, *arguments, env=None):
        import pty
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        environment.update({"TERM": "xterm", **(env or {})})
        master, slave = pty.openpty()
        process = subprocess.Popen([CMC, *arguments], cwd=self.path, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        chunks = []
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                break
            if not chunk:
                break
            chunks.append(chunk)
        os.close(master)
        process.wait(timeout=60)
        return b"".join(chunks).decode(errors="replace")

    def start(self, *arguments, **keywords):
        return subprocess.Popen([CMC, *arguments], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **keywords)

    def wait_for(self, condition, process):
        for _ in range(600):
            if condition():
                return
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        self.fail("nothing happened for 30 s")

    # A search that uses the disk from the start, with its own folder below d/.
    ON_DISK = ["check", "huge.pml", "--memory", "100M", "--threads", "1", "--store", "d", "--lossy-capacity", "20K",
               "--bloom-bits", "1M", "--lookup-buffer", "10K"]

    def test_an_interrupt_reports_and_exits_with_128_and_the_signal(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU]:
            process = self.start(*self.ON_DISK, "--json=r.json", "--log", "r.log")
            self.wait_for(lambda: list(self.path.glob("d/cmc-*/trail*")), process)
            process.send_signal(number)
            output, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number)
            self.assertIn("verdict: incomplete", output)
            self.assertEqual(json.loads((self.path / "r.json").read_text())["reasons"][0]["kind"], "interrupted")
            self.assertIn("Search incomplete (interrupted)", (self.path / "r.log").read_text())
            self.assertFalse((self.path / "d").exists())

    def test_limits_of_the_system_end_a_run_with_its_result(self):
        import resource
        files = self.run_cmc(*self.ON_DISK, "--json=r.json",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
        self.assertEqual(files.returncode, 3, files.stderr)
        self.assertIn("File too large", files.stdout)
        self.assertEqual(json.loads((self.path / "r.json").read_text())["reasons"][0]["kind"], "store")
        cpu = self.run_cmc(*self.ON_DISK, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 20)))
        self.assertEqual(cpu.returncode, 128 + signal.SIGXCPU)
        self.assertIn("verdict: incomplete", cpu.stdout)
        self.assertFalse((self.path / "d").exists())

    def test_a_violation_is_not_lost_with_the_disk(self):
        # The store's files end at a limit; the log's figures are half counted then.
        import resource
        counter = lambda name, variable: f"active proctype {name}() {{ do :: {variable}<60 -> {variable}++ :: {variable}>0 -> {variable}-- od }}\n"
        (self.path / "full.pml").write_text("byte a, b, d;\n" + counter("A", "a") + counter("B", "b") + counter("D", "d") +
                                            "active proctype C() { do :: (a==3 && b==3) -> assert(d!=3) od }\n")
        run = self.run_cmc("check", "full.pml", "--max-errors", "0", "--store", "d", "--lossy-capacity", "200", "--memory", "64M",
                           "--log", "f.log", "--trail", "f.trail", "--json=f.json",
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000 << 10, 3000 << 10)))
        self.assertIn(run.returncode, (1, 3), run.stdout + run.stderr)
        self.assertIn("File too large", run.stdout)
        result = json.loads((self.path / "f.json").read_text())
        self.assertEqual([reason["kind"] for reason in result["reasons"]], ["store"])
        self.assertIn("(store)", (self.path / "f.log").read_text())
        self.assertEqual((self.path / "f.trail").exists(), run.returncode == 1)
        self.assertIn("no identities", self.expect(0, "log", "f.log").stdout)

    def test_what_a_parent_ignored_or_blocked_does_not_matter(self):
        # bash passes on that a signal is ignored; with SIGCHLD the ends of processes are not told.
        run = subprocess.run(["bash", "-c", "trap '' CHLD; exec \"$0\" test \"$1\"", CMC, str(ROOT / "models/ipc/turn.pml")], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        blocked = {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD}
        process = self.start("check", "huge.pml", "--json=r.json",
                             preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, blocked))
        self.wait_for((self.path / "r.json").exists, process)
        process.terminate()
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertIn("verdict: incomplete", output)

    def test_nohup_is_respected(self):
        process = self.start("check", "huge.pml", "--time", "1",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.3)
        process.send_signal(signal.SIGHUP)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        self.assertIn("time limit", output)

    def test_the_folder_of_a_killed_run_is_removed_by_the_next_one(self):
        folders = lambda: set(os.listdir(self.path / "d")) if (self.path / "d").exists() else set()
        killed = self.start(*self.ON_DISK)
        self.wait_for(lambda: list(self.path.glob("d/cmc-*/lock")), killed)
        dead = folders()
        living = self.start(*self.ON_DISK)
        self.wait_for(lambda: len(list(self.path.glob("d/cmc-*/lock"))) == 2, living)
        self.assertEqual(len(folders()), 2)
        killed.kill()
        killed.communicate()
        self.assertEqual(len(folders()), 2)
        self.run_cmc(*self.ON_DISK, "--time", "0.3")
        self.assertEqual(len(folders()), 1)
        self.assertFalse(folders() & dead)
        self.assertIn(f" {living.pid}\n", next(self.path.glob("d/cmc-*/lock")).read_text())
        living.terminate()
        living.communicate(timeout=60)
        self.assertEqual(folders(), set())

    def test_files_of_a_killed_run_do_not_hold_the_result_before(self):
        files = ["--json=r.json", "--log", "r.log", "--trail", "r.trail"]
        self.expect(1, "check", "stuck.pml", *files)
        self.assertTrue((self.path / "r.trail").exists())
        process = self.start("check", "huge.pml", *files)
        self.wait_for(lambda: "running" in (self.path / "r.json").read_text(), process)
        time.sleep(0.5)
        shown = self.expect(0, "log", "r.log", "r.json").stdout
        self.assertIn("running or killed", shown)
        self.assertRegex(shown, r"states visited +[\d,]{2,}")
        self.assertIn("r.log: the search is still running, or it was killed\n", shown)
        self.assertTrue(json.loads(self.expect(0, "log", "--json", "r.log").stdout)["logs"][0]["running"])
        process.kill()
        process.communicate()
        result = json.loads((self.path / "r.json").read_text())
        self.assertEqual((result["verdict"], result["complete"], result["reasons"][0]["kind"]), ("incomplete", False, "running"))
        self.assertEqual(result["model"]["file"], "huge.pml")
        self.assertRegex((self.path / "r.log").read_text(), r"^Search running: begun [\d-]+ [\d:]+ UTC by process \d+\n$")
        self.assertFalse((self.path / "r.trail").exists())
        # A run without an error leaves no trail, one that does not begin leaves nothing but the model's mistakes.
        self.expect(0, "check", "holds.pml", *files)
        self.assertEqual(json.loads((self.path / "r.json").read_text())["verdict"], "holds")
        self.assertFalse((self.path / "r.trail").exists())
        self.expect(2, "check", "wrong.pml", "--json=n.json", "--log", "n.log", "--trail", "n.trail")
        self.assertEqual([path.name for path in self.path.glob("n.*")], ["n.json"])
        self.assertNotIn("verdict", json.loads((self.path / "n.json").read_text()))

    def test_outputs_that_name_the_model_or_each_other(self):
        (self.path / "with.pml").write_text('#include "part.h"\nactive proctype P() { x = 1 }\n')
        (self.path / "part.h").write_text("byte x;\n")
        (self.path / "link.json").symlink_to("part.h")
        (self.path / "log").write_text("Search running: begun 2026-01-01 00:00:00 UTC by process 1\n")
        for name in ["with.pml", "./part.h", "link.json"]:
            for output in ["--json=", "--trail=", "--log=", "--solver-log=", "--solver-cache="]:
                self.assertIn("which is read", self.expect(2, "check", "with.pml", output + name).stderr)
            for command in ["info", "lint"]:
                self.assertIn("which is read", self.expect(2, command, "with.pml", f"--json={name}").stderr)
        self.assertIn("which is read", self.expect(2, "log", "log", "--json=./log").stderr)
        self.assertEqual((self.path / "part.h").read_text(), "byte x;\n")
        run = self.expect(2, "check", "holds.pml", "--json=x", "--log", f"{self.path}/x")
        self.assertIn("would both write", run.stderr)
        self.expect(2, "check", "holds.pml", "--trail", "x.csv", "--log", "x")
        self.expect(0, "check", "holds.pml", "--json=/dev/null", "--trail", "/dev/null")
        self.assertEqual(list(self.path.glob("x*")), [])

    def test_json_is_one_thing_in_all_commands(self):
        self.expect(0, "check", "holds.pml", "--log", "h.log")
        for schema, *arguments in [("result", "check", "holds.pml"), ("info", "info", "holds.pml"), ("lint", "lint", "holds.pml"),
                                   ("log", "log", "h.log")]:
            printed = self.expect(0, *arguments, "--json").stdout
            self.assertEqual(json.loads(printed)["schema"], f"cmc.{schema}/1")
            self.assertEqual(json.loads(self.expect(0, arguments[0], "--json", *arguments[1:]).stdout)["schema"], f"cmc.{schema}/1")
            # With a file, the text is there as without.
            plain = self.expect(0, *arguments).stdout
            beside = self.expect(0, *arguments, "--json=j.json").stdout
            self.assertEqual(beside.count("\n"), plain.count("\n"))
            self.assertEqual(json.loads((self.path / "j.json").read_text())["schema"], f"cmc.{schema}/1")
            self.expect(2, *arguments, "--json=/dev/full")
            self.expect(2, *arguments, "--json=no/such/folder")
        # As version 0.1.0 had it.
        self.assertEqual(json.loads(self.expect(0, "check", "--json", "-", "holds.pml").stdout)["verdict"], "holds")
        self.assertEqual(json.loads(self.expect(1, "check", "--json", "-", text=STUCK).stdout)["verdict"], "violated")
        self.assertEqual(json.loads(self.expect(1, "check", "-", "--json", text=STUCK).stdout)["verdict"], "violated")
        run = self.expect(2, "check", "--json", "r.json", "holds.pml")
        self.assertIn("--json=FILE", run.stderr)
        self.assertIn("cmc test", self.expect(2, "check", "stuck.pml", "holds.pml").stderr)

    def test_a_model_with_a_mistake_leaves_no_old_result(self):
        files = ["--json=r.json", "--trail", "r.trail"]
        self.expect(1, "check", "stuck.pml", *files)
        self.expect(2, "check", "wrong.pml", *files)
        self.assertEqual([path.name for path in self.path.glob("r.*")], ["r.json"])
        self.assertEqual(json.loads((self.path / "r.json").read_text())["schema"], "cmc.diagnostics/1")
        (self.path / "mine.json").write_text("{}")
        self.expect(2, "check", "wrong.pml", "--json=mine.json")
        self.assertEqual((self.path / "mine.json").read_text(), "{}")

    def test_a_file_of_somebody_else_stays_until_there_is_a_result(self):
        views = ["--trail", "--html", "--svg", "--mermaid", "--itf", "--trace-json"]
        files = [word for view in views for word in (view, "f" + view)]
        for view in views:
            (self.path / f"f{view}").write_text("important\n")
        self.expect(0, "check", "holds.pml", *files)
        for view in views:
            self.assertEqual((self.path / f"f{view}").read_text(), "important\n")
        self.expect(1, "check", "stuck.pml", *files)
        for view in views:
            self.assertNotEqual((self.path / f"f{view}").read_text(), "important\n")
        # What CMC has written is the result of an earlier run.
        self.expect(0, "check", "holds.pml", *files)
        self.assertEqual(list(self.path.glob("f--*")), [])

    def test_a_link_to_nothing_stays_a_link(self):
        (self.path / "link.json").symlink_to("r.json")
        self.expect(0, "check", "holds.pml", "--json=link.json")
        self.assertTrue((self.path / "link.json").is_symlink())
        self.assertEqual(json.loads((self.path / "r.json").read_text())["verdict"], "holds")

    def test_two_runs_with_one_log(self):
        first = self.start("check", "huge.pml", "--time", "4", "--log", "r.log")
        self.wait_for(lambda: (self.path / "r.log.csv").exists() and (self.path / "r.log.csv").read_text(), first)
        run = self.expect(2, "check", "holds.pml", "--log", "r.log")
        self.assertIn("another run of cmc writes 'r.log.csv'", run.stderr)
        first.communicate(timeout=60)
        self.assertTrue((self.path / "r.log").read_text().startswith("Search incomplete (time)"))
        seconds = [float(row.split(",")[0]) for row in (self.path / "r.log.csv").read_text().splitlines()[1:]]
        self.assertEqual(seconds, sorted(seconds))
        self.expect(0, "check", "holds.pml", "--log", "r.log")

    def test_a_log_is_written_and_shown(self):
        (self.path / "n.pml").write_text("byte x; active [3] proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- :: break od }\n")
        self.expect(0, "check", "n.pml", "--engine", "simple", "--log", "n.log", "--json=n.json")
        self.assertRegex((self.path / "n.log").read_text(), r"^Search complete: visited [\d.]+ states, created [\d.]+ states, ")
        series = (self.path / "n.log.csv").read_text().splitlines()
        self.assertTrue(series[0].startswith("seconds,visited,created,open,candidates,"))
        self.assertTrue(series[-1].endswith(",end"))
        run = self.expect(0, "log", "n.log", "n.json", str(ROOT / "logs/2006/lunar4.log"))
        for file in ["n.log", "n.json", "lunar4.log"]:
            self.assertIn(f"{file}: all identities hold\n", run.stdout)
        logs = json.loads(self.expect(0, "log", "--json", "n.log", "n.json").stdout)["logs"]
        self.assertEqual(logs[0]["log"], logs[1]["log"])
        self.assertEqual(logs[0]["created"], sum(logs[0]["log"]["state_sizes"].values()))
        self.assertEqual(len(self.expect(0, "log", "--csv", "n.log", "n.json").stdout.splitlines()), 3)
        # Of a search that was cut, and of one with the other engine.
        self.expect(3, "check", "huge.pml", "--engine", "simple", "--time", "0.5", "--log", "h.log", "--json=h.json")
        self.assertTrue((self.path / "h.log").read_text().startswith("Search incomplete (time): visited "))
        self.assertGreater(len((self.path / "h.log.csv").read_text().splitlines()), 4)
        self.expect(0, "log", "h.log", "h.json")
        self.expect(1, "check", "stuck.pml", "--log", "s.log")
        self.assertTrue((self.path / "s.log").read_text().startswith("Search incomplete (errors): visited "))
        self.expect(0, "log", "s.log")

    def test_a_log_that_is_none_or_does_not_add_up(self):
        self.assertIn("holds.pml: line 1: the text ends; expected: ", self.expect(2, "log", "holds.pml").stderr)
        self.expect(2, "log", "missing.log")
        (self.path / "empty.log").touch()
        self.assertIn("empty.log: the file is empty", self.expect(2, "log", "empty.log").stderr)
        text = (ROOT / "logs/2006/lunar4.log").read_text()
        (self.path / "w.log").write_text(text.replace("23,", "24,"))
        run = self.expect(1, "log", "w.log")
        self.assertIn("sum of the state size histogram = created: 8723019 is not 8723018", run.stdout)
        self.expect(2, "check", "holds.pml", "--log", "no/such/folder/x.log")

    def test_plots_of_a_log(self):
        self.expect(3, "check", "huge.pml", "--engine", "simple", "--time", "0.5", "--log", "it's.log")
        logs = [str(path) for path in sorted((ROOT / "logs/2006").glob("*.log"))]
        run = self.expect(2, "log", "it's.log", "--plot", "none", env={"PATH": "/nonexistent"})
        self.assertIn("apt-get install gnuplot-nox", run.stderr)
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        run = self.expect(0, "log", "it's.log", *logs, "--plot", "p/plots")
        self.assertIn("drew 6 plots into p/plots", run.stderr)
        for name in ["it_s-states", "it_s-sizes", "lunar4-sizes", "peterson5-sizes", "decisions", "pages"]:
            self.assertTrue((self.path / f"p/plots/{name}.png").read_bytes().startswith(b"\x89PNG"), name)
            self.assertIn("</svg>", (self.path / f"p/plots/{name}.svg").read_text())
        self.assertEqual(sorted({path.suffix for path in (self.path / "p/plots").iterdir()}), [".gp", ".pdf", ".png", ".svg"])

    def test_tune_runs_a_grid_once(self):
        arguments = ["tune", "violated.pml", "-DN=2,3", "--threads", "1,2", "--out", "t"]
        dry = self.expect(0, *arguments, "--dry-run").stdout.splitlines()
        self.assertEqual(dry[0], "cmc check violated.pml -DN=2 --threads 1")
        self.assertEqual(len(dry), 4)
        self.assertFalse((self.path / "t").exists())
        run = self.expect(0, *arguments)
        self.assertIn("4 combinations, 0 of them done already", run.stderr)
        self.assertIn("best by time with N=3: -DN=3 --threads ", run.stdout)
        self.assertIn("do not have the same verdict" if "holds" not in run.stdout else "violated", run.stdout)
        table = json.loads((self.path / "t/runs.json").read_text())
        self.assertEqual([entry["verdict"] for entry in table["runs"]], ["violated", "violated", "holds", "holds"])
        self.assertEqual(len((self.path / "t/runs.csv").read_text().splitlines()), 5)
        self.assertEqual((self.path / "t/time.svg").exists(), shutil.which("gnuplot") is not None)
        run = self.expect(0, *arguments)
        self.assertIn("4 combinations, 4 of them done already", run.stderr)
        self.assertTrue(all(line.endswith("# done") for line in self.expect(0, *arguments, "--dry-run").stdout.splitlines()))
        # Another model is another grid; a run that failed can be repeated.
        (self.path / "violated.pml").write_text(VIOLATED + "\n")
        self.assertIn("0 of them done already", self.expect(0, *arguments).stderr)
        self.assertIn("2 of them done already", self.expect(0, *arguments, "--retry-failed").stderr)

    def test_tune_of_several_processes_in_one_folder(self):
        arguments = ["tune", "violated.pml", "-DN=2,3", "--threads", "1,2", "--memo", "64K,1M,2M", "--out"]
        self.expect(0, *arguments, "one")
        processes = [self.start(*arguments, "many") for _ in range(8)]
        processes[0].kill()  # what it has begun, another one does
        said = [process.communicate(timeout=120)[1] for process in processes]
        self.assertEqual([process.returncode for process in processes[1:]], [0] * 7, said)
        one, many = (json.loads((self.path / folder / "runs.json").read_text()) for folder in ("one", "many"))
        self.assertEqual([(run["arguments"], run["verdict"]) for run in one["runs"]], [(run["arguments"], run["verdict"]) for run in many["runs"]])
        done = [line for text in said for line in text.splitlines() if re.match(r"cmc tune: \d+/12  ", line)]
        self.assertLessEqual(len(done), 12)  # each once; what the killed one did is not among them for certain
        self.assertEqual(sorted({path.suffix for path in (self.path / "many/runs").iterdir()}), [".json", ".txt"])

    def test_tune_goes_on_behind_a_run_that_fails(self):
        run = self.expect(0, "tune", "huge.pml", "--memory", "12M,1G", "--no-store", "--time", "0.2,1h", "--kill-after", "2", "--out", "t")
        self.assertIn("incomplete: the memory limit of 12.0 MB", run.stdout)
        self.assertIn("incomplete: the time limit of 0.2 seconds", run.stdout)
        self.assertIn("failed: killed after 2.0 s (--kill-after)", run.stdout)
        self.assertIn("best: none", run.stdout)
        run = self.expect(0, "tune", "wrong.pml", "--threads", "1,2", "--out", "w")
        self.assertIn("failed: exit code 2: wrong.pml:1:23: error: ", run.stdout)
        self.expect(2, "tune", "missing.pml", "--threads", "1,2")

    def test_tune_is_interrupted_and_goes_on(self):
        arguments = ["tune", "huge.pml", "--time", "0.2,1h", "--out", "t"]
        process = subprocess.Popen([CMC, *arguments], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # The order is shuffled: the short run may be over, or still to come.
        for _ in range(50):
            time.sleep(0.1)
            if len(list((self.path / "t/runs").glob("*.txt")) if (self.path / "t/runs").exists() else []) == 2:
                break
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        known = int(re.search(r"interrupted; ([01]) of 2 combinations have results", error).group(1))
        self.assertIn(f"note: {known} of 2 combinations have ended", output)
        run = self.expect(0, *arguments[:3], "0.2", "--out", "t")
        self.assertIn(f"1 combination, {known} of them done already", run.stderr)

    def test_output_that_cannot_be_written(self):
        run = self.expect(2, "check", "huge.pml", "--json=no/such/folder/r.json")
        self.assertIn("no/such/folder/r.json", run.stderr)
        self.expect(2, "check", "huge.pml", "--trail", ".")
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                run = subprocess.run([CMC, "check", "holds.pml"], cwd=self.path, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(run.returncode, 2)
            self.assertIn("No space left", run.stderr)
            self.assertEqual(self.run_cmc("check", "holds.pml", "--json=/dev/full").returncode, 2)

    def test_errors_that_cannot_be_written_are_dropped(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        for code, arguments in [(2, ["check", "wrong.pml"]), (2, ["check", "missing.pml"]), (2, ["nonsense"]), (0, ["check", "holds.pml", "--progress", "on"]),
                                (0, ["tune", "holds.pml", "--threads", "1", "--out", "t"]), (2, ["expand", "wrong.pml"])]:
            with open("/dev/full", "w") as full:
                run = subprocess.run([CMC, *arguments], cwd=self.path, stdout=subprocess.PIPE, stderr=full, text=True, timeout=120)
            self.assertEqual(run.returncode, code, arguments)
        # And closed.
        shell = lambda command: subprocess.run(["/bin/sh", "-c", f"exec '{CMC}' {command}"], cwd=self.path, timeout=120,
                                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).returncode
        self.assertEqual(shell("check wrong.pml 2>&-"), 2)
        self.assertEqual(shell("check huge.pml --time 0.5 --progress on --log c.log 2>&-"), 3)
        self.assertNotIn("states/s", (self.path / "c.log.csv").read_text())
        self.assertEqual(shell("check holds.pml --json=c.json >&-"), 2)
        self.assertEqual(json.loads((self.path / "c.json").read_text())["verdict"], "holds")
        self.assertEqual(shell("check - <&-"), 2)

    def test_standard_output_is_no_trail(self):
        run = self.expect(2, "check", "stuck.pml", "--trail", "-")
        self.assertIn("only --json writes to standard output", run.stderr)
        self.assertFalse((self.path / "-").exists())

    def test_a_log_says_the_order(self):
        (self.path / "n.pml").write_text("byte x, y; active proctype P() { do :: x++ :: y++ :: x + y == -1 -> break od }\n")
        disk = ["--lossy-capacity", "2K", "--bloom-bits", "64K", "--memory", "100M"]
        for arguments, order in [([], "dfs"), (["--search", "bfs"], "bfs"), (disk, "oldest-first"),
                                 ([*disk, "--search", "dfs"], "dfs"), (["--engine", "simple"], "dfs")]:
            self.expect(0, "check", "n.pml", "--threads", "1", *arguments, "--log", "n.log", "--json=n.json")
            log = (self.path / "n.log").read_text()
            self.assertIn(f"\nSearch order: {order}\n", log)
            self.assertEqual("DFS problems" in log, order == "dfs")
            result = json.loads((self.path / "n.json").read_text())
            self.assertEqual(result["order"], order)
            self.assertEqual("dfs_problems" in result["log"], order == "dfs")
            self.assertEqual(result["states_stored"], 65536)
            shown = self.expect(0, "log", "n.log", "n.json").stdout
            self.assertRegex(shown, rf"order +{order} +{order} *\n")
            self.assertEqual("DFS problems" in shown, order == "dfs")

    def test_a_lost_path_is_found_again(self):
        # An error at the end of the search; the log of paths is damaged meanwhile.
        (self.path / "long.pml").write_text("short x, y; active proctype P() { do :: x < 700 -> x++ :: y < 700 -> y++ "
                                            ":: x == 700 && y == 700 -> assert(false) od }\n")
        disk = ["--store", "d", "--threads", "1", "--lossy-capacity", "20K", "--bloom-bits", "1M", "--memory", "200M"]
        process = self.start("check", "long.pml", *disk, "--trail", "t.trail", "--json=r.json")
        self.wait_for(lambda: [path for path in self.path.glob("d/cmc-*/trail*") if path.stat().st_size > 65536], process)
        with open(next(self.path.glob("d/cmc-*/trail*")), "r+b") as file:
            file.seek(1000)
            file.write(b"damaged!" * 10)
        output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1)
        self.assertIn("the path to an error is lost", output)
        self.assertIn("the counterexample is of a second search, in RAM only", output)
        result = json.loads((self.path / "r.json").read_text())
        self.assertEqual((result["verdict"], result["complete"], result["trail"], len(result["errors"])),
                         ("violated", False, "t.trail", 1))
        self.assertIn("reproduced", self.expect(1, "replay", "-q", "long.pml", "t.trail").stdout)

    def test_without_paths_an_error_is_searched_for_twice(self):
        (self.path / "long.pml").write_text("short x, y; active proctype P() { do :: x < 200 -> x++ :: y < 200 -> y++ "
                                            ":: x == 200 && y == 200 -> assert(false) od }\n")
        for beyond in (["--beyond", "sorted"], ["--bloom-bits", "1M"]):
            disk = [*beyond, "--store", "d", "--threads", "1", "--lossy-capacity", "2K", "--memory", "200M", "--paths", "off"]
            checked = self.expect(1, "check", "long.pml", *disk, "--trail", "t.trail")
            self.assertIn("the counterexample is of a second search, with paths", checked.stderr)
            self.assertIn("reproduced", self.expect(1, "replay", "-q", "long.pml", "t.trail").stdout)

    def test_a_second_search_tells_no_more_errors_than_asked_for(self):
        # The first search finds the nearer errors, the second one dives to another.
        (self.path / "far.pml").write_text("int x, y; active proctype P() { do :: x < 700 -> x++ :: y < 700 -> y++ "
                                           ":: x == 700 && y == 10 -> assert(x < 3) :: y == 700 && x == 10 -> assert(x < 4) "
                                           ":: x == 700 && y == 700 -> assert(x < 5) od }\n")
        for most in (1, 2):
            self.expect(1, "check", "far.pml", "--store", "d", "--threads", "1", "--memory", "11M", "--paths", "off",
                        "--max-errors", str(most), "--json=r.json")
            self.assertEqual(len(json.loads((self.path / "r.json").read_text())["errors"]), most)

    def test_a_cycle_beyond_memory_has_a_path_without_a_log_of_paths(self):
        (self.path / "lap.pml").write_text("byte x; active proctype P() { do :: x < 10 -> x++ :: x == 10 -> accept: x = 5 od }\n")
        for paths in ("on", "off"):
            checked = self.expect(1, "check", "lap.pml", "--lossy-capacity", "64", "--max-errors", "0", "--threads", "1",
                                  "--reductions", "none", "--paths", paths, "--trail", "t.trail")
            self.assertIn("the counterexample is of a second search, in RAM only", checked.stdout)
            self.assertIn("reproduced", self.expect(1, "replay", "-q", "lap.pml", "t.trail").stdout)

    def test_a_reader_that_goes_away_is_no_error(self):
        for arguments in [["check", "stuck.pml"], ["simulate", "huge.pml", "--max-steps", "0"]]:
            process = subprocess.Popen([CMC, *arguments], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            process.stdout.close()
            error = process.stderr.read()
            process.stderr.close()
            self.assertIn(process.wait(timeout=60), (0, 1))
            self.assertEqual(error, "")

    def test_statement_steps_store_more_than_spin_steps(self):
        (self.path / "a.pml").write_text("byte x; active [2] proctype P() { atomic { x++; x++; x++ } }\n")
        spin = json.loads(self.run_cmc("check", "a.pml", "--json").stdout)
        statement = json.loads(self.run_cmc("check", "a.pml", "--json", "--steps", "statement").stdout)
        self.assertEqual((spin["steps"], statement["steps"]), ("spin", "statement"))
        self.assertLess(spin["states_stored"], statement["states_stored"])

    def test_bfs_finds_a_shortest_counterexample(self):
        (self.path / "b.pml").write_text("byte x; active proctype P() { do :: x < 200 -> x++ :: x == 1 -> assert(false) od }\n")
        bfs = json.loads(self.run_cmc("check", "b.pml", "--json", "--search", "bfs", "--reductions", "none", "--shorten", "0").stdout)
        dfs = json.loads(self.run_cmc("check", "b.pml", "--json", "--engine", "simple", "--reductions", "none", "--shorten", "0").stdout)
        self.assertEqual(bfs["errors"][0]["depth"], 4)
        self.assertGreater(dfs["errors"][0]["depth"], 4)


if __name__ == "__main__":
    CMC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
