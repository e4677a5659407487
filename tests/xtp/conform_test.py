#!/usr/bin/env python3
"""Packets of two ends of the protocol (studies/xtp) are those of a run of models/xtp/flat.pml, and where they are not.
Usage: conform_test.py BENCH_XTP CMC [--seeds N]"""
import argparse
import pathlib
import subprocess
import tempfile
import unittest

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models" / "xtp"
FLAT = MODELS / "flat.pml"
LOSS, DAMAGE, DOUBLES = "loss=0.1", "corruption=0.1", "duplication=0.1"
HURRY = ("delay_ms=2", "timeout_ms=3")  # packets are repeated while others are under way


class ConformTest(unittest.TestCase):
    bench = cmc = None
    seeds = 3

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def hold(self, settings, options, code=0, messages=20, ends="hand", real=False):
        """What `cmc conform` says of a session's packets, which each end has logged for itself."""
        subprocess.run([self.bench, "--models", MODELS, "--repeats", "1", "--events", self.folder / "log", "--initiator", ends, "--responder", ends,
                        *(["--real"] if real else []), "--set", f"messages={messages}", *settings], check=True, stdout=subprocess.DEVNULL)
        logs = [self.folder / f"log.{side}.jsonl" for side in range(2)]
        held = subprocess.run([self.cmc, "conform", "-q", "--time", "120", "-DW=4", "-DS=256", "-DNETWORK=8", f"-DMESSAGES={messages}", *options,
                               FLAT, *logs], capture_output=True, text=True)
        self.assertEqual(held.returncode, code, f"{settings} {options}: {held.stdout}{held.stderr}")
        return held.stdout

    def test_the_program_is_explained(self):
        for seed in range(self.seeds):
            for fault in (DAMAGE, DOUBLES):
                self.hold([LOSS, fault, f"seed={seed}"], ["-DATONCE"])
        self.hold(["connections=5"], ["-DATONCE", "-DCONNECTIONS=5"], messages=3)
        self.hold([LOSS, "close=abort"], ["-DATONCE", "-DKILLS", "-DTIMERS"])  # who may abort is never without a step: no timeout

    def test_two_processes_in_real_time_are_explained(self):
        """Timers do not wait for what a busy machine does late."""
        self.hold([LOSS, DAMAGE], ["-DATONCE", "-DTIMERS"], real=True)

    def test_programs_made_of_the_model_are_explained(self):
        """What has come is what lies in the channel, not yet what the engine has taken."""
        rules = [line[4:] for line in FLAT.read_text().splitlines() if line.startswith("//@ ")]
        (self.folder / "map").write_text("\n".join(rule.replace("at engine : arrived[side] ?", "at network : arrived[side] !") for rule in rules))
        for fault in (DAMAGE, DOUBLES):
            self.hold([LOSS, fault], ["--map", self.folder / "map"], ends="flat:vm:10")

    def test_where_program_and_model_differ(self):
        """The model's end counts what lies before its user; it repeats nothing while packets are under way; its network does not double
        what it damages."""
        self.assertIn("sent(side=1, type=CNTL, key=1, xkey=1, sreq=0, seq=0, ack=1, credit=3)", self.hold([], [], code=1))
        self.hold(HURRY, ["-DATONCE"], code=1, messages=4)
        self.hold(HURRY, ["-DATONCE", "-DTIMERS"], messages=4)
        self.hold([LOSS, DAMAGE, DOUBLES, "seed=1"], ["-DATONCE"], code=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=pathlib.Path)
    parser.add_argument("cmc", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    arguments, rest = parser.parse_known_args()
    ConformTest.bench, ConformTest.cmc, ConformTest.seeds = arguments.bench.resolve(), arguments.cmc.resolve(), arguments.seeds
    unittest.main(argv=["conform_test.py", *rest])
