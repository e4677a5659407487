#!/usr/bin/env python3
"""Holds the tree to what docs/architecture.md says (the module table: who may include whom, and no circles between the
folders of a module; one README of a page per module; one version; no large files) and to the habits of the house:
formatting.py, names.py, case_names.py, joined.py, commits.py.

Usage: structure_test.py ROOT | --self-test
"""

import os
import pathlib
import re
import subprocess
import sys

import case_names
import commits
import formatting
import joined
import names
import tree

TABLE_ROW = re.compile(r"^\| `([\w/-]+?)/?` \|([^|]*)\|")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SOURCE_SUFFIXES = {".h", ".cc"}
# Tests, benchmarks and studies may include everything, and no module includes them; examples use the installed library.
IGNORED = {"tests", "bench", "studies", "examples", "models", "logs"}
TABLE = "docs/architecture.md"
README_LINES = 180  # Details belong in docs/.
PAGE_LINES = 70  # Of a module's README: what, map, invariants.
FILE_BYTES = 1_000_000  # What a script can make again (pages, certificates, wheels, pictures) is not kept.


def read_table(text):
    """{module folder: set of module folders that it may include directly}"""
    rows = {}
    inside = False
    for line in text.splitlines():
        if line.startswith("| module |"):
            inside = True
        elif inside and not line.startswith("|"):
            break
        elif inside:
            match = TABLE_ROW.match(line)
            if match:
                rows[match.group(1)] = set(re.findall(r"`([\w/-]+?)/?`", match.group(2)))
    return rows


def closure(table, module):
    """What a module may include: what its row names, what those name, and itself."""
    allowed, todo = set(), [module]
    while todo:
        current = todo.pop()
        if current not in allowed:
            allowed.add(current)
            todo.extend(table.get(current, ()))
    return allowed


def module_of(path, table):
    """The row that a path belongs to: the longest folder that contains it; None: no row."""
    folders = [name for name in table if path == name or path.startswith(name + "/")]
    return max(folders, key=len, default=None)


def circles(edges):
    """The sets of nodes of which each reaches the others, sorted; edges: {node: set of nodes}"""
    reached = {node: closure(edges, node) for node in edges}
    return sorted({tuple(sorted(other for other in reached if other in reached[node] and node in reached[other]))
                   for node in reached} - {(node,) for node in reached})


def source_files(root):
    for name in tree.files(root):
        if pathlib.Path(name).suffix in SOURCE_SUFFIXES and name.split("/")[0] not in IGNORED:
            yield root / name, name


def module_problems(root):
    table = read_table((root / TABLE).read_text(encoding="utf-8"))
    if len(table) < 3:
        return [f"{TABLE}: no module table was found"]
    found = []
    readme = (root / "README.md").read_text(encoding="utf-8")
    if readme.count("\n") > README_LINES:
        found.append(f"README.md: has more than {README_LINES} lines; details belong in docs/")
    for module, allowed in table.items():
        for name in sorted(allowed - set(table)):
            found.append(f"{TABLE}: `{module}` may include `{name}`, which is no module")
        page = root / module / "README.md"
        if (root / module).is_dir() and not page.is_file():
            found.append(f"{module}: has no README.md")
        elif page.is_file() and page.read_text(encoding="utf-8").count("\n") > PAGE_LINES:
            found.append(f"{module}/README.md: has more than {PAGE_LINES} lines; figures belong in bench/RESULTS.md, details beside it")
    folders = {}
    for path, name in source_files(root):
        module = module_of(name, table)
        if module is None:
            found.append(f"{name}: belongs to no module of the table in {TABLE}")
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".h" and "#pragma once" not in text:
            found.append(f"{name}: has no #pragma once")
        for include in INCLUDE.findall(text):
            target = module_of(include, table)
            if target == module:
                folders.setdefault(os.path.dirname(name), set()).add(os.path.dirname(include))
                folders.setdefault(os.path.dirname(include), set())
            if target is None:
                found.append(f'{name}: includes "{include}", which is not written from the root')
            elif target not in closure(table, module):
                found.append(f'{name}: includes "{include}", but {module} may not use {target}')
    found += [f"{name}: is larger than {FILE_BYTES:,} bytes; keep the script that makes it"
              for name in tree.files(root) if (root / name).lstat().st_size > FILE_BYTES]
    found += [f"{', '.join(circle)}: include each other in a circle" for circle in circles(folders)]
    return found + script_problems(root) + version_problems(root)


