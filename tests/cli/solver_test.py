#!/usr/bin/env python3
"""cmc with solver guards, while its worker misbehaves or is ended: the same outcome, or "incomplete"; and nothing is left behind.

Usage: solver_test.py CMC [unittest arguments]
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

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models" / "solver"
# Nothing but a solver can decide these.
SUBJECTS = [("sequence_window.pml", []), ("schedule.pml", []), ("lock.pml", ["-DSQUARE"])]
# Without those that only a time limit ends.
FAULTS = ["segfault", "abort", "exit", "oom", "garbage", "truncated", "wrong-crc", "wrong-id", "wrong-epoch", "wrong-version",
          "double", "late", "forget"]
# A product of two large factors, three times: longer than a test wants to wait.
HARD = """#define PROMELA_S 1
int x, y;
active proctype P() {
  least (x : 2 .. 2000000000, y : 2 .. 2000000000)
    where (x * y == 691379869 && x * x * y % 65537 == 3 && y * y * y % 7919 == x % 7919)
}
"""


def solverds(parent):
    """Workers of this checker that run."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--parent" in arguments and arguments[arguments.index(b"--parent") + 1] == str(parent).encode():
            found.append(int(entry.name))
    return found


def sockets(parent):
    return pathlib.Path("/proc/net/unix").read_text().count(f"@cmc-solverd-{parent}-")


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class SolverTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def worker(self, fault, all_workers=False):
        """A program that starts the worker with a fault: the first one, or all of them."""
        script = self.path / f"worker-{len(list(self.path.iterdir()))}"
        first = f"{script}.first"
        condition = "true" if all_workers else f"mkdir {first} 2>/dev/null"
        script.write_text(f'#!/bin/sh\nif {condition}; then exec {SOLVERD} "$@" --chaos {fault}; else exec {SOLVERD} "$@"; fi\n')
        script.chmod(0o755)
        return str(script)

    def check(self, model, *arguments, preexec=None):
        process = subprocess.Popen([CMC, "check", "--json", "--max-errors", "0", str(MODELS / model), *arguments], cwd=self.path,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=preexec)
        output, errors = process.communicate(timeout=300)
        self.assertEqual(errors, "")
        self.assertTrue(wait_for(lambda: not solverds(process.pid) and sockets(process.pid) == 0, 1), "something is left behind")
        result = json.loads(output)
        self.assertEqual(result["complete"], not result["reasons"])
        return process.returncode, result

    def outcome(self, *arguments, preexec=None):
        code, result = self.check(*arguments, preexec=preexec)
        self.assertLess(result["memory_peak_bytes"], 100_000_000)
        return code, result["verdict"], result["states_stored"], result["transitions"], result["error_count"], result["reasons"]

    def expected(self, model, defines):
        code, verdict, *rest = self.outcome(model, "-DLARGE", *defines, "--solver", "inprocess")
        self.assertEqual((code, verdict), (0, "holds"))
        return (code, verdict, *rest)

    def test_by_any_number_of_workers_over_any_transport(self):
        for model, defines in SUBJECTS:
            expected = self.expected(model, defines)
            for workers in "124":
                for transport in ("ipc", "tcp"):
                    self.assertEqual(expected, self.outcome(model, "-DLARGE", *defines, "--solver-workers", workers,
                                                            "--solver-transport", transport, "--threads", workers))

    def test_every_fault(self):
        for model, defines in SUBJECTS[:2]:
            expected = self.expected(model, defines)
            for fault in FAULTS:
                with self.subTest(model=model, fault=fault):
                    self.assertEqual(expected, self.outcome(model, "-DLARGE", *defines, "--solver-program", self.worker(f"{fault}:1")))

    def test_a_worker_that_cannot_be_had(self):
        (self.path / "text").write_text("no program\n")
        for program, message in [("./none", "No such file or directory"), ("./text", "Permission denied"),
                                 ("/bin/true", "ended with exit code 0"),
                                 (self.worker("hello-version", True), "speaks version 2 of the protocol, this program version 1"),
                                 (self.worker("die-at-start", True), "ended with exit code 9")]:
            with self.subTest(program=program, message=message):
                code, verdict, *_, reasons = self.outcome("lock.pml", "-DLARGE", "--solver-program", program)
                self.assertEqual((code, verdict), (3, "incomplete"))
                self.assertEqual([each["kind"] for each in reasons].count("solver"), 1)
                self.assertIn(message, reasons[0]["text"])

    def test_questions_that_kill_every_worker_are_undecided(self):
        code, verdict, *_, reasons = self.outcome("lock.pml", "-DLARGE", "--solver-program", self.worker("exit:1:every", True))
        self.assertEqual((code, verdict), (3, "incomplete"))
        self.assertEqual({each["kind"] for each in reasons}, {"guard"})

    def test_the_limits_of_a_question(self):
        (self.path / "hard.pml").write_text(HARD)
        begin = time.monotonic()
        _, result = self.check(self.path / "hard.pml", "--solver-time", "0.2", "--solver-log", "log")
        self.assertEqual(result["verdict"], "incomplete")
        self.assertLess(time.monotonic() - begin, 90)  # 0.2 s, then ten times as long; 110 s without the option
        # Z3's resource units shrink with the time; which of the two limits comes first depends on the machine.
        lines = [line.split("\t") for line in (self.path / "log").read_text().splitlines()[1:]]
        self.assertEqual([line[5] for line in lines], ["unknown", "unknown"])
        for line, seconds in zip(lines, ("0.2", "2")):
            self.assertIn(line[9], (f"the time limit of {seconds} s was reached", "the resource limit is used up"))
        for option, value, message in [("--solver-time", "0", "not greater than zero"), ("--solver-memory", "1M", "1M is less than 128M")]:
            run = subprocess.run([CMC, "check", option, value, "hard.pml"], cwd=self.path, capture_output=True, text=True)
            self.assertEqual((run.returncode, message in run.stderr), (2, True), run.stderr)
        self.assertEqual(self.expected("lock.pml", ["-DSQUARE"]),
                         self.outcome("lock.pml", "-DLARGE", "-DSQUARE", "--solver-time", "30s", "--solver-memory", "1G"))

    def test_workers_that_died_are_reported(self):
        arguments = ["-DLARGE", "--solver-log", "log", "--solver-program", self.worker("segfault")]
        _, result = self.check("sequence_window.pml", *arguments)
        self.assertEqual(result["solver"]["workers_died"], 1)
        self.assertGreaterEqual(result["solver"]["asked_again"], 1)
        deaths = [line.split("\t") for line in (self.path / "log").read_text().splitlines() if "\tdied\t" in line]
        self.assertEqual(len(deaths), 1)
        self.assertEqual((len(deaths[0]), deaths[0][4]), (10, "worker"))
        self.assertRegex(deaths[0][9], r"; \d+ asked again$")
        arguments[-1] = self.worker("segfault")
        text = subprocess.run([CMC, "check", str(MODELS / "sequence_window.pml"), *arguments], cwd=self.path, capture_output=True,
                              text=True, timeout=300).stdout
        self.assertRegex(text, r" 1 solver worker  died, \d+ questions? w(as|ere) asked again\n")

    def test_with_32_descriptors(self):
        for model, defines in SUBJECTS:
            low = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
            self.assertEqual(self.expected(model, defines),
                             self.outcome(model, "-DLARGE", *defines, "--solver-workers", "4", "--threads", "1", preexec=low))

    def test_guards_are_reported_with_what_they_cost(self):
        arguments = ["-DLARGE", "--solver-cache", "answers"]
        for from_cache in (False, True):
            _, result = self.check("key_agreement.pml", *arguments)
            guards = result["guards"]
            self.assertGreaterEqual(len(guards), 1)
            for guard in guards:
                self.assertEqual(pathlib.Path(guard["file"]).name, "key_agreement.pml")
                self.assertGreater(guard["line"], 0)
                self.assertGreater(guard["questions"], 0)
                self.assertEqual(guard["undecided"], 0)
                self.assertEqual(guard["from_cache"], guard["questions"] if from_cache else 0)
                self.assertEqual(guard["seconds"] > 0, not from_cache)
                self.assertGreaterEqual(guard["seconds_max"], guard["seconds_mean"])
            self.assertEqual(sorted((guard["seconds"] for guard in guards), reverse=True), [guard["seconds"] for guard in guards])
            solver = result["solver"]
            self.assertGreater(solver["excluding"], 0)
            self.assertLessEqual(max(solver["unsat"], solver["audited"]), solver["excluding"])
            self.assertEqual(solver["from_cache"], solver["excluding"] if from_cache else 0)
            self.assertEqual(solver["refuted"], 0)
        text = subprocess.run([CMC, "check", str(MODELS / "key_agreement.pml"), *arguments], cwd=self.path, capture_output=True,
                              text=True, timeout=300).stdout
        self.assertRegex(text, r"0\.000 s  for \d+ questions? \(mean 0\.000 s, longest 0\.000 s, \d+ from the cache\) at .*key_agreement.pml:\d+: ")
        self.assertRegex(text, r"[\d,]+  answers of the solver exclude values \([\d,]+ exclude all values\)")
        self.assertRegex(text, r"[\d,]+  of these answers were checked by trying all values; [1-9][\d,]* are of an earlier run")
        # Answers of another version are not used.
        stale = (self.path / "answers").read_bytes().replace(b"cmc ", b"CMC ", 1)
        (self.path / "answers").write_bytes(stale)
        run = subprocess.run([CMC, "check", "--json", str(MODELS / "key_agreement.pml"), *arguments], cwd=self.path,
                             capture_output=True, text=True, timeout=300)
        self.assertIn("warning: the answers in 'answers' are of an older version", run.stderr)
        self.assertEqual(json.loads(run.stdout)["solver"]["from_cache"], 0)
        _, plain = self.check("../classics/philosophers.pml", "-DCURED")
        self.assertNotIn("guards", plain)

    def test_answers_are_kept_beside_the_log_or_in_a_folder_that_is_kept(self):
        model = ["key_agreement.pml", "-DLARGE"]
        for arguments, file in [(["--log", "run.log"], "run.log.answers"), (["--store", "disk", "--keep"], "disk/answers"),
                                (["--log", "other.log", "--solver-cache", "mine"], "mine")]:
            with self.subTest(file=file):
                for again in (False, True):
                    _, result = self.check(*model, *arguments)
                    for guard in result["guards"]:
                        self.assertEqual(guard["from_cache"], guard["questions"] if again else 0)
                self.assertGreater((self.path / file).stat().st_size, 8)
        self.check(*model, "--store", "gone")
        self.check("../classics/philosophers.pml", "-DCURED", "--log", "plain.log")
        for file in ("other.log.answers", "gone/answers", "plain.log.answers"):
            self.assertFalse((self.path / file).exists())

    def start_hard(self):
        (self.path / "hard.pml").write_text(HARD)
        process = subprocess.Popen([CMC, "check", "hard.pml", "--solver-workers", "2"], cwd=self.path, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.assertTrue(wait_for(lambda: solverds(process.pid) and sockets(process.pid) > 0, 20))
        time.sleep(0.3)
        return process

    def test_ctrl_c_leaves_nothing_behind(self):
        process = self.start_hard()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        self.assertIn("incomplete: the search was interrupted after 1 state", output)
        self.assertEqual((solverds(process.pid), sockets(process.pid)), ([], 0))

    def test_a_killed_checker_leaves_nothing_behind(self):
        process = self.start_hard()
        process.kill()
        process.communicate(timeout=20)
        self.assertTrue(wait_for(lambda: not solverds(process.pid) and sockets(process.pid) == 0, 1))

    def test_a_plain_model_needs_no_worker(self):
        code, result = self.check("../classics/philosophers.pml", "-DCURED", "--solver-program", "./none")
        self.assertEqual((code, result["verdict"]), (0, "holds"))


if __name__ == "__main__":
    CMC = os.path.abspath(sys.argv.pop(1))
    SOLVERD = os.path.join(os.path.dirname(CMC), "cmc-solverd")
    unittest.main()
