"""Habits of commits: a short subject, and a body where a measured figure changes."""

import pathlib
import re
import shutil
import subprocess
import tempfile

FIRST = "2589843"  # The last commit before these habits were held by a test.
LONGEST_SUBJECT = 72
FIGURE_FILES = {"bench/RESULTS.md", "docs/performance.md"}
FIGURE = re.compile(r"\d\s?(%|×|(x|s|ms|us|ns|[KMGT]?B|percent)\b)")


def git(root, *arguments):
    return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)


def has_history(root, first):
    """False in an unpacked archive, in a shallow clone and without git: then there is nothing to check."""
    if not shutil.which("git") or git(root, "rev-parse", "--show-prefix").stdout != "\n":
        return False
    return git(root, "merge-base", "--is-ancestor", first, "HEAD").returncode == 0


def problems_of(subject, body, files):
    found = []
    if len(subject) > LONGEST_SUBJECT:
        found.append(f"the subject has {len(subject)} characters; at most {LONGEST_SUBJECT} are allowed")
    if not body.strip():
        if FIGURE.search(subject):
            found.append("the subject names a figure, so a body must say how it was measured")
        for name in sorted(FIGURE_FILES & set(files)):
            found.append(f"{name} changes, so a body must say what was measured")
    return found


def problems(root, first=FIRST):
    if not has_history(root, first):
        return []
    log = git(root, "log", "--no-merges", "--name-only", "--format=%x01%h%x00%s%x00%b%x00", f"{first}..HEAD").stdout
    found = []
    for entry in log.split("\x01")[1:]:
        commit, subject, body, files = entry.split("\0")
        found += [f"commit {commit} ({subject}): {text}" for text in problems_of(subject, body, files.split())]
    return found


def self_test():
    """A repository with one commit for each fault, and with good ones."""
    if not shutil.which("git"):
        return []
    table = "docs/performance.md"
    commits = [("start", "", "a"),
               ("base: " + "x" * 66, "", "a"),
               ("base: " + "x" * 67, "", "a"),
               ("keys: 12 % faster", "", "a"),
               ("keys: 3x faster", "Measured with bench/compare.py.", "a"),
               ("keys: peak memory 94 MB", "", "a"),
               ("keys: 12 tests for 64 bits", "", "a"),
               ("bench: tables anew", "", table),
               ("bench: tables anew, again", "Medians of five runs.", table)]
    expected = {"the subject has 73 characters; at most 72 are allowed": 1,
                "the subject names a figure, so a body must say how it was measured": 2,
                "docs/performance.md changes, so a body must say what was measured": 1}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        git(root, "init", "-q")
        (root / "docs").mkdir()
        for number, (subject, body, name) in enumerate(commits):
            (root / name).write_text(str(number))
            git(root, "add", "-A")
            git(root, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", subject, "-m", body)
        first = git(root, "rev-list", "--max-parents=0", "HEAD").stdout.strip()
        found = problems(root, first)
        unchecked = problems(root)  # no such first commit
    counts = {text: sum(line.endswith(text) for line in found) for text in expected}
    failures = [] if counts == expected and len(found) == 4 else [f"commits: found {found}"]
    return failures + [f"without history: found {line}" for line in unchecked]
