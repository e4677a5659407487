#!/usr/bin/env python3
"""The language server: layout, lenses and what they run, hints, code actions. Usage: lsp_checks_test.py CMC MODELS"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from lsp_test import CMC, MODELS, SECONDS, Client, position

CAPABILITIES = {"window": {"workDoneProgress": True, "showDocument": {"support": True}}, "workspace": {"codeLens": {"refreshSupport": True}}}
TEXT = """#include "part.h"
byte x;
active proctype Up() {
  do
  :: x < LIMIT -> x++
  :: else -> break
  od;
  assert(x != LIMIT)
}
ltl small { [] (x < 9) }
ltl reaches { <> (x == 1) }
"""


def apply(text, edits):
    lines = text.split("\n")
    def offset(at):
        return sum(len(line) + 1 for line in lines[:at["line"]]) + at["character"]
    for edit in sorted(edits, key=lambda each: -offset(each["range"]["start"])):
        text = text[:offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text


class ChecksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name).resolve()
        (self.path / "part.h").write_text("#define LIMIT 3\n")
        self.uri = (self.path / "model.pml").as_uri()
        self.client = Client()
        self.addCleanup(self.client.kill)
        self.capabilities = self.client.start(CAPABILITIES)["capabilities"]

    def open(self, text):
        self.client.open(self.uri, text)
        return text

    def change(self, text, version=2):
        self.client.notify("textDocument/didChange", {"textDocument": {"uri": self.uri, "version": version}, "contentChanges": [{"text": text}]})

    def ask(self, method, **more):
        return self.client.request(method, {"textDocument": {"uri": self.uri}, **more})

    def execute(self, command, *arguments):
        return self.client.request("workspace/executeCommand", {"command": command, "arguments": [self.uri, *arguments]})

    def messages_until(self, wanted):
        """All messages up to the first for which wanted(message) holds."""
        seen = []
        while not seen or not wanted(seen[-1]):
            seen.append(self.client.read())
        return seen

    def lenses(self):
        return [(each["range"]["start"]["line"], each["command"]["title"], each["command"]["command"], each["command"]["arguments"][1])
                for each in self.ask("textDocument/codeLens")["result"]]

    def checked(self, *arguments):
        self.assertNotIn("error", self.execute("cmc.check", *arguments))
        return self.messages_until(lambda each: each.get("method") == "workspace/codeLens/refresh")

    # --- lenses and checks

    def test_lenses_run_checks(self):
        self.open(TEXT)
        self.assertEqual(self.lenses(), [(2, "check", "cmc.check", "safety"), (2, "simulate", "cmc.simulate", "safety"), (7, "check", "cmc.check", "safety"),
                                         (9, "check", "cmc.check", "small"), (10, "check", "cmc.check", "reaches")])
        said = self.checked("small")
        progress = [each["params"]["value"]["kind"] for each in said if each.get("method") == "$/progress"]
        self.assertEqual(progress[-1], "end")
        titles = {line: title for line, title, _, _ in self.lenses()}
        self.assertRegex(titles[9], r"^holds · \d+ states · \d+\.\d s$")
        self.assertEqual(titles[10], "check")
        self.checked("safety")
        rows = self.lenses()
        self.assertIn((7, "why", "cmc.why", "safety"), rows)
        self.messages_until(lambda each: each.get("method") == "textDocument/publishDiagnostics" and each["params"]["diagnostics"])
        found = self.client.diagnostics[self.uri][0]
        self.assertEqual((found["range"]["start"], found["source"], found["severity"]), ({"line": 7, "character": 2}, "cmc check", 1))
        self.assertIn("safety", found["message"])
        # Of the diagnostic there is the counterexample, too.
        actions = self.ask("textDocument/codeAction", range=found["range"], context={"diagnostics": [found]})["result"]
        why = [each for each in actions if each["title"] == "Show the counterexample"][0]["command"]
        self.assertIn("assert(", self.client.request("workspace/executeCommand", {"command": why["command"], "arguments": why["arguments"]})["result"])
        # What was found is about that text only.
        self.change(TEXT.replace("< 9", "< 8"))
        self.assertEqual({title for _, title, _, _ in self.lenses()}, {"check", "simulate"})
        self.messages_until(lambda each: each.get("method") == "textDocument/publishDiagnostics")
        self.assertEqual(self.client.diagnostics[self.uri], [])
        self.assertIn("error", self.execute("cmc.why", "safety"))

    def test_what_was_found_is_about_included_texts_too(self):
        self.open(TEXT)
        self.checked("small")
        title = lambda: {line: title for line, title, _, _ in self.lenses()}[9]  # noqa: E731
        self.assertRegex(title(), r"^holds · ")
        part = (self.path / "part.h").as_uri()
        self.client.open(part, "#define LIMIT 3\n")
        self.assertRegex(title(), r"^holds · ")
        self.client.notify("textDocument/didChange", {"textDocument": {"uri": part, "version": 2}, "contentChanges": [{"text": "#define LIMIT 2\n"}]})
        self.assertEqual(title(), "check")

    def test_why_and_simulate_show_texts(self):
        self.open(TEXT)
        self.checked("")
        self.assertNotIn("error", self.execute("cmc.why", ""))
        self.assertNotIn("error", self.execute("cmc.simulate", ""))
        shown = [each for each in self.messages_until(lambda each: each.get("method") == "window/showDocument" and "simulation" in each["params"]["uri"])]
        text = pathlib.Path(shown[-1]["params"]["uri"].removeprefix("file://")).read_text()
        self.assertIn("x", text)

    def test_unsaved_texts_are_checked(self):
        self.open(TEXT)
        part = (self.path / "part.h").as_uri()
        self.client.open(part, "#define LIMIT 0\n")
        self.execute("cmc.check", "small")
        self.messages_until(lambda each: each.get("method") == "workspace/codeLens/refresh")
        self.assertRegex({line: title for line, title, _, _ in self.lenses()}[9], r"^holds · [1-5] states")
        self.assertFalse((self.path / "model.pml").exists())

    def test_checks_are_cancelled(self):
        text = self.open("active [4] proctype P() { byte a, b; do :: a++ :: b++ od }\n")
        self.execute("cmc.check", "")
        began = self.messages_until(lambda each: each.get("method") == "$/progress" and each["params"]["value"]["kind"] == "report")[-1]
        self.client.notify("window/workDoneProgress/cancel", {"token": began["params"]["token"]})
        self.messages_until(lambda each: each.get("method") == "workspace/codeLens/refresh")
        self.assertTrue(self.lenses()[0][1].startswith("incomplete"), text)
        # One whose text is closed, or whose server ends, is killed.
        for end in ("close", "exit"):
            self.execute("cmc.check", "")
            child = self.child()
            if end == "close":
                self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})
                self.open(text)
            else:
                self.client.end()
            for _ in range(SECONDS * 20):
                if not self.is_alive(child):
                    break
                time.sleep(0.05)
            self.assertFalse(self.is_alive(child), end)

    def child(self):
        for _ in range(SECONDS * 20):
            found = pathlib.Path(f"/proc/{self.client.process.pid}/task/{self.client.process.pid}/children").read_text().split()
            if found:
                return int(found[0])
            time.sleep(0.05)
        self.fail("no check was started")

    @staticmethod
    def is_alive(process):
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text().split(") ")[1][0] != "Z"
        except (FileNotFoundError, ProcessLookupError):  # it ends while it is read
            return False

    def test_a_killed_check_does_not_matter(self):
        self.open("active [4] proctype P() { byte a, b; do :: a++ :: b++ od }\n")
        self.execute("cmc.check", "")
        os.kill(self.child(), signal.SIGKILL)
        self.messages_until(lambda each: each.get("method") == "$/progress" and each["params"]["value"]["kind"] == "end")
        self.assertEqual(self.lenses()[0][1], "check")

    def test_wrong_commands_are_refused(self):
        self.open(TEXT)
        for command, arguments in (("cmc.other", [self.uri]), ("cmc.check", []), ("cmc.check", ["file:///other"]), ("cmc.check", [self.uri, 7]), ("cmc.check", "x")):
            self.assertIn("error", self.client.request("workspace/executeCommand", {"command": command, "arguments": arguments}), command)
        for token in (None, 7, "cmc-task-", "cmc-task-99999999999999999999", "other"):
            self.client.notify("window/workDoneProgress/cancel", {"token": token})
        for _ in range(4):
            self.execute("cmc.check", "")
        self.ask("textDocument/codeLens")

    def test_lint_gives_hints(self):
        if subprocess.run([CMC, "solver", "ping"], capture_output=True).returncode != 0:
            self.skipTest("there is no solver")
        client = Client()
        self.addCleanup(client.kill)
        client.start(CAPABILITIES, lint=True)
        client.open(self.uri, "byte x;\nactive proctype P() {\n  if :: x > 300 -> skip :: x < 5 -> x++ fi\n}\n")
        while not client.diagnostics.get(self.uri):
            client.read()
        found = client.diagnostics[self.uri][0]
        self.assertEqual((found["severity"], found["source"], found["range"]["start"]["line"]), (4, "cmc lint", 2))

    # --- layout

    def test_formatting(self):
        ugly = "byte x;\nactive proctype P(){\nx=1;  /* ü */\n}"
        self.open(ugly)
        options = {"tabSize": 4, "insertSpaces": True}
        self.assertEqual(apply(ugly, self.ask("textDocument/formatting", options=options)["result"]), "byte x;\nactive proctype P() {\n    x = 1;  /* ü */\n}\n")
        edits = self.ask("textDocument/formatting", options={"tabSize": 8, "insertSpaces": False})["result"]
        self.assertEqual(apply(ugly, edits), "byte x;\nactive proctype P() {\n\tx = 1;  /* ü */\n}\n")
        only = self.ask("textDocument/rangeFormatting", options=options, range={"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 5}})["result"]
        self.assertEqual(apply(ugly, only), "byte x;\nactive proctype P() {\nx=1;  /* ü */\n}")
        self.change("active proctype P( {")
        self.assertIn("error", self.ask("textDocument/formatting", options=options))
        self.assertIn("error", self.ask("textDocument/formatting", options={}))

    def test_formatting_is_that_of_the_command(self):
        for path in sorted(MODELS.rglob("*.pml"))[::5]:
            text = "\n".join(line.replace(" = ", "=") if not line.startswith("#") else line for line in path.read_text().split("\n"))
            self.client.open(path.as_uri(), text)
            answer = self.client.request("textDocument/formatting", {"textDocument": {"uri": path.as_uri()}, "options": {"tabSize": 2, "insertSpaces": True}})
            command = subprocess.run([CMC, "fmt", "-"], input=text, cwd=path.parent, capture_output=True, text=True)
            if command.returncode == 0:
                self.assertEqual(apply(text, answer["result"]), command.stdout, path)
            else:
                self.assertIn("error", answer, path)

    # --- code actions

    def actions(self, text, what, occurrence=0):
        self.change(text)
        at = position(text, what, occurrence)
        result = self.ask("textDocument/codeAction", range={"start": at, "end": at}, context={"diagnostics": []})["result"]
        return {each["title"]: apply(text, each["edit"]["changes"][self.uri]) for each in result}

    def test_code_actions(self):
        self.open("")
        text = "byte count;\nactive proctype P() {\n  cuont = 1\n}\n"
        self.assertEqual(self.actions(text, "cuont")["Change to 'count'"], text.replace("cuont", "count"))
        text = "byte x;\nactive proctype P() {\n  while (x < 3) { x++; }\n}\n"
        changed = self.actions(text, "while")["Change to 'do ... od'"]
        self.assertEqual(changed, "byte x;\nactive proctype P() {\n  do\n  :: x < 3 ->\n       x++\n  :: else -> break\n  od\n}\n")
        self.change(changed)
        self.assertEqual(self.ask("textDocument/formatting", options={"tabSize": 2, "insertSpaces": True})["result"], [])
        text = "byte x;\nactive proctype P() {\n  if\n  :: x = 1 -> skip\n  fi\n}\n"
        self.assertEqual(self.actions(text, "= 1")["Compare: change '=' to '=='"], text.replace("x = 1", "x == 1"))
        self.assertEqual(self.actions(text, "fi\n")["Add ':: else'"], text.replace("  fi", "  :: else\n  fi"))
        self.assertIn("Add ':: else'", self.actions(text, "if\n"))
        self.assertNotIn("Add ':: else'", self.actions(text.replace("skip", "skip\n  :: else"), "fi\n"))
        text = "byte x;\nactive proctype P() {\n  do :: x < 1 -> x++ od\n}\n"
        self.assertEqual(self.actions(text, "do")["Add ':: else -> break'"], text.replace("od", ":: else -> break od"))
        text = "#define N 2 + 1  /* three */\n#define SUM(a, b) a + b\nbyte x;\nactive proctype P() { x = 2 * N; x = SUM(x, (3)) }\n"
        self.assertEqual(self.actions(text, "N;")["Write 'N' out"], text.replace("2 * N;", "2 * 2 + 1;"))  # as the macro means it
        self.assertEqual(self.actions(text, "SUM(x")["Write 'SUM' out"], text.replace("SUM(x, (3))", "x + (3)"))
        self.assertEqual(self.actions("byte x;\ninit { if :: (x = 1) -> skip fi }\n", "= 1").get("Change to '=='"), "byte x;\ninit { if :: (x == 1) -> skip fi }\n")

    def test_edits_anywhere(self):
        """Requests about lenses, actions and layout in cut and damaged texts are answered."""
        numbers = random.Random(19)
        paths = sorted(MODELS.rglob("*.pml"))
        self.open("")
        for version in range(200):
            text = numbers.choice(paths).read_text()
            at = numbers.randrange(len(text))
            text = text[:at] if version % 2 else text[:at] + numbers.choice(["}", "while (", "{", "::", "#define X(", "\"", "é\U0001d11e", "if", " while (x) { "]) + text[at:]
            self.change(text, version + 3)
            line = numbers.randrange(text.count("\n") + 2)
            range_ = {"start": {"line": line, "character": 0}, "end": {"line": line + numbers.randrange(3), "character": numbers.randrange(50)}}
            for answer in (self.ask("textDocument/codeLens"), self.ask("textDocument/codeAction", range=range_, context={"diagnostics": []})):
                self.assertIn("result", answer)
            answer = self.ask("textDocument/formatting", options={"tabSize": 2, "insertSpaces": True})
            self.assertTrue("result" in answer or "error" in answer)


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main()
