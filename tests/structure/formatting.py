"""Habit: every C++ file equals the output of clang-format 14 with the .clang-format of the root."""

import concurrent.futures
import os
import re
import shutil
import subprocess

import tree

VERSION = "14"  # Debian 12's; other versions format some lines differently.
MISSING = (f"clang-format {VERSION} is missing, so formatting was not checked: "
           "install the package clang-format (Debian 12) or clang-format-14")
FILES_PER_RUN = 25
VIOLATION = re.compile(r"^(.+?):(\d+):\d+: error: code should be clang-formatted")


def find_program():
    """The name of a clang-format of the right version, or None."""
    for name in [f"clang-format-{VERSION}", "clang-format"]:
        if shutil.which(name):
            text = subprocess.run([name, "--version"], capture_output=True, text=True, check=True).stdout
            if re.search(rf"version {VERSION}\.", text):
                return name
    return None


def check_some(program, root, names):
    """{file: first line that differs}"""
    run = subprocess.run([program, "--dry-run", "-Werror", *names], cwd=root, capture_output=True, text=True)
    first = {}
    for line in run.stderr.splitlines():
        match = VIOLATION.match(line)
        if match:
            first.setdefault(match.group(1), match.group(2))
    if run.returncode != 0 and not first:
        raise RuntimeError(run.stderr)
    return first


def problems(root):
    program = find_program()
    if program is None:
        return [MISSING]
    names = [name for name in tree.files(root) if name.endswith((".h", ".cc"))]
    parts = [names[i:i + FILES_PER_RUN] for i in range(0, len(names), FILES_PER_RUN)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda part: check_some(program, root, part), parts)
        return [f"{name}:{line}: differs from the output of clang-format (mend: {program} -i {name})"
                for first in results for name, line in sorted(first.items())]


def self_test():
    program = find_program() or "clang-format"
    files = {".clang-format": "BasedOnStyle: Google\n",
             "base/good.h": "int f(int x);\n",
             "base/bad.cc": "int g();\n\nint  f( int x );\nint h( );\n"}
    return tree.differences(files, problems, {
        f"base/bad.cc:3: differs from the output of clang-format (mend: {program} -i base/bad.cc)"})
