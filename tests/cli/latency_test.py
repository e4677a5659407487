#!/usr/bin/env python3
"""cmc-latency: the table, the files, mistakes on the command line, a peer that answers, dies or is none.

Usage: latency_test.py CMC_LATENCY [--namespaces]

With --namespaces: the peer is in a network namespace of its own, behind a pair of virtual Ethernet devices, as between two
containers. Skipped (exit code 77) where that is not allowed.
"""

import csv
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

CMC_LATENCY = str(pathlib.Path(sys.argv[1]).resolve())
SKIPPED = 77
FAMILIES = ["spin", "semaphore", "futex", "hybrid", "unix", "tcp", "zmq", "zmq-tcp"]
ROWS = ["spin threads", "spin", "semaphore threads", "semaphore", "futex", "hybrid", "unix", "tcp", "zmq inproc", "zmq ipc",
        "zmq-tcp"]


def latency(*arguments, timeout=120):
    return subprocess.run([CMC_LATENCY, *arguments], capture_output=True, text=True, timeout=timeout)


class Serving:
    """A process that answers; `prefix` are words before its command."""

    def __init__(self, address, prefix=()):
        self.process = subprocess.Popen([*prefix, CMC_LATENCY, "--serve", address], stderr=subprocess.PIPE, text=True)
        self.first_line = self.process.stderr.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)
        self.process.stderr.close()


