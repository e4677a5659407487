#!/usr/bin/env python3
"""Native code, and everything that can be wrong with a C compiler and with the folder in which objects are kept: the verdict and
the counts are those of the virtual machine, nothing hangs, and a note says what was wrong.

Usage: native_test.py CMC
"""

import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import time

MODEL = """
byte board[6]; byte moves;
active proctype player() {
  do
  :: d_step { board[0] < 3 -> board[0]++; board[1] = board[1] ^ 1; moves = (moves + 1) % 7 }
  :: d_step { board[2] < 3 -> board[2]++; board[3] = board[0] - board[2] }
  :: board[0] > 2 && board[2] > 2 -> break
  od;
  assert(board[1] == 1)
}
"""
SECONDS = 120


class Place:
    """A folder with the model, compilers and a home."""

    def __init__(self, folder, cmc):
        self.folder = pathlib.Path(folder)
        self.cmc = cmc
        self.model = self.folder / "model.pml"
        self.model.write_text(MODEL)
        self.cache = self.folder / "cache"

    def compiler(self, name, script):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o700)
        return str(path)

    def check(self, *options, **environment):
        """(what was found, standard error)"""
        values = {**os.environ, "XDG_CACHE_HOME": str(self.cache), **environment}
        run = subprocess.run([self.cmc, "check", "--json", "-", "--max-errors", "0", *options, str(self.model)],
                             env=values, capture_output=True, text=True, timeout=SECONDS, check=False)
        if run.returncode not in (0, 1):
            return f"exit code {run.returncode}: {run.stderr}", run.stderr
        report = json.loads(run.stdout)
        counts = tuple(report[key] for key in ("verdict", "states_stored", "transitions", "error_count"))
        return (run.returncode, *counts), run.stderr

    def objects(self):
        return sorted(self.cache.glob("cmc/native/*.so"))


# What a compiler may do wrong, and a part of the note that says so.
BROKEN_COMPILERS = {
    "fails": ("echo broken >&2; exit 1", "broken"),
    "hangs": ("sleep 1000", "took longer"),
    "hangs, and something that it started": ("sleep 1000 & sleep 1000", "took longer"),
    "dies": ("kill -SEGV $$", "died"),
    "makes nothing": ("exit 0", "made no file"),
    "makes an empty file": (": > $6", "not a shared object"),
    "makes a text": ("echo hello > $6", "not a shared object"),
    "makes half an object": ("cc \"$@\" && head -c 6000 $6 > $6.half && mv $6.half $6", "cut off"),
    "makes another object": ("echo 'int x;' > $6.c; cc -shared -fPIC -o $6 $6.c", "no native code"),
    "makes a folder": ("rm -f $6; mkdir $6", "made no file"),
    "makes code of another model": ("sed '1s/CMC_SOURCE \"./CMC_SOURCE \"x/' $7 > $7.c; cc -shared -fPIC -o $6 $7.c",
                                    "another model"),
}


def command_lines():
    lines = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes())
        except OSError:  # the process has ended
            pass
    return lines


def compilers(place, expected):
    problems = []
    for name, (script, note) in BROKEN_COMPILERS.items():
        compiler = place.compiler("broken", script)
        begin = time.monotonic()
        found, text = place.check("--generator", "native", "--compiler-time", "1" if "hangs" in name else "60", CC=compiler)
        if found != expected:
            problems.append(f"a compiler that {name}: {found}, expected {expected}")
        if note not in text or "virtual machine" not in text:
            problems.append(f"a compiler that {name}: no note '{note}' in: {text}")
        if time.monotonic() - begin > 60:
            problems.append(f"a compiler that {name} takes {time.monotonic() - begin:.0f} s")
    found, text = place.check("--generator", "native", CC="no-such-compiler-of-cmc")
    if found != expected or "no C compiler" not in text:
        problems.append(f"no compiler: {found}: {text}")
    arguments = command_lines()
    if any(str(place.folder / "broken").encode() in each for each in arguments):
        problems.append("a compiler still runs")
    found, text = place.check("--generator", "auto", "-v", CC=place.compiler("never", f"touch {place.folder}/started"))
    if found != expected or (place.folder / "started").exists():
        problems.append("a compiler was started for a small model")
    if place.objects():
        problems.append(f"kept of broken compilers: {place.objects()}")
    return problems


