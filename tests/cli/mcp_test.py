#!/usr/bin/env python3
"""The server for agents: a client that speaks the Model Context Protocol over pipes. Usage: mcp_test.py CMC MODELS

With the package `mcp` of PyPI its client lists and calls every tool, too."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMC = os.path.abspath(sys.argv[1])
MODELS = pathlib.Path(sys.argv[2]).resolve()
MOST_BYTES = 120_000  # of any answer

VIOLATED = {  # a model, and what an explanation has to name: who does what it should not, and where
    "classics/philosophers.pml": r"philosopher\[2\] waits at philosophers.pml:28 .* held\[0\] is 1 since step",
    "classics/readers_writers.pml -DCARELESS": r"reader\[0\] at readers_writers.pml:47: writing is 1 since step \d+ \(writer\[2\]\)",
    "features/client_server.pml -DMIXED": r"client\[1\].answer is 2 since step \d+ .* client\[1\].question is 2",
    "properties/mutex.pml": r"user\[0\] never moves in the loop, although it always could at mutex.pml:34",
    "xtp/flat.pml -DEARLYCLOSE": r"responder\[6\] waits at world.inc:113 for a message in indication\[1\].* possible sender: engine",
}
LONGEST = {  # counterexamples of models/, and how many steps they have at least
    "xtp/layered.pml -DMESSAGES=1 -DEARLYCLOSE -DNETWORK=1": 600, "xtp/flat.pml -DNORETURNKEY -DCONNECTIONS=2": 300,
    "xtp/flat.pml -DEARLYCLOSE": 300, "lunar/lunar-x.pml": 200, "lunar/lunar4.pml -DQSZ=4": 200, "lunar/lunar-d.pml -DMAXSER=1": 150,
    "lunar/lunar-b.pml -DMAXSER=1": 100, "transactions/checkpoint.pml -DNO_NAME_SYNC": 80, "features/sieve.pml -DPRIMES=5": 60,
    "transactions/checkpoint.pml -DNO_RESUME_SYNC": 50,
}
MOST_CALLS = 6


def arguments_of(model):
    path, *defines = model.split()
    return {"model": path, "defines": [each[2:] for each in defines]}


class Client:
    def __init__(self, folder):
        self.process = subprocess.Popen([CMC, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder)
        self.next_id = 0

    def send_text(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def request(self, method, parameters=None):
        self.next_id += 1
        self.send_text(json.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": parameters or {}}))
        line = self.process.stdout.readline()
        assert len(line) < MOST_BYTES, len(line)
        answer = json.loads(line)
        assert answer["id"] == self.next_id, answer
        return answer

    def call(self, tool, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def found(self, tool, **arguments):
        answer = self.call(tool, **arguments)
        assert "result" in answer, answer
        return answer["result"]["structuredContent"]

    def end(self):
        if self.process.stdin.closed:
            return self.process.returncode
        self.process.stdin.close()
        code = self.process.wait(60)
        self.process.stdout.close()
        return code


class Agents(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(MODELS, self.folder, dirs_exist_ok=True)
        (self.folder / "deadlock.pml").write_text("chan a = [0] of { bit };\nactive proctype P() { a ? _ }\n")
        (self.folder / "mistake.pml").write_text("byte x = ;\n")
        self.client = Client(self.folder)
        self.addCleanup(self.client.end)
        self.client.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})

    def test_life(self):
        answer = self.client.request("initialize", {"protocolVersion": "1999-01-01"})["result"]
        self.assertEqual(answer["protocolVersion"], "2025-06-18")
        self.assertEqual(answer["serverInfo"]["name"], "cmc")
        self.assertEqual(self.client.request("ping")["result"], {})
        self.assertEqual(self.client.request("nothing")["error"]["code"], -32601)
        self.client.send_text('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        self.client.send_text("{nonsense")
        self.assertEqual(json.loads(self.client.process.stdout.readline())["error"]["code"], -32700)
        names = {each["name"] for each in self.client.request("tools/list")["result"]["tools"]}
        self.assertEqual(names, {"check", "why", "simulate", "info", "lint", "automaton", "mutate", "conform", "step", "find"})
        page = self.client.request("resources/read", {"uri": "promela:keywords"})["result"]["contents"][0]["text"]
        self.assertIn("**atomic**", page)
        self.assertEqual(self.client.end(), 0)

    def test_check(self):
        found = self.client.found("check", model="classics/philosophers.pml", defines=["N=3"])
        self.assertEqual(found["verdict"], "violated")
        self.assertEqual(found["errors"][0]["message"], "invalid end state")
        self.assertIn("waits at", found["errors"][0]["why"][0])
        self.assertEqual(self.client.found("check", model="classics/msi.pml")["verdict"], "holds")
        found = self.client.found("check", text="byte x; active proctype P() { do :: x < 5 -> x++ :: else -> break od }", ltl="[] (x < 5)")
        self.assertEqual({each["name"]: each["verdict"] for each in found["properties"]}, {"safety": "holds", "ltl_0": "violated"})

    def test_limits(self):
        found = self.client.found("check", model="classics/philosophers.pml", defines=["N=14"], property="safety", seconds=0.3)
        self.assertIn(found["verdict"], ("incomplete", "violated"))
        for arguments in ({"seconds": 0}, {"seconds": 1e9}, {"megabytes": 1}, {"seconds": "long"}, {"unknown": 1}, {"defines": "N"}, {}):
            given = arguments if not arguments else {"model": "deadlock.pml", **arguments}
            self.assertIn("error", self.client.call("check", **given), arguments)

    def test_why_by_parts(self):
        whole = self.client.found("why", model="classics/philosophers.pml", defines=["N=3"])
        self.assertIsNone(whole["next_line"])
        self.assertIn("why:", whole["text"])
        text, at = "", 0
        while at is not None:
            part = self.client.found("why", model="classics/philosophers.pml", defines=["N=3"], from_line=at, lines=7)
            self.assertLessEqual(part["text"].count("\n"), 7)
            text, at = text + part["text"], part["next_line"]
        self.assertEqual(text.count("\n"), whole["line_count"])

    def test_mistakes_are_data(self):
        answer = self.client.call("check", model="mistake.pml")["result"]
        self.assertTrue(answer["isError"])
        self.assertEqual(answer["structuredContent"]["mistakes"][0]["place"], "mistake.pml:1")
        answer = self.client.call("info", model="mistake.pml")["result"]
        self.assertTrue(answer["isError"])
        self.assertIn("expected an expression", answer["content"][0]["text"])

    def test_other_tools(self):
        self.assertIn("philosopher", self.client.found("simulate", model="classics/philosophers.pml", steps=20)["text"])
        self.assertIn("philosopher", self.client.found("info", model="classics/philosophers.pml")["text"])
        self.assertIn("never", self.client.found("automaton", text="byte x; init { skip }", ltl="[] (x == 0)")["text"])
        model = "byte x; active proctype P() { x = 1; x = 2 }"
        told = self.client.found("conform", text=model, map="event set(v) : x = v", log='{"event": "set", "v": 2}\n')["text"]
        self.assertIn("the whole log is a run with one change: make it set(v=1) instead of log:1", told)
        mutants = self.client.found("mutate", text="byte x; active proctype P() { x = 1; assert(x < 3); x = 0 }", mutants=20)["text"]
        self.assertIn("survivors", mutants)
        number = int(re.search(r"#(\d+)", mutants)[1])
        self.assertIn(f"(mutant {number}", self.client.found("mutate", text="byte x; active proctype P() { x = 1; assert(x < 3); x = 0 }", show=number)["text"])
        self.assertIn("text", self.client.found("lint", model="classics/msi.pml"))

    def test_walks(self):
        text = "byte x; chan q = [1] of { byte };\nactive proctype P() { byte y; do :: x < 9 -> x++; y = x :: q!x od }\nactive proctype Q() { q?3; assert(x < 5) }\n"
        first = self.client.found("step", text=text)
        self.assertEqual((first["position"], first["choice_count"], first["end"]), (0, 2, None))
        self.assertEqual(first["choices"][0]["place"], "model.pml:2")
        self.assertIn("a message in q, empty", first["waiting"][0]["waits"][0])
        session = first["session"]
        walked = self.client.found("step", session=session, commands=["1", "1", "print x", "99", "back"])
        self.assertEqual(walked["position"], 1)
        self.assertEqual([each.strip() for each in walked["said"][-3:]], ["1", "'99' is no command, or no choice, here", "back at step 1"])
        found = self.client.found("find", session=session, expression="y == 4", process=0)
        self.assertIn("y: 3 -> 4", found["said"][-1])
        self.assertIn("undeclared", self.client.found("find", session=session, expression="y == 4")["said"][0])
        none = self.client.found("find", text=text, expression="x == 10")
        self.assertIn("it holds in none of the", none["said"][0])
        failed = self.client.found("step", session=session, commands=["goto 0", "find x == 5 && len(q) == 0 && Q@nothing"])
        self.assertEqual(failed["position"], 0)
        long = self.client.found("step", text="byte x; active proctype P() { do :: x++ od }", seed=3, commands=["run 100"] * 20)
        self.assertLessEqual(len(long["said"]), 60)
        self.assertGreater(long["said_count"], 60)
        for arguments in ({"session": 99}, {"session": "x"}, {"commands": "1", "session": session}, {"commands": ["1"] * 21, "session": session}, {},
                          {"text": "byte"}, {"model": "mistake.pml"}, {"model": "/etc/passwd"}, {"session": session, "unknown": 1}):
            self.assertIn("error", self.client.call("step", **arguments), arguments)
        self.assertIn("error", self.client.call("find", session=session))
        self.assertIn("error", self.client.call("find", session=session, expression="x", process=300))
        for _ in range(4):
            self.client.found("step", model="deadlock.pml")
        self.assertIn("the last 4 are kept", self.client.call("step", session=session)["error"]["message"])
        stuck = self.client.found("step", model="deadlock.pml")
        self.assertEqual(stuck["end"], "invalid end state: no process can move")
        self.assertIn("waits at deadlock.pml:2", stuck["why"][0])

    def test_files_of_others(self):
        outside = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, outside)
        (outside / "secret.pml").write_text("the secret is 42\n")
        (self.folder / "link.pml").symlink_to(outside / "secret.pml")
        (self.folder / "includes.pml").write_text(f'#include "{outside}/secret.pml"\ninit {{ skip }}\n')
        (self.folder / "includes_link.pml").write_text('#include "link.pml"\ninit { skip }\n')
        for arguments in ({"model": str(outside / "secret.pml")}, {"model": "../" + outside.name + "/secret.pml"}, {"model": "link.pml"},
                          {"model": "nothing/../link.pml"}, {"model": "nothing/../link.pml\0"}, {"model": "deadlock.pml\0/../link.pml"},
                          {"model": "includes.pml"}, {"model": "includes_link.pml"}, {"text": f'#include "{outside}/secret.pml"\n'},
                          {"model": "deadlock.pml", "text": "init { skip }"}, {"model": "nothing.pml"}, {"model": "-v"},
                          {"text": "init { F }", "defines": [f'F=1\n#include "{outside}/secret.pml"']}):
            for tool in ("check", "why", "info", "step"):
                answer = self.client.call(tool, **arguments)
                self.assertNotIn("secret is", json.dumps(answer), arguments)
                self.assertTrue("error" in answer or answer["result"]["isError"], arguments)

    def test_what_others_may_never_write_is_not_waited_for(self):
        os.mkfifo(self.folder / "pipe.pml")
        self.assertIn("no regular file", json.dumps(self.client.call("check", model="pipe.pml")))
        self.assertTrue(self.client.call("check", text='#include "/dev/stdin"\n')["result"]["isError"])

    def test_an_agent_finds_the_mistake(self):
        """In at most six calls, without reading the model: what the check says, the end of the counterexample, and the state there."""
        for model, mistake in VIOLATED.items():
            first_id = self.client.next_id
            arguments = arguments_of(model)
            error = self.client.found("check", **arguments)["errors"][0]
            asked = {**arguments, "property": error["property"]}
            lines = self.client.found("why", lines=1, **asked)["line_count"]
            why = self.client.found("why", from_line=max(0, lines - 60), lines=60, **asked)["text"]
            self.assertLessEqual(self.client.next_id - first_id, MOST_CALLS)
            self.assertRegex(" ".join(error["why"]), mistake)
            self.assertRegex(" ".join(why.split()), mistake)

    def test_answers_about_the_longest_counterexamples_are_bounded(self):
        for model, steps in LONGEST.items():
            found = self.client.found("check", **arguments_of(model))  # request() looks at the bound
            self.assertGreaterEqual(found["errors"][0]["steps"], steps, model)
            at, pages = 0, 0
            while at is not None:
                part = self.client.found("why", from_line=at, lines=400, **arguments_of(model))
                self.assertLessEqual(part["text"].count("\n"), 400)
                at, pages = part["next_line"], pages + 1
            self.assertLess(pages, 20, model)
            self.client.found("step", **arguments_of(model), commands=["run 200", "state", "why"])

    def test_with_the_client_of_others(self):
        try:
            import anyio
            import mcp
            from mcp.client.stdio import StdioServerParameters, stdio_client
        except ImportError:
            self.skipTest("the package mcp is not installed")

        async def session():
            async with stdio_client(StdioServerParameters(command=CMC, args=["mcp"], cwd=str(self.folder))) as (read, write):
                async with mcp.ClientSession(read, write) as client:
                    await client.initialize()
                    tools = (await client.list_tools()).tools
                    for tool in tools:
                        more = {"automaton": {"ltl": "[] true"}, "mutate": {"mutants": 3}, "conform": {"log": "", "map": "event e : x = 1"}, "find": {"expression": "1"}}.get(tool.name, {})
                        answer = await client.call_tool(tool.name, {"model": "classics/msi.pml", **more})
                        self.assertTrue(answer.content[0].text, tool.name)
                    return len(tools)
        self.assertEqual(anyio.run(session), 10)


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main()