def free_ports():
    """A port that is free, and the next one, too."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
                return port
            except OSError:
                continue


class Latency(unittest.TestCase):
    def test_smoke(self):
        with tempfile.TemporaryDirectory() as folder:
            run = latency("--samples", "1", "--rounds", "50", "--size", "16", "--placement", "unpinned", "--out", folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            for row in ROWS:
                self.assertRegex(run.stdout, rf"(?m)^{row} +50 +[\d.]+ ")
            self.assertIn("load ", run.stdout)
            self.assertRegex(run.stdout, r"(?m)^(as in 2025|not here) +5 x spin <= semaphore: [\d.]+ times")
            self.assertRegex(run.stdout.splitlines()[-1],
                             r"^for solver questions: [a-z -]+, [\d.]+ µs \(now: zmq ipc, [\d.]+ µs\)$")
            result = json.loads(pathlib.Path(folder, "latency.json").read_text(encoding="utf-8"))
            self.assertEqual(result["schema"], "cmc.latency/1")
            self.assertEqual([each["channel"] for each in result["channels"]], ROWS)
            self.assertEqual(len(result["relations"]), 6)
            with open(pathlib.Path(folder, "points.csv"), newline="", encoding="utf-8") as file:
                self.assertEqual(len(list(csv.DictReader(file))), 50 * len(ROWS))
            with open(pathlib.Path(folder, "table.csv"), newline="", encoding="utf-8") as file:
                table = list(csv.DictReader(file))
            for row, each in zip(table, result["channels"]):
                self.assertAlmostEqual(float(row["rtt_mean_ns"]), each["rtt_mean_ns"], places=1)
                self.assertLessEqual(each["p50_ns"], each["p99_ns"])
                self.assertLessEqual(each["p999_ns"], each["max_ns"])
            if shutil.which("gnuplot"):
                self.assertEqual(run.stderr, "")
                for plot in ("points-spin", "points-zmq_ipc", "means", "percentiles"):
                    for ending in ("gp", "svg", "png"):
                        self.assertTrue(pathlib.Path(folder, f"{plot}.{ending}").stat().st_size > 500, plot)

    def test_some(self):
        run = latency("--channel", "unix", "--size", "16,64", "--placement", "one", "--rounds", "20", "--samples", "2",
                      "--launches", "2", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual([(each["bytes"], each["placement"], each["main"]) for each in result["channels"]],
                         [(16, "one", True), (64, "one", False)])
        self.assertTrue(all(relation["holds"] is None for relation in result["relations"]))

    def test_mistakes(self):
        for arguments, message in (
                (["--channel", "pigeon"], "'pigeon' is not one of: " + ", ".join(sorted(FAMILIES, key=FAMILIES.index))),
                (["--channel", "unix,unix"], "'unix' is there twice"), (["--channel", ""], "the list is empty"),
                (["--size", "15"], "16 to 65536"), (["--size", "16,65537"], "16 to 65536"),
                (["--placement", "three"], "'three' is not one of: unpinned, one, two"), (["--rounds", "0"], "from 1 to"),
                (["--samples", "x"], "from 1 to"), (["--launches", "-1"], "from 1 to"), (["--peer", "host"], "HOST:PORT"),
                (["--serve", "x:1", "--peer", "y:2"], "name one"),
                (["--peer", "x:1", "--channel", "spin"], "tcp and zmq-tcp"), (["file"], "unexpected argument 'file'"),
                (["--pigeons"], "unknown option '--pigeons'"), (["--rounds"], "the last option needs a value"), (["--progress", "no"], "auto, on, off"),
                (["--out", "-"], "only --json")):
            run = latency(*arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertIn(message, run.stderr)

    def test_peer(self):
        port = free_ports()
        with Serving(f"127.0.0.1:{port}") as serving:
            self.assertIn(f"answering at 127.0.0.1:{port}", serving.first_line)
            for _ in range(2):  # one asker after the other
                check_peer(self, latency("--peer", f"127.0.0.1:{port}", "--rounds", "20", "--samples", "5", "--launches",
                                         "2", "--size", "16,4096", "--json"))
            # What is no message ends only its own connection.
            with socket.create_connection(("127.0.0.1", port)) as stranger:
                stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
                stranger.settimeout(10)
                try:
                    self.assertEqual(stranger.recv(100), b"")
                except ConnectionResetError:
                    pass
            check_peer(self, latency("--peer", f"127.0.0.1:{port}", "--rounds", "2", "--launches", "1", "--size", "16",
                                     "--json"))
        self.assertIn(serving.process.returncode, (0, 130))

    def test_no_peer(self):
        port = free_ports()
        run = latency("--peer", f"127.0.0.1:{port}", "--channel", "tcp", "--rounds", "2", "--launches", "1", "--size", "16")
        self.assertEqual(run.returncode, 3, run.stdout)
        self.assertIn("cannot be reached", run.stdout)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            taken.listen()
            self.assertIn("cannot listen", latency("--serve", f"127.0.0.1:{port}").stderr)

    def test_interrupt(self):
        process = subprocess.Popen([CMC_LATENCY], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, said)


def check_peer(test, run):
    test.assertEqual(run.returncode, 0, run.stdout + run.stderr)
    result = json.loads(run.stdout)
    test.assertEqual({each["channel"] for each in result["channels"]}, {"tcp", "zmq-tcp"})
    test.assertEqual(result["failures"], [])
    test.assertTrue(all(each["rtt_mean_ns"] > 0 for each in result["channels"]))


class Namespaces(unittest.TestCase):
    """As between two containers: namespaces with a pair of virtual Ethernet devices, 10.87.0.1 and 10.87.0.2."""

    def test_namespaces(self):
        asker, responder = f"cmc-a-{os.getpid()}", f"cmc-b-{os.getpid()}"
        try:
            make_namespaces(asker, responder)
            inside = ["ip", "netns", "exec"]
            with Serving("10.87.0.2:7000", [*inside, responder]) as serving:
                self.assertIn("answering", serving.first_line)
                run = subprocess.run([*inside, asker, CMC_LATENCY, "--peer", "10.87.0.2:7000", "--rounds", "100",
                                      "--samples", "20", "--launches", "2", "--size", "16", "--json"],
                                     capture_output=True, text=True, timeout=120)
                check_peer(self, run)
        finally:
            for name in (asker, responder):
                subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def make_namespaces(asker, responder):
    def ip(*words):
        if subprocess.run(["ip", *words], capture_output=True).returncode != 0:
            print(f"skipped: network namespaces are not allowed here (ip {' '.join(words)})")
            for name in (asker, responder):
                subprocess.run(["ip", "netns", "delete", name], capture_output=True)
            sys.exit(SKIPPED)

    ip("netns", "add", asker)
    ip("netns", "add", responder)
    ip("link", "add", "cmc0", "netns", asker, "type", "veth", "peer", "name", "cmc0", "netns", responder)
    for name, address in ((asker, "10.87.0.1/24"), (responder, "10.87.0.2/24")):
        ip("-n", name, "address", "add", address, "dev", "cmc0")
        ip("-n", name, "link", "set", "cmc0", "up")


if __name__ == "__main__":
    namespaces = "--namespaces" in sys.argv
    if namespaces and not shutil.which("ip"):
        print("skipped: there is no program ip (Debian: iproute2)")
        sys.exit(SKIPPED)
    names = ["Namespaces"] if namespaces else ["Latency"]
    unittest.main(argv=[sys.argv[0], *names])
