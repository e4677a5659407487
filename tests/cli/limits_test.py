#!/usr/bin/env python3
"""Every command on models that are too large for it: it ends at its limits of memory and time, and when it is told to.
Of models and options a part, by the day (tests/support/part_of_day.py).

Usage: limits_test.py CMC
"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402
from process_memory import peak_of  # noqa: E402

CMC = None
MODELS = pathlib.Path(__file__).resolve().parents[2] / "bench/fair_turns"
FEW_ADDRESSES = 4 << 30

# None of them can be finished: by the number of states, by the outcomes of one step, by a step that never ends, by
# states of many bytes.
COUNTERS = """byte a, b, c, d, e;
active proctype A() { do :: a < 200 -> a++ :: a == 200 -> a = 0 od }
active proctype B() { do :: b < 200 -> b++ :: b == 200 -> b = 0 od }
active proctype C() { do :: c < 200 -> c++ :: c == 200 -> c = 0 od }
active proctype D() { do :: d < 200 -> d++ :: d == 200 -> d = 0 od }
active proctype E() { do :: e < 200 -> e++ :: e == 200 -> e = 0 od }
ltl p { <>(a == 201) }
"""
FAN = """byte i; bit v[30];
active proctype P() { atomic { do :: i < 30 -> if :: v[i] = 0 :: v[i] = 1 fi; i++ :: else -> break od } }
proctype Reader() { v[0] == 1 }
"""
ENDLESS = "byte a, b, c; active proctype P() { atomic { do :: a++ :: b++ :: c++ od } }\nproctype Reader() { a + b + c == 1 }\n"
WIDE = "bit v[400]; active proctype P() { short i; do :: select(i : 0..399); v[i] = 1 - v[i] od }\nproctype Reader() { v[0] == 1 }\n"
# A new layout is needed at every other step.
WIDENING = """byte n;
proctype C(byte x) { byte y; do :: y = y + x; n++ :: break od }
init { do :: run C(1) :: run C(2) od }
"""
# 290,000 nodes of the product of model and claim.
TURNS = """byte c[4], turns;
active [4] proctype P() {
end: do :: c[_pid] < 5 -> c[_pid]++ :: c[_pid] == 5 -> turns = (turns + 1) % 3
        :: c[_pid] > 0 && c[(_pid + 1) % 4] < 5 -> c[_pid]--; c[(_pid + 1) % 4]++ od }
