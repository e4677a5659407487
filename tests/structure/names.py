"""Habit: files exist that texts and comments name, and so do the targets of links between texts.

A name is relative to the root or to the folder of the file that names it, or it is the end of exactly one path.
"""

import ast
import io
import os
import re
import tokenize

import tree

SOURCE = r"(?:h|cc|py|md|pml|sh)"
NAME = re.compile(rf"(?<![\w./*<>-])((?:[\w.-]+/)*[\w-]+\.{SOURCE})(?![\w(/*-])")
# In texts a name is marked by backticks, or by the top folder that it begins with.
QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?<![\w./*<>-])((?:[\w-]+/)+[\w.-]+\.\w+)(?![\w(/*-])")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# Files that programs write: SPIN's verifier, and whatever a placeholder stands for.
GENERATED = re.compile(r"(^|/)(pan\.\w|(NAME|FILE|MODEL|CASE)\.\w+)$")

CPP_TOKENS = re.compile(
    r"""R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?P<comment>//[^\n]*|/\*.*?\*/)""",
    re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *#* *$", re.MULTILINE)


def cpp_comments(text):
    for match in CPP_TOKENS.finditer(text):
        if match.group("comment"):
            yield match.start(), match.group("comment")


def python_comments(text):
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield starts[token.start[0] - 1], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            yield starts[node.body[0].lineno - 1], node.body[0].value.value


def script_comments(text):
    for match in re.finditer(r"(?:^|\s)#.*", text):
        yield match.start() + 1, match.group()


def comments(name, text):
    if name.endswith((".h", ".cc", ".c", ".pml")):
        return cpp_comments(text)
    if name.endswith(".py"):
        return python_comments(text)
    if name.endswith((".sh", "CMakeLists.txt")):
        return script_comments(text)
    return ()


def line_of(text, position):
    return text.count("\n", 0, position) + 1


class Tree:
    def __init__(self, root):
        self.root = root
        self.names = tree.files(root)
        self.known = set(self.names)
        self.tops = {name.split("/")[0] for name in self.names if "/" in name}
        self.by_base = {}
        for name in self.names:
            self.by_base.setdefault(name.rsplit("/", 1)[-1], []).append(name)

    def candidates(self, mention, folder):
        """The files that the mention can mean: one is right."""
        here = os.path.normpath(os.path.join(folder, mention))
        for path in [mention, here]:
            if path in self.known:
                return [path]
        return [name for name in self.by_base.get(mention.rsplit("/", 1)[-1], ()) if name.endswith("/" + mention)]

    def problem(self, name, line, mention):
        if GENERATED.search(mention):
            return []
        candidates = self.candidates(mention, os.path.dirname(name))
        if len(candidates) == 1:
            return []
        reason = f"can be any of {', '.join(candidates)}" if candidates else "does not exist"
        return [f"{name}:{line}: names {mention}, which {reason}"]


def names_in_text(text, tops):
    """(position, name) of a Markdown text."""
    prose = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    for match in QUOTED.finditer(prose):
        if NAME.fullmatch(match.group(1)):
            yield match.start(), match.group(1)
    for match in PATH.finditer(text):
        if match.group(1).split("/")[0] in tops:
            yield match.start(), match.group(1)


def name_problems(files):
    found = []
    for name in files.names:
        text = tree.read(files.root, name) if name.endswith(
            (".md", ".h", ".cc", ".c", ".pml", ".py", ".sh", "CMakeLists.txt")) else ""
        if name.endswith(".md"):
            mentions = set(names_in_text(text, files.tops))
        else:
            mentions = {(start + match.start(), match.group(1)) for start, comment in comments(name, text)
                        for match in NAME.finditer(comment)}
        for position, mention in sorted(mentions):
            found += files.problem(name, line_of(text, position), mention)
    return list(dict.fromkeys(found))


def anchors(text):
    """The marks that headings get where texts are shown: lower case, spaces as hyphens, no punctuation."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in HEADING.findall(FENCE.sub("", text))}


def link_problems(files):
    found = []
    for name in (name for name in files.names if name.endswith(".md")):
        text = tree.read(files.root, name)
        for match in LINK.finditer(FENCE.sub(lambda fence: re.sub(r"[^\n]", " ", fence.group()), text)):
            target, _, anchor = match.group(1).partition("#")
            if re.match(r"\w+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            if not (files.root / path).exists():
                found.append(f"{name}:{line_of(text, match.start())}: links to {target}, which does not exist")
            elif anchor and anchor not in anchors(tree.read(files.root, path)):
                found.append(f"{name}:{line_of(text, match.start())}: links to {match.group(1)}, but {path} has no such heading")
    return found


def problems(root):
    files = Tree(root)
    return name_problems(files) + link_problems(files)


def self_test():
    """Each kind of mention, once right and once wrong."""
    files = {
        "README.md": "`base/a.h` `a.h` `base/lost.h` `lost.cc` `twice.h` `pan.c` `NAME.pml` `x.size()` `a.b`\n"
                     "    cmc check models/one.pml models/none.pml\n"
                     "```\n`gone.h`\n```\n"
                     "[a](docs/x.md) [b](docs/y.md) [c](docs/x.md#a-b-c) [d](docs/x.md#d) [e](https://x.org/y.md) [f](#g)\n",
        "docs/x.md": "# A `b`, c\n`../base/a.h` [up](../README.md) [here](README.md)\n```\n# D\n```\n",
        "models/one.pml": "// See two.pml and one.pml.\n",
        "base/a.h": '// a.h, base/b.h, b.h: and gone.h\nauto x = "// not.h"; auto y = R"(// not.h "is" it)"; /* models/gone.pml */\n',
        "base/b.h": "", "base/twice.h": "", "models/twice.h": "",
        "tests/t.py": '"""See gone.md."""\nx = "not.md"  # and README.md and lost.py\n',
        "tests/CMakeLists.txt": "# t.py, u.py\n",
    }
    expected = {
        "README.md:1: names base/lost.h, which does not exist",
        "README.md:1: names lost.cc, which does not exist",
        "README.md:1: names twice.h, which can be any of base/twice.h, models/twice.h",
        "README.md:2: names models/none.pml, which does not exist",
        "README.md:6: links to docs/y.md, which does not exist",
        "README.md:6: names docs/y.md, which does not exist",
        "README.md:6: links to docs/x.md#d, but docs/x.md has no such heading",
        "README.md:6: links to #g, but README.md has no such heading",
        "docs/x.md:2: links to README.md, which does not exist",
        "models/one.pml:1: names two.pml, which does not exist",
        "base/a.h:1: names gone.h, which does not exist",
        "base/a.h:2: names models/gone.pml, which does not exist",
        "tests/t.py:1: names gone.md, which does not exist",
        "tests/t.py:2: names lost.py, which does not exist",
        "tests/CMakeLists.txt:1: names u.py, which does not exist",
    }
    return tree.differences(files, problems, expected)
