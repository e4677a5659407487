#!/usr/bin/env python3
"""The extension for Visual Studio Code: what package.json names is there, and the grammar colours a sample. Usage: vscode_test.py [--package].
--package: vsce (npm) makes the package; 77 if npm or the network is not there."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"
SAMPLE = """#define N 3 /* count */
/* two
   lines: do */
mtype = { red };
active [2] proctype Worker(byte id) {
end:  do
  :: lock ! red -> run Other(1); printf("a %d\\n", id)
  :: else -> goto again
  od;
  c_code { int do_; { } "}" }
  assert(_pid < N && Worker@again)
}
ltl fair { [] <> (x == 12) }
"""
WANTED = {  # line, text: scope
    (0, "define"): "keyword.control.directive", (0, " count "): "comment.block", (0, "3"): "constant.numeric", (2, "   lines: do "): "comment.block",
    (3, "mtype"): "storage.type", (4, "active"): "storage.modifier", (4, "proctype"): "storage.type.proctype", (4, "Worker"): "entity.name.type.class",
    (4, "byte"): "storage.type", (5, "end"): "entity.name.label.special", (5, "do"): "keyword.control", (6, "::"): "keyword.operator.option",
    (6, "->"): "keyword.operator.arrow", (6, "run"): "keyword.operator.run", (6, "Other"): "entity.name.type.class", (6, "printf"): "support.function",
    (6, "%d"): "constant.other.placeholder", (6, "\\n"): "constant.character.escape", (7, "else"): "keyword.control", (7, "again"): "entity.name.label",
    (9, "c_code"): "keyword.other.embedded", (9, " int do_; "): "meta.embedded", (10, "assert"): "keyword.other.property", (10, "_pid"): "variable.language",
    (10, "again"): "entity.name.label", (12, "fair"): "entity.name.section.property", (12, "[]"): "keyword.operator.temporal", (12, "<>"): "keyword.operator.temporal",
    (12, "12"): "constant.numeric",
}


class Grammar:
    """As much of TextMate's way to colour lines as this grammar uses."""

    def __init__(self, grammar):
        self.grammar = grammar
        self.stack = [(None, grammar["patterns"])]

    def rules(self, patterns):
        for rule in patterns:
            if "include" in rule:
                yield from self.rules([self.grammar["repository"][rule["include"][1:]]])
            elif "match" in rule or "begin" in rule:
                yield rule
            else:
                yield from self.rules(rule["patterns"])

    def scope(self):
        names = [rule.get("name") or rule.get("contentName") for rule, _ in self.stack if rule]
        return " ".join(filter(None, names))

    def line(self, line):
        """(text, scopes) of a line."""
        at, found = 0, []

        def captured(match, rule, name):
            captures = rule.get(name, {})
            outer = " ".join(filter(None, [self.scope(), rule.get("name")]))
            parts = [(match.span(int(n)), each["name"]) for n, each in captures.items() if match.group(int(n))]
            for (begin, end), scope in parts:
                found.append((line[begin:end], f"{outer} {scope}"))
            if not parts and match.group():
                found.append((match.group(), outer))

        while True:
            rule, patterns = self.stack[-1]
            best, what = None, None
            if rule:
                best, what = re.compile(rule["end"]).search(line, at), "end"
            for each in self.rules(patterns):
                match = re.compile(each.get("match") or each["begin"]).search(line, at)
                if match and (best is None or match.start() < best.start()):
                    best, what = match, each
            if best is None:
                break
            if best.start() > at:
                found.append((line[at:best.start()], self.scope()))
            at = best.end()
            if what == "end":
                captured(best, rule, "endCaptures")
                self.stack.pop()
                if best.end() == len(line) and not best.group():
                    break
            elif "match" in what:
                captured(best, what, "captures")
            else:
                captured(best, what, "beginCaptures")
                self.stack.append((what, what.get("patterns", [])))
        if at < len(line):
            found.append((line[at:], self.scope()))
        return found


