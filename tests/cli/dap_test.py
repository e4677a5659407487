#!/usr/bin/env python3
"""The debugger: a client that speaks the Debug Adapter Protocol over pipes. Usage: dap_test.py CMC MODELS"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest

CMC = os.path.abspath(sys.argv[1])
MODELS = pathlib.Path(sys.argv[2]).resolve()
SECONDS = 60  # for an answer, on a busy machine

TEXT = """#define MOST 3
mtype = { red, green };
typedef Lamp { mtype colour; byte count[2] };
Lamp lamp; byte n;
chan q = [2] of { byte, mtype };
proctype W(byte id) {
  byte mine[3];
  mine[id] = id;
  n++;
  printf("W %d\\n", id);
  q ! id, green;
  d_step {
    lamp.count[0]++;
    n--
  }
}
active proctype R() {
  byte got;
end:
  do
  :: q ? got, lamp.colour -> assert(got < MOST)
  od
}
init { run W(1); run W(2) }
"""
SENDER = """chan c = [0] of { byte };
active proctype S() {
  c!1;
  c!2
}
active proctype T() {
  byte x;
  c?x;
  assert(x != 1)
}
"""


class Client:
    """Sends requests; keeps the events that come in between."""

    def __init__(self):
        self.process = subprocess.Popen([CMC, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.seq = 0
        self.events = []
        self.requests = 0

    def send_bytes(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        watch = threading.Timer(SECONDS, self.process.kill)
        watch.start()
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError
            if line == b"\r\n":
                break
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message = json.loads(self.process.stdout.read(length))
        watch.cancel()
        return message

    def ask(self, command, **arguments):
        """The whole response."""
        self.seq += 1
        self.requests += 1
        self.send_bytes(json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode())
        while True:
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == self.seq:
                return message

    def do(self, command, **arguments):
        """The body of a response that must be a success."""
        response = self.ask(command, **arguments)
        assert response["success"], f"{command} {arguments}: {response}"
        return response.get("body")

    def refusal(self, command, **arguments):
        response = self.ask(command, **arguments)
        assert not response["success"], f"{command} {arguments}: {response}"
        assert response["body"]["error"]["variables"]["why"] == response["message"]
        return response["message"]

    def event(self, name):
        """The next event of this name; the others stay."""
        while True:
            for at, event in enumerate(self.events):
                if event["event"] == name:
                    return self.events.pop(at)["body"]
            self.events.append(self.read())

    def go(self, command, **arguments):
        """A request that moves the run, and where it stops."""
        self.do(command, **arguments)
        return self.event("stopped")

    def launch(self, program, **arguments):
        self.do("initialize", adapterID="cmc", linesStartAt1=True)
        self.do("launch", program=str(program), **arguments)
        self.event("initialized")
        return self.go("configurationDone")

    def names(self):
        return [each["name"] for each in self.do("threads")["threads"]]

    def line(self, thread):
        return self.do("stackTrace", threadId=thread)["stackFrames"][0]["line"]

    def state(self):
        """The places of processes and all variables."""
        seen = {}
        for thread in self.do("threads")["threads"]:
            for frame in self.do("stackTrace", threadId=thread["id"])["stackFrames"]:
                seen[frame["name"]] = frame["line"]
                for scope in self.do("scopes", frameId=frame["id"])["scopes"][:3]:
                    seen[frame["name"], scope["name"]] = self.values(scope["variablesReference"])
        return seen

    def values(self, reference):
        found = {}
        for each in self.do("variables", variablesReference=reference)["variables"]:
            found[each["name"]] = each["value"]
            if each["variablesReference"]:
                found.update(self.values(each["variablesReference"]))
        return found

    def scope(self, frame, name):
        return next(each["variablesReference"] for each in self.do("scopes", frameId=frame)["scopes"] if each["name"] == name)

    def evaluate(self, expression, **more):
        return self.do("evaluate", expression=expression, **more)["result"]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(SECONDS)


class DapTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(os.path.realpath(folder.name))
        self.model = self.path / "model.pml"
        self.model.write_text(TEXT)
        self.sender = self.path / "sender.pml"
        self.sender.write_text(SENDER)
        self.client = self.start()

    def start(self):
        client = Client()
        self.addCleanup(lambda: None if client.process.stdin.closed else client.close())
        return client

    def set_lines(self, *breakpoints, path=None):
        return self.client.do("setBreakpoints", source={"path": str(path or self.model)}, breakpoints=list(breakpoints))["breakpoints"]

    def test_first_answer(self):
        begun = time.monotonic()
        capabilities = self.client.do("initialize", adapterID="cmc")
        self.assertLess(time.monotonic() - begun, 5)  # 2 ms on a machine that is not busy
        self.assertTrue(capabilities["supportsStepBack"])
        self.assertIn("nothing was launched", self.client.refusal("threads"))
        self.assertIn("there is no request", self.client.refusal("dance"))
        self.client.do("disconnect")
        self.assertEqual(self.client.process.wait(SECONDS), 0)

    def test_session_over_a_model(self):
        client = self.client
        stop = client.launch(self.model)
        self.assertEqual((stop["reason"], stop["description"]), ("entry", "step 0"))
        self.assertEqual(client.names(), ["R[0]", "init[1]"])
        frame = client.do("stackTrace", threadId=2)["stackFrames"][0]
        self.assertEqual((frame["name"], frame["line"], frame["source"]["path"]), ("init[1]", 24, str(self.model)))
        start = client.state()
        self.assertEqual(start["init[1]", "Global"]["lamp.count[1]"], "0")
        # Breakpoints of every kind.
        answer = self.set_lines({"line": 7}, {"line": 13, "condition": "mine[2] == 2"}, {"line": 9, "hitCondition": "2"}, {"line": 99},
                                {"line": 9, "condition": "x +"}, {"line": 9, "hitCondition": "often"})
        self.assertEqual([each["verified"] for each in answer], [True, True, True, False, False, False])
        self.assertEqual([each.get("line") for each in answer], [8, 13, 9, None, None, None])
        numbers = [each["id"] for each in answer[:3]]
        self.assertFalse(self.set_lines({"line": 1}, path="/nowhere.pml")[0]["verified"])
        functions = client.do("setFunctionBreakpoints", breakpoints=[{"name": "W"}, {"name": "X"}])["breakpoints"]
        self.assertEqual([each["verified"] for each in functions], [True, False])
        data = client.do("dataBreakpointInfo", name="n", variablesReference=client.scope(1, "Global"))
        self.assertEqual(data["description"], "n")
        self.assertEqual(client.do("dataBreakpointInfo", name="q", variablesReference=client.scope(1, "Channels"))["description"], "len(q)")
        self.assertIsNone(client.do("dataBreakpointInfo", name="nothing")["dataId"])
        watched = client.do("setDataBreakpoints", breakpoints=[{"dataId": data["dataId"]}, {"dataId": data["dataId"], "condition": "x"}, {"dataId": "n"}])
        self.assertEqual([each["verified"] for each in watched["breakpoints"]], [True, False, False])
        # Forwards.
        reasons = set()
        for _ in range(8):
            stop = client.go("continue", threadId=stop["threadId"])
            reasons.add(stop["reason"])
            if stop["reason"] == "breakpoint":
                self.assertEqual(client.line(stop["threadId"]), [8, 12, 9][numbers.index(stop["hitBreakpointIds"][0])])
        self.assertEqual(reasons, {"function breakpoint", "breakpoint", "data breakpoint"})
        self.set_lines()
        client.do("setFunctionBreakpoints", breakpoints=[])
        client.do("setDataBreakpoints", breakpoints=[])
        stop = client.go("continue", threadId=1)
        self.assertEqual((stop["reason"], stop["description"]), ("end", "the run has ended: all processes are at valid ends"))
        printed = [each["body"]["output"] for each in client.events if each["event"] == "output"]
        self.assertEqual(sorted(printed), ["W 1\n", "W 2\n"])
        self.assertIn("R[0]", client.names())
        end = client.state()
        # Backwards.
        backs = 1
        while client.go("stepBack", threadId=1)["reason"] != "entry":
            backs += 1
            self.assertLess(backs, 99)
        self.assertGreater(backs, 15)
        self.assertEqual(client.go("stepBack", threadId=1)["reason"], "entry")
        self.assertEqual(client.state(), start)
        # The same way again, and back to a breakpoint.
        self.assertEqual(client.go("continue", threadId=1)["reason"], "end")
        self.assertEqual(client.state(), end)
        self.assertEqual(client.go("reverseContinue", threadId=1)["reason"], "entry")
        self.set_lines({"line": 21})
        self.assertEqual(client.go("continue", threadId=1)["reason"], "breakpoint")
        first = client.state()
        self.assertEqual(client.go("continue", threadId=1)["reason"], "breakpoint")
        self.assertEqual(client.go("reverseContinue", threadId=1)["reason"], "breakpoint")
        self.assertEqual(client.state(), first)
        self.assertGreater(client.requests, 50)
        self.assertEqual(client.close(), 0)

    def test_choices_and_views(self):
        client = self.client
        client.launch(self.model, seed=3)
        self.assertEqual([each["label"] for each in client.do("stepInTargets", frameId=2)["targets"]], ["init[1]: (run W(1))"])
        self.assertEqual(client.values(client.scope(1, "Steps that can be taken")), {"1: init[1]": "(run W(1)), W[2] starts, W[2].id: 1"})
        waits = client.values(client.scope(1, "Processes that wait"))
        self.assertEqual(waits["R[0]"].split(";")[0], "waits for a message in q, empty from the start")
        self.assertEqual(client.go("stepIn", threadId=2, targetId=1)["reason"], "step")
        self.assertIn("there is no such step", client.refusal("stepIn", threadId=2, targetId=99))
        for line in (9, 10, 11, 12):  # `next` prefers the process
            client.go("next", threadId=3)
            self.assertEqual(client.line(3), line)
        self.assertEqual(client.event("output"), {"category": "stdout", "output": "W 1\n"})
        self.assertEqual(client.values(client.scope(1, "Channels"))["q"], "1 of 2: [1,green]")
        self.assertEqual(client.values(client.scope(3, "Local"))["mine"], "[0, 1, 0]")
        self.assertEqual(client.values(client.scope(3, "Local"))["mine[1]"], "1")
        self.assertEqual(client.values(client.scope(3, "Last step"))["step 5, W[2]"], "q!id,green")
        self.assertEqual(client.evaluate("mine[1] + MOST", frameId=3), "4")
        self.assertEqual(client.evaluate("q", context="watch"), "q")
        self.assertIn("undeclared", client.refusal("evaluate", expression="mine[1]", frameId=1))
        self.assertIn("cannot be evaluated", client.refusal("evaluate", expression="1/(n-n)"))
        self.assertIn("cannot be set", client.refusal("setVariable", variablesReference=1, name="n", value="3"))
        client.go("next", threadId=1)
        self.assertEqual(client.evaluate("lamp.colour"), "green")
        self.assertEqual(client.go("stepOut", threadId=3)["reason"], "step")
        self.assertNotIn("W[2]", client.names())
        self.assertIn("no such process", client.refusal("stackTrace", threadId=77))
        page = client.do("variables", variablesReference=client.scope(1, "Global"), start=1, count=1)["variables"]
        self.assertEqual([each["name"] for each in page], ["n"])
        # The console has the commands of simulate --interactive.
        self.assertIn("nearest state", client.evaluate("help", context="repl"))
        self.assertIn("it holds in none", client.evaluate("find n == 7", context="repl"))
        client.evaluate("back 2", context="repl")
        self.assertEqual(client.event("stopped")["reason"], "goto")
        client.evaluate("goto 0", context="repl")
        client.evaluate("find n == 2 && len(q) == 1", context="repl")
        self.assertEqual(client.evaluate("n", context="repl"), "2")
        self.assertEqual(client.event("stopped")["description"], "step 0 of 8")
        client.event("stopped")
        client.go("restart")
        self.assertEqual(client.evaluate("n"), "0")

    def test_counterexamples(self):
        client = self.client
        client.launch(self.sender, property="safety")
        stop = client.go("continue", threadId=1)
        self.assertEqual(stop["reason"], "exception")
        self.assertTrue(stop["text"].startswith("error: assertion violated"))
        info = client.do("exceptionInfo", threadId=stop["threadId"])
        self.assertEqual(info["exceptionId"], "assertion")
        self.assertEqual(info["details"]["stackTrace"], "T[1] at sender.pml:9: T[1].x is 1 since step 1 (S[0])")
        self.assertEqual(client.go("reverseContinue", threadId=1)["reason"], "entry")
        # A rendezvous has two places. Behind the assertion a process is stuck.
        self.assertTrue(self.set_lines({"line": 8}, path=self.sender)[0]["verified"])
        client.do("setExceptionBreakpoints", filters=[])
        stop = client.go("continue", threadId=1)
        for _ in range(5):
            if stop["reason"] == "exception":
                break
            stop = client.go("continue", threadId=1)
        self.assertEqual(stop["text"], "invalid end state: no process can move")
        self.assertEqual(client.do("exceptionInfo", threadId=1)["exceptionId"], "end")
        self.assertIn("holds", self.start().refusal("launch", program=str(self.model), ltl="[] (n < 3)", property="ltl_0"))
        self.assertIn("undeclared", self.start().refusal("launch", program=str(self.model), ltl="[] nothing"))
        endless = self.start()
        endless.launch(MODELS / "peterson/peterson2.pml", ltl="<> (ncrit == 2)", property="ltl_0")
        for _ in range(1000):
            stop = endless.go("stepIn", threadId=1)
            if "for ever" in stop["description"]:
                break
        self.assertIn("on it is repeated for ever", stop["description"])
        self.assertEqual(endless.go("stepIn", threadId=1)["reason"], "step")

    def trails(self):
        subprocess.run([CMC, "check", "-q", "--trail", "t.json", "sender.pml"], cwd=self.path, check=False, capture_output=True)
        subprocess.run([CMC, "spin", "-run", "sender.pml"], cwd=self.path, check=False, capture_output=True)
        return self.path / "t.json", self.path / "sender.pml.trail"

    def test_trails(self):
        for trail in self.trails():
            client = self.start()
            client.launch("sender.pml", trail=trail.name, cwd=str(self.path))
            states = [client.state()]
            while True:
                stop = client.go("stepIn", threadId=1)
                states.append(client.state())
                if stop["reason"] != "step":
                    break
            self.assertEqual(stop["reason"], "exception")
            for _ in range(2):
                for state in reversed(states[:-1]):
                    client.go("stepBack", threadId=1)
                    self.assertEqual(client.state(), state)
                for state in states[1:]:
                    client.go("stepIn", threadId=1)
                    self.assertEqual(client.state(), state)
            client.go("reverseContinue", threadId=1)
            self.assertEqual(client.state(), states[0])
            self.assertGreater(client.requests, 50)
            self.assertEqual(client.close(), 0)
            self.start().refusal("launch", program=str(self.model), trail=str(trail))

    def test_refused_launches(self):
        wrong = self.path / "wrong.pml"
        wrong.write_text("active proctype P() { x = 1 }")
        program = str(self.model)
        for arguments, said in (({"program": "no.pml"}, "no.pml"), ({"program": program, "trail": "no"}, "no"), ({}, "arguments"),
                                ({"program": program, "trail": program}, "trail"), ({"program": 3}, "arguments"),
                                ({"program": program, "defines": ["3"]}, "3"), ({"program": program, "defines": "N=3"}, "arguments"),
                                ({"program": str(wrong)}, "wrong.pml:1:23: error: undeclared")):
            self.assertIn(said, self.client.refusal("launch", **arguments))
        self.client.launch(self.model)

    def test_random_walks_forth_and_back(self):
        for name, most in (("peterson/peterson3.pml", 1000), ("leader/leader.pml", 300)):
            client = self.start()
            stop = client.launch(MODELS / name, seed=7)
            start = client.state()
            taken = 0
            while taken < most and stop["reason"] in ("entry", "step"):
                stop = client.go("stepIn", threadId=stop["threadId"])
                taken += 1
                if taken == 50:
                    middle = client.state()
            self.assertGreater(taken, 50)
            for back in range(1, taken + 1):
                stop = client.go("stepBack", threadId=1)
                if taken - back == 50:
                    self.assertEqual(client.state(), middle)
            self.assertTrue(stop["description"].startswith("step 0 "), stop)
            self.assertEqual(client.state(), start)
            self.assertEqual(client.close(), 0)

    def test_pause(self):
        (self.path / "endless.pml").write_text("byte x; active proctype P() { do :: x++ :: x = 0 od }")
        client = self.client
        client.do("launch", program="endless.pml", cwd=str(self.path), stopOnEntry=False)
        client.event("initialized")
        client.do("configurationDone")
        client.do("threads")
        self.assertEqual(client.go("pause", threadId=1)["reason"], "pause")
        client.do("continue", threadId=1)
        client.do("terminate")
        client.event("terminated")
        client.do("disconnect")
        self.assertEqual(client.process.wait(SECONDS), 0)

    def test_damaged_messages(self):
        good = [json.dumps({"seq": 1, "type": "request", "command": command, "arguments": arguments}).encode() for command, arguments in (
            ("initialize", {}), ("launch", {"program": str(self.model)}), ("configurationDone", {}), ("threads", {}),
            ("setBreakpoints", {"source": {"path": str(self.model)}, "breakpoints": [{"line": 9}]}), ("next", {"threadId": 2}),
            ("stackTrace", {"threadId": 2}), ("scopes", {"frameId": 2}), ("variables", {"variablesReference": 1 << 20}),
            ("variables", {"variablesReference": (1 << 20) + 1}), ("stepInTargets", {"frameId": 1}),
            ("evaluate", {"expression": "n + 1", "context": "repl"}), ("dataBreakpointInfo", {"name": "n"}),
            ("setDataBreakpoints", {"breakpoints": [{"dataId": "{\"process\":-1,\"expression\":\"n\"}"}]}), ("stepBack", {"threadId": 1}))]
        dice = random.Random(5)
        client = self.client
        for body in good:
            client.send_bytes(body)
        client.seq = 9000
        client.do("threads")
        for number in range(600):
            body = bytearray(dice.choice(good))
            for _ in range(dice.randrange(1, 4)):
                at = dice.randrange(len(body))
                if dice.random() < 0.3:
                    del body[at:at + dice.randrange(1, 20)]
                elif dice.random() < 0.5:
                    body[at] = dice.choice(b'{}[]",:0123456789-etrn \x00\xff')
                else:
                    body[at:at] = dice.choice([b"-1", b"99999999999999999999", b"null", b"[]", b"{}", b'"x"', b"4294967295", b"1e9"])
            client.send_bytes(bytes(body))
            if number % 10 == 0:
                client.ask("threads")
        for body in (b"", b"[]", b"{}", b"\xff" * 40, b'{"seq":1,"type":"request","command":"next","arguments":7}'):
            client.send_bytes(body)
        client.do("launch", program=str(self.model))
        self.assertEqual(len(client.names()), 2)
        self.assertEqual(client.close(), 0)
        # What is no message at all, and the end in the middle of one.
        for text in (b"Content-Length: x\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n{}", b"Nothing: 1\r\n\r\n{}", b"x" * 5000, b"Content-Length: 50\r\n\r\n{"):
            run = subprocess.run([CMC, "dap"], input=text, capture_output=True, timeout=SECONDS, check=False)
            self.assertEqual((run.returncode, run.stdout), (0, b""))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