ltl p { []<> (c[0] + c[1] + c[2] + c[3] > 0) }
"""
SMALL = "byte x; active proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }\n"
CLAIM = """bool wants[2];
active [2] proctype P() { do :: wants[_pid] = true; wants[_pid] = false od }
ltl p { []<> wants[0] }
"""
# A state with 40,001 successors, to which 40,001 statements lead at most.
LONG = """byte x, y;
active proctype P() { do :: y = 1 - y od }
active proctype Q() { int i; atomic { select(i : 0 .. 40000) }; y = 2; do :: i = 0 od }
ltl p { <> (y == 7) || []<> (y < 9) }
"""
# 324,332 states before the cycle is found.
FAIR = """byte c; chan q = [2] of { byte };
active proctype A() { do :: q ! 0 :: q ! 1; skip od }
active proctype B() { byte m; do :: q ? m -> c = (c + m) % 64 od }
active proctype W() { short n; do :: n < 2000 -> n++ :: n > 0 -> n-- od }
never { do :: true :: c == 3 -> break od; accept: do :: c != 2 od }
"""

# A state has 80 KB; an error after 1,202 steps.
LARGE = """int a[20000]; short i;
active [2] proctype P() { do :: atomic { i < 19999 -> i++; a[i] = i } :: atomic { i > 0 -> a[i] = 0; i-- } od }
active proctype Q() { do :: i == 400 -> assert(a[5] == 0) od }
"""
# A cycle of 29,184 steps.
CYCLE = """byte n;
proctype C(byte x) { byte y; do :: y = y + x; n++ :: y < 200 -> y++ :: break od }
init { do :: run C(1) :: run C(2) :: break od }
"""
# 82,823 states, a violation in many of them.
VIOLATED = """byte g;
active [2] proctype P() { short n = 50; do :: n < 100 -> n++ :: n > 0 -> n-- :: g = 1 - g :: break od; g = 2; assert(n <= 100) }
ltl p { [] (g < 3) }
"""

MEGABYTE = 1 << 20
MEMORY = 16
SECONDS = 1
# A machine that is busy with other tests is late, too.
LATE_SECONDS = 6


def room(megabytes):
    return (megabytes * 1.15 + 8) * MEGABYTE


class LimitsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        models = {"counters": COUNTERS, "fan": FAN, "endless": ENDLESS, "wide": WIDE, "widening": WIDENING, "small": SMALL,
                  "claim": CLAIM, "long": LONG, "fair": FAIR, "large": LARGE, "cycle": CYCLE, "violated": VIOLATED,
                  "turns": TURNS}
        for name, text in models.items():
            (self.path / f"{name}.pml").write_text(text)

    def run_cmc(self, *arguments, interrupt_after=None):
        """Exit code, seconds, peak memory in bytes, text."""
        with open(self.path / "text", "w+") as text:
            start = time.monotonic()
            process = subprocess.Popen([CMC, *arguments], cwd=self.path, stdout=text, stderr=subprocess.STDOUT)
            if interrupt_after is not None:
                time.sleep(interrupt_after)
                os.kill(process.pid, signal.SIGTERM)
            peak = 0
            while process.poll() is None:
                peak = max(peak, peak_of(process.pid))
                time.sleep(0.003)
            seconds = time.monotonic() - start
            text.seek(max(0, text.seek(0, os.SEEK_END) - 4000))
            return process.returncode, seconds, peak, text.read()

    def ends_at_its_limits(self, *arguments, codes=(3,), memory=MEMORY, time_limit=SECONDS):
        with self.subTest(arguments):
            code, seconds, peak, text = self.run_cmc(*arguments, "--memory", f"{memory}M", "--time", str(time_limit))
            self.assertIn(code, codes, text[-2000:])
            self.assertLess(seconds, time_limit + LATE_SECONDS, text[-2000:])
            self.assertLess(peak, room(memory), text[-2000:])

    def ends_when_told(self, *arguments, codes=(143,)):
        with self.subTest(arguments):
            code, seconds, _, text = self.run_cmc(*arguments, interrupt_after=0.5)
            self.assertIn(code, codes, text[-2000:])
            self.assertLess(seconds, 0.5 + LATE_SECONDS, text[-2000:])

    CHECKS = [[], ["--reductions", "none"], ["--reductions", "all"], ["--search", "bfs"], ["--search", "dfs"],
              ["--engine", "simple"], ["--no-store"], ["--threads", "1"], ["--steps", "statement"],
              ["--generator", "vm"]]

    def test_merged_steps_of_many_outcomes(self):
        fan = FAN.replace("30", "18")
        (self.path / "fan18.pml").write_text(fan)
        counts = set()
        for options in [[], ["--reductions", "none"], ["--reductions", "merge", "--search", "bfs", "--threads", "1"],
                        ["--reductions", "all", "--bloom-bits", "1M"]]:
            with self.subTest(options):
                code, _, peak, _ = self.run_cmc("check", "fan18.pml", "--memory", "64M", "--json=fan.json", *options)
                self.assertEqual(code, 0)
                self.assertLess(peak, 74 * MEGABYTE)
                counts.add(json.loads((self.path / "fan.json").read_text())["states_stored"])
        self.assertEqual(counts, {(1 << 19) + 1})

    def test_a_step_that_needs_a_new_layout_ends_where_memory_does(self):
        # A new layout is wanted in the middle of a step of a million outcomes, before memory is full.
        (self.path / "fan20.pml").write_text(FAN.replace("30", "20").replace("od } }", "od }; assert(v[0] + v[19] < 3) }"))
        code, _, peak, text = self.run_cmc("check", "fan20.pml", "--memory", "16M", "--threads", "1")
        self.assertEqual(code, 0, text)
        self.assertLess(peak, room(16))

    def test_merged_steps_of_a_loop_with_many_states(self):
        (self.path / "loop.pml").write_text(
            "int g; active [2] proctype P() { int x; do :: x < 32767 -> x++ :: x > 0 -> x-- :: g < 40 -> g++ "
            ":: break od; g == 99; assert(x == 0) }")
        code, seconds, _, text = self.run_cmc("check", "loop.pml", "--memory", "64M", "--reductions", "merge", "--time", "60",
                                              "--max-errors", "1")
        self.assertEqual(code, 1, text)
        self.assertLess(seconds, 30, text)

    def test_searches(self):
        checks = [(model, options) for model in ["counters", "fan", "endless", "wide"] for options in self.CHECKS]
        for model, options in part_of_day.of(checks):
            # Statement by statement the sequence is a graph like any other; p is violated near the start.
            self.ends_at_its_limits("check", f"{model}.pml", *options, codes=(0, 1, 3))
            self.ends_when_told("check", f"{model}.pml", *options, codes=(0, 1, 3, 143))

    def test_searches_for_cycles(self):
        for options in [[], ["--fairness", "weak"], ["--cycles", "hull"], ["--engine", "simple"]]:
            self.ends_at_its_limits("check", "counters.pml", "--property", "p", *options, codes=(1, 3))
            self.ends_when_told("check", "counters.pml", "--property", "p", *options, codes=(1, 3, 143))
        # A state has many outcomes.
        self.ends_at_its_limits("check", "fan.pml", "--property", "non-progress", "--engine", "simple")
        # A cycle is found near the limit: the way to it and round in it must not take more.
        self.ends_at_its_limits("check", "fair.pml", "--property", "never_0", "--steps", "statement", "--reductions",
                                "none", "--fairness", "weak", "--threads", "1", "--shorten", "0", codes=(1, 3), memory=20)
        for options in [[], ["--fairness", "weak"], ["--fairness", "weak", "--cycles", "hull"],
                        ["--fairness", "weak", "--partitions", "4"]]:
            self.ends_at_its_limits("check", "long.pml", "--property", "p", "--reductions", "none", *options)

    def test_a_state_that_ends_a_fair_search_is_in_no_figure(self):
        code, _, _, text = self.run_cmc("check", "widening.pml", "--property", "non-progress", "--fairness", "weak",
                                        "--log=fair.log")
        self.assertEqual(code, 3, text)
        self.assertIn("incomplete: weak fairness is decided for at most 63 processes\n", text)
        self.assertNotIn("bug", text)
        self.assertEqual(self.run_cmc("log", "fair.log")[0], 0)

    def test_cycles_of_a_small_model_on_disk_take_little_memory(self):
        for options in [[], ["--fairness", "weak"]]:
            with self.subTest(options):
                _, seconds, peak, text = self.run_cmc("check", "claim.pml", "--partitions", "4", *options)
                self.assertIn(" states stored", text)
                self.assertLess(seconds, LATE_SECONDS, text)
                self.assertLess(peak, 256 * MEGABYTE, text)

    def test_cycles_beyond_memory_take_what_the_limit_leaves(self):
        for memory in [11, 12]:
            with self.subTest(memory):
                code, _, _, text = self.run_cmc("check", "turns.pml", "--property", "p", "--threads", "1", "--memory", f"{memory}M",
                                                "--json=turns.json")
                self.assertEqual(code, 0, text)
                peak = json.loads((self.path / "turns.json").read_text())["memory_peak_bytes"]
                self.assertLess(peak, 1.1 * memory * MEGABYTE, text)

    def test_what_shortens_a_path_of_large_states(self):
        self.ends_at_its_limits("check", "large.pml", "--generator", "vm", codes=(1,), memory=20)

    def test_trails_and_files_of_a_long_path(self):
        files = [f"--{name}={name}.out" for name in ["trail", "trace-json", "html", "svg", "itf", "mermaid"]]
        code, _, peak, text = self.run_cmc("check", "cycle.pml", "--property", "non-progress", "--fairness", "weak", "--search",
                                           "bfs", "--reductions", "por,merge", "--shorten", "0", "--memory", "20M", *files)
        self.assertEqual(code, 1, text)
        self.assertLess(peak, room(43))  # 52 MB: the way to the cycle is as long again
        self.assertEqual(self.run_cmc("replay", "-q", "cycle.pml", "trail.out")[0], 1)
        trace = json.loads((self.path / "trace-json.out").read_text())["traces"][0]
        self.assertGreater(trace["left_out"], 0)
        self.assertGreater(len(trace["steps"]), 100)

    def test_lookups_that_make_room_for_one_state(self):
        self.ends_at_its_limits("check", "violated.pml", "--steps", "statement", "--threads", "1", "--search", "bfs",
                                "--max-errors", "0", "--generator", "vm", "--bloom-bits", "64K", "--reclaim-ahead", "10%",
                                "--partitions", "64", "--lookup-buffer", "1", "--io", "direct", "--log=all.log", codes=(1,),
                                memory=12, time_limit=4)  # the formula has its turn when half of the time is over
        self.assertEqual(self.run_cmc("log", "all.log")[0], 0)

    def test_ten_thousand_errors(self):
        code, _, peak, text = self.run_cmc("check", "violated.pml", "--steps", "statement", "--max-errors", "0", "--json=all.json")
        self.assertEqual(code, 1, text)
        self.assertLess(peak, room(24))
        self.assertEqual(len(json.loads((self.path / "all.json").read_text())["errors"]), 10000)

    def test_few_addresses(self):
        """As with `ulimit -v`: of four properties one is false after some steps, the others are never decided."""
        done = subprocess.run([CMC, "check", "--threads", "2", "--time", "2", MODELS / "third_formula.pml"], capture_output=True, text=True,
                              check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (FEW_ADDRESSES, FEW_ADDRESSES)))
        self.assertEqual(done.returncode, 1, done.stdout[-2000:] + done.stderr)

    def test_threads_that_the_system_refuses(self):
        """As with `ulimit -v`: no addresses for the stacks of so many."""
        model = "byte a, b, c; active proctype A() { do :: a++ :: b++ :: c++ od }"
        done = subprocess.run([CMC, "check", "--threads", "64", "-"], input=model, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (300_000_000, 300_000_000)))
        self.assertEqual(done.returncode, 3, done.stdout[-2000:] + done.stderr)

    def test_another_layout_on_disk(self):
        store = ["--search", "dfs", "--lossy-capacity", "1", "--lookup-buffer", "1"]
        self.ends_at_its_limits("check", "widening.pml", *store, "--threads", "1", memory=32)
        self.ends_when_told("check", "widening.pml", *store, "--threads", "1", "--memory", "32M")

    def test_a_process_with_many_values_of_locals(self):
        """Its frame has as many contents as there are states, until it is divided; contents are in RAM."""
        model = ("active proctype P() { byte x, y, z; do :: x = (x + 1) % 100 :: y = (y + 1) % 100 :: z = (z + 1) % 80 od }")
        done = subprocess.run([CMC, "check", "--threads", "1", "--memory", "12M", "--property", "safety", "-"], input=model,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)
        self.assertIn("800,000  states stored", done.stdout)

    def test_dumps_and_graphs(self):
        for model in ["counters", "fan", "endless", "wide"]:
            # Without --property, the search may end because p of counters is violated, not at its limits.
            dump = ["check", f"{model}.pml", "--property", "safety", "--dump-states", "1000000:dump"]
            self.ends_at_its_limits(*dump)
            with open(self.path / "dump") as file:
                self.assertIn("states, breadth first", file.readline())
                file.seek(max(0, file.seek(0, os.SEEK_END) - 4000))
                self.assertRegex(file.read().splitlines()[-1], "^these are not all states: the (memory|time) limit of ")
            self.ends_when_told(*dump)
        for model in ["fan", "endless"]:
            self.ends_at_its_limits("graph", f"{model}.pml")
            self.ends_when_told("graph", f"{model}.pml", codes=(3, 143))  # or at its own limit of states

    def test_profiles_tests_and_experiments(self):
        self.ends_at_its_limits("profile", "counters.pml", codes=(1, 3))  # p is violated
        self.ends_when_told("profile", "counters.pml", codes=(1, 3, 143))
        (self.path / "expected.pml").write_text("/* expect: holds */\n" + COUNTERS)
        self.ends_when_told("test", "expected.pml", codes=(1, 3, 143))
        self.ends_when_told("tune", "counters.pml", "--vary", "threads=1,2", codes=(2, 3, 143))
        for words in [["lint", "counters.pml"], ["simulate", "counters.pml"], ["simulate", "endless.pml"]]:
            self.ends_when_told(*words, codes=(0, 1, 3, 143))
        code, seconds, _, text = self.run_cmc("info", "counters.pml")
        self.assertEqual(code, 0, text)
        self.assertLess(seconds, 2 + LATE_SECONDS)
        self.ends_when_told("info", "counters.pml", codes=(0, 143))


if __name__ == "__main__":
    CMC = str(pathlib.Path(sys.argv.pop(1)).resolve())
    print(part_of_day.text(), flush=True)
    unittest.main()
