#!/usr/bin/env python3
"""Emacs and Eglot with the language server, as docs/editors.md configures them. Usage: emacs_test.py CMC. Skipped (77) without them."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from seen import exit_code

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = "#define LIMIT 3\nbyte x;\n\nactive proctype P() {\n  x = LIMIT;\n  assert(x == LIMIT)\n}\n"
WANTED = {
    "mode": "promela-mode",
    "attached": "true",
    "mistake": "true",
    "line": "5",
    "mended": "true",
    "definition": "1",
    "completes": "true",
    "renamed": "#define LIMIT 3 | byte counter; |  | active proctype P() { |   counter = LIMIT; |   assert(counter == LIMIT) | } | ",
    "formatted": "  counter = LIMIT;",
}


def main():
    if shutil.which("emacs") is None or subprocess.run(["emacs", "--batch", "--eval", "(require 'eglot)"], capture_output=True).returncode != 0:
        print("Emacs with Eglot is not installed")
        return 77
    script = pathlib.Path(__file__).with_name("emacs.el").resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        model, seen, configuration = folder / "model.pml", folder / "seen", folder / "configuration.el"
        model.write_text(MODEL)
        configuration.write_text(re.search(r"```elisp\n(.*?)```", (ROOT / "docs" / "editors.md").read_text(), re.DOTALL)[1])
        (folder / "cmc").symlink_to(os.path.abspath(sys.argv[1]))
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": scratch, "CMC_MODEL": str(model), "CMC_SEEN": str(seen),
                       "CMC_CONFIGURATION": str(configuration)}
        run = subprocess.run(["emacs", "--batch", "-l", script], env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=300)
        text = seen.read_text() if seen.exists() else ""
    saw = dict(line.split(" ", 1) for line in text.splitlines())
    return exit_code(run, saw, WANTED)


if __name__ == "__main__":
    sys.exit(main())
