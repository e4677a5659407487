#!/usr/bin/env python3
"""The language server under many edits. Usage: edits.py CMC MODELS [--edits N] [--cut N]

--edits: random changes of models; now and then all answers are compared with those about a text that was opened afresh.
--cut: texts that end anywhere; every request about each is answered, in at most 50 ms of the server's time (median of
three, if one took longer).
"""
import argparse
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from lsp_test import MODELS, Client  # noqa: E402

MOST_SECONDS = 0.05
AT_POSITION = ("hover", "definition", "references", "documentHighlight", "completion", "prepareRename")
OF_TEXT = ("documentSymbol", "foldingRange", "semanticTokens/full", "codeLens")
PIECES = ["", "x", "\n", "é", "\U0001d11e", "/* */", "  ", "{", "}", "do", "od", "::", "->", "#define A 1\n", "\"", "\\\n", "\r", "_pid", "(", ")"]


def cpu_seconds(client):
    fields = pathlib.Path(f"/proc/{client.process.pid}/stat").read_text().split(") ")[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def place(text, offset):
    line = text.count("\n", 0, offset)
    return {"line": line, "character": len(text[text.rfind("\n", 0, offset) + 1:offset].encode("utf-16-le")) // 2}


def requests(uri, where):
    for method in AT_POSITION:
        yield "textDocument/" + method, {"textDocument": {"uri": uri}, "position": where, "context": {"includeDeclaration": True}}
    for method in OF_TEXT:
        yield "textDocument/" + method, {"textDocument": {"uri": uri}}
    yield "textDocument/codeAction", {"textDocument": {"uri": uri}, "range": {"start": where, "end": where}, "context": {"diagnostics": []}}
    yield "textDocument/formatting", {"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}}


def started():
    client = Client()
    client.start()
    return client


def answers(client, uri, where):
    """Without URIs, which differ."""
    return [str({key: value for key, value in client.request(method, parameters).items() if key != "id"}).replace(uri, "URI") for method, parameters in requests(uri, where)]


def random_edits(count, numbers):
    paths = sorted(MODELS.rglob("*.pml"))
    client = started()
    compared = done = 0
    while done < count:
        text = numbers.choice(paths).read_text()
        uri = f"file:///nowhere/{done}.pml"
        client.open(uri, text)
        client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        harmless = numbers.random() < 0.5  # only between words, so that the text has no errors behind it
        for version in range(min(50, count - done)):
            begin = numbers.randrange(len(text) + 1)
            end = min(len(text), begin + numbers.choice([0, 0, 0, 1, 1, 3, 40]))
            with_ = numbers.choice(PIECES)
            if harmless:
                begin = end = max(text.rfind(" = ", 0, begin), text.find(" = "), 0)
                with_ = numbers.choice(["  ", "/* \U0001d11e */", "/* é */", "\t"])
            change = {"range": {"start": place(text, begin), "end": place(text, end)}, "text": with_}
            if "\r" in text[:end]:  # lines end there, too, which place() does not know
                change = {"text": text[:begin] + with_ + text[end:]}
            client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version + 2}, "contentChanges": [change]})
            text = text[:begin] + with_ + text[end:]
            done += 1
            if numbers.random() < 0.1:
                client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}})
        # A text with errors is answered from the last one without, which the fresh one has not had.
        for _ in range(2):
            fresh = f"file:///nowhere/{done}-fresh.pml"
            client.open(fresh, text)
            where = place(text, numbers.randrange(len(text) + 1))
            tokens = client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": fresh}})["result"]["data"]
            old, new = answers(client, uri, where), answers(client, fresh, where)
            wrong = [a for a, b in zip(old, new) if a != b] if tokens else [a for a, b in list(zip(old, new))[-1:] if a != b]
            assert not wrong, (uri, where, wrong[:1], new)
            client.notify("textDocument/didClose", {"textDocument": {"uri": fresh}})
            compared += bool(tokens)
            # All edits are taken back: now there are no errors.
            text = numbers.choice(paths).read_text()
            client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 1000 + _}, "contentChanges": [{"text": text}]})
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    code = client.end()
    assert code == 0, code
    print(f"{done} edits, {compared} texts without errors compared in all answers")


def cut_texts(count, numbers):
    paths = sorted(MODELS.rglob("*.pml"))
    slowest = 0.0
    client = started()
    for number in range(count):
        text = numbers.choice(paths).read_text()
        text = text[:numbers.randrange(len(text))]
        uri = f"file:///nowhere/cut{number}.pml"
        client.open(uri, text)
        where = place(text, numbers.randrange(len(text) + 1))
        for method, parameters in requests(uri, where):
            for _ in range(3):
                before = cpu_seconds(client)
                answer = client.request(method, parameters)
                assert "result" in answer or method.endswith("formatting"), (method, answer)
                took = cpu_seconds(client) - before
                if took <= MOST_SECONDS:
                    break
            slowest = max(slowest, took)
            assert took <= MOST_SECONDS, (method, took, uri)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.end() == 0
    print(f"{count} cut texts, at most {slowest * 1000:.0f} ms of the server's time for an answer")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cmc")
    parser.add_argument("models")
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--cut", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random_edits(arguments.edits, random.Random(arguments.seed))
    cut_texts(arguments.cut, random.Random(arguments.seed))


if __name__ == "__main__":
    main()
