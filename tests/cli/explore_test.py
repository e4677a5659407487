#!/usr/bin/env python3
"""The page of `cmc explore` without a browser: what it answers over HTTP, whom it refuses, and when it ends.

Usage: explore_test.py CMC MODELS
"""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

CMC = os.path.abspath(sys.argv[1])
MODELS = pathlib.Path(sys.argv[2]).resolve()
SECONDS = 60  # for an answer, on a busy machine
LARGE = "int a, b, c; active proctype P() { do :: a++ :: b++ :: c++ od }\n"


class Explored:
    """A running `cmc explore`, and a client of it."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen([CMC, "explore", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=environment)
        self.address = next((line.strip() for line in self.process.stdout if "http://" in line), None)
        if self.address is None:
            raise AssertionError(self.process.communicate()[1])
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address).groups()
        self.port = int(self.port)

    def request(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request(method, f"/{self.token}/{path}", body, {name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def act(self, name, **more):
        status, text = self.request("POST", "do", json.dumps({"do": name, **more}))
        assert status == 200, (status, text)
        return json.loads(text)

    def send(self, text):
        """The status of the answer to these bytes; None: there is none."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as connection:
            connection.sendall(text)
            answer = connection.recv(1 << 16)
        return int(answer.split()[1]) if answer else None

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(SECONDS)
        self.process.communicate()
        return code


class ExploreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def explore(self, *arguments, **more):
        explored = Explored(*arguments, **more)
        self.addCleanup(explored.end)
        return explored

    def write(self, text, name="model.pml"):
        (self.path / name).write_text(text)
        return self.path / name

    def test_a_run_is_walked(self):
        page = self.explore(MODELS / "classics/philosophers.pml")
        status, text = page.request("GET", "")
        self.assertEqual(status, 200)
        self.assertIn(b"held[first]", text)
        self.assertNotIn(b"{{", text.split(b'id="data"')[0])
        self.assertEqual(page.act("view")["position"], 0)
        self.assertEqual(page.act("choose", choice=1)["position"], 1)
        found = page.act("find", expression="held[0] == 1 && held[1] == 1")
        self.assertIn("found after", found["said"])
        self.assertEqual(page.act("rows", **{"from": 1, "count": 400})["rows"][-1]["row"], found["position"])
        self.assertEqual(page.act("back")["position"], found["position"] - 1)
        self.assertEqual(page.end(), 130)

    def test_whoever_has_not_the_address_is_refused(self):
        page = self.explore(MODELS / "classics/philosophers.pml")
        host = f"Host: 127.0.0.1:{page.port}\r\n"
        here = f"/{page.token}/"

        def status(target, headers=host, method="GET"):
            return page.send(f"{method} {target} HTTP/1.1\r\n{headers}\r\n".encode())

        self.assertEqual(status(here), 200)
        self.assertEqual(status("/"), 403)
        self.assertEqual(status("/do", method="POST"), 403)
        self.assertEqual(status(f"/{'0' * 32}/"), 403)
        self.assertEqual(status(here, ""), 421)
        self.assertEqual(status(here, "Host: example.org\r\n"), 421)
        self.assertEqual(status(here, f"Host: example.org:{page.port}\r\n"), 421)
        self.assertEqual(status(here, host + "Origin: http://example.org\r\n"), 403)
        self.assertEqual(status(here + "do", host + "Origin: null\r\nContent-Length: 2\r\n\r\n{}", "POST"), 403)
        self.assertEqual(status(here + "../../etc/passwd"), 404)
        self.assertEqual(status(here + "model.pml"), 404)
        self.assertEqual(status(here, method="DELETE"), 405)
        self.assertEqual(status(here + "do", host + "Content-Length: 1000000\r\n", "POST"), 413)
        self.assertEqual(status(here, host + f"A: {'a' * 100000}\r\n"), 431)
        self.assertEqual(status(here, host + "Transfer-Encoding: chunked\r\n"), 501)
        self.assertEqual(page.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"), 400)
        self.assertEqual(page.act("view")["position"], 0)

    def test_cut_and_idle_connections_take_nothing_from_others(self):
        page = self.explore(MODELS / "classics/philosophers.pml")
        text = f"POST /{page.token}/do HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nContent-Length: 13\r\n\r\n".encode() + b'{"do":"view"}'
        for end in range(0, len(text), 7):
            with socket.create_connection(("127.0.0.1", page.port), timeout=SECONDS) as connection:
                connection.sendall(text[:end])
        idle = [socket.create_connection(("127.0.0.1", page.port), timeout=SECONDS) for _ in range(20)]
        self.assertEqual(page.act("view")["position"], 0)
        late = idle[0].recv(1000)  # after ten seconds
        self.assertIn(b"408", late)
        for connection in idle:
            connection.close()

    def test_only_this_machine_can_connect(self):
        page = self.explore(MODELS / "classics/philosophers.pml")
        wanted = f"{page.port:04X}"
        with open("/proc/net/tcp", encoding="ascii") as table:
            listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
        self.assertIn(f"0100007F:{wanted}", listening)
        self.assertNotIn(f"00000000:{wanted}", listening)
        with open("/proc/net/tcp6", encoding="ascii") as table:
            self.assertFalse([line for line in table if line.split()[1].endswith(":" + wanted) and line.split()[3] == "0A"])
        taken = subprocess.run([CMC, "explore", "--port", str(page.port), MODELS / "classics/philosophers.pml"], capture_output=True,
                               text=True, timeout=SECONDS, check=False)
        self.assertEqual(taken.returncode, 2)
        self.assertIn("Address already in use", taken.stderr)

    def test_a_long_search_is_cancelled_or_ends_with_its_client(self):
        page = self.explore(self.write(LARGE))
        body = json.dumps({"do": "find", "expression": "a < 0"})
        with socket.create_connection(("127.0.0.1", page.port), timeout=SECONDS) as asking:
            asking.sendall(f"POST /{page.token}/do HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            while not page.act("forward").get("busy"):
                time.sleep(0.01)
            self.assertEqual(page.act("rows", **{"from": 1})["rows"], [])
            self.assertTrue(page.act("cancel")["cancelled"])
            self.assertIn(b"cancelled after", asking.makefile("rb").read())
        self.assertFalse(page.act("view").get("busy"))
        with socket.create_connection(("127.0.0.1", page.port), timeout=SECONDS) as asking:
            asking.sendall(f"POST /{page.token}/do HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            while not page.act("forward").get("busy"):
                time.sleep(0.01)
        for _ in range(200):
            if not page.act("view").get("busy"):
                break
            time.sleep(0.05)
        self.assertFalse(page.act("view").get("busy"))

    def test_trails_and_counterexamples_are_the_run_at_first(self):
        model = MODELS / "classics/philosophers.pml"
        trail = self.path / "t.trail"
        subprocess.run([CMC, "check", "-q", "--trail", trail, model], stdout=subprocess.DEVNULL, check=False, timeout=SECONDS)
        page = self.explore(model, trail)
        view = page.act("goto", position=page.act("view")["length"])
        self.assertEqual(view["end"], "invalid")
        self.assertEqual(len(view["waiting"]), 3)
        self.assertIn("waits", json.dumps(view["why"]) + "waits")
        page = self.explore("--property", "safety", model)
        self.assertEqual(page.act("view")["length"], view["length"])
        page = self.explore(model)
        self.assertIn("lies ahead", page.act("counterexample")["said"])
        self.assertEqual(page.act("view")["length"], view["length"])
        self.assertIn("no counterexample", page.act("counterexample", property="nosuch")["said"])
        if shutil.which("spin"):
            subprocess.run(["spin", "-run", model], cwd=self.path, stdout=subprocess.DEVNULL, check=True, timeout=SECONDS)
            of_spin = self.path / "philosophers.pml.trail"
            of_spin = of_spin if of_spin.exists() else pathlib.Path(str(model) + ".trail")
            page = self.explore(model, of_spin)
            self.assertEqual(page.act("goto", position=page.act("view")["length"])["end"], "invalid")
        other = subprocess.run([CMC, "explore", self.write(LARGE), trail], capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(other.returncode, 2)
        self.assertIn(f"cmc: {trail}: the trail does not fit", other.stderr)

    def test_what_is_exported_is_replayed(self):
        model = MODELS / "classics/philosophers.pml"
        page = self.explore(model)
        for _ in range(5):
            page.act("random")
        saved = self.path / "run.trail"
        saved.write_bytes(page.request("GET", "run.trail")[1])
        replayed = subprocess.run([CMC, "replay", model, saved], capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(replayed.returncode, 0, replayed.stderr)
        self.assertIn("followed: a run (after 5 steps)", replayed.stdout)
        page.act("counterexample")
        page.act("goto", position=page.act("view")["length"])
        saved.write_bytes(page.request("GET", "run.trail")[1])
        replayed = subprocess.run([CMC, "replay", model, saved], capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(replayed.returncode, 1, replayed.stderr)
        self.assertIn("reproduced: invalid end state", replayed.stdout)
        self.assertTrue(page.request("GET", "run.html")[1].startswith(b"<!DOCTYPE html>"))
        self.assertIn(b"sequenceDiagram", page.request("GET", "run.mmd")[1])
        self.assertIn(b":", page.request("GET", "run.spin.trail")[1])

    def test_it_ends_when_it_is_told_and_when_the_page_is_closed(self):
        page = self.explore(MODELS / "classics/philosophers.pml")
        self.assertEqual(page.act("end")["said"], "cmc has ended")
        self.assertEqual(page.process.wait(SECONDS), 0)
        page = self.explore(MODELS / "classics/philosophers.pml")
        with socket.create_connection(("127.0.0.1", page.port), timeout=SECONDS) as stream:
            stream.sendall(f"GET /{page.token}/here HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n\r\n".encode())
            self.assertIn(b"text/event-stream", stream.recv(4096))
            time.sleep(6)
            self.assertIsNone(page.process.poll())
        self.assertEqual(page.process.wait(SECONDS), 0)
        page = self.explore(MODELS / "classics/philosophers.pml")
        page.process.terminate()
        self.assertEqual(page.process.wait(SECONDS), 143)

    def test_a_browser_is_opened_and_its_address_is_no_argument(self):
        fake = self.path / "bin"
        fake.mkdir()
        (fake / "xdg-open").write_text(f'#!/bin/sh\necho "$1" > {self.path}/opened.new\ncp "$1" {self.path}/page\n'
                                       f"mv {self.path}/opened.new {self.path}/opened\n")
        (fake / "xdg-open").chmod(0o755)
        page = self.explore("--open", MODELS / "classics/philosophers.pml",
                            environment={**os.environ, "PATH": f"{fake}:{os.environ['PATH']}"})
        for _ in range(600):
            if (self.path / "opened").exists():
                break
            time.sleep(0.1)
        opened = (self.path / "opened").read_text().strip()
        self.assertNotIn(page.token, opened)
        self.assertIn(page.address, (self.path / "page").read_text())
        page.end()
        self.assertFalse(os.path.exists(opened))

    def test_usage_mistakes_are_said(self):
        model = self.write("byte x; active proctype P() { y = 1 }")
        for arguments, said in ((["-"], "must be a file"), ([model], "undeclared variable"), ([], "which model"),
                                (["--port", "70000", model], "0 to 65535"),
                                ([MODELS / "classics/philosophers.pml", self.path / "none"], "none"),
                                (["--property", "safety", model, "x"], "leave one of them out")):
            ran = subprocess.run([CMC, "explore", *map(str, arguments)], capture_output=True, text=True, timeout=SECONDS, check=False)
            self.assertEqual(ran.returncode, 2, arguments)
            self.assertIn(said, ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
