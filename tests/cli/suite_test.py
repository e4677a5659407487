#!/usr/bin/env python3
"""Runs `cmc test` as people and CI servers do: expectations, reports, remembered verdicts, cases that crash or hang.

Usage: suite_test.py CMC
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import xml.etree.ElementTree

CMC = None

MODEL = """/* expect: holds
   expect: violated(assertion) with -DN=1
   expect: violated errors=1 with -DN=1 steps=path */
#ifndef N
#define N 2
#endif
byte x; active proctype P() { x = 1; assert(x != N) }
"""
BROKEN = "// expect: holds states=3\n// expect: holds\n" + "active proctype P() { assert(false) }\n"
# About 2^40 states: never finished.
HUGE = "// expect: holds\nint x, y; active proctype P() { do :: x++ :: y++ :: x + y == -1 -> break od }\n"

# Elements of junit-10.xsd with the attributes that they may have here, and what may be inside.
JUNIT = {"testsuites": ({"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
         "testsuite": ({"name", "tests", "failures", "errors", "time", "skipped"}, {"testcase"}),
         "testcase": ({"classname", "name", "time"}, {"failure", "error", "skipped"}),
         "failure": ({"type", "message"}, set()), "error": ({"type", "message"}, set()), "skipped": ({"message"}, set())}


def junit_problems(text):
    """Where a text is not what the schema allows, or where numbers are not those of the elements."""
    problems = []

    def check(element):
        attributes, children = JUNIT[element.tag]
        if set(element.attrib) - attributes:
            problems.append(f"{element.tag} has {set(element.attrib) - attributes}")
        if element.tag in ("testsuites", "testsuite"):
            for attribute, tag in [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]:
                count = len(list(element.iter(tag)))
                if int(element.get(attribute, count)) != count:
                    problems.append(f"{element.tag}: {attribute} is {element.get(attribute)}, but there are {count}")
        for child in element:
            if child.tag not in children:
                problems.append(f"{child.tag} in {element.tag}")
            check(child)

    check(xml.etree.ElementTree.fromstring(text))
    return problems


def sarif_problems(text):
    """What SARIF 2.1.0 requires (OASIS, sections 3.13 to 3.54) of the parts that are used here."""
    log, problems = json.loads(text), []

    def need(condition, what):
        if not condition:
            problems.append(what)

    def location(each):
        physical = each["physicalLocation"]
        uri = physical["artifactLocation"]["uri"]
        need(re.fullmatch(r"[\w%./~:@!$&'()*+,;=-]+", uri) and urllib.parse.urlparse(uri).scheme in ("", "file"), f"uri {uri}")
        need(physical.get("region", {"startLine": 1})["startLine"] >= 1, "startLine")
        need(set(each) <= {"physicalLocation", "message"}, "location")

    need(set(log) == {"$schema", "version", "runs"} and log["version"] == "2.1.0", "the log")
    for run in log["runs"]:
        need(set(run) == {"tool", "invocations", "results"}, "the run")
        driver = run["tool"]["driver"]
        need(isinstance(driver["name"], str), "name")
        rules = [rule["id"] for rule in driver["rules"]]
        need(len(set(rules)) == len(rules), "rules")
        for invocation in run["invocations"]:
            need(isinstance(invocation["executionSuccessful"], bool), "executionSuccessful")
            for notification in invocation.get("toolExecutionNotifications", []):
                need(notification["level"] in ("none", "note", "warning", "error") and notification["message"]["text"], "notification")
        for result in run["results"]:
            need(set(result) <= {"ruleId", "level", "message", "locations", "relatedLocations"}, "result")
            need(result["ruleId"] in rules, "ruleId")
            need(result["level"] in ("none", "note", "warning", "error"), "level")
            need(result["message"]["text"], "message")
            for each in result["locations"] + result.get("relatedLocations", []):
                location(each)
    return problems


class SuiteTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, **models):
        for name, text in models.items():
            (self.path / f"{name}.pml").write_bytes(text if isinstance(text, bytes) else text.encode())

    def expect(self, code, *arguments, cmc=None, **keywords):
        run = subprocess.run([cmc or CMC, "test", *arguments], cwd=self.path, capture_output=True, text=True,
                             errors="replace", timeout=120, **keywords)
        self.assertEqual(run.returncode, code, f"{arguments}: {run.stdout}{run.stderr}")
        return run

    def cases(self, code, *arguments, **keywords):
        result = json.loads(self.expect(code, "--json", *arguments, **keywords).stdout)
        self.assertEqual(result["schema"], "cmc.test/1")
        return result["cases"]

    def statuses(self, code, *arguments):
        return [case["status"] for case in self.cases(code, *arguments)]

    def test_a_case_that_a_limit_cuts_says_so(self):
        self.write(huge=HUGE.replace("holds", "incomplete"))
        run = self.expect(0, "--time", "1", "huge.pml")
        self.assertIn("cut: the time limit of 1 ", run.stdout)
        self.write(huge=HUGE)
        run = self.expect(1, "--time", "1", "huge.pml")
        self.assertEqual(run.stdout.count("the time limit of 1 "), 1)

    def test_expectations_are_compared(self):
        self.write(model=MODEL)
        self.assertEqual(self.statuses(0, "model.pml"), ["passed"] * 3)
        self.assertEqual(self.statuses(0), ["passed"] * 3)
        run = self.expect(0, "--jobs", "1")
        self.assertIn("3 cases in 1 model: 3 passed, 0 failed, 0 errors", run.stdout)
        # What is no expectation is no case.
        self.assertIn("0 cases in 0 models: 0 passed, 0 failed, 1 error;", self.expect(2, "nosuch").stdout)
        self.write(broken=BROKEN)
        run = self.expect(1, "-q", ".")
        self.assertIn("verdict: expected holds, found violated  [broken.pml:1]", run.stdout)
        self.assertIn("found: assertion violated: assert(0) at broken.pml:3", run.stdout)
        self.assertNotIn("model.pml", run.stdout)
        # Figures are those of the whole state space, whatever reductions leave out.
        self.write(figures="// expect: holds states=4 transitions=4\n// expect: holds reductions=all states=4\n"
                           "active [2] proctype P() { byte b; b = 1; b = 2 }\n")
        found = [case["found"]["states"] for case in self.cases(1, "figures.pml")]
        self.assertGreater(found[0], found[1])

    def test_mistakes_are_errors_of_one_case(self):
        self.write(model=MODEL, bogus="// expect: holds bogus=3\n// expect: holds\ninit { skip }\n", none="init { skip }\n",
                   syntax="// expect: holds\ninit { y = 1 }\n", value="// expect: holds steps=up\ninit { skip }\n",
                   nothing="// expect: nothing\nnonsense\n", include='// expect: holds\n#include "missing.h"\ninit { skip }\n')
        (self.path / "folder.pml").mkdir()
        (self.path / "dangling.pml").symlink_to("nowhere")
        cases = self.cases(2, ".", "missing.pml")
        errors = {case["model"]: " ".join(case["messages"]) for case in cases if case["status"] == "error"}
        self.assertIn("unknown word 'bogus=3'", errors["bogus.pml"])
        self.assertIn("no line 'expect: ...'", errors["none.pml"])
        self.assertIn("undeclared variable 'y'", errors["syntax.pml"])
        self.assertIn("'up' is not one of", errors["value.pml"])
        self.assertIn("missing.h", errors["include.pml"])
        for name in ["missing.pml", "dangling.pml"]:
            self.assertIn("cannot read", errors[name])
        self.assertEqual(len(errors), 7)
        self.assertEqual(sum(case["status"] == "passed" for case in cases), 4)
        self.assertIn("no file *.pml", self.expect(2, "folder.pml").stdout)
        os.mkfifo(self.path / "folder.pml" / "pipe.pml")  # opening it would wait for ever
        self.assertIn("no file *.pml", self.expect(2, "folder.pml").stdout)
        self.assertIn("cmc test", self.expect(2, "--nonsense").stderr)
        self.expect(2, "-")
        self.expect(2, "--json", "--annotations", "github")
        self.expect(2, "--threads", "0")

    def test_a_case_that_hangs_or_dies_ends_no_other_one(self):
        self.write(a=HUGE, b=HUGE.replace("holds", "incomplete time=0.3"), c=HUGE.replace("holds", "holds time=0.3"), d=MODEL)
        cases = self.cases(1, "--kill-after", "2", ".")
        self.assertEqual([case["status"] for case in cases], ["error", "passed", "failed", *["passed"] * 3])
        self.assertIn("killed after", cases[0]["messages"][0])
        self.assertIn("found incomplete", cases[2]["messages"][0])
        # Killed from outside, as a machine without memory does it.
        process = self.start("--json", "a.pml", "d.pml")
        child = self.child_of(process, "a.pml")
        os.kill(child, signal.SIGKILL)
        result = json.loads(process.communicate(timeout=60)[0])
        self.assertEqual(process.returncode, 2)
        self.assertEqual([case["status"] for case in result["cases"]], ["error", *["passed"] * 3])
        self.assertIn("SIGKILL", result["cases"][0]["messages"][0])

    def start(self, *arguments):
        process = subprocess.Popen([CMC, "test", *arguments], cwd=self.path, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def wait_until(self, condition, message):
        for _ in range(600):
            if condition():
                return
            time.sleep(0.05)
        self.fail(message)

    def child_of(self, process, model):
        for _ in range(600):
            for entry in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                try:
                    words = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
                except OSError:  # it has just ended
                    continue
                if b"check" in words and model.encode() in words:
                    return int(entry)
            time.sleep(0.05)
        self.fail("no check was begun")

    def test_an_interrupted_run_reports_what_it_has(self):
        self.write(a=MODEL, b=HUGE)
        files = ["--json=r.json", "--junit", "r.xml", "--sarif", "r.sarif"]
        process = self.start(*files, "--jobs", "1")
        self.child_of(process, "b.pml")
        self.assertFalse(json.loads((self.path / "r.json").read_text())["complete"])
        self.assertIn("running", (self.path / "r.sarif").read_text())
        self.assertEqual((self.path / "r.xml").read_text().count('type="not run"'), 4)
        process.terminate()
        printed = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertIn("3 passed, 0 failed, 0 errors, 1 not run", printed)
        result = json.loads((self.path / "r.json").read_text())
        self.assertEqual((result["complete"], result["not_run"]), (False, 1))
        self.assertEqual(sarif_problems((self.path / "r.sarif").read_text()), [])
        self.assertEqual(junit_problems((self.path / "r.xml").read_text()), [])

    def test_a_killed_run_leaves_no_checks_behind(self):
        self.write(a=HUGE)
        process = self.start()
        child = self.child_of(process, "a.pml")
        def status(name):
            try:
                return dict(line.split(":\t") for line in pathlib.Path(f"/proc/{child}/status").read_text().splitlines())[name]
            except OSError:
                return "0"
        self.wait_until(lambda: int(status("SigCgt"), 16) >> signal.SIGTERM - 1 & 1, "the check was not begun")
        process.kill()
        self.wait_until(lambda: status("State")[0] in "0Z", "the check goes on")

    def test_reports_have_the_form_that_others_read(self):
        self.write(model=MODEL, broken=BROKEN, bogus="// expect: holds bogus=3\n", slow="// expect: holds slow\ninit { skip }\n",
                   latin=b"// expect: violated with -DX=\"\xe4<&>\x01\"\ninit { assert(X == X) }\n")
        (self.path / "a b & c").mkdir()
        (self.path / "a b & c/ä.pml").write_text(BROKEN)
        run = self.expect(1, "--json=r.json", "--junit", "r.xml", "--sarif", "r.sarif", "--annotations", "github", ".", f"{self.path}/a b & c")
        cases = json.loads((self.path / "r.json").read_text())["cases"]
        wrong = [case for case in cases if case["status"] in ("failed", "error")]
        self.assertEqual(len(wrong), 8)
        junit = (self.path / "r.xml").read_bytes()
        self.assertEqual(junit_problems(junit), [])
        root = xml.etree.ElementTree.fromstring(junit)
        self.assertEqual([int(root.get(name)) for name in ("tests", "failures", "errors")], [12, 6, 2])
        self.assertEqual(len(list(root.iter("skipped"))), 1)
        sarif = (self.path / "r.sarif").read_text()
        self.assertEqual(sarif_problems(sarif), [])
        results = json.loads(sarif)["runs"][0]["results"]
        self.assertEqual(len(results), 8)
        self.assertEqual({result["ruleId"] for result in results}, {"broken-expectation", "no-verdict"})
        related = [result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] for result in results if "relatedLocations" in result]
        self.assertEqual(related, [3] * 6)
        annotations = [line for line in run.stdout.splitlines() if line.startswith("::")]
        self.assertEqual(len(annotations), 8)
        self.assertTrue(all(re.match(r"::error file=[^,:]+,line=\d+,title=[\w ]+::\S", line) for line in annotations), annotations)

    def test_a_mistake_in_a_text_is_reported_where_it_is(self):
        self.write(model='// expect: holds\n#include "part.h"\n')
        (self.path / "part.h").write_text("\n\ninit { y = 1 }\n")
        run = self.expect(2, "--sarif", "r.sarif", "--annotations", "github", "model.pml")
        sarif = (self.path / "r.sarif").read_text()
        self.assertEqual(sarif_problems(sarif), [])
        place = json.loads(sarif)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertTrue(place["artifactLocation"]["uri"].endswith("part.h"), place)
        self.assertEqual(place["region"]["startLine"], 3)
        self.assertRegex(run.stdout, r"::error file=[^,]*part\.h,line=3,title=no verdict::")

    def test_outputs_that_name_a_model_or_each_other(self):
        self.write(model='// expect: holds\n#include "part.h"\n')
        (self.path / "part.h").write_text("init { skip }\n")
        before = (self.path / "model.pml").read_text()
        for name in ["model.pml", "./part.h", f"{self.path}/model.pml"]:
            for option in ["--json", "--junit", "--sarif"]:
                self.assertIn("which is read", self.expect(2, f"{option}={name}", ".").stderr)
        self.assertIn("would both write", self.expect(2, "--junit", "x", "--sarif", "./x", ".").stderr)
        self.assertEqual((self.path / "model.pml").read_text(), before)
        self.assertEqual(sorted(each.name for each in self.path.iterdir()), ["model.pml", "part.h"])
        self.expect(2, "--junit", "no/such/folder", ".")
        self.expect(2, "--junit", "/dev/full", ".")
        self.expect(0, "--junit", "/dev/null", ".")

    def test_slow_cases(self):
        self.write(model="// expect: holds slow\n// expect: holds\ninit { skip }\n")
        self.assertEqual(self.statuses(0), ["left out", "passed"])
        self.assertEqual(self.statuses(0, "--slow", "too"), ["passed", "passed"])
        self.assertEqual(self.statuses(0, "--slow", "only"), ["passed"])

    def test_options_of_check_go_to_all_cases(self):
        self.write(model="// expect: holds with -DB=1\n// expect: violated with -DB=2\ninit { assert(A == B) }\n")
        self.expect(2, ".")
        cases = self.cases(0, "-DA=1", "--engine", "simple", ".")
        self.assertEqual(cases[0]["arguments"], ["-DA=1", "--engine=simple", "-DB=1"])
        self.assertEqual(self.statuses(1, "-DA=2", "."), ["failed", "failed"])

    def test_the_simple_engine_has_one_thread_with_few_jobs_too(self):
        self.write(model="// expect: holds\n// expect: holds engine=simple\ninit { skip }\n")
        for ways in ([], ["--engine", "simple"], ["--generator", "reference"]):
            self.assertEqual(self.statuses(0, "--jobs", "1", *ways), ["passed", "passed"])

    def test_verdicts_are_remembered_only_while_nothing_changes(self):
        self.write(model=MODEL, broken=BROKEN)
        (self.path / "part.h").write_text("#define N 2\n")

        def remembered(*arguments):
            return [case["remembered"] for case in self.cases(0, "--cache", "cache", "model.pml", *arguments)]

        self.assertEqual(remembered(), [False] * 3)
        self.assertEqual(remembered(), [True] * 3)
        self.assertIn("3 known from the cache", self.expect(0, "--cache", "cache", "model.pml").stdout)
        # A comment is no change; the text, an option, an include, a formula's macro are.
        self.write(model="/* new */\n\n" + MODEL)
        self.assertEqual(remembered(), [True] * 3)
        self.assertEqual(remembered("--engine", "simple"), [False] * 3)
        self.write(model=MODEL.replace("x = 1;", "x = 1; x = 1;"))
        self.assertEqual(remembered(), [False] * 3)
        self.write(model='// expect: holds\n#include "part.h"\nbyte x; init { x = 1; assert(x != N) }\n#define F x < N\n')
        self.assertEqual(remembered("--ltl", "[] (F)"), [False])
        self.assertEqual(remembered("--ltl", "[] (F)"), [True])
        (self.path / "part.h").write_text("#define N 3\n")
        self.assertEqual(remembered("--ltl", "[] (F)"), [False])
        self.write(model='// expect: holds\n#include "part.h"\nbyte x; init { x = 1; assert(x != N) }\n#define F x < 2\n')
        self.assertEqual(remembered("--ltl", "[] (F)"), [False])
        # What is broken is not taken over, nor what is damaged or incomplete.
        for _ in range(2):
            self.assertFalse(any(case["remembered"] for case in self.cases(1, "--cache", "cache", "broken.pml")))
        for each in (self.path / "cache").iterdir():
            each.write_text(each.read_text()[:-20])
        self.assertEqual(remembered("--ltl", "[] (F)"), [False])
        self.write(cut=HUGE.replace("holds", "incomplete time=0.2"))
        for _ in range(2):
            self.assertFalse(self.cases(0, "--cache", "cache", "cut.pml")[0]["remembered"])
        self.expect(2, "--cache", "model.pml/x", ".")

    def test_the_list_runs_nothing(self):
        self.write(a=HUGE, b="// expect: holds bogus\n", c="// expect: violated(trace) states=3 with -DN=1 property=p slow\ninit { skip }\n")
        cases = self.cases(2, "--list", ".")
        self.assertEqual([case["status"] for case in cases], ["open", "error", "left out"])
        self.assertEqual(cases[2]["expected"], {"claim": "verdict", "number": None, "logs": [], "verdict": "violated", "kinds": ["trace"], "states": 3,
                                                "transitions": None, "errors": None, "options": ["-DN=1", "--property=p"], "slow": True, "solver": False, "only_cmc": False})

    def test_least_numbers_of_states_and_lines_that_are_reached(self):
        model = "// {}\nbyte x;\nactive [2] proctype P() {{ x++;\n  if\n  :: x > 5 ->\n    x = 7\n  :: else\n  fi;\n  assert(x < 2) }}\n"
        self.write(enough=model.format("expect: states >= 5"), short=model.format("expect: states >= 500"),
                   reached=model.format("expect: reached line 9"), never=model.format("expect: reached line 6"),
                   nothing=model.format("expect: reached line 2"), behind=model.format("expect: reached line 99"))
        cases = {case["model"]: case for case in self.cases(1, ".")}
        self.assertEqual({name: case["status"] for name, case in cases.items()},
                         {"enough.pml": "passed", "short.pml": "failed", "reached.pml": "passed", "never.pml": "failed",
                          "nothing.pml": "error", "behind.pml": "error"})
        self.assertIn("states: expected at least 500, found", cases["short.pml"]["messages"][0])
        self.assertEqual(cases["never.pml"]["messages"][0], "line 6: a statement is not reached")
        self.assertEqual(cases["enough.pml"]["expected"]["claim"], "states")
        # What was found was found, also if a limit ends the search.
        self.write(cut=HUGE.replace("expect: holds", "expect: states >= 100 time=0.3"),
                   more=HUGE.replace("expect: holds", "expect: states >= 100000000000 time=0.3"))
        self.assertEqual(self.cases(0, "cut.pml")[0]["status"], "passed")
        self.assertEqual(self.cases(1, "more.pml")[0]["status"], "failed")

    def test_teeth_are_a_least_score(self):
        bank = ("// expect: teeth >= {}\nbyte a = 2, b;\nactive [2] proctype transfer() {{\n  if\n  :: atomic {{ a > 0 -> a-- }}; b++\n"
                "  :: a == 0\n  fi\n}}\nltl no_gain {{ [] (a + b <= 2) }}\n")
        self.write(low=bank.format("50%"), high=bank.format("90% with -DX property=safety"), none="// expect: teeth >= 10%\ninit { assert(false) }\n",
                   cut=bank.format("10% time=0.000001"), search=bank.format("10% search=bfs"))
        cases = {case["model"]: case for case in self.cases(1, "--reductions", "none", "-DN=3", ".")}
        self.assertEqual({name: case["status"] for name, case in cases.items()},
                         {"low.pml": "passed", "high.pml": "failed", "none.pml": "error", "cut.pml": "error", "search.pml": "error"} |
                         {"cut.pml": cases["cut.pml"]["status"]})
        self.assertNotEqual(cases["cut.pml"]["status"], "passed")
        self.assertIn("teeth: expected at least 90%, found", cases["high.pml"]["messages"][0])
        self.assertIn("no property of the model holds", cases["none.pml"]["messages"][0])
        self.assertEqual(cases["low.pml"]["arguments"], ["-DN=3"])
        for wrong in ("teeth", "teeth >= 0%", "teeth >= 101%", "teeth >= 80", "teeth > 80%", "states >= -1", "states >= many", "reached 28",
                      "reached line 0", "states >= 5 errors=1", "teeth >= 80% states=3"):
            self.write(wrong=f"// expect: {wrong}\ninit {{ skip }}\n")
            self.assertEqual(self.cases(2, "wrong.pml")[0]["status"], "error", wrong)

    def test_logs_are_beside_their_model(self):
        model = "// expect: {}\n//@ event step(v) : x = v\nbyte x;\ninit {{ x = 1; x = 2 }}\n"
        (self.path / "more").mkdir()
        for name, values in (("good", (1, 2)), ("bad", (2, 1))):
            (self.path / "more" / f"{name}.jsonl").write_text("".join(f'{{"event": "step", "v": {value}}}\n' for value in values))
        self.write(good=model.format("explained more/good.jsonl"), bad=model.format("not-explained more/bad.jsonl"),
                   wrong=model.format("explained more/bad.jsonl"), none=model.format("explained more/none.jsonl"),
                   cut=model.format("not-explained more/bad.jsonl time=0.000001"))
        cases = {pathlib.Path(case["model"]).name: case for case in self.cases(1, "--reductions", "none", "--search", "bfs", self.path)}
        self.assertEqual({name: case["status"] for name, case in cases.items()},
                         {"good.pml": "passed", "bad.pml": "passed", "wrong.pml": "failed", "none.pml": "error", "cut.pml": "failed"})
        self.assertEqual(cases["wrong.pml"]["messages"][0], "log: expected explained, found not-explained")
        self.assertIn("no run goes on with step(v=2) at", cases["wrong.pml"]["messages"][1])
        self.assertIn("cut: the time limit", cases["cut.pml"]["messages"][1])
        self.assertEqual(cases["good.pml"]["arguments"], ["--reductions=none"])
        self.assertIn("which is read", self.expect(2, "--json=more/good.jsonl", "good.pml").stderr)

    def test_names_that_look_like_options(self):
        (self.path / "-n.pml").write_text("// expect: holds\ninit { skip }\n")
        (self.path / "--json=x.pml").write_text("// expect: holds\ninit { skip }\n")
        self.assertEqual(self.statuses(0, "."), ["passed", "passed"])


if __name__ == "__main__":
    CMC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
