#!/usr/bin/env python3
"""The evaluation of the solver bridge's overhead: what bench/solver_overhead.py makes of known measurements."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench/solver_overhead.py"
SPEC = importlib.util.spec_from_file_location("solver_overhead", SCRIPT)
overhead = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(overhead)

MODES = ("in-process", "ipc", "tcp", "ipc-chatty", "tcp-chatty")


def write(path, time_of, tests=20, queries=8, repeats=4):
    """time_of(mode, test, query, repeat) in ms."""
    lines = ["test,query,first,mode,requests,repeat,ns"]
    for repeat in range(1, repeats + 1):
        for test in range(1, tests + 1):
            for query in range(1, queries + 1):
                first = {1: "start", 2: "prepare"}.get(query, "known")
                for mode in MODES:
                    requests = 20 + 10 * query + test if mode.endswith("chatty") else 1
                    ns = round(1e6 * time_of(mode, test, query, repeat, requests))
                    lines.append(f"{test},{query},{first},{mode},{requests},{repeat},{ns}")
    path.write_text("\n".join(lines) + "\n")


class OverheadTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.csv = pathlib.Path(self.folder.name) / "result.csv"

    def tearDown(self):
        self.folder.cleanup()

    def test_the_line_is_that_of_the_requests(self):
        noise = (0.001, -0.001, 0.002, -0.002)
        write(self.csv, lambda mode, test, query, repeat, requests:
              (5 if mode == "in-process" else 3 + 0.05 * requests) + noise[repeat - 1])
        means = overhead.means_of(overhead.read_times(self.csv))
        points = overhead.of_kind(overhead.overheads(means, "ipc-chatty"), "known")
        line = overhead.fit_line(points)
        self.assertAlmostEqual(line.slope, 0.05, 6)
        self.assertAlmostEqual(line.intercept, -2, 4)
        self.assertIn("no overhead below 40 requests", overhead.report(means, None))

    def test_the_fastest_are_counted_by_their_means(self):
        # ipc is the fastest in even tests, in process in the others; tcp never.
        write(self.csv, lambda mode, test, query, repeat, requests:
              {"in-process": 2, "ipc": 1 + 2 * (test % 2), "tcp": 4}.get(mode, 9) + (repeat == 1))
        means = overhead.means_of(overhead.read_times(self.csv))
        self.assertEqual(overhead.fastest(means, ("in-process", "ipc", "tcp")), {"in-process": 80, "ipc": 80, "tcp": 0})
        self.assertIn("| in-process, ipc, tcp | 160 | 80 (50.0 %) | 80 (50.0 %) | 0 (0.0 %) | 160 (100.0 %) |",
                      overhead.fastest_table(means))

    def test_outliers_are_found_and_only_they(self):
        def time_of(mode, test, query, repeat, _):
            if (mode, test, query, repeat) == ("tcp", 7, 5, 3):
                return 400
            return 2 if repeat < 4 else 6  # three times the median is none
        write(self.csv, time_of)
        outliers = overhead.find_outliers(overhead.read_times(self.csv))
        self.assertEqual([(each.test, each.query, each.mode) for each in outliers], [(7, 5, "tcp")])
        self.assertIn("| 7-5 | tcp | 1 | 4.0 | 2.0, 2.0, 400.0, 6.0 |", overhead.outlier_table(outliers))
        self.assertEqual(overhead.outlier_table([]), "No outliers.")

    def test_parts_are_where_it_takes_the_least_and_the_most(self):
        write(self.csv, lambda mode, test, query, repeat, requests: 1 if test > 12 else 9 if test <= 7 else 5)
        means = overhead.means_of(overhead.read_times(self.csv))
        least, most = overhead.windows(means)
        self.assertGreaterEqual(least, 12 * 8)
        self.assertEqual(most, 0)

    def test_the_program_writes_everything_and_refuses_what_is_cut(self):
        write(self.csv, lambda mode, test, query, repeat, requests: 1 + requests / 50 + repeat / 100, tests=3)
        folder = pathlib.Path(self.folder.name) / "plots"
        run = [sys.executable, SCRIPT, self.csv, "--folder", folder]
        done = subprocess.run(run, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("averages.csv", "averages.gnuplot", "ipc.csv", "tcp-chatty.gnuplot"):
            self.assertTrue((folder / name).exists(), name)
        self.assertEqual(len((folder / "averages.csv").read_text().splitlines()), 1 + 3 * 8)
        self.csv.write_text(self.csv.read_text()[:-3])
        self.assertNotEqual(subprocess.run(run, capture_output=True).returncode, 0)


if __name__ == "__main__":
    unittest.main()
