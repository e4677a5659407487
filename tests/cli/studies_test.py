#!/usr/bin/env python3
"""Tables of documents are what the data in logs/ say (bench/studies.py); the studies run with tiny repetitions.

Usage: studies_test.py BUILD_FOLDER
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/studies.py"
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
DOCUMENTS = ["docs/seeds.md", "docs/latency.md", "docs/transactions.md", "logs/README.md"]
CONDITIONS = {"date": "2026-11-24", "processor": "a processor", "cores": 2, "system": "Linux 6.1", "load": 0.1, "minutes": 1}
CHANNELS = {"spin threads": 300, "spin": 270, "semaphore threads": 6500, "semaphore": 3100, "zmq inproc": 20000,
            "zmq ipc": 29000, "tcp": 17000, "zmq-tcp": 74000}


def studies(*arguments):
    return subprocess.run([sys.executable, "-B", SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=600)


class StudiesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.logs = self.root / "logs"
        for name in DOCUMENTS:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.places = ["--root", self.root, "--logs", self.logs]

    def tearDown(self):
        self.folder.cleanup()

    def keep(self, study, **files):
        folder = self.logs / study
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "conditions.json").write_text(json.dumps(CONDITIONS))
        for name, text in files.items():
            (folder / name.replace("_", ".")).write_text(text)

    def expect(self, code, *arguments):
        run = studies(*arguments, *self.places)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def text(self, name):
        return (self.root / name).read_text()

    def test_the_documents_say_what_the_data_say(self):
        run = studies("check")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_tables_without_data_stay(self):
        self.expect(0, "tables")
        for name in DOCUMENTS:
            self.assertEqual(self.text(name), (ROOT / name).read_text())

    def test_tables_follow_the_data(self):
        channels = [{"channel": name, "main": True, "points": 1000, "rtt_mean_ns": mean, "low_ns": mean - 5, "high_ns": mean + 5,
                     "rtt_std_ns": 80, "latency_ns": mean / 2, "p50_ns": mean - 70, "p99_ns": mean + 1000}
                    for name, mean in CHANNELS.items()]
        self.keep("latency", latency_json=json.dumps({"channels": channels}))
        runs = [{"kind": kind, "payload": 10, "one_way_ns_least": ns}
                for kind, ns in {"hand": 100, "flat:native:10": 2000, "flat:vm:10": 4100, "flat:vm:10000": 770000}.items()]
        self.keep("xtp", run_json=json.dumps({"runs": runs, "context_switch_ns": 2500}))
        lines = ["scheme,scenario,sync,threads,files,iterations,run,seconds,collisions,extra_us,broken"]
        for scheme, seconds in [("buffered", 1.5), ("snapshot", 3), ("mutex", 2)]:
            for scenario in ["write", "read+write"]:
                for files, threads in [(1, 1), (1, 2), (1, 3), (1, 4), (5, 4), (10, 4)]:
                    lines.append(f"{scheme},{scenario},0,{threads},{files},1000,0,{seconds},{1000 // files},{20 / files},0")
        self.keep("transactions", result_csv="\n".join(lines) + "\n")
        self.assertIn("docs/seeds.md", self.expect(1, "check").stdout)
        self.expect(0, "tables")
        self.expect(0, "check")
        seeds = self.text("docs/seeds.md")
        self.assertIn("| spin lock, two threads; two processes | 292; 271 | 300 (median 230); 270 (median 200) |", seeds)
        self.assertIn("| spin < semaphore < TCP < ZeroMQ over TCP | yes | yes |", seeds)
        self.assertIn("| ZeroMQ over TCP : TCP | 4.2 | 4.4 (medians 4.4) |", seeds)
        self.assertIn("| EC 3.8, PET/DINGO 42 | 20 (flat, native); 41 (flat, VM) |", seeds)
        self.assertIn("| EC 12.8, PET/DINGO 102 | 7,700 (flat, VM) |", seeds)
        self.assertIn("| + 2 × 0.47 ms | + 2 × 2.5 µs |", seeds)
        self.assertIn("| in every cell | in 12 of 12 cells |", seeds)
        self.assertIn("| fall | 1,000, 200, 100 |", seeds)
        self.assertIn("| with 2 and 3 threads | with 2, 3, 4 threads |", seeds)
        self.assertIn("(2026-11-24, a processor, 2 cores, Linux 6.1, load 0.1 at the beginning)", seeds)
        self.assertIn("| zmq ipc | 1000 | 29,000 |", self.text("docs/latency.md"))
        self.assertIn("| write | 5 | 4 | 1.50 (1.50 to 1.50) |", self.text("docs/transactions.md"))
        self.assertIn("-DSTAY models/leader/leader.pml", self.text("logs/README.md"))  # of it there are no data
        seeds = seeds.replace("| + 2 × 2.5 µs |", "| + 2 × 2.6 µs |")
        (self.root / "docs/seeds.md").write_text(seeds)
        self.expect(1, "check")

    def test_the_solver_s_overhead(self):
        modes = {"in-process": 0, "ipc": 0.2, "tcp": 0.25, "ipc-chatty": 0.1, "tcp-chatty": 0.11}

        def data(wanted, more):
            lines = ["test,query,first,mode,requests,repeat,ns"]
            for repeat in (1, 2):
                for test in range(1, 5):
                    for query in range(1, 9):
                        first = {1: "start", 2: "prepare"}.get(query, "known")
                        for mode in wanted:
                            requests = 20 * query + test if mode.endswith("chatty") else 1
                            ms = 1 + 0.001 * (repeat + query * test) + modes[mode] * (requests if mode.endswith("chatty") else 1) + more * (mode == "ipc")
                            lines.append(f"{test},{query},{first},{mode},{requests},{repeat},{round(1e6 * ms)}")
            return "\n".join(lines) + "\n"

        self.keep("solver-overhead", result_csv=data(modes, 0), block_csv=data(["in-process", "ipc"], 0.2))
        self.expect(0, "tables")
        seeds = self.text("docs/seeds.md")
        self.assertIn("| predicates, tests | 679, 53 | 32, 4 |", seeds)
        self.assertIn("0.400 ms: active waiting saves 50 % |", seeds)
        self.assertIn("| overhead: slope | 0.03 ms a request | 0.100 ms (ipc), 0.110 ms (tcp) |", seeds)

    def test_tiny_repetitions(self):
        programs = {"latency": "cmc-latency", "searches": "cmc", "transactions": "bench_transactions", "xtp": "bench_xtp",
                    "solver-overhead": "bench_solver_overhead"}
        there = [study for study, program in programs.items() if (BUILD / program).exists()]
        self.expect(0, "measure", *there, "--smoke", "--build", BUILD)
        self.expect(0, "check")
        for study in there:
            self.assertTrue((self.logs / study / "conditions.json").exists())
            self.assertFalse((self.logs / study / "work").exists())
        self.assertIn("| leader4.log | `cmc check --threads 1", self.text("logs/README.md"))
        # Every figure but times and memory comes out again.
        before = (self.logs / "leader4.log").read_text()
        self.expect(0, "measure", "searches", "--smoke", "--build", BUILD)
        after = (self.logs / "leader4.log").read_text()
        self.assertEqual(*([line for line in text.splitlines()[1:] if not line.startswith("Disk wait")] for text in (before, after)))


if __name__ == "__main__":
    unittest.main()