def caches(place, expected):
    problems = []

    def expect(name, note, **environment):
        found, text = place.check("--generator", "native", "-v", **environment)
        if found != expected:
            problems.append(f"{name}: {found}, expected {expected}")
        if note not in text:
            problems.append(f"{name}: no note '{note}' in: {text}")

    expect("the first run", "were compiled in")
    if len(place.objects()) != 1:
        return problems + [f"kept: {place.objects()}"]
    kept = place.objects()[0]
    if stat.S_IMODE(kept.stat().st_mode) != 0o600 or stat.S_IMODE(kept.parent.stat().st_mode) != 0o700:
        problems.append("objects are open to others")
    expect("the second run", "kept by an earlier run")
    whole = kept.read_bytes()
    for name, content in {"half": whole[:len(whole) // 2], "empty": b"", "changed": whole[:5000] + b"x" + whole[5001:]}.items():
        kept.write_bytes(content)
        expect(f"an object that is {name}", "were compiled in")
    kept.chmod(0o644)
    expect("an object that others can read", "were compiled in")
    for mode in (0o777, 0o755):
        kept.parent.chmod(mode)
        expect(f"a folder with mode {mode:o}", "open to others")
        kept.parent.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(kept.parent, 65534, 65534)
        expect("a foreign folder", "belongs to somebody else")
        os.chown(kept.parent, 0, 0)
        os.chown(place.cache, 65534, 65534)
        expect("a folder below a foreign folder", f"'{place.cache}' belongs to somebody else")
        os.chown(place.cache, 0, 0)
    place.cache.chmod(0o777)
    expect("a folder below one that others may write to", f"'{place.cache}' is open to others")
    place.cache.chmod(0o1777)
    expect("a folder below one that is as /tmp", "kept by an earlier run")
    place.cache.chmod(0o700)
    link = place.folder / "link"
    link.symlink_to(place.cache)
    expect("a folder below a link", "kept by an earlier run", XDG_CACHE_HOME=str(link))
    shutil.rmtree(place.cache)
    place.cache.write_text("a file")
    expect("a file instead of a folder", "not kept")
    place.cache.unlink()
    expect("no home", "no home directory", XDG_CACHE_HOME="", HOME="")
    expect("a folder that cannot be written", "not kept", XDG_CACHE_HOME="/proc/self")
    several = [subprocess.Popen([place.cmc, "check", "-q", "--generator", "native", str(place.model)],
                                env={**os.environ, "XDG_CACHE_HOME": str(place.cache)}, stdout=subprocess.DEVNULL)
               for _ in range(4)]
    if len({each.wait(SECONDS) for each in several}) != 1 or len(place.objects()) != 1:
        problems.append("four runs at once")
    return problems


def left_code(place):
    problems = []

    def compile_model(*options, **environment):
        return subprocess.run([place.cmc, "compile", str(place.model), *options], env={**os.environ, **environment}, capture_output=True,
                              text=True, timeout=SECONDS, check=False)

    folder = place.folder / "left/code"
    run = compile_model("-o", str(folder))
    if run.returncode != 0 or sorted(each.name for each in folder.glob("*")) != ["model.c", "model.so"]:
        problems.append(f"cmc compile: {run.returncode} {run.stdout}{run.stderr} {list(folder.glob('*'))}")
    elif "model.pml:6: board[2] = " not in (folder / "model.c").read_text():
        problems.append("model.c does not name the lines of the model")
    run = compile_model("-o", str(place.folder / "unmade"), CC=place.compiler("wrong", "echo broken >&2; exit 1"))
    if run.returncode != 2 or "broken" not in run.stderr or not (place.folder / "unmade/model.c").exists():
        problems.append(f"a compiler that fails: {run.returncode} {run.stderr}")
    for options, note in (((), "-o FOLDER"), (("-o", str(place.model)), "cannot make the folder"),
                          (("-o", str(folder), "--program"), "no external channel")):
        run = compile_model(*options)
        if run.returncode != 2 or note not in run.stderr:
            problems.append(f"cmc compile {options}: {run.returncode} {run.stderr}")
    return problems


def main():
    if shutil.which(os.environ.get("CC", "cc").split()[0]) is None:
        print("there is no C compiler")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, str(pathlib.Path(sys.argv[1]).resolve()))
        expected, _ = place.check("--generator", "vm")
        problems = [] if isinstance(expected, tuple) else [f"the virtual machine: {expected}"]
        problems += compilers(place, expected) + caches(place, expected) + left_code(place)
    for line in problems:
        print(line)
    print(f"native code: {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
