#!/usr/bin/env python3
"""cmc-mpi against cmc: the same counts, verdicts, exit codes and files. Usage: mpi_test.py CMC MODELS

Skipped where there is no mpirun, or cmc-mpi was not built."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import mpi_run

CMC = os.path.abspath(sys.argv[1])
MODELS = pathlib.Path(sys.argv[2]).resolve()
SECONDS = 120
SAME = ["verdict", "complete", "exhaustive", "states_stored", "states_matched", "transitions", "error_count", "state_bytes_max",
        "coverage"]


def run(ranks, *arguments):
    """cmc, or with a number of ranks cmc-mpi."""
    command = [CMC] if ranks is None else mpi_run.command(CMC, ranks)
    return subprocess.run([*command, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)


class Mpi(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name):
        return os.path.join(self.folder.name, name)

    def check(self, ranks, *arguments):
        """(exit code, the JSON result)"""
        result = self.file("result.json")
        ran = run(ranks, "check", f"--json={result}", "--memory", "200M", *arguments)
        self.assertTrue(os.path.exists(result), ran.stdout + ran.stderr)
        with open(result, encoding="utf-8") as file:
            text = json.load(file)
        os.remove(result)
        return ran.returncode, text

    def compare(self, ranks, *arguments):
        arguments = [*arguments, "--max-errors", "0"]
        alone_code, alone = self.check(None, *arguments)
        code, together = self.check(ranks, *arguments)
        self.assertEqual(code, alone_code)
        self.assertEqual({key: together[key] for key in SAME}, {key: alone[key] for key in SAME})
        self.assertEqual(len(together["ranks"]), ranks)
        self.assertEqual(sum(rank["states"] for rank in together["ranks"]), alone["states_stored"])
        return together

    def test_the_same_counts_as_alone(self):
        for ranks in 2, 4:
            together = self.compare(ranks, "--reductions", "none", MODELS / "peterson/peterson3.pml")
            states = [rank["states"] for rank in together["ranks"]]
            self.assertLess(max(states), 1.2 * min(states))
        self.compare(2, "--reductions", "none", "-DN=5", MODELS / "leader/leader.pml")
        self.compare(3, "--reductions", "por,merge,dead-variables,symmetry", "-DN=5", MODELS / "leader/leader.pml")

    def test_errors_have_paths_that_replay(self):
        trail = self.file("trail.json")
        code, result = self.check(3, f"--trail={trail}", "--reductions", "none", "-DROUNDS=1", MODELS / "features/termination.pml")
        self.assertEqual((code, result["verdict"]), (1, "violated"))
        replayed = run(None, "replay", MODELS / "features/termination.pml", trail)
        self.assertEqual(replayed.returncode, 1, replayed.stdout + replayed.stderr)
        self.assertIn("assertion violated", replayed.stdout)

    def test_without_paths_a_second_search_has_one(self):
        code, result = self.check(2, "--paths", "off", "--reductions", "none", "-DROUNDS=1", MODELS / "features/termination.pml")
        self.assertEqual((code, result["reasons"]), (1, []))
        self.assertGreater(result["properties"][0]["counterexample"]["steps"], 10)

    def test_a_log_has_its_identities(self):
        log = self.file("log")
        code, result = self.check(2, f"--log={log}", "--reductions", "none", MODELS / "peterson/peterson3.pml")
        self.assertEqual((code, result["reasons"]), (0, []))
        self.assertEqual(run(None, "log", log).returncode, 0)

    def test_limits_stop_all(self):
        code, result = self.check(3, "--time", "0.5s", "--reductions", "none", "-DN=8", MODELS / "leader/leader.pml")
        self.assertEqual((code, [reason["kind"] for reason in result["reasons"]]), (3, ["time"]))

    def test_what_cannot_be_had_is_refused(self):
        for arguments, why in [
                ([MODELS / "properties/mutex.pml"], "choose one with --property"),
                ([MODELS / "no such model.pml"], "no such model.pml")]:
            ran = run(2, "check", *arguments)
            self.assertEqual(ran.returncode, 2, ran.stdout + ran.stderr)
            self.assertIn(why, ran.stderr)


if __name__ == "__main__":
    if not mpi_run.is_there(CMC):
        print("there is no MPI here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
