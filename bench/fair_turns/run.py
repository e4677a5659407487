#!/usr/bin/env python3
"""CPU time of `cmc check` with default options until it says what is violated, beside SPIN's verifier, which is asked
for this property alone. README.md in this folder says more.

Usage: run.py --cmc PATH [--seconds S] [MODEL...]
Exit code 1 if a violation comes later than 0.1 s and three times pan's time; 77 (ctest: skipped) without spin or gcc.
"""

import argparse
import os
import pathlib
import re
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEAD = re.compile(r"/\* violated: (ltl (?P<ltl>\w+)|\w+)(; options: (?P<options>.*?))?( \*/)?\n")
SKIPPED = 77
AIM_SECONDS, AIM_RATIO = 0.1, 3
MEMORY = 4 << 30
TICK = 0.005  # seconds
# In the order of the report: a table of properties, what is said of an error, the verdict.
VIOLATED = re.compile(rb"an error was found|counterexample|violated|assertion failed|deadlock|acceptance cycle|non-progress cycle")


def head_of(path):
    match = HEAD.match(path.read_text())
    return match.group(1), match.group("ltl"), (match.group("options") or "").split()


def cpu_seconds(pid):
    """Of a running process and of its children that ended; 0: it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def until(words, pattern, seconds, folder):
    """CPU seconds until the output has the pattern, or None; ends the program then."""
    def prepare():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, preexec_fn=prepare, env=dict(os.environ, TMPDIR=str(folder)))
    os.set_blocking(process.stdout.fileno(), False)
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    output = b""
    while not pattern.search(output) and cpu_seconds(process.pid) < seconds:
        if selector.select(TICK):
            part = process.stdout.read()
            if part == b"":
                break
            output += part
    os.killpg(process.pid, signal.SIGKILL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    return usage.ru_utime + usage.ru_stime if pattern.search(output) else None


def pan(path, violated, claim, options, folder, seconds):
    shutil.copy(path, folder / "model.pml")
    subprocess.run(["spin", "-a", "model.pml"], cwd=folder, check=True, capture_output=True)
    fair = "--fairness" in options
    defines = ["-DNOREDUCE", *(["-DNP"] if violated == "np" else []), *(["-DNFAIR=3"] if fair else [])]
    defines += ["-DVECTORSZ=20000"]
    if violated == "safety" or violated == "trace":
        defines += ["-DNOCLAIM"]
    subprocess.run(["gcc", "-O2", "-w", *defines, "-o", "pan", "pan.c"], cwd=folder, check=True, capture_output=True)
    words = ["./pan", *{"np": ["-l"], "safety": [], "trace": []}.get(violated, ["-a"])]
    words += ["-N", claim] if claim else []
    words += ["-f"] if fair else []
    # As most people run it, and for errors that are deeper.
    for depth in (10_000, 1_000_000):
        spent = until([*words, "-w20", f"-m{depth}"], re.compile(rb"errors: [1-9]"), seconds, folder)
        if spent is not None:
            return spent
    return None


def shown(seconds):
    return "     -" if seconds is None else f"{seconds:6.2f}"


def compare(cmc, path, seconds):
    violated, claim, options = head_of(path)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        theirs = pan(path, violated, claim, options, folder, seconds)
        ours = until([cmc, "check", *options, str(path)], VIOLATED, seconds, folder)
        names = {"ltl": claim, "np": "non-progress", "safety": "safety", "accept": "accept"}
        alone = names.get("ltl" if claim else violated)
        single = None
        if alone and "--property" not in options:
            single = until([cmc, "check", *options, "--property", alone, str(path)], VIOLATED, seconds, folder)
    over = ours is None or ours > max(AIM_SECONDS, AIM_RATIO * (theirs or 0)) and (theirs is not None or ours > seconds)
    ratio = "-" if ours is None or theirs is None or max(ours, theirs) < 0.02 else f"{ours / max(theirs, 0.01):.1f}"
    print(f"{path.stem:<26} {shown(theirs)} {shown(ours)} {shown(single)} {ratio:>7}{'  over' if over else ''}", flush=True)
    return over


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmc", required=True)
    parser.add_argument("--seconds", type=float, default=60, help="CPU time that each program gets")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    if not shutil.which("spin") or not shutil.which("gcc"):
        return SKIPPED
    cmc = str(pathlib.Path(options.cmc).resolve())
    chosen = [path for path in sorted(HERE.glob("*.pml")) if not options.models or path.stem in options.models]
    print(f"{'model':<26} {'pan':>6} {'cmc':>6} {'alone':>6} {'ratio':>7}   CPU seconds until the violation")
    over = sum([compare(cmc, path, options.seconds) for path in chosen])
    print(f"{over} of {len(chosen)} take longer than {AIM_SECONDS} s and {AIM_RATIO} times pan's time")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
