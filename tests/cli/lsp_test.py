#!/usr/bin/env python3
"""The language server: a client that speaks the protocol over pipes, as an editor does. Usage: lsp_test.py CMC MODELS"""
import json
import os
import pathlib
import random
import select
import subprocess
import sys
import tempfile
import time
import unittest

CMC = os.path.abspath(sys.argv[1])
MODELS = pathlib.Path(sys.argv[2]).resolve()
SECONDS = 60  # for an answer, on a busy machine

TEXT = """/* How many. */
#define N 3
#define TWICE(x) (x + x)
mtype = { red, green };
typedef Lamp { mtype colour; byte count[2] };
Lamp lamp; /* of the street */
chan q = [2] of { mtype, byte };
inline wait(c) {
  c ? red, _
}
active [2] proctype P() {
  byte mine = N;
again:
  lamp.colour = green;
  q ! red, mine;
  wait(q);
  mine = TWICE(mine);
  if :: mine > 4 -> goto again :: else fi
}
init { run Other(N) }
proctype Other(byte mine) { mine++ }
ltl never_red { [] (lamp.colour != red) }
"""


class Client:
    """Sends requests, and keeps what the server tells in between."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([CMC, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.buffer = b""
        self.next_id = 0
        self.diagnostics = {}  # by URI, as they were said last
        self.said = 0

    def start(self, capabilities=None, lint=False):
        answer = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities or {},
                                             "initializationOptions": {"withoutLint": not lint}})
        self.notify("initialized", {})
        return answer["result"]

    def send(self, message):
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method, parameters):
        self.send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def request(self, method, parameters=None):
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": parameters or {}})
        while True:
            message = self.read()
            if message.get("id") == self.next_id:
                return message

    def read(self):
        while True:
            head, separator, rest = self.buffer.partition(b"\r\n\r\n")
            if separator:
                length = int(head.split(b":")[1])
                if len(rest) >= length:
                    self.buffer = rest[length:]
                    message = json.loads(rest[:length])
                    if message.get("method") == "textDocument/publishDiagnostics":
                        self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
                        self.said += 1
                    return message
            ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
            if not ready:
                raise TimeoutError("the server says nothing")
            block = os.read(self.process.stdout.fileno(), 1 << 16)
            if not block:
                raise EOFError("the server has gone")
            self.buffer += block

    def open(self, uri, text):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "promela", "version": 1, "text": text}})

    def wait_for_diagnostics(self):
        before = self.said
        while self.said == before:
            self.read()

    def end(self):
        self.request("shutdown")
        self.notify("exit", None)
        self.process.stdin.close()
        code = self.process.wait(SECONDS)
        self.process.stdout.close()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def position(text, what, occurrence=0, offset=0):
    """Of the occurrence-th `what`, in the protocol's numbers."""
    at = -1
    for _ in range(occurrence + 1):
        at = text.index(what, at + 1)
    at += offset
    line = text.count("\n", 0, at)
    return {"line": line, "character": len(text[text.rfind("\n", 0, at) + 1:at].encode("utf-16-le")) // 2}


def texts_of(text, locations):
    lines = text.split("\n")
    return sorted((each["range"]["start"]["line"], lines[each["range"]["start"]["line"]][each["range"]["start"]["character"]:each["range"]["end"]["character"]])
                  for each in locations)


class LanguageServer(unittest.TestCase):
    URI = "file:///nowhere/model.pml"

    def setUp(self):
        self.client = Client()
        self.addCleanup(self.client.kill)
        self.capabilities = self.client.start()["capabilities"]

    def ask(self, method, text, what, occurrence=0, offset=0, **more):
        return self.client.request("textDocument/" + method, {"textDocument": {"uri": self.URI}, "position": position(text, what, occurrence, offset), **more})

    def opened(self, text=TEXT):
        self.client.open(self.URI, text)
        return text

    def test_life(self):
        self.assertEqual(self.client.request("initialize")["error"]["code"], -32600)
        self.assertEqual(self.client.request("textDocument/nothing")["error"]["code"], -32601)
        self.assertEqual(self.client.request("textDocument/hover", {})["error"]["code"], -32602)
        self.client.send_bytes(b"{nonsense")
        self.assertEqual(self.client.read()["error"]["code"], -32700)
        self.client.send_bytes(b"[" * 100000)
        self.assertEqual(self.client.read()["error"]["code"], -32700)
        self.assertEqual(self.client.end(), 0)

    def test_first_requests(self):
        client = Client()
        self.addCleanup(client.kill)
        self.assertEqual(client.request("textDocument/hover", {})["error"]["code"], -32002)
        client.notify("exit", None)
        self.assertEqual(client.process.wait(SECONDS), 1)

    def test_a_client_that_goes(self):
        self.client.process.stdin.close()
        self.assertEqual(self.client.process.wait(SECONDS), 1)

    def test_what_is_no_message_is_told(self):
        run = subprocess.run([CMC, "lsp"], input=b"hello\r\n\r\n", capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual((run.returncode, run.stdout), (1, b""))
        self.assertIn(b"Content-Length", run.stderr)

    def test_diagnostics(self):
        self.opened()
        self.client.wait_for_diagnostics()
        self.assertEqual(self.client.diagnostics[self.URI], [])
        broken = TEXT.replace("goto again", "goto agai")
        self.client.notify("textDocument/didChange", {"textDocument": {"uri": self.URI, "version": 2}, "contentChanges": [{"text": broken}]})
        self.client.wait_for_diagnostics()
        found, = self.client.diagnostics[self.URI]
        self.assertEqual(found["severity"], 1)
        self.assertIn("agai", found["message"])
        self.assertEqual(found["range"]["start"]["line"], position(broken, "goto agai")["line"])
        # Mended by an edit of one character.
        end = position(broken, "goto agai", 0, 9)
        self.client.notify("textDocument/didChange", {"textDocument": {"uri": self.URI, "version": 3}, "contentChanges": [{"range": {"start": end, "end": end}, "text": "n"}]})
        self.client.wait_for_diagnostics()
        self.assertEqual(self.client.diagnostics[self.URI], [])

    def test_diagnostics_name_macros_and_inlines(self):
        self.opened("#define BAD nothing\ninline f() { x = BAD }\nbyte x;\nactive proctype P() {\n  f()\n}\n")
        self.client.wait_for_diagnostics()
        found = self.client.diagnostics[self.URI][0]
        related = [each["message"] for each in found["relatedInformation"]]
        self.assertIn("expanded from macro 'BAD'", related)
        self.assertIn("in this call of inline 'f'", related)

    def test_hover(self):
        text = self.opened()
        def shown(*where):
            return self.ask("hover", text, *where)["result"]["contents"]["value"]
        self.assertIn("byte mine\n", shown("mine = N"))
        self.assertIn("local variable of `P`", shown("mine = N"))
        self.assertIn("parameter of `Other`", shown("mine++"))
        self.assertIn("#define N 3", shown("N;"))
        self.assertIn("How many.", shown("N;"))
        self.assertIn("of the street", shown("lamp.colour"))
        self.assertIn("field of `Lamp`", shown("colour ="))
        self.assertIn("chan q = [2] of { mtype, byte }", shown("q !"))
        self.assertIn("proctype Other(byte mine)", shown("Other(N)"))
        self.assertIn("inline wait(c)", shown("wait(q)"))
        self.assertIn("one of the options", shown("if ::"))
        self.assertIsNone(self.ask("hover", text, "{ [] (", 0, 0)["result"])

    def test_definition_and_references(self):
        text = self.opened()
        where = self.ask("definition", text, "again :: else")["result"]
        self.assertEqual(where["range"]["start"], position(text, "again:"))
        self.assertEqual(self.ask("definition", text, "Other(N)")["result"]["range"]["start"], position(text, "Other(byte"))
        self.assertEqual(self.ask("definition", text, "red, mine")["result"]["range"]["start"], position(text, "red, green"))
        self.assertEqual(self.ask("definition", text, "N) }")["result"]["range"]["start"], position(text, "N 3"))
        self.assertEqual(self.ask("definition", text, "lamp.colour !=")["result"]["range"]["start"], position(text, "lamp;"))
        used = self.ask("references", text, "colour;", context={"includeDeclaration": True})["result"]
        self.assertEqual([name for _, name in texts_of(text, used)], ["colour"] * 3)
        reds = self.ask("references", text, "red, green", context={"includeDeclaration": True})["result"]
        self.assertEqual([line for line, _ in texts_of(text, reds)], [3, 8, 14, 21])  # also in the inline
        mine = self.ask("documentHighlight", text, "mine = N")["result"]
        self.assertEqual([line for line, _ in texts_of(text, mine)], [11, 14, 16, 16, 17])

    def test_rename(self):
        text = self.opened()
        self.assertEqual(self.ask("prepareRename", text, "mine = N")["result"]["start"], position(text, "mine = N"))
        edits = self.ask("rename", text, "mine > 4", newName="yours")["result"]["changes"][self.URI]
        lines = text.split("\n")
        for edit in sorted(edits, key=lambda each: (each["range"]["start"]["line"], -each["range"]["start"]["character"])):
            line, begin, end = edit["range"]["start"]["line"], edit["range"]["start"]["character"], edit["range"]["end"]["character"]
            lines[line] = lines[line][:begin] + edit["newText"] + lines[line][end:]
        renamed = "\n".join(lines)
        self.assertEqual(renamed.count("yours"), 5)
        self.assertIn("proctype Other(byte mine) { mine++ }", renamed)
        self.client.notify("textDocument/didChange", {"textDocument": {"uri": self.URI, "version": 2}, "contentChanges": [{"text": renamed}]})
        self.client.wait_for_diagnostics()
        self.assertEqual(self.client.diagnostics[self.URI], [])
        for name in ("q", "9a", "do", "", "a b"):
            self.assertIn("error", self.ask("rename", renamed, "yours > 4", newName=name), name)

    def test_rename_refuses_what_it_would_break(self):
        for text, word, said in [
                ("byte x, y;\ninline twice(a, b) { byte tmp; tmp = a; a = b; b = tmp }\nactive proctype P() { twice(x, y); twice(y, x) }\n",
                 "tmp;", "not all of its places are known"),
                ("#ifdef LARGE\n#define N 7\n#else\n#define N 3\n#endif\nbyte a[N]; active proctype P() { a[1] = 1 }\n", "N 3",
                 "the macro 'N' is defined in several places"),
                ("byte x;\ninline never_called() { x = 2 }\nactive proctype P() { x = 1 }\n", "x;", "nobody knows what 'x' is in line 2"),
                ("byte x;\ninline bump() { x = 2 }\n", "x;", "the text has errors")]:
            text = self.opened(text)
            self.assertIn(said, self.ask("rename", text, word, newName="other")["error"]["message"])

    def test_rename_refuses_pasted_names(self):
        text = self.opened("#define GET(n) var_##n\nbyte var_a;\nactive proctype P() { GET(a) = 1; var_a = 2 }\n")
        self.assertIsNone(self.ask("prepareRename", text, "var_a;")["result"])
        self.assertIn("a macro makes the name", self.ask("rename", text, "var_a;", newName="other")["error"]["message"])

    def test_outline_and_folds(self):
        self.opened()
        outline = self.client.request("textDocument/documentSymbol", {"textDocument": {"uri": self.URI}})["result"]
        names = {each["name"]: [child["name"] for child in each["children"]] for each in outline}
        self.assertEqual(names["P"], ["mine", "again"])
        self.assertEqual(names["Lamp"], ["colour", "count"])
        self.assertTrue({"N", "TWICE", "red", "lamp", "q", "wait", "init", "Other", "never_red"} <= set(names))
        folds = self.client.request("textDocument/foldingRange", {"textDocument": {"uri": self.URI}})["result"]
        self.assertIn({"startLine": 10, "endLine": 18}, folds)

    def test_completion(self):
        text = self.opened()
        def labels(text, what, offset):
            result = self.ask("completion", text, what, 0, offset)["result"]
            return [each["label"] for each in result]
        self.assertEqual(labels(text, "lamp.colour", 5), ["colour", "count"])
        self.assertEqual(labels(text, "goto again", 5), ["again"])
        self.assertIn("Other", labels(text, "run Other", 4))
        self.assertNotIn("P", labels(text, "lamp.colour", 5))
        inside = labels(text, "q ! red", 4)
        self.assertTrue({"mine", "red", "lamp", "N", "TWICE", "wait", "do", "if"} <= set(inside))
        # While the text is broken it is answered from the last one without errors.
        broken = text.replace("lamp.colour = green", "lamp.")
        self.client.notify("textDocument/didChange", {"textDocument": {"uri": self.URI, "version": 2}, "contentChanges": [{"text": broken}]})
        self.assertEqual(labels(broken, "lamp.", 5), ["colour", "count"])

    def test_semantic_tokens(self):
        text = self.opened()
        legend = self.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
        data = self.client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": self.URI}})["result"]["data"]
        lines, line, character, kinds = text.split("\n"), 0, 0, {}
        for i in range(0, len(data), 5):
            line, character = line + data[i], data[i + 1] + (character if data[i] == 0 else 0)
            kinds.setdefault(lines[line][character:character + data[i + 2]], set()).add(legend[data[i + 3]])
        self.assertEqual(kinds["mine"], {"variable", "parameter"})
        self.assertEqual(kinds["red"], {"enumMember"})
        self.assertEqual(kinds["wait"], {"function"})
        self.assertEqual(kinds["N"], {"macro"})

    def test_characters_beyond_ascii(self):
        text = self.opened("byte x; /* \U0001d11e ü */ byte y;\nactive proctype P() { y = 1 }\n")
        found = self.ask("definition", text, "y = 1")["result"]["range"]
        self.assertEqual(found["start"], position(text, "y;"))
        self.assertEqual(found["start"]["character"], 24)

    def test_included_files(self):
        with tempfile.TemporaryDirectory() as folder:
            main, part = pathlib.Path(folder, "main.pml"), pathlib.Path(folder, "part.h")
            main.write_text('#include "part.h"\nactive proctype P() { x = 1 }\n')
            part.write_text("byte x;\n")
            self.client.open(main.as_uri(), main.read_text())
            self.client.wait_for_diagnostics()
            self.assertEqual(self.client.diagnostics[main.as_uri()], [])
            where = self.client.request("textDocument/definition", {"textDocument": {"uri": main.as_uri()}, "position": {"line": 1, "character": 22}})["result"]
            self.assertEqual(where["uri"], part.as_uri())
            # A text that was never saved can be included, too.
            new = pathlib.Path(folder, "new.h")
            self.client.open(new.as_uri(), "byte x;\n")
            self.client.notify("textDocument/didChange", {"textDocument": {"uri": main.as_uri(), "version": 2}, "contentChanges": [{"text": main.read_text().replace("part.h", "new.h")}]})
            where = self.client.request("textDocument/definition", {"textDocument": {"uri": main.as_uri()}, "position": {"line": 1, "character": 22}})["result"]
            self.assertEqual(where["uri"], new.as_uri())
            self.client.notify("textDocument/didChange", {"textDocument": {"uri": main.as_uri(), "version": 3}, "contentChanges": [{"text": main.read_text()}]})
            # A buffer that is not saved counts, and what is wrong in it is said of it.
            self.client.open(part.as_uri(), "byte x = ;\n")
            while not self.client.diagnostics.get(part.as_uri()):
                self.client.read()
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": part.as_uri()}})
            while self.client.diagnostics.get(part.as_uri()):
                self.client.read()

    def test_texts_that_are_no_files(self):
        for uri in ("untitled:Untitled-1", "file:///nowhere/a%2520b%20c.pml"):
            self.client.open(uri, "byte x;\nactive proctype P() { x = y }\n")
            self.client.wait_for_diagnostics()
            self.assertIn("y", self.client.diagnostics[uri][0]["message"])
            self.client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "byte x;\nactive proctype P() { x = 1 }\n"}]})
            where = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 22}}
            self.assertEqual(self.client.request("textDocument/definition", where)["result"]["uri"], uri)
            self.assertEqual(set(self.client.request("textDocument/rename", {**where, "newName": "z"})["result"]["changes"]), {uri})

    def test_macros_of_the_command_line(self):
        client = Client("-DN=2")
        self.addCleanup(client.kill)
        client.start()
        client.open(self.URI, "byte x[N];\nactive proctype P() { x[0] = N }\n")
        client.wait_for_diagnostics()
        self.assertEqual(client.diagnostics[self.URI], [])
        self.assertEqual(client.end(), 0)

    def test_every_model_of_the_project(self):
        for path in sorted(MODELS.rglob("*.pml")):
            text = path.read_text()
            self.client.open(path.as_uri(), text)
            outline = self.client.request("textDocument/documentSymbol", {"textDocument": {"uri": path.as_uri()}})["result"]
            with self.subTest(path.name):
                self.assertTrue(outline)
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def test_cut_and_damaged_texts(self):
        """No text and no position makes it go, and it stays true to the text."""
        numbers = random.Random(38)
        paths = sorted(MODELS.rglob("*.pml"))
        methods = ("hover", "definition", "references", "documentHighlight", "completion", "prepareRename")
        for _ in range(150):
            text = numbers.choice(paths).read_text()
            cut = text[:numbers.randrange(len(text))]
            if numbers.random() < 0.5:
                at = numbers.randrange(len(text))
                cut = text[:at] + numbers.choice(["}", "{", "::", "\"", "/*", "é", "\0", "#define X(", "\r"]) + text[at:]
            self.client.open(self.URI, cut)
            lines = cut.count("\n") + 1
            for method in methods:
                where = {"line": numbers.randrange(lines + 2), "character": numbers.randrange(60)}
                answer = self.client.request("textDocument/" + method, {"textDocument": {"uri": self.URI}, "position": where})
                self.assertIn("result", answer)
            for method in ("documentSymbol", "foldingRange", "semanticTokens/full"):
                self.assertIn("result", self.client.request("textDocument/" + method, {"textDocument": {"uri": self.URI}}))

    def test_edits_lead_to_the_text_that_the_client_has(self):
        numbers = random.Random(3)
        text = TEXT
        self.opened()
        for version in range(200):
            begin = numbers.randrange(len(text) + 1)
            end = min(len(text), begin + numbers.randrange(4))
            with_ = numbers.choice(["", "x", "\n", "é", "\U0001d11e", "/* */", "  "])
            def at(offset):
                line = text.count("\n", 0, offset)
                return {"line": line, "character": len(text[text.rfind("\n", 0, offset) + 1:offset].encode("utf-16-le")) // 2}
            change = {"range": {"start": at(begin), "end": at(end)}, "text": with_}
            self.client.notify("textDocument/didChange", {"textDocument": {"uri": self.URI, "version": version}, "contentChanges": [change]})
            text = text[:begin] + with_ + text[end:]
        edited = self.client.request("textDocument/foldingRange", {"textDocument": {"uri": self.URI}})["result"]
        other = "file:///nowhere/other.pml"
        self.client.open(other, text)
        self.assertEqual(edited, self.client.request("textDocument/foldingRange", {"textDocument": {"uri": other}})["result"])
        self.client.wait_for_diagnostics()
        while other not in self.client.diagnostics:
            self.client.read()
        self.assertEqual(self.client.diagnostics[self.URI], self.client.diagnostics[other])


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main()