class ExtensionTest(unittest.TestCase):
    package = json.loads((EXTENSION / "package.json").read_text())
    grammar = json.loads((EXTENSION / "syntaxes" / "promela.tmLanguage.json").read_text())

    def test_what_is_named_is_there(self):
        contributes = self.package["contributes"]
        named = [self.package["main"]] + [each["configuration"] for each in contributes["languages"]]
        named += [each["path"] for each in contributes["grammars"] + contributes["snippets"]]
        for name in named:
            self.assertTrue((EXTENSION / name).is_file(), name)
        json.loads((EXTENSION / "language-configuration.json").read_text())
        for snippet in json.loads((EXTENSION / "snippets" / "promela.json").read_text()).values():
            self.assertTrue(snippet["prefix"] and snippet["body"])
        self.assertEqual(contributes["grammars"][0]["scopeName"], self.grammar["scopeName"])
        code = (EXTENSION / self.package["main"]).read_text()
        for command in contributes["commands"]:
            self.assertIn(f'registerCommand("{command["command"]}"', code)
        for setting in contributes["configuration"]["properties"]:
            self.assertIn(f'get("{setting.removeprefix("cmc.")}"', code)
        for required in re.findall(r'require\("([^"]+)"\)', code):
            self.assertIn(required.split("/")[0], ["vscode", *self.package["dependencies"]])
        self.assertRegex(self.package["engines"]["vscode"], r"^\^1\.\d+\.0$")

    def test_the_debugger_has_the_fields_of_cmc_dap(self):
        guide = (ROOT / "docs" / "editors.md").read_text()
        table = guide[guide.index("| field | |"):].split("\n\n")[0]
        fields = set(re.findall(r"`([A-Za-z]+)`", "".join(line.split("|")[1] for line in table.splitlines()[2:])))
        debugger = self.package["contributes"]["debuggers"][0]
        self.assertEqual(set(debugger["configurationAttributes"]["launch"]["properties"]), fields | {"seconds"})

    def test_the_grammar_colours_a_sample(self):
        grammar, seen = Grammar(self.grammar), {}
        for number, line in enumerate(SAMPLE.splitlines()):
            parts = grammar.line(line)
            self.assertLessEqual(sum(len(text) for text, _ in parts), len(line) * 2)
            for text, scope in parts:
                seen.setdefault((number, text), scope)
        for place, scope in WANTED.items():
            self.assertIn(scope, seen.get(place, f"nothing among {sorted(text for line, text in seen if line == place[0])}"), place)
        self.assertEqual(len(grammar.stack), 1)

    def test_the_grammar_knows_every_keyword(self):
        text = (ROOT / "promela" / "syntax" / "token.h").read_text()
        words = re.findall(r'"([A-Za-z_]+)"', text[text.index("#define CMC_KEYWORDS"):text.index("#define CMC_NAME")])
        self.assertGreater(len(words), 60)
        for word in words:
            parts = Grammar(self.grammar).line(f" {word} ")
            self.assertTrue(any(part == word and scope for part, scope in parts), word)

    def test_the_code_is_javascript(self):
        if shutil.which("node") is None:
            self.skipTest("node is not installed")
        subprocess.run(["node", "--check", EXTENSION / "extension.js"], check=True)


def make_package():
    if shutil.which("npm") is None:
        print("npm is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "vscode")
        shutil.copytree(EXTENSION, copy, ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
        shutil.copy(ROOT / "LICENSE", copy)
        if subprocess.run(["npm", "ping"], capture_output=True, timeout=120).returncode != 0:
            print("the registry of npm cannot be reached")
            return 77
        subprocess.run(["npm", "install", "--omit=dev", "--no-audit", "--no-fund"], cwd=copy, check=True)
        subprocess.run(["npx", "--yes", "@vscode/vsce", "package", "--allow-missing-repository", "--out", "cmc.vsix"], cwd=copy, check=True)
        names = zipfile.ZipFile(copy / "cmc.vsix").namelist()
        for name in ("package.json", "extension.js", "syntaxes/promela.tmLanguage.json", "node_modules/vscode-languageclient/package.json"):
            assert f"extension/{name}" in names, name
        print(f"{(copy / 'cmc.vsix').stat().st_size} bytes, {len(names)} files")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--package"]:
        sys.exit(make_package())
    unittest.main()
