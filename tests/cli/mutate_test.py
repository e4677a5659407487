#!/usr/bin/env python3
"""cmc mutate, as people and scripts run it. Usage: mutate_test.py CMC MODELS"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CMC = os.path.abspath(sys.argv[1])
MODELS = pathlib.Path(sys.argv[2]).resolve()

BANK = """byte a = 2, b;
active [2] proctype transfer() {
  if
  :: atomic { a > 0 -> a-- }; b++
  :: a == 0
  fi
}
ltl no_gain { [] (a + b <= 2) }
"""
LARGE = """byte a, b, c, d;
active [3] proctype P() { do :: a++ :: b++ :: c++ :: d++ :: a + b + c + d == -1 -> break od }
"""


class MutateTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def write(self, text, name="model.pml"):
        (self.folder / name).write_text(text)
        return name

    def run_cmc(self, *arguments, code=0, stdin=None):
        run = subprocess.run([CMC, "mutate", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, input=stdin,
                             timeout=300)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout if code in (0, 1, 3) else run.stderr

    def wait_for_results(self, number, process):
        """Until that many lines lie behind the head of the file `kept`."""
        while not (self.folder / "kept").exists() or len((self.folder / "kept").read_text().splitlines()) <= number:
            self.assertIsNone(process.poll())
            time.sleep(0.02)

    def report(self, *arguments, code=0):
        return json.loads(self.run_cmc("--json", *arguments, code=code))

    def verdicts(self, *arguments, code=0):
        return {case["number"]: case["verdict"] for case in self.report(*arguments, code=code)["cases"]}

    def test_survivors_are_told_by_place_with_a_score(self):
        text = self.run_cmc(self.write(BANK))
        self.assertIn("line 4: 2 of 9 survive\n", text)
        self.assertIn("drop statement: b++ => skip", text)
        report = self.report("model.pml")
        killed, survived = (report["counts"]["model"][word] for word in ("killed", "survived"))
        self.assertAlmostEqual(report["score"], 100 * killed / (killed + survived))
        self.assertIn(f"({killed} of {killed + survived} are killed)", text)

    def test_the_score_decides_the_exit_code(self):
        self.write(BANK)
        self.run_cmc("--at-least", "40%", "model.pml")
        self.run_cmc("--at-least", "90%", "model.pml", code=1)

    def test_a_mutant_is_shown_with_a_run_that_only_it_has(self):
        text = self.run_cmc(self.write(BANK), "--show", 13)
        self.assertIn("\n-  :: atomic { a > 0 -> a-- }; b++\n+  :: atomic { a > 0 -> a-- }; skip\n", text)
        self.assertIn("a shortest run that only the mutant has", text)

    def test_numbers_and_samples_are_the_same_each_time(self):
        self.write(BANK)
        every = self.verdicts("model.pml")
        one, again = (self.verdicts("--mutants", 6, "--seed", 3, "model.pml") for _ in range(2))
        self.assertEqual(one, again)
        self.assertEqual(len(one), 6)
        self.assertLessEqual(one.items(), every.items())
        self.assertEqual(self.verdicts("--jobs", 1, "model.pml"), self.verdicts("--jobs", 4, "model.pml"))

    def test_written_mutants_get_the_same_verdicts_from_check(self):
        self.write(BANK)
        for case in self.report("--out", "mutants", "model.pml")["cases"]:
            run = subprocess.run([CMC, "check", f"mutants/{case['number']}.pml"], cwd=self.folder, capture_output=True)
            self.assertEqual(run.returncode, 1 if case["verdict"] == "killed" else 0, case)

    def test_included_files_are_changed_too(self):
        self.write(BANK, "bank.inc")
        report = self.report("--out", "mutants", self.write('#include "bank.inc"\n'))
        self.assertEqual({case["file"] for case in report["cases"]}, {"bank.inc"})
        self.assertEqual(report["counts"]["model"], self.report(self.write(BANK, "bank.pml"))["counts"]["model"])
        self.assertTrue((self.folder / "mutants" / "13-bank.inc").exists())

    def test_parts_of_properties_that_say_nothing_are_told(self):
        model = "bool asked, answered; active proctype P() { answered = true }\n"
        text = self.run_cmc(self.write(model + "ltl served { [] (asked -> <> answered) }"))
        self.assertIn("these say nothing", text)
        self.assertIn("<> answered => false", text)
        text = self.run_cmc(self.write("active proctype P() { byte x; if :: x == 1 -> assert(x == 1) :: else fi }"))
        self.assertIn("strengthen assertion: (x == 1) => false", text)

    def test_an_assertion_that_others_repeat_kills_nothing_alone(self):
        body = "active proctype P() {{ do :: x < 3 -> x++; y++ :: else -> break od;\n assert(x == 3);\n {} }}"
        assertions = lambda: [case["assertion"] for case in self.report("model.pml")["cases"] if "assertion" in case]
        self.write("byte x, y; " + body.format("assert(x == 3 && y == 3)"))
        self.assertEqual({each["alone"] for each in assertions() if each["line"] == 2}, {False})
        self.write("byte x, y; " + body.format("skip"))
        self.assertIn((2, True), {(each["line"], each["alone"]) for each in assertions()})
        self.assertIn("line 2: killed", self.run_cmc("model.pml"))

    def test_nothing_is_said_of_properties_that_do_not_hold(self):
        text = self.run_cmc(self.write(BANK + "ltl wrong { [] (a == 2 -> b == 1) }"))
        self.assertIn("left out: wrong is violated by the model itself", text)
        self.assertNotIn("these say nothing", text)
        self.assertIn("no property of the model holds", self.run_cmc(self.write("init { assert(false) }"), code=2))

    def test_faults_are_mutants_on_request(self):
        model = "chan q = [1] of { byte }; active proctype P() { q ! 1 } active proctype Q() { byte x; q ? x }"
        zero = self.report(self.write(model))["counts"]["fault"]
        self.assertEqual(set(zero.values()), {0})
        self.assertEqual(self.report("--faults", "model.pml")["counts"]["fault"], {**zero, "killed": 1, "survived": 1})

    def test_it_lists_and_reads_standard_input(self):
        text = self.run_cmc("--list", "-", stdin=BANK)
        self.assertEqual(len(text.splitlines()), len(self.verdicts(self.write(BANK))))
        self.assertIn("13  line 4: drop statement: b++ => skip", text)

    def test_sarif_has_the_survivors(self):
        self.run_cmc("--sarif", "out.sarif", self.write(BANK))
        results = json.loads((self.folder / "out.sarif").read_text())["runs"][0]["results"]
        self.assertEqual(len(results), list(self.verdicts("model.pml").values()).count("survived"))

    def test_the_page_has_the_source_and_nothing_foreign(self):
        self.write(BANK.replace("byte a", "/* <script>alert(1)</script> \\xff */ byte a"))
        self.run_cmc("--html", "out.html", "model.pml")
        page = (self.folder / "out.html").read_text()
        self.assertNotIn("<script", page)
        self.assertIn("&lt;script&gt;", page)
        self.assertRegex(page, r'<details class="some"><summary><span class="number">4</span><span class="tally">2/9</span>')
        self.assertIn("53%", page)
        self.assertIn("b++ =&gt; skip", page)
        self.assertIn("would write over", self.run_cmc("--html", "model.pml", "model.pml", code=2))

    def test_a_run_that_was_stopped_goes_on(self):
        body = "; ".join(f"x = x + {n}" for n in range(60))
        self.write(f"int x; active proctype P() {{ {body}; assert(x > 0) }}")
        whole = self.verdicts("model.pml")
        for seconds in ("0.1", "0.2", "0.4", "0.8"):  # on a busy machine nothing may be done in the first ones
            (self.folder / "kept").unlink(missing_ok=True)
            cut = self.verdicts("--results", "kept", "--time", seconds, "--jobs", 1, "model.pml", code=3)
            known = {number: verdict for number, verdict in cut.items() if verdict != "not run"}
            if known:
                break
        self.assertTrue(known)
        self.assertLess(len(known), len(whole))
        before = (self.folder / "kept").read_text()
        self.assertEqual(len(before.splitlines()), 1 + len([each for each in known.values() if each != "budget"]))
        self.assertEqual(self.verdicts("--results", "kept", "model.pml"), whole)
        self.assertTrue((self.folder / "kept").read_text().startswith(before))
        begun = time.monotonic()
        after = self.report("--results", "kept", "model.pml")
        self.assertLess(time.monotonic() - begun, 5)
        self.assertEqual({case["number"]: case["verdict"] for case in after["cases"]}, whole)

    def test_a_run_that_was_killed_goes_on(self):
        body = "; ".join(f"x = x + {n}" for n in range(150))
        self.write(f"int x; active proctype P() {{ {body}; assert(x > 0) }}")
        with subprocess.Popen([CMC, "mutate", "--results", "kept", "model.pml"], cwd=self.folder, stdout=subprocess.DEVNULL) as run:
            self.wait_for_results(4, run)
            run.kill()
        kept = (self.folder / "kept").read_text()
        time.sleep(0.5)  # its children end by themselves
        self.assertEqual(self.verdicts("--results", "kept", "model.pml"), self.verdicts("model.pml"))
        self.assertIn(kept[:kept.rindex("\n") + 1], (self.folder / "kept").read_text())

    def test_results_of_something_else_are_refused_and_damage_is_no_result(self):
        self.write(BANK)
        whole = self.verdicts("--results", "kept", "model.pml")
        for arguments in (["-DN=3"], ["--property", "safety"], ["-E"], ["--ltl", "[] (a <= 2)"]):
            self.assertIn("are of another model, other options", self.run_cmc("--results", "kept", *arguments, "model.pml", code=2))
        self.write(BANK.replace("a > 0", "a >= 1"), "other.pml")
        self.assertIn("are of another model", self.run_cmc("--results", "kept", "other.pml", code=2))
        self.write("byte x;", "foreign")
        self.assertIn("has no results", self.run_cmc("--results", "foreign", "model.pml", code=2))
        self.assertEqual((self.folder / "foreign").read_text(), "byte x;")
        self.run_cmc("--results", "model.pml", "model.pml", code=2)
        good = (self.folder / "kept").read_bytes()
        for at in range(0, len(good), 37):
            (self.folder / "kept").write_bytes(good[:at])  # cut anywhere
            if at % 3 == 0:
                self.assertEqual(self.verdicts("--results", "kept", "model.pml"), whole)
        killed = good.replace(b'\\"verdict\\":1', b'\\"verdict\\":0').replace(b'\\"verdict\\":3', b'\\"verdict\\":0')
        self.assertNotEqual(killed, good)
        (self.folder / "kept").write_bytes(killed)
        self.assertEqual(self.verdicts("--results", "kept", "model.pml"), whole)

    def test_guards_of_claims_are_changed(self):
        claim = "bool p, q; active proctype P() {{ p = true }}\nnever {{ do :: p && q -> break :: {} -> skip od }}"
        report = self.report("--property", "never_0", self.write(claim.format("true")))
        said = {case["after"]: case["verdict"] for case in report["cases"] if case.get("strengthens") == "never_0"}
        self.assertEqual(said, {"true": "killed", "!(p && q)": "killed"} | said)
        self.assertIn("survived", [case["verdict"] for case in report["cases"] if case["before"] == "p"])

    def test_limits_give_no_wrong_answer(self):
        self.write(LARGE)
        for limit, word in (("--memory=16M", "memory"), ("--time=0.5", "time")):
            run = subprocess.run([CMC, "mutate", limit, "model.pml"], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 3, run.stdout)
            self.assertRegex(run.stderr, f"safety was not decided: the {word} limit")

    def test_what_time_leaves_out_is_not_run(self):
        body = "; ".join(f"x = x + {n}" for n in range(400))
        report = self.report("--time", "0.5", self.write(f"int x; active proctype P() {{ {body} }}"), code=3)
        self.assertIn("the time limit", report["incomplete"])
        verdicts = [case["verdict"] for case in report["cases"]]
        self.assertIn("not run", verdicts)
        self.assertEqual(sum(report["counts"]["model"].values()), len(verdicts))
        text = self.run_cmc("--time", "0.5", "model.pml", code=3)
        self.assertIn("incomplete: the time limit", text)

    def test_why_a_mutant_survives_is_said(self):
        self.write("byte seen, unseen; active [2] proctype P() { do :: seen < 2 -> seen++; unseen = (unseen + 1) % 3 :: else -> break od }")
        said = {case["before"]: case.get("message") for case in self.report("model.pml")["cases"] if case["verdict"] == "survived"}
        self.assertEqual(said["unseen = (unseen + 1) % 3"], "nothing reads what is assigned there")
        self.assertIn("no property forbids what only the mutant does", said.values())

    def test_a_mutant_that_grows_is_over_budget(self):
        large = "int n; active proctype P() { do :: n < 3 -> n++ :: else -> break od }"
        report = self.report(self.write(large))
        budget = [case for case in report["cases"] if case["verdict"] == "budget"]
        self.assertTrue(budget)
        self.assertTrue(all("were found" in case["message"] or "limit" in case["message"] for case in budget), budget)

    def test_an_interrupt_ends_all_children(self):
        self.write(BANK + "active [3] proctype Q() { byte i; do :: i < 120 -> i++ :: else -> break od }")
        process = subprocess.Popen([CMC, "mutate", "--results", "kept", "model.pml"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        self.wait_for_results(2, process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertRaises(ProcessLookupError, os.killpg, process.pid, 0)

    def test_bad_input_is_a_clear_error(self):
        self.assertIn("model.pml:1:", self.run_cmc(self.write("init { x = 1 }"), code=2))
        self.write(BANK)
        self.assertIn("there is no mutant 999", self.run_cmc("--show", 999, "model.pml", code=2))
        self.assertIn("--at-least", self.run_cmc("--at-least", "x", "model.pml", code=2))
        self.assertIn("nothing_here", self.run_cmc("--property", "nothing_here", "model.pml", code=2))
        self.assertIn("cannot make the folder", self.run_cmc("--out", "model.pml/x", "model.pml", "--mutants", 1, code=2))
        self.run_cmc("missing.pml", code=2)
        self.run_cmc("--json=model.pml", "model.pml", code=2)

    def test_public_models_keep_their_scores(self):
        report = self.report(MODELS / "properties" / "mutex.pml")
        self.assertGreaterEqual(report["score"], 80)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
