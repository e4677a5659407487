#!/usr/bin/env python3
"""Searches with and without reductions: the same errors, as many deadlocks, the same statements reached, the same
verdict of each property; the same counts with threads, in other orders and with the disk. Of the models a part, by the
day (tests/support/part_of_day.py).

Usage: reductions_test.py CMC
"""

import collections
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import part_of_day  # noqa: E402

CMC = None
LEADER = ROOT / "models/leader/leader.pml"
MODELS = [*sorted((ROOT / "tests/data/reductions").glob("*.pml")), *sorted((ROOT / "models").glob("[cflp]*/*.pml")),
          *sorted((ROOT / "tests/spin/cases").glob("*.pml"))]
TOO_LARGE = {"peterson4.pml"}


def check(model, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        run = subprocess.run([CMC, "check", "-q", f"--json={result}", "--memory", "1G", *arguments, str(model)],
                             capture_output=True, text=True, cwd=ROOT)
        if run.returncode not in (0, 1, 3):
            return None
        return json.loads(result.read_text())


def safety(model, *arguments):
    return check(model, "--property", "safety", "--max-errors", "0", *arguments)


def findings(result, deadlocks=True):
    """What must be equal: errors by place, the number of deadlocks, statements that are not reached.

    The line of an end state is that of the step before it, which depends on the path."""
    count = collections.Counter((error["kind"], None if "end state" in error["kind"] else error["line"], error["message"])
                                for error in result["errors"])
    return (result["verdict"],
            {error: number if deadlocks and "end state" in error[0] else 1 for error, number in count.items()},
            result["coverage"])


class Reductions(unittest.TestCase):
    def test_the_same_is_found(self):
        compared = 0
        for model in part_of_day.of(MODELS):
            full = None if model.name in TOO_LARGE else safety(model, "--reductions", "none")
            if full is None or not full["complete"]:
                continue
            compared += 1
            for reductions in ("por", "por,merge"):
                with self.subTest(model=model.name, reductions=reductions):
                    reduced = safety(model, "--reductions", reductions)
                    self.assertEqual(findings(reduced), findings(full))
                    self.assertLessEqual(reduced["states_stored"], full["states_stored"])
            for options in ([], ["--reductions", "symmetry"], ["--reductions", "all"]):
                with self.subTest(model=model.name, options=options):
                    reduced = safety(model, *options)
                    self.assertEqual(findings(reduced, deadlocks=False), findings(full, deadlocks=False))
                    self.assertLessEqual(reduced["error_count"], full["error_count"])
                    self.assertLessEqual(reduced["states_stored"], full["states_stored"])
        self.assertGreater(compared, 200 if part_of_day.WHOLE else 200 // part_of_day.PARTS - 5)

    def test_counts_depend_on_nothing_else(self):
        for model in ("models/classics/sliding_window.pml", "models/features/client_server.pml",
                      "models/classics/philosophers.pml", "tests/data/reductions/c2.pml"):
            counts = {tuple(safety(model, "--reductions", "por", *options.split())[name]
                            for name in ("states_stored", "transitions"))
                      for options in ("--threads 1", "--threads 2", "--threads 8", "--search bfs --threads 2",
                                      "--lossy-capacity 200 --threads 1", "--lossy-capacity 200 --threads 2",
                                      "--memo 1K --threads 2")}
            self.assertEqual(len(counts), 1, f"{model}: {counts}")

    def test_counts_of_representatives_depend_on_nothing_else(self):
        for model in ("models/classics/readers_writers.pml", "tests/data/reductions/s1.pml",
                      "tests/data/reductions/s2.pml"):
            for reductions in ("symmetry", "por,merge,symmetry"):
                counts = {tuple(safety(model, "--reductions", reductions, *options.split())[name]
                                for name in ("states_stored", "transitions", "error_count"))
                          for options in ("--threads 1", "--threads 2", "--threads 8", "--search bfs --threads 2",
                                          "--lossy-capacity 200 --threads 1", "--lossy-capacity 200 --threads 2",
                                          "--memo 1K --threads 2")}
                self.assertEqual(len(counts), 1, f"{model}: {counts}")

    def test_processes_that_nobody_tells_apart_are_counted_once(self):
        result = safety(ROOT / "models/classics/readers_writers.pml", "-DREADERS=5", "-DWRITERS=4", "--reductions",
                        "symmetry")
        self.assertEqual((result["verdict"], result["states_stored"]), ("holds", 568))
        self.assertEqual(result["keys"]["symmetry"],
                         [{"proctype": "reader", "processes": 5}, {"proctype": "writer", "processes": 4}])
        result = safety(ROOT / "models/classics/philosophers.pml", "--reductions", "symmetry")
        self.assertEqual(result["keys"]["symmetry"],
                         [{"proctype": "philosopher", "processes": 3, "told_apart": "uses _pid"}])

    def test_messages_in_a_ring_leave_one_interleaving(self):
        for nodes, por, merged in ((6, 105, 61), (8, 139, 81)):
            for reductions, states in (("por", por), ("por,merge", merged)):
                result = safety(LEADER, f"-DN={nodes}", "--reductions", reductions)
                self.assertEqual((result["verdict"], result["states_stored"]), ("holds", states))

    def test_a_claim_sees_all_that_it_can_tell_apart(self):
        """SPIN 6.5.2 finds no cycle in siegel.pml with its reduction, and one without."""
        for reductions in ("none", "por", "merge", "all"):
            found = {each["name"]: each["verdict"]
                     for each in check(ROOT / "tests/data/reductions/siegel.pml", "--reductions", reductions)["properties"]}
            self.assertIn("violated", found.values())

    def test_fair_runs_stay_fair(self):
        for name, verdict in (("fair_receive", "violated"), ("fair_send", "violated"), ("fair_stays", "holds")):
            for reductions in ("none", "por"):
                [moves] = check(ROOT / f"tests/data/reductions/{name}.pml", "--fairness", "weak", "--property", "moves",
                                "--reductions", reductions)["properties"]
                self.assertEqual(moves["verdict"], verdict)

    def test_verdicts_of_formulas_and_claims_are_the_same(self):
        models = [model for folder in ("tests/data/reductions", "tests/spin/cases") for model in sorted((ROOT / folder).glob("*.pml"))
                  if "ltl " in model.read_text() or "never " in model.read_text()]
        for model, fairness in itertools.product(part_of_day.of(models), ("none", "weak")):
            verdicts = {reductions: {each["name"]: each["verdict"]
                                     for each in check(model, "--fairness", fairness, "--reductions", reductions)["properties"]}
                        for reductions in ("none", "por", "por,merge", "all")}
            for reductions, found in verdicts.items():
                with self.subTest(model=model.name, fairness=fairness, reductions=reductions):
                    self.assertEqual(found, verdicts["none"])

    def test_steps_are_left_out_beside_a_claim_that_does_not_count_states(self):
        model = ROOT / "tests/data/reductions/siegel_closed.pml"
        self.assertEqual(self.off(model), [])
        self.assertEqual(self.off(ROOT / "tests/spin/cases/never_claim.pml")[-1],
                         "merging of local steps is off in this search, because the claim may tell apart how often a state is "
                         f"repeated ({ROOT}/tests/spin/cases/never_claim.pml:6)")

    @staticmethod
    def off(model):
        run = subprocess.run([CMC, "check", "--reductions", "por,merge", str(model)], capture_output=True, text=True,
                             cwd=ROOT)
        return [line.removeprefix("cmc: ") for line in run.stderr.splitlines() if " off in " in line]

    def test_other_provisos_keep_what_they_promise(self):
        for model in part_of_day.of([*sorted((ROOT / "tests/data/reductions").glob("*.pml")), LEADER]):
            full = safety(model, "--reductions", "none")
            with self.subTest(model=model.name, reductions="por-queue"):
                for options in ("--search bfs", "--search dfs --threads 2"):
                    self.assertEqual(findings(safety(model, "--reductions", "por-queue", *options.split())), findings(full))
            with self.subTest(model=model.name, reductions="por-deadlock"):
                reduced = safety(model, "--reductions", "por-deadlock")
                self.assertNotEqual(reduced["verdict"], "holds" if reduced["keys"].get("partial_order") else "")
                deadlocks = [sum("end state" in error["kind"] for error in each["errors"]) for each in (reduced, full)]
                self.assertEqual(*deadlocks)

    def test_the_default_is_what_pays(self):
        for model, reductions in (("models/leader/leader.pml", "por,merge,dead-variables"),
                                  ("models/classics/readers_writers.pml", "merge,dead-variables"),
                                  ("models/features/priorities.pml", "merge,dead-variables")):
            run = subprocess.run([CMC, "check", model], capture_output=True, text=True, cwd=ROOT)
            self.assertIn(f"reductions: {reductions})", run.stdout)
            self.assertEqual(run.stderr, "")
        large = ["models/classics/readers_writers.pml", "-DREADERS=5", "-DWRITERS=4"]
        counts = {(result["states_stored"], result["transitions"])
                  for options in ("--threads 1", "--threads 2", "--search bfs", "--memory 20M --threads 1")
                  for result in [check(ROOT / large[0], *large[1:], *options.split())]}
        self.assertEqual(counts, {(22221, 80125)})  # hardly any state of the first ones can be reduced

    def test_the_report_says_what_hinders(self):
        options = ["-DCLIENTS=3", "--reductions", "por,merge,dead-variables"]
        run = subprocess.run([CMC, "check", "models/features/client_server.pml", *options], capture_output=True, text=True,
                             cwd=ROOT)
        self.assertRegex(run.stdout, r"why partial-order reduction could not reduce more .*:\n +[\d,]+  models/features/client_server.pml:\d+ \(\w+\): ")
        result = check(ROOT / "models/features/client_server.pml", *options)
        hindrances = result["keys"]["partial_order"]["hindrances"]
        self.assertGreater(len(hindrances), 3)
        self.assertEqual(hindrances, sorted(hindrances, key=lambda each: -each["count"]))

    def test_a_reduction_that_is_off_says_why(self):
        run = subprocess.run([CMC, "check", "--reductions", "por,merge", "models/features/priorities.pml"],
                             capture_output=True, text=True, cwd=ROOT)
        self.assertIn("partial-order reduction is off in this search, because the model has priorities", run.stderr)
        run = subprocess.run([CMC, "check", "--reductions", "symmetry", "models/properties/mutex.pml"],
                             capture_output=True, text=True, cwd=ROOT)
        self.assertIn("symmetry reduction is off in this search, because a claim looks at the processes", run.stderr)
        run = subprocess.run([CMC, "check", "--reductions", "por,none", "models/features/priorities.pml"],
                             capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(run.returncode, 2)
        self.assertIn("'none' cannot be combined", run.stderr)


if __name__ == "__main__":
    CMC = str(pathlib.Path(sys.argv.pop(1)).resolve())
    print(part_of_day.text(), flush=True)
    unittest.main()
