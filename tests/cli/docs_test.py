#!/usr/bin/env python3
"""Runs every command that README.md, docs/ and the READMEs of models and logs show, compares its output with
theirs, and looks whether cmc has the options that they name.

Usage: docs_test.py CMC [--update]       --update: writes what the commands print into the texts, as far as it can

A fenced block whose first line begins with `$ ` is a session: `$ cat FILE` shows a file, which is written for the commands after
it; `$ build/cmc ...` is run, and its output follows. There, `...` is any number of lines; times, memory and the longest path may
differ. Elsewhere an indented line `build/cmc ...`, or one of bootstrap.sh with `check`, is run, without a comment after two spaces: it must
not fail by wrong usage. What the text says about a command is compared with its output by a comment

    <!-- build/cmc check MODEL => 81 states stored -->

on a line of its own: the command must print this, and the text must have its figures.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["docs", "models", "logs", "logs/2006"]
FENCE = re.compile(r"^```\n(\$ .*?\n)```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^    ((?:build/cmc|\./bootstrap\.sh check) .*?)(?:   *\S.*)?$", re.MULTILINE)
SAID = re.compile(r"^<!-- (build/cmc .*?) => (.*) -->\n", re.MULTILINE)
# With several threads, the longest path of a depth-first search differs from run to run.
MEASURED = re.compile(r"\d[\d.,]* +(KB|MB|GB|s|ms|us|longest path)\b")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
COMMANDS = ["check", "profile", "test", "fmt", "simulate", "replay", "info", "log", "tune", "lint", "expand", "compile", "automaton", "graph",
            "mutate", "conform", "solver", "explore"]
USUAL_CODES = {0, 1, 3}  # holds, violated, incomplete
SECONDS = 600


class Workplace:
    """A folder in which commands run as they do in the root of the tree, without changing it."""

    def __init__(self, folder, cmc):
        self.folder = pathlib.Path(folder)
        (self.folder / "build").symlink_to(pathlib.Path(cmc).resolve().parent)
        for name in ["models", "logs"]:
            shutil.copytree(ROOT / name, self.folder / name)

    def run(self, command):
        command = command.replace("./bootstrap.sh check", "build/cmc check")
        run = subprocess.run(shlex.split(command), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=SECONDS, env={**os.environ, "NO_COLOR": "1"})
        return run.returncode, run.stdout


def split_session(block):
    """[(command, shown output)]"""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


def comparable(text):
    text = MEASURED.sub(r"# \1", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.rstrip().split("\n")]


def agrees(shown, printed):
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in comparable(shown))
    return re.fullmatch(pattern, "".join(line + "\n" for line in comparable(printed))) is not None


def updated(shown, printed):
    """What was printed, with `...` where it was left out before; None: the lines around that are gone."""
    def kind(line):
        return re.sub(r"\d[\d.,]*", "#", " ".join(line.split()))

    lines = [line.rstrip() for line in printed.rstrip().split("\n")]
    kinds = [kind(line) for line in lines]
    result, position = [], 0
    for part in re.split(r"^(\.\.\.)$\n?", shown, flags=re.MULTILINE):
        wanted = [kind(line) for line in part.rstrip("\n").split("\n")]
        if part in ("", "..."):
            result += [part] if part else []
            continue
        if wanted[0] not in kinds[position:] or wanted[-1] not in kinds[position:]:
            return None
        start = kinds.index(wanted[0], position)
        # The last line may occur inside as well: the one at the old distance is meant, if there is one.
        end = start + len(wanted) - 1
        if kinds[end:end + 1] != wanted[-1:]:
            end = kinds.index(wanted[-1], start)
        result += lines[start:end + 1]
        position = end + 1
    return "\n".join(result) + "\n"


def check_session(place, block):
    """(problems, the block with what was printed)"""
    problems, text = [], ""
    for command, shown in split_session(block):
        printed = shown
        if command.startswith("cat "):
            (place.folder / command[4:]).write_text(shown)
        else:
            code, printed = place.run(command)
            if code not in USUAL_CODES and "error:" not in shown:
                problems.append(f"{command}: exit code {code}\n{printed}")
            if agrees(shown, printed):
                printed = shown
            else:
                problems.append(f"{command}: prints\n{printed}--- instead of\n{shown}---")
                if "\n...\n" in "\n" + shown:
                    printed = updated(shown, printed) or shown
        text += f"$ {command}\n{printed}"
    return problems, text


def wrong_figures(place, text):
    """Where a text says something else about a command than the command prints."""
    problems, visible = [], SAID.sub("", text)
    for command, said in SAID.findall(text):
        code, printed = place.run(command)
        if code not in USUAL_CODES or comparable(said)[0] not in " ".join(comparable(printed)):
            problems.append(f"{command}: prints\n{printed}--- without: {said}")
        problems += [f"the text about {command} lacks {figure}" for figure in re.findall(r"\d[\d,.]*\d|\d", said)
                     if figure not in visible]
    return problems


def check_document(place, text):
    """(problems, the text with what was printed)"""
    problems = []

    def replace(match):
        found, block = check_session(place, match.group(1))
        problems.extend(found)
        return f"```\n{block}```"

    new = FENCE.sub(replace, text)
    problems += wrong_figures(place, text)
    compared = {command for command, _ in SAID.findall(text)}
    for command in COMMAND.findall(FENCE.sub("", text)):
        if command in compared or command.startswith("build/cmc explore "):  # which ends when it is told
            continue
        code, printed = place.run(command)
        if code not in USUAL_CODES:
            problems.append(f"{command}: exit code {code}\n{printed}")
    return problems, new


def known_options(place):
    return {option for command in COMMANDS for option in OPTION.findall(place.run(f"build/cmc help {command}")[1])}


def unknown_options(text, known):
    """Of those that the text names as options of cmc: `--search bfs`, `cmc log --plot FOLDER`."""
    named = {option for quoted in re.findall(r"`((?:--|cmc )[^`]*)`", FENCE.sub("", text)) for option in OPTION.findall(quoted)}
    return [f"names the option {option}, which cmc does not have" for option in sorted(named - known)]


def self_test(place):
    """Sentences about planted mistakes that are not found, or about good texts that are refused."""
    model = "```\n$ cat a.pml\nactive proctype P() { skip }\n$ build/cmc check -q a.pml\n%s\n```\n"
    verdict = "verdict: holds (no reachable state is in error; the search was reduced)"
    texts = {model % verdict: 0, model % "...": 0, model % "verdict: violated": 1, model % ("...\n" + verdict + "\nmore"): 1,
             "It has 3 states.\n<!-- build/cmc check a.pml => 3 states stored -->\n": 0,
             "It has 2 states.\n<!-- build/cmc check a.pml => 2 states stored -->\n": 1,
             "It has states.\n<!-- build/cmc check a.pml => 3 states stored -->\n": 1,
             "    ./bootstrap.sh check a.pml\n": 0, "    ./bootstrap.sh check b.pml\n": 1,
             "    build/cmc check a.pml   fine\n": 0, "    build/cmc check --nonsense a.pml\n": 1, "    build/cmc check b.pml\n": 1}
    found = unknown_options("`--search bfs` `--serch` `cmc log --plod x` `gcc --all`", known_options(place))
    if len(found) != 2:
        return [f"self-test: {found}"]
    printed = "a 1\nb 2\nc\nd 3\ne 4\nf\n"
    for shown, new in [("b 1\nold\nd 2\n...\n", "b 2\nc\nd 3\n...\n"), ("...\ne 4\nf\n", "...\ne 4\nf\n"), ("...\nx\n", None)]:
        if updated(shown, printed) != new:
            return [f"self-test: {shown!r} is updated to {updated(shown, printed)!r}"]
    return [f"self-test: {len(found)} problem(s), not {number}, in:\n{text}" for text, number in texts.items()
            if len(found := check_document(place, text)[0]) != number]


def main():
    cmc, update = sys.argv[1], "--update" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        place = Workplace(folder, cmc)
        known, problems = known_options(place), self_test(place)
    for path in [ROOT / "README.md", *sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.md"))]:
        with tempfile.TemporaryDirectory() as folder:
            text = path.read_text(encoding="utf-8")
            found, new = check_document(Workplace(folder, cmc), text)
        problems += [f"{path.relative_to(ROOT)}: {line}" for line in found + unknown_options(text, known)]
        if update and new != text:
            path.write_text(new, encoding="utf-8")
    print("\n".join(problems))
    print(f"docs: {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
