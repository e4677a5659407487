"""The files of the tree, and what the habits' self-tests share."""

import os
import pathlib
import tempfile


def files(root):
    """Paths relative to root, sorted; without build folders and hidden ones, which are no part of the tree."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build")) and name != "__pycache__"]
        found += [(pathlib.Path(folder) / name).relative_to(root).as_posix() for name in names]
    return sorted(found)


def read(root, name):
    return (root / name).read_text(encoding="utf-8", errors="replace")


def differences(files_of_tree, find_problems, expected):
    """Writes {path: text} into a new folder and compares what find_problems(folder) finds there with the expectation."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files_of_tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found = set(find_problems(root))
    return ["unexpected: " + line for line in sorted(found - set(expected))] + [
        "not found: " + line for line in sorted(set(expected) - found)]
