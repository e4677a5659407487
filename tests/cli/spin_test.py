#!/usr/bin/env python3
"""SPIN's command line: texts and trails, as SPIN 6.5.2 writes them for the same models.

Usage: spin_test.py CMC
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CMC = None

MODEL = """\
mtype = {ack, nak}; typedef T { byte a; bool b[2] }; T t; bool flag; mtype m = nak; byte arr[2]; chan qs[2] = [2] of {mtype, byte};
proctype P(chan c; byte k) { byte got; mtype mm; chan own = [1] of {bit}; c?mm,got; printf("got %e %d\\n", mm, got); flag = true; arr[k] = 3; own!1; assert(flag == 0) }
init { byte i; t.a = 7; t.b[1] = 1; run P(qs[1], 1); qs[1]!ack(t.a); i = i; m = ack; do :: i < 2 -> i++ :: else -> break od; (arr[1] == 3 && !flag) }
"""
# Of ./pan, with spin -a -o1 -o2 -o3 and -DNOREDUCE.
TRAIL = "1:0:7\n2:0:8\n3:0:9\n4:0:10\n5:1:0\n6:1:1\n7:1:2\n8:1:3\n9:1:4\n10:1:5\n"
# Of spin -t -p -g -l -r -s.
REPLAY = """\
  1:\tproc  0 (:init::1) model.pml:3 (state 1)\t[t.a = 7]
  2:\tproc  0 (:init::1) model.pml:3 (state 2)\t[t.b[1] = 1]
Starting P with pid 1
  3:\tproc  0 (:init::1) model.pml:3 (state 3)\t[(run P(qs[1],1))]
\t\tqueue 1 (qs[0]): 
\t\tqueue 2 (qs[1]): 
  4:\tproc  0 (:init::1) model.pml:3 Send ack,7\t-> queue 2 (qs[1])
  4:\tproc  0 (:init::1) model.pml:3 (state 4)\t[qs[1]!ack,t.a]
\t\tqueue 1 (qs[0]): 
\t\tqueue 2 (qs[1]): [ack,7]
  5:\tproc  1 (P:1) model.pml:2 Recv ack,7\t<- queue 2 (c)
  5:\tproc  1 (P:1) model.pml:2 (state 1)\t[c?mm,got]
\t\tqueue 1 (qs[0]): 
\t\tqueue 2 (qs[1]): 
\t\tqueue 3 (P(1):own): 
\t\tP(1):mm = ack
\t\tP(1):got = 7
\t\tqueue 2 (P(1):c): 
          got ack 7
  6:\tproc  1 (P:1) model.pml:2 (state 2)\t[printf('got %e %d\\\\n',mm,got)]
\t\tqueue 1 (qs[0]): 
\t\tqueue 2 (qs[1]): 
\t\tqueue 3 (P(1):own): 
\t\tqueue 2 (P(1):c): 
  7:\tproc  1 (P:1) model.pml:2 (state 3)\t[flag = 1]
\t\tflag = 1
\t\tqueue 1 (qs[0]): 
\t\tqueue 2 (qs[1]): 
\t\tqueue 3 (P(1):own): 
\t\tqueue 2 (P(1):c): 
  8:\tproc  1 (P:1) model.pml:2 (state 4)\t[arr[k] = 3]
\t\tarr[0] = 0
\t\tarr[1] = 3
\t\tqueue 1 (qs[0]): 
\t\tqueue 2 (qs[1]): 
\t\tqueue 3 (P(1):own): 
\t\tqueue 2 (P(1):c): 
  9:\tproc  1 (P:1) model.pml:2 Send 1\t-> queue 3 (own)
  9:\tproc  1 (P:1) model.pml:2 (state 5)\t[own!1]
\t\tqueue 1 (qs[0]): 
\t\tqueue 2 (qs[1]): 
\t\tqueue 3 (P(1):own): [1]
\t\tqueue 2 (P(1):c): 
spin: model.pml:2, Error: assertion violated
spin: text of failed assertion: assert((flag==0))
 10:\tproc  1 (P:1) model.pml:2 (state 6)\t[assert((flag==0))]
