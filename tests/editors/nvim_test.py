#!/usr/bin/env python3
"""Neovim's own client with the language server. Usage: nvim_test.py CMC. Skipped (77) without nvim."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from seen import exit_code

MODEL = "#define LIMIT 3\nbyte x;\n\nactive proctype P() {\n  x = LIMIT;\n  assert(x == LIMIT)\n}\n"
WANTED = {
    "attached": "true",
    "mistake": "true",
    "line": "5",
    "mended": "true",
    "definition": "1",
    "hover": "```promela | #define LIMIT 3 | ``` | macro",
    "completes": "true",
    "renamed": "#define LIMIT 3 | byte counter; |  | active proctype P() { |   counter = LIMIT; |   assert(counter == LIMIT) | }",
    "still right": "true",
    "formatted": "  counter = LIMIT;",
    "lens": "true",
    "checked": "true",
    "lens again": "true",
    "violated": "true",
    "violated line": "6",
}


def main():
    if shutil.which("nvim") is None:
        print("nvim is not installed")
        return 77
    script = pathlib.Path(__file__).with_name("nvim.lua").resolve()
    with tempfile.TemporaryDirectory() as folder:
        model, seen = pathlib.Path(folder, "model.pml"), pathlib.Path(folder, "seen")
        model.write_text(MODEL)
        environment = {**os.environ, "CMC_PROGRAM": os.path.abspath(sys.argv[1]), "CMC_MODEL": str(model), "CMC_SEEN": str(seen), "HOME": folder,
                       "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder}
        run = subprocess.run(["nvim", "--headless", "-u", "NONE", "-n", "-c", f"luafile {script}"], env=environment, cwd=folder,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        saw = {}
        for line in seen.read_text().splitlines():
            name = max((each for each in WANTED if line.startswith(each + " ")), key=len, default=None)
            saw[name or line.split(" ")[0]] = line[len(name) + 1:] if name else line
    return exit_code(run, saw, WANTED)


if __name__ == "__main__":
    sys.exit(main())
