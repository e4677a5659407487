#!/usr/bin/env python3
"""Programs around SPIN work with cmc in its place: each test runs what the program runs and searches the output with
the program's expressions (docs/spin.md has the table). Where `spin` is installed, the same must be found in SPIN's own
output: of the tests one part a day also runs SPIN (tests/support/part_of_day.py).

Usage: programs_test.py CMC
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

CMC = None
SPIN = shutil.which("spin")

INVARIANT = "byte x;\nactive proctype p() {\n  x = 1;\n  x = 2\n}\nltl a { [] (x != 2) }\n"
RESPONSE = "byte x, got[3];\nactive proctype p() {\n  do :: x = 1 :: x = 0 od\n}\nltl a { []<> (x == 1) }\nltl b { [] (x < 2) }\nltl c { [] !(got[x] == 5) }\n"
ASSERTION = "byte x;\nactive proctype p() { x = 1; x = 2; assert(x == 1) }\ninit { skip }\n"
STUCK = "chan q = [1] of { byte };\nactive proctype p() { byte x; q!1; q?x; q?x }\n"
FINE = "byte x;\nactive proctype p() { x = 1; if :: x == 1 -> x = 2 :: x == 3 -> x = 4 fi }\ninit { skip }\n"
CLAIM = "byte x;\nactive proctype p() { x = 1; x = 2 }\nnever { do :: x == 2 -> break :: else od }\n"
PROGRESS = "byte x;\nactive proctype p() { do :: x = 1 - x od }\n"
WRONG = "byte x;\nactive proctype p() {\n  x = = 3\n}\n"
SCENARIOS = "byte x;\nactive proctype p() { if :: x = 1 :: x = 2 :: x = 3 fi; assert(x > 3) }\n"
CHANNELS = """\
mtype = { ack, nak };
chan c = [2] of { mtype, byte };
chan r = [0] of { byte };
byte x;
proctype P(chan d; byte k) { byte v; r?v; x = v; d!ack,k }
init { mtype m; byte b; run P(c, 3); r!7; c?m,b; x++; printf("done %d\\n", x); assert(x == 10) }
"""
# What Korg looks for: a process named daisy, which makes a cycle.
DAISY = """\
chan AtoB = [0] of { byte };
byte seen;
active proctype daisy() { do :: AtoB!1 od }
active proctype B() { byte v; do :: AtoB?v -> seen = v od }
ltl phi { eventually (seen == 2) }
"""
LABELS = "byte x;\nactive proctype p() {\n  do :: atomic { x = 1; x = 2 } accept_x: x = 0 od\n}\n"
# Statements that SPIN merges: they have no lines in trails.
MERGED = [
    "byte g;\nactive proctype p() { byte i; i = 1; i = 2; g = i; i = 3; printf(\"i %d\\n\", i); assert(i == 2) }\n",
    "chan q = [2] of { byte };\nactive proctype p() { byte i, j; q!1; i = 1; j = 2; q?i; j = i; i = 5; atomic { j++; i++; q!j }; assert(i == 2) }\n"
    "active proctype r() { byte k; k = 1; k = 2; if :: k == 2 -> k = 3; k = 4 :: else fi; assert(k == 3) }\n",
    "byte g;\nactive [2] proctype p() { byte i; do :: i < 3 -> i = i + 1; i = i * 2; g = i :: else -> break od; i = 9; i = 8; assert(g < 3) }\n",
    # The last statement of an atomic sequence is merged, too; behind a statement about globals nothing is.
    "byte x, y;\nactive proctype p() { y == 1; assert(0) }\nactive proctype q() { atomic { x = 1; y = 1 }; y == 9 }\n",
    "byte g;\nactive proctype p() { byte m, l; g = 1; assert(g == 2); l = m + 1; m = 7 }\n",
    "byte g;\nactive proctype p() { byte m, l; atomic { m = 2; g = 1; assert(m == 1); l = m; g = 5 }; m = 7 }\n",
    # A selection, a loop, a block, `skip` and a label end the step; guards of options begin one, `else` does not.
    "byte g;\nactive proctype p() { byte i; i = 1; do :: i = 2; i = 3; g == 4 od }\n"
    "active proctype q() { byte i; i = 1; skip; i = 2; i = 3; g == 4 }\nactive proctype r() { byte i; if :: i == 1 :: else -> i = 4; i = 5 fi; g == 4 }\n"
    "active proctype s() { byte i; if :: i = 1 :: i == 0 -> i = 2; i = 3; atomic { i = 6; i = 7 }; lab: i = 8 fi; g == 4 }\n",
]
STEP = re.compile(r"([0-9]+):\s+proc\s+([0-9]+)\s+\((.*):([0-9]+)\)\s+(.*):([0-9]+)\s+\(state\s+([0-9]+)\)")


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        self.places = []
        number = unittest.TestLoader().getTestCaseNames(ProgramsTest).index(self._testMethodName)
        for program in [CMC] + ([SPIN] if SPIN and part_of_day.has(number) else []):
            folder = tempfile.TemporaryDirectory(prefix="programs.")
            self.addCleanup(folder.cleanup)
            path = pathlib.Path(folder.name)
            (path / "bin").mkdir()
            os.symlink(program, path / "bin" / "spin")
            self.places.append(path)

    def both(self, act):
        """act(run, folder) for cmc, and for SPIN; returns what both returned, which must be equal."""
        results = []
        for path in self.places:
            environment = dict(os.environ, PATH=f"{path / 'bin'}:{os.environ['PATH']}")

            def run(command, code=0, text=None, path=path, environment=environment):
                done = subprocess.run(command, shell=isinstance(command, str), cwd=path, env=environment, text=True,
                                      input=text, capture_output=True, timeout=120)
                if code is not None:
                    self.assertEqual(done.returncode, code, f"{path}: {command}: {done.stdout}{done.stderr}")
                return done.stdout + done.stderr

            results.append(act(run, path))
        for other in results[1:]:
            self.assertEqual(results[0], other)
        return results[0]

    def needs_compiler(self):
        if shutil.which("gcc") is None:
            self.skipTest("there is no C compiler")

    def test_ispin(self):
        def act(run, path):
            (path / "model.pml").write_text(CHANNELS)
            found = [run(["spin", "-V"]).split("\n")[0][:14]]
            found.append(run("spin -a model.pml"))
            # Guided by a trail that SPIN's verifier wrote (with -o3 and -DNOREDUCE).
            (path / "model.trl").write_text("1:0:4\n2:0:5\n3:1:0\n4:1:1\n5:1:2\n6:1:3\n7:0:6\n8:0:7\n9:0:8\n10:0:9\n")
            for line in run("spin -p -s -r -X -v -n1 -l -g -k model.trl model.pml").splitlines():
                if "[values: " in line:
                    step = re.match(r"\s*(\d+):\tproc\s+(\d+) \((\S+)\)", line)
                    found.append(step.groups() + (re.search(r"\[values: (.*)\]", line).group(1),))
                elif step := re.match(r"\s*(\d+):\tproc\s+(\d+) ", line):
                    found.append(step.groups() + (re.search(r"[A-Za-z0-9_.]+:[0-9]+", line[line.index(")"):]).group(0),))
                elif " = " in line or "\tqueue " in line:
                    found.append(line)
            found.append(sorted(line.split("\t")[1] for line in run("spin -d model.pml").splitlines()
                                if "\t<variable>" in line and not line.startswith("mtype")))
            return found

        self.assertIn("2!7", [each[-1] for each in self.both(act) if each])

    def test_ispin_has_labels_and_state_tables(self):
        self.needs_compiler()

        def act(run, path):
            (path / "model.pml").write_text(LABELS)
            labels = [line.split("\t")[1:3] for line in run("spin -d model.pml").splitlines() if "label\taccept" in line]
            run("spin -a -o3 model.pml && gcc -w -o pan pan.c")
            rows = []
            for line in run("./pan -d", code=None).splitlines():
                if row := re.match(r"\tstate\s+(\d+) -\(tr\s+(\d+)\)-> state\s+(\d+)\s+\[id\s+(\d+) tp\s+(\d+)\]", line):
                    rows.append((row.group(1), row.group(3), row.group(4), line[line.index(" => ") + 4:]))
            report = run("./pan -m10000 -a -c0")
            self.assertIn("pan: elapsed", report)
            return labels, rows, [line for line in report.splitlines() if "State-vector " in line and "errors: 0" in line]

        labels, rows, _ = self.both(act)
        self.assertEqual(labels[0][0], "accept_x")
        self.assertTrue(rows)

    def test_jspin(self):
        def act(run, path):
            (path / "model.pml").write_text(CHANNELS)
            (path / "model.pml.trail").write_text("1:0:4\n2:0:5\n3:1:0\n4:1:1\n5:1:2\n6:1:3\n7:0:6\n8:0:7\n9:0:8\n10:0:9\n")
            found = []
            for line in run("spin -g -l -p -r -s -t -X -u250 model.pml").splitlines():
                if line.startswith("\t\t"):
                    queue = line.startswith("\t\tqueue")
                    name = line[line.index("(") + 1:line.index(")")] if queue else line[2:line.index("=") - 1]
                    found.append((name, line[line.index(":" if queue else "=") + 1:].strip()))
                elif "proc" in line and "[" in line:
                    found.append((line[line.index("proc") + 4:line.index(")") + 1].strip(), line[line.index("["):]))
                elif line.startswith("spin:"):
                    found.append(line)
            return found

        self.assertIn(("x", "8"), self.both(act))

    def test_jspin_interactive(self):
        def act(run, path):
            (path / "model.pml").write_text("byte x;\nactive proctype p() { x = 1; x = 2 }\nactive proctype q() { x = 3; x = 4 }\n")
            text = run("spin -g -l -p -r -s -i -X model.pml", text="1\n2\nq\n", code=None)
            lines = [line.strip() for line in text.splitlines() if "unexecutable" not in line]
            asked = [line for line in lines if line.startswith(("choice", "Select a", "Make Selection"))]
            return sorted(asked[:4]), [line[line.index("proc") + 4:] for line in lines if STEP.search(line) and "choice" not in line]

        self.assertIn("Select a statement", self.both(act)[0])

    def test_spinspider_reads_tables_and_trails(self):
        self.needs_compiler()

        def act(run, path):
            (path / "model.pml").write_text(ASSERTION)
            run("spin -a -o3 model.pml && gcc -w -DSAFETY -o pan pan.c")
            found = []
            for line in run("./pan -d", code=None).splitlines():
                if "proctype" in line:
                    found.append(line)
                elif "-> state" in line:
                    numbers = [line[line.index(a) + len(a):line.index(b)].strip()
                               for a, b in [("state", "-(tr"), ("-> state", "[id"), ("[id", "tp")]]
                    arrow = line.index("=>")
                    found.append((numbers, line[line.rindex(":", 0, arrow) + 1:arrow - 1], line[arrow + 2:].strip()))
            return found

        self.both(act)

    def test_vscode_promela(self):
        def act(run, path):
            (path / "model.pml").write_text(CHANNELS)
            (path / "model.pml.trail").write_text("1:0:4\n2:0:5\n3:1:0\n4:1:1\n5:1:2\n6:1:3\n7:0:6\n8:0:7\n9:0:8\n10:0:9\n")
            steps, current = [], None
            for line in run("spin -p -s -r -X -v -l -g -t model.pml").splitlines():
                if current is not None:
                    if not line.strip():
                        steps.append(current)
                        current = None
                    elif queue := re.search(r"queue\s+([0-9]+)\s+\((.*)\):\s+((\[.*?\])*)", line):
                        current.append(queue.groups()[:3])
                    elif value := re.search(r"\s*(.*)\s+=\s+(.*)", line):
                        current.append(value.groups())
                elif line.startswith("spin:") and "error" in line.lower():
                    steps.append(re.search(r"spin:\s+(.*):([0-9]+)", line).groups())
                elif step := STEP.search(line):
                    current = list(step.groups())
            (path / "wrong.pml").write_text(WRONG)
            errors = re.findall(r"spin: (.+):(\d+), Error: syntax error\t", run("spin -a wrong.pml", code=1))
            return steps, errors

        steps, errors = self.both(act)
        self.assertIn(("model.pml", "6"), steps)
        self.assertEqual(errors, [("wrong.pml", "3")])

    def test_intellij(self):
        self.needs_compiler()

        def act(run, path):
            (path / "wrong.pml").write_text(WRONG)
            (path / "model.pml").write_text(LABELS)
            text = run(["spin", "-a", str(path / "wrong.pml")], code=1)
            errors = [re.fullmatch(r"spin: (.*):(\d+), (Error: .*)", line) for line in text.replace("\t", " ").split("\n") if line]
            self.assertTrue(all(errors), text)
            run(["spin", "-a", str(path / "model.pml")])
            run("gcc pan.c -w -o model-pan")
            graphs = re.findall(r"digraph (\S+) \{(.*?)\}", run("./model-pan -D").replace("\n", ""))
            # SPIN goes on after the first error.
            return [each.group(2) for each in errors][:1], [(name, "size" in body) for name, body in graphs]

        errors, graphs = self.both(act)
        self.assertEqual((errors, graphs), (["3"], [("p_p", True)]))

    def test_the_test_builder_of_rtems(self):
        def act(run, path):
            (path / "model.pml").write_text(SCENARIOS)
            run("spin -DTEST_GEN -run -E -c0 -e model.pml")
            trails = sorted(path.glob("model*.trail"))
            logs = [run(f"spin -T -t{i + 1} model.pml") for i in range(len(trails))]
            os.remove(path / "pan")
            return [trail.name for trail in trails], sorted(re.search(r"x = (\d)", log).group(1) for log in logs)

        self.assertEqual(self.both(act), (["model.pml1.trail", "model.pml2.trail", "model.pml3.trail"], ["1", "2", "3"]))

    def test_atgt(self):
        self.needs_compiler()

        def act(run, path):
            kinds = []
            for text in [ASSERTION, FINE]:
                (path / "model.pml").write_text(text)
                run("spin -a model.pml && gcc -w -DSAFETY -o pan pan.c")
                report = run("./pan -m100000")
                skipped = ("Depth=", "warning:", "pan: resizing", "(Spin Version", "+ Partial Order", "+ Breadth-First")
                first = next(line.strip() for line in report.splitlines() if line.strip() and not line.strip().startswith(skipped))
                kinds.append(next(kind for kind in ["pan:1: assertion violated", "Full statespace search for:"] if first.startswith(kind)))
                memory = next(line for line in report.splitlines() if "total actual memory usage" in line)
                self.assertGreater(float(memory.strip().split("\t")[0]), 0)
            return kinds

        self.assertEqual(self.both(act), ["pan:1: assertion violated", "Full statespace search for:"])

    def test_bpmn_cwp_verify(self):
        def act(run, path):
            found = []
            for text in [ASSERTION, STUCK, FINE, WRONG]:
                (path / "model.pml").write_text(text)
                report = run("spin -run -noclaim model.pml", code=None)
                found += [match.group("assertion") for match in
                          re.finditer(r"assertion violated \((?P<assertion>.*)\) \((?P<depth>.*)\)", report)]
                found += re.findall(r"(invalid end state) \(at depth -?\d+\)", report)
                found += [match.group(1, 2) for match in re.finditer(r"spin: (.*?):(\d+),\sError: .*", report)][:1]
                for name, body in re.findall(r"unreached in (?:proctype )?(\S+)\n((?:\t.*\n)*)", report):
                    found.append((name, re.findall(r"\t(.*):(\d+), state (\d+), (.*)", body)))
            return found

        found = self.both(act)
        self.assertEqual(found[:2], ["x==1", "invalid end state"])
        self.assertIn("init", [each[0] for each in found])

    def test_orcc(self):
        self.needs_compiler()

        def act(run, path):
            (path / "model.pml").write_text(CLAIM)
            run("spin -a -DPXML -DMANAGED model.pml && gcc -w -DCOLLAPSE -DVECTORSZ=100000 -o pan pan.c")
            found = ["end state in claim reached" in run("./pan -E -n")]
            return found + [line.strip() for line in run("spin -t -DPXML -DMANAGED model.pml").splitlines() if line.strip().startswith("x =")]

        self.assertEqual(self.both(act), [True, "x = 2"])

    def test_korg(self):
        def act(run, path):
            answers = []
            for text in [RESPONSE, INVARIANT, FINE, ASSERTION]:
                (path / "model.pml").write_text(text)
                report = run("spin -run -a -DNOREDUCE -m60000 -RS88 model.pml")
                self.assertNotIn("depth too small", report)
                answers.append("violated" in report or "acceptance cycle" in report)
            (path / "daisy.pml").write_text(DAISY)
            run("spin -run -a -DNOREDUCE daisy.pml")
            events, part = [[], []], 0
            for line in run("spin -t -s -r daisy.pml").splitlines():
                if "(daisy:" in line and "Sent " in line:
                    events[part].append((line[line.rindex("(") + 1:-1], line[line.rindex("Sent ") + 5:].split()[0]))
                elif "CYCLE" in line:
                    part = 1
            return answers, sorted(set(events[1]))

        self.assertEqual(self.both(act), ([True, True, False, True], [("AtoB", "1")]))

    def test_gamma(self):
        def act(run, path):
            answers = []
            for text, formula in [(INVARIANT, ""), (FINE, "\nltl ltl_0 { [] (x < 9) }\n"), (PROGRESS, "\nltl ltl_0 { <>[] (x == 1) }\n")]:
                (path / "model-LTL.pml").write_text(text + formula)
                report = run(["spin", "-search", "-a", "model-LTL.pml"])
                first = next(line for line in report.splitlines() if "max search depth" not in line and "Depth=" not in line)
                answers.append("violated" in first or "acceptance cycle" in first)
                self.assertEqual((path / "model-LTL.pml.trail").exists(), answers[-1])
                self.assertTrue((path / "pan").exists())
                if answers[-1]:
                    run("spin -t -p -g -w model-LTL.pml")
                    os.remove(path / "model-LTL.pml.trail")
            return answers

        self.assertEqual(self.both(act), [True, False, True])

    def test_safety_sharp(self):
        expression = re.compile(
            r"(?P<preamble>[\w\W]*?)\(Spin Version (?P<version>.*) --(\w|\s)+\)(?P<nl>(\r\n)|\n)((\r\n)|\n|.)*?"
            r"State-vector (?P<vector>.*), depth reached (?P<depth>.*), errors: (?P<errors>\d+)(?P=nl)((\r\n)|\n|.)*?"
            r"pan: elapsed time (?P<time>.*) seconds")

        def act(run, path):
            answers = []
            for text in [CLAIM, INVARIANT, FINE]:
                (path / "model.pml").write_text(text)
                found = expression.match(run("spin -run model.pml", code=None))
                broken = any(word in found["preamble"] for word in ["end state in claim reached", "assertion violated"])
                answers.append((found["version"], found["errors"], broken))
            return answers

        self.assertEqual(self.both(act), [("6.5.2", "1", True), ("6.5.2", "1", True), ("6.5.2", "0", False)])

    def test_scripts_that_look_for_the_kind_of_error(self):
        def act(run, path):
            kinds = []
            for text, options in [(STUCK, ""), (ASSERTION, ""), (CLAIM, ""), (PROGRESS, "-l"), (RESPONSE, "-a"), (INVARIANT, "-a"),
                                  (INVARIANT, ""), (INVARIANT, "-bfs"), (RESPONSE, ""), (RESPONSE, "-ltl b"), (RESPONSE, "-f")]:
                (path / "model.pml").write_text(text)
                report = run(f"spin -run {options} model.pml")
                error = re.search(r"^pan:1: (.*) \(at depth \d+\)$", report, re.MULTILINE)
                kinds.append((error.group(1) if error else None, re.findall(r"^pan: (?!elapsed|rate|wrote).*$", report, re.MULTILINE),
                              re.findall(r"^\t[a-z]+ [a-z ]+ *\t.*$", report.replace("claims", ""), re.MULTILINE)[:4],
                              re.findall(r"^ltl .*|^  (?:the|only|choose|or) .*", report, re.MULTILINE),
                              sorted(each.name for each in path.glob("*.trail"))))
                for trail in path.glob("*.trail"):
                    trail.unlink()
            return kinds

        kinds = [kind[0] for kind in self.both(act)]
        self.assertEqual(kinds, ["invalid end state", "assertion violated (x==1)", "end state in claim reached", "non-progress cycle",
                                 "acceptance cycle", "assertion violated  !( !((x!=2)))", "assertion violated  !( !((x!=2)))",
                                 "assertion violated  !( !((x!=2)))", "acceptance cycle", None, "acceptance cycle"])

    def test_claims_from_files_and_formulas(self):
        def act(run, path):
            (path / "model.pml").write_text(ASSERTION.replace("assert(x == 1)", "x = 3"))
            (path / "claim").write_text("never { do :: x == 3 -> break :: else od }\n")
            (path / "formula").write_text("<> (x == 3)\n")
            found = []
            for options in ["-N claim -run", "-f '<> (x == 3)' -run", "-F formula -run"]:
                report = run(f"spin {options} model.pml")
                found.append(re.search(r"^pan:1: (.*) \(at", report, re.MULTILINE).group(1))
            return found

        self.assertEqual(self.both(act)[0], "end state in claim reached")

    def test_trails_lie_in_the_current_folder(self):
        def act(run, path):
            (path / "sub").mkdir()
            (path / "sub" / "model.pml").write_text(ASSERTION)
            report = run("spin -run sub/model.pml")
            return ("pan: wrote model.pml.trail" in report, (path / "model.pml.trail").exists(), os.access(path / "pan", os.X_OK),
                    (path / "sub" / "model.pml.trail").exists())

        self.assertEqual(self.both(act), (True, True, True, False))

    def test_trails_with_merged_statements_are_followed_with_spin_s_text(self):
        if not SPIN:
            self.skipTest("there is no spin")
        path = self.places[0]
        for number, text in enumerate(MERGED):
            (path / "model.pml").write_text(text)
            subprocess.run([SPIN, "-run", "model.pml"], cwd=path, capture_output=True, timeout=120, check=True)
            shown = ["-t", "-p", "-g", "-l", "-r", "-s", "model.pml"]
            texts = [subprocess.run([program, *first, *shown], cwd=path, capture_output=True, text=True, timeout=120).stdout
                     for program, first in [(SPIN, []), (CMC, ["spin"])]]
            # SPIN says so on a busy machine, where the trail is no younger than the model.
            spin = re.sub(r'^spin: warning, "model.pml" is newer than .*\n', "", texts[0])
            self.assertEqual(spin, texts[1], f"model {number}")


if __name__ == "__main__":
    CMC = str(pathlib.Path(sys.argv.pop(1)).resolve())
    print(f"SPIN itself: {part_of_day.text()}", flush=True)
    unittest.main()