\t\tqueue 1 (qs[0]): 
\t\tqueue 2 (qs[1]): 
\t\tqueue 3 (P(1):own): [1]
\t\tqueue 2 (P(1):c): 
spin: trail ends after 10 steps
#processes: 2
\t\tt.a = 7
\t\tt.b[0] = 0
\t\tt.b[1] = 1
\t\tflag = 1
\t\tm = nak
\t\tarr[0] = 0
\t\tarr[1] = 3
\t\tqueue 1 (qs[0]): 
\t\tqueue 2 (qs[1]): 
 10:\tproc  1 (P:1) model.pml:2 (state 7) <valid end state>
\t\tqueue 3 (P(1):own): [1]
\t\tP(1):mm = ack
\t\tP(1):got = 7
\t\tP(1):k = 1
\t\tqueue 2 (P(1):c): 
 10:\tproc  0 (:init::1) model.pml:3 (state 5)
\t\t:init:(0):i = 0
2 processes created
"""
HANDSHAKE = "chan c = [0] of { byte }; active proctype A() { c!1; assert(false) } active proctype B() { byte x; c?x }\n"
STUCK = "byte x; active proctype A() { x++; x++; (x == N) }\n"
# Texts of SPIN: of the failed assertion, of pan -d, and of what is unreached.
TEXTS = """\
byte x; byte a[2]; chan q = [2] of { byte };
active proctype A() {
  if
  :: x == 1 -> printf("\\"%d\\"\\t\\\\ 'q'\\n", x); !(x == 2 && x > 3); (x > 1 -> x : 0); x == 3
  :: else
  fi;
  assert(!(x == 0 && -(x + 1) < ~(x | 1) - -1 || (x -> len(q) : 1 - a[1])))
}
"""
FAILED_ASSERTION = "pan:1: assertion violated  !((((x==0)&&( -((x+1))<( ~((x|1))- -(1))))||( (x) ? (q_len(q)) : ((1-a[1])) ))) (at depth 1)"
UNREACHED = ["printf('\\'%d\\'\\t\\\\ 'q'\\n',x)", "(!(((x==2)&&(x>3))))", "(( ((x>1)) -> (x) : (0) ))", "((x==3))"]
CYCLE = "byte x; active proctype A() { do :: x = 1 - x od } ltl p1 { [] (x < 2) } ltl p2 { <> [] (x == 1) }\n"


class SpinTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        for name, text in [("model", MODEL), ("handshake", HANDSHAKE), ("stuck", STUCK), ("cycle", CYCLE), ("texts", TEXTS),
                           ("wrong", "byte x = ;\n")]:
            (self.path / f"{name}.pml").write_text(text)

    def tearDown(self):
        self.folder.cleanup()

    def run_spin(self, *arguments, code=0, program=None):
        run = subprocess.run(program or [CMC, "spin", *arguments], cwd=self.path, capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, code, f"{arguments}: {run.stdout}{run.stderr}")
        self.assertEqual(run.stderr, "", arguments)  # programs take it for errors
        return run.stdout

    def lines(self, text, *wanted):
        for line in wanted:
            self.assertIn(line, text.splitlines())

    def test_a_trail_of_spin_is_followed_with_the_same_text(self):
        (self.path / "model.pml.trail").write_text(TRAIL)
        self.assertEqual(self.run_spin("-t", "-p", "-g", "-l", "-r", "-s", "model.pml"), REPLAY)
        (self.path / "model3.trail").write_text(TRAIL)
        self.assertEqual(self.run_spin("-t3", "-p", "-g", "-l", "-r", "-s", "model.pml"), REPLAY)
        self.assertEqual(self.run_spin("-k", "model3.trail", "-p", "-g", "-l", "-r", "-s", "model.pml"), REPLAY)

    def test_merged_steps_beside_an_unless_are_followed_to_the_end(self):
        (self.path / "un.pml").write_text("""byte x;