def script_problems(root):
    scripts = [name for name in tree.files(root) if name.endswith(".sh") or name == ".ci/run"]
    found = [f"{name}: sh cannot read it" for name in scripts
             if subprocess.run(["sh", "-n", root / name], capture_output=True, check=False).returncode != 0]
    return found + [f"{name}: is not executable" for name in scripts if not os.access(root / name, os.X_OK)]


def version_problems(root):
    cmake = re.search(r"project\(cmc VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())
    header = re.search(r'kVersion = "([\d.]+)"', (root / "checker/report/style/version.h").read_text())
    if not cmake or not header or cmake.group(1) != header.group(1):
        return ["CMakeLists.txt and checker/report/style/version.h name different versions"]
    return []


def self_test():
    """A tree with every kind of mistake: each must be found, and nothing else."""
    table = "# x\n\n| module | may include |\n|---|---|\n| `base/` | |\n| `top/` | `base` |\n| `side/` | `base` `lost` |\n"
    files = {
        "README.md": "# x\n" + "\n" * README_LINES,
        TABLE: table,
        "CMakeLists.txt": "project(cmc VERSION 1.2.3)",
        "checker/report/style/version.h": '#pragma once\nkVersion = "1.2.4"',
        "base/README.md": "\n" * PAGE_LINES, "top/README.md": "\n" * (PAGE_LINES + 1), "side/x.h": '#pragma once\n#include "top/a.h"\n#include "x.h"\n',
        "base/a.h": '#include "base/b.h"\n',
        "base/b.h": '#pragma once\n#include "top/a.h"\n',
        "top/a.h": '#pragma once\n#include "base/a.h"\n#include "top/in/c.h"\n#include <vector>\n',
        "top/in/c.h": '#pragma once\n#include "top/in/d.h"\n#include "top/out/e.h"\n',
        "top/in/d.h": '#pragma once\n#include "top/in/c.h"\n',
        "top/out/e.h": '#pragma once\n#include "top/in/d.h"\n',
        "logs/full.csv": "x" * FILE_BYTES, "logs/large.csv": "x" * (FILE_BYTES + 1),
        "bootstrap.sh": "#!/ bin / sh\nset - eu &\n& fi\n",
    }
    expected = {
        "README.md: has more than 180 lines; details belong in docs/",
        "docs/architecture.md: `side` may include `lost`, which is no module",
        "side: has no README.md",
        "top/README.md: has more than 70 lines; figures belong in bench/RESULTS.md, details beside it",
        "bootstrap.sh: sh cannot read it",
        "bootstrap.sh: is not executable",
        "base/a.h: has no #pragma once",
        'base/b.h: includes "top/a.h", but base may not use top',
        'side/x.h: includes "top/a.h", but side may not use top',
        "top/in, top/out: include each other in a circle",
        "logs/large.csv: is larger than 1,000,000 bytes; keep the script that makes it",
        'side/x.h: includes "x.h", which is not written from the root',
        "checker/report/style/version.h: belongs to no module of the table in docs/architecture.md",
        "CMakeLists.txt and checker/report/style/version.h name different versions",
    }
    without_table = tree.differences({**files, TABLE: "# x\n", "README.md": table}, module_problems,
                                     {"docs/architecture.md: no module table was found"})
    return tree.differences(files, module_problems, expected) + without_table


def problems(root):
    found = module_problems(root) + formatting.problems(root) + names.problems(root)
    return found + case_names.problems(root) + joined.problems(root) + commits.problems(root)


def main():
    self_tests = self_test, formatting.self_test, names.self_test, case_names.self_test, joined.self_test, commits.self_test
    if "--self-test" in sys.argv:
        found = [line for test in self_tests for line in test()]
    else:
        found = problems(pathlib.Path(sys.argv[1]).resolve())
    for line in found:
        print(line)
    print(f"structure: {len(found)} problem(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