active proctype P() { byte l; { l = 1; atomic { x = 5; l = 2 }; l = 9 } unless { x == 9 -> l = 4 }; l = 3; l = 4; assert(false) }
""")
        (self.path / "un.pml.trail").write_text("-4:-4:-4\n1:0:0\n2:0:1\n3:0:2\n4:0:4\n5:0:9\n")  # of ./pan
        self.assertEqual(self.run_spin("-t", "-p", "un.pml").splitlines()[:8], [
            "  1:\tproc  0 (P:1) un.pml:2 (state 1)\t[l = 1]", "  2:\tproc  0 (P:1) un.pml:2 (state 2)\t[x = 5]",
            "  3:\tproc  0 (P:1) un.pml:2 (state 3)\t[l = 2]", "  4:\tproc  0 (P:1) un.pml:2 (state 5)\t[l = 9]",
            "  5:\tproc  0 (P:1) un.pml:2 (state 10)\t[l = 3]", "  5:\tproc  0 (P:1) un.pml:2 (state 11)\t[l = 4]",
            "spin: un.pml:2, Error: assertion violated", "spin: text of failed assertion: assert(0)"])

    def test_a_value_that_is_cut_is_an_error_of_the_simulation(self):
        (self.path / "cut.pml").write_text("byte b = 250; unsigned u : 3; active proctype P() { b = b + 10; u = 9; assert(false) }")
        (self.path / "cut.pml.trail").write_text("1:0:0\n2:0:1\n3:0:2\n")
        self.assertEqual(self.run_spin("-t", "-p", "cut.pml").splitlines()[:4], [
            "spin: cut.pml:1, Error: value (260->4 (8)) truncated in assignment",
            "  1:\tproc  0 (P:1) cut.pml:1 (state 1)\t[b = (b+10)]",
            "spin: cut.pml:1, Error: value (9->1 (5)) truncated in assignment",
            "  2:\tproc  0 (P:1) cut.pml:1 (state 2)\t[u = 9]"])

    def test_the_trail_of_a_run_is_that_of_spin(self):
        text = self.run_spin("-run", "-bfs", "-DNOREDUCE", "model.pml")
        self.lines(text, "pan:1: assertion violated (flag==0) (at depth 9)", "pan: wrote model.pml.trail")
        self.assertEqual((self.path / "model.pml.trail").read_text(), TRAIL)

    def test_a_rendezvous_has_two_lines(self):
        self.run_spin("-run", "handshake.pml")
        self.assertEqual((self.path / "handshake.pml.trail").read_text().splitlines()[:2], ["1:0:0", "2:1:3"])
        self.lines(self.run_spin("-t", "-p", "-r", "-s", "-X", "handshake.pml"),
                   "  1:\tproc  0 (A:1) handshake.pml:1 (state -)\t[values: 1!1]", "Exit-Status 0")
        self.lines(self.run_spin("-t", "-p", "-r", "-s", "handshake.pml"),
                   "  1:\tproc  0 (A:1) handshake.pml:1 Sent 1\t-> queue 1 (c)",
                   "  2:\tproc  1 (B:1) handshake.pml:1 (state 1)\t[c?x]")

    def test_reports_have_the_lines_that_programs_read(self):
        text = self.run_spin("-DN=3", "-run", "stuck.pml")
        self.lines(text, "pan:1: invalid end state (at depth 1)", "Warning: Search not completed",
                   "\tinvalid end states\t+", "        3 states, stored")
        text = self.run_spin("-DN=2", "-run", "stuck.pml")
        self.lines(text, "unreached in proctype A", "\t(0 of 4 states)")
        self.assertIn(", errors: 0\n", text)

    def test_statements_are_written_as_in_the_verifier(self):
        self.lines(self.run_spin("-run", "texts.pml"), FAILED_ASSERTION)
        self.lines(self.run_spin("-run", "-E", "-A", "texts.pml"),
                   *(f'\ttexts.pml:4, state {number}, "{text}"' for number, text in enumerate(UNREACHED, 2)))
        self.run_spin("-a", "-o1", "-o2", "-o3", "texts.pml")
        subprocess.run(["gcc", "-o", "pan", "pan.c"], cwd=self.path, check=True)
        table = subprocess.run(["./pan", "-d"], cwd=self.path, capture_output=True, text=True).stdout
        for text in UNREACHED:
            self.assertIn(f" => {text}\n", table)

    def test_cycles_are_marked(self):
        text = self.run_spin("-run", "-a", "-ltl", "p2", "cycle.pml")
        self.lines(text, "pan: ltl formula p2", "ltl p2: <> ([] ((x==1)))", "  the model contains 2 never claims: p2, p1", "pan:1: acceptance cycle (at depth 0)")
        self.assertEqual((self.path / "cycle.pml.trail").read_text().splitlines()[0], "-1:-1:-1")
        self.assertIn("<<<<<START OF CYCLE>>>>>", self.run_spin("-t", "cycle.pml"))
        self.assertIn("errors: 0\n", self.run_spin("-run", "-a", "-N", "p1", "cycle.pml"))
        self.run_spin("-run", "-a", "-N", "p3", "cycle.pml", code=1)

    def test_pan_c_is_compiled_and_run_as_ever(self):
        if shutil.which("cc") is None:
            self.skipTest("there is no C compiler")
        self.run_spin("-DN=3", "-a", "stuck.pml")
        subprocess.run(["cc", "-DNOREDUCE", "-o", "pan", "pan.c"], cwd=self.path, check=True)
        text = self.run_spin(program=["./pan", "-a", "-m10000", "-w20"])
        self.lines(text, "pan:1: invalid end state (at depth 1)")
        self.assertNotIn("Partial Order", text)

    def test_errors_and_odd_trails(self):
        self.assertIn("spin: wrong.pml:1, Error: ", self.run_spin("-a", "wrong.pml", code=1))
        self.run_spin("-t", "stuck.pml", code=1)
        for text in ["1:0\n", "x", "1:0:99\n2:0:0\n", "1:7:0\n2:0:0\n", "-5:-5:-5\n", "1:0:99999999999999999999\n"]:
            (self.path / "cycle.pml.trail").write_text(text)
            self.assertIn("line 1", self.run_spin("-t", "cycle.pml", code=1))
        for option in ["-pp", "-m", "-O", "-o7", "-%", "-uX"]:
            self.assertTrue(self.run_spin(option, "cycle.pml", code=1).startswith("spin: "), option)
        self.run_spin(code=1)
        self.run_spin("a.pml", "b.pml", code=1)

    def test_a_trail_that_cannot_be_written_leaves_the_report(self):
        (self.path / "handshake.pml.trail").mkdir()
        text = self.run_spin("-run", "handshake.pml", code=1)
        self.lines(text, "pan:1: assertion violated 0 (at depth 2)", "pan: error: cannot write 'handshake.pml.trail': Is a directory")
        self.assertIn("errors: 1\n", text)
        self.assertNotIn("pan: wrote", text)

    def test_a_link_named_spin_is_spin(self):
        os.symlink(CMC, self.path / "spin")
        self.assertTrue(self.run_spin(program=["./spin", "-V"]).startswith("Spin Version 6.5.2"))
        self.assertTrue(self.run_spin(program=["./spin", "-f", "[] p"]).startswith("never  {    /* [] p */\n"))
        shutil.copy(CMC, self.path / "spin123.tmp")
        self.assertIn("Usage: cmc spin", self.run_spin(program=["./spin123.tmp", "--help"]))
        self.assertEqual(self.run_spin(program=[CMC, "help", "spin"]), self.run_spin("--help"))
        self.assertIn("\n  spin  ", self.run_spin(program=[CMC, "help"]))
        self.assertIn("1 process created", self.run_spin("-n1", "-u5", "cycle.pml"))


if __name__ == "__main__":
    CMC = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
