#!/usr/bin/env python3
"""CPU time to the first error: `cmc check` with default options beside SPIN's verifier, on models that are violated.
README.md in this folder says what is measured.

Usage: run.py --cmc PATH [--runs N] [--seconds S] [--own] [--json FILE] [--pan-only] [NAME...]
Exit code 1 if a program does not find the error of one of the own models; 77 (ctest: skipped) without spin or gcc.
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import resource
import selectors
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXAMPLES = pathlib.Path("/usr/share/doc/spin/examples/Examples")  # Debian package spin
HEAD = re.compile(r"/\* violated: (ltl (?P<ltl>\w+)|(?P<kind>\w+))(; options: (?P<options>.*?))?( \*/)?\n")
EXPECT = re.compile(r"expect: violated(\((?P<kinds>[\w,-]+)\))?(?P<words>.*)")
SKIPPED = 77
AIM_RATIO, AIM_SECONDS = 2, 0.05
MEMORY = 6 << 30
PR_SET_CHILD_SUBREAPER = 36
DEPTHS = (1_000_000, 10_000_000)  # of the verifier: as most people run it, and where an error is deeper
ERROR = re.compile(rb"^pan:\d+: (.*?) \(at depth (\d+)\)", re.MULTILINE)
SLOWEST = 4  # wall seconds to CPU seconds, at most
# SPIN's examples in which its verifier finds an error within seconds: what is violated, the formula, and the models.
VIOLATED_EXAMPLES = [
    ("safety", "", "Book_1991/p101 Book_1991/p104.1 Book_1991/p105.1 Book_1991/p107 Book_1991/p108 Book_1991/p116 Book_1991/p117 "
     "Book_1991/p312 Book_1991/p319 Book_1991/p96.1 Book_1991/p97.1 Exercises/ex_1f Exercises/ex_3c Exercises/ex_4 "
     "for_select_example hajek life pathfinder sat snoopy test_mtype werkplaats LTL/salesman1"),
    ("accept", "", "Book_1991/p123 loops"),
    ("np", "", "Exercises/ex_5 LTL/mobile1 LTL/mobile2 hajek"),
    ("ltl", "invariant", "Exercises/ex_3a LTL/bakery"),
    ("ltl", "name", "LTL/ltl_always_eventually"),
    ("ltl", "bounded_bypass", "LTL/petersonN"),
    ("ltl", "p", "LTL/salesman2"),
    ("ltl", "p1", "LTL/zune"),
]


@dataclass(frozen=True)
class Case:
    """kind: what is violated, as in the head of a model."""
    name: str
    group: str
    path: pathlib.Path
    kind: str
    claim: str = ""
    defines: tuple = ()
    options: tuple = ()

    @property
    def asked(self):
        """Options of `cmc check`. Non-progress cycles are looked for only if they are asked for."""
        return (*self.options, *(("--property", "non-progress") if self.kind == "np" else ()))

    @property
    def fair(self):
        return "--fairness" in self.options


@dataclass
class Run:
    """cpu: with child processes; None: no error within the limit. length: of the counterexample."""
    cpu: float = None
    user: float = None
    wall: float = None
    length: int = None
    note: str = ""


# -- the models -------------------------------------------------------------------------------------------------------


def own_cases():
    for path in sorted(HERE.glob("*.pml")):
        head = HEAD.match(path.read_text())
        yield Case(path.stem, "own", path, head["kind"] or "ltl", head["ltl"] or "", (),
                   tuple((head["options"] or "").split()))


def shipped_cases():
    """The lines `expect: violated` of models that SPIN reads."""
    for path in sorted((ROOT / "models").rglob("*.pml")):
        if path.parent.name == "solver":
            continue
        for line in path.read_text().splitlines():
            expected = EXPECT.search(line)
            words = expected["words"].split() if expected else ()
            if not expected or {"solver", "only-cmc"} & set(words) or any(word.startswith("steps=") for word in words):
                continue
            defines = tuple(word for word in words if word.startswith("-D"))
            wanted = next((word.partition("=")[2] for word in words if word.startswith("property=")), "safety")
            options = ("--fairness", "weak") if "fairness=weak" in words else ()
            if wanted not in ("safety", "non-progress"):
                options += ("--property", wanted)
            kinds = {"safety": "safety", "non-progress": "np", "accept": "accept", "trace": "trace", "notrace": "notrace"}
            name = " ".join([str(path.relative_to(ROOT / "models"))[:-4], *defines, *options])
            yield Case(name, "models", path, kinds.get(wanted, "ltl"), "" if wanted in kinds else wanted, defines, options)


def example_cases():
    for kind, claim, names in VIOLATED_EXAMPLES:
        for name in names.split():
            path = EXAMPLES / f"{name}.pml"
            if path.is_file():
                yield Case(f"spin:{name}" + (f" {kind}" if kind == "np" else ""), "spin", path, kind, claim)


# -- running ----------------------------------------------------------------------------------------------------------


def reap_orphans():
    """Waits for what a program has left behind (its compiler): the CPU seconds that it took."""
    spent = 0
    while True:
        try:
            _, _, usage = os.wait3(0)
        except ChildProcessError:
            return spent
        spent += usage.ru_utime + usage.ru_stime


def measured(words, seconds, folder):
    """CPU (of which user) and wall seconds of a program with its children, and its output."""
    def prepare():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    environment = dict(os.environ, TMPDIR=str(folder), XDG_CACHE_HOME=str(folder / "cache"))
    started = time.monotonic()
    process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, preexec_fn=prepare, env=environment)
    os.set_blocking(process.stdout.fileno(), False)
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    output = b""
    last = started + SLOWEST * seconds  # the machine may have other work
    while time.monotonic() < last:
        if selector.select(0.05):
            part = process.stdout.read()
            if part == b"":
                break
            output += part or b""
    wall = time.monotonic() - started
    if time.monotonic() >= last:
        signal_group(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    signal_group(process.pid)
    orphans = reap_orphans()
    return (usage.ru_utime + usage.ru_stime + orphans, usage.ru_utime + orphans, wall), output


def signal_group(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Verifier:
    """SPIN's, generated and compiled in a folder of its own."""

    def __init__(self, case, folder):
        self.case, self.folder, self.depth = case, folder, DEPTHS[0]
        shutil.copytree(case.path.parent, folder, ignore=shutil.ignore_patterns("pan*", "*.trail"))
        self.failure = self.tool(["spin", "-a", *case.defines, case.path.name])
        text = case.path.read_text(errors="replace")
        safe = case.kind in ("safety", "trace", "notrace")
        defines = ["-DSAFETY"] if safe else ["-DNP"] if case.kind == "np" else []
        if safe and re.search(r"^\s*(ltl|never)\b", text, re.MULTILINE):
            defines.append("-DNOCLAIM")
        if case.fair:
            defines.append("-DNFAIR=3")
        failure = self.tool(["gcc", "-O2", "-w", *defines, "-DVECTORSZ=4096", "-o", "pan", "pan.c"])
        self.failure = failure and (self.failure or failure)
        self.words = ["./pan"] + ([] if safe else ["-l"] if case.kind == "np" else ["-a"]) + (["-f"] if case.fair else [])
        self.words += ["-N", case.claim] if case.claim and len(re.findall(r"^\s*ltl\b", text, re.MULTILINE)) > 1 else []

    def tool(self, words):
        run = subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        return (run.stdout + run.stderr)[-200:] or f"{words[0]} failed" if run.returncode else ""

    def run(self, seconds):
        if self.failure:
            return Run(note=self.failure)
        while True:
            spent, output = measured([*self.words, f"-m{self.depth}"], seconds, self.folder)
            found = ERROR.search(output)
            if found and b"errors: 0" not in output:
                return Run(*spent, int(found[2]), found[1].decode(errors="replace"))
            if b"max search depth too small" not in output or self.depth == DEPTHS[-1]:
                return Run(note="no error")
            self.depth = DEPTHS[DEPTHS.index(self.depth) + 1]


def run_cmc(cmc, case, more, seconds, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    result_file = folder / "result.json"
    words = [cmc, "check", f"--json={result_file}", *case.asked, *more, *case.defines, str(case.path)]
    spent, output = measured(words, seconds, folder)
    try:
        result = json.loads(result_file.read_text())
    except (OSError, json.JSONDecodeError):
        result = {}
    errors = [error for error in result.get("errors", []) if "kind" in error]  # not those of the model's text
    if not errors:
        return Run(note=" ".join(output.decode(errors="replace").split())[-120:])
    return Run(*spent, min((error["depth"] for error in errors if error.get("depth") is not None), default=None), errors[0]["kind"])


def median(values):
    """Of runs; None counts as the largest."""
    ordered = sorted(values, key=lambda value: (value is None, value))
    return ordered[len(ordered) // 2]


def of_runs(runs):
    return {"cpu": median([run.cpu for run in runs]), "user": median([run.user for run in runs]), "wall": median([run.wall for run in runs]),
            "length": median([run.length for run in runs]), "note": runs[-1].note}


def ratio(ours, theirs):
    if theirs is None:
        return None
    return float("inf") if ours is None else ours / (AIM_RATIO * theirs + AIM_SECONDS)


PROGRAMS = {"pan": None, "cmc": (), "vm": ("--generator", "vm")}


def compare(case, options, folder):
    """A row: medians of runs in turns."""
    verifier = Verifier(case, folder / "pan")
    runs = {name: [] for name in PROGRAMS}
    for _ in range(options.runs):
        for name, more in PROGRAMS.items():
            if runs[name] and runs[name][-1].cpu is None:
                continue  # once is enough
            if name == "pan":
                runs[name].append(verifier.run(options.seconds))
            elif not options.pan_only:
                runs[name].append(run_cmc(options.cmc, case, more, options.seconds, folder / "cmc"))
    row = {"name": case.name, "group": case.group, "violated": case.kind,
           **{name: of_runs(runs[name]) for name in PROGRAMS if runs[name]}}
    if not options.pan_only:
        row["ratio"], row["ratio_vm"] = (ratio(row[name]["cpu"], row["pan"]["cpu"]) for name in ("cmc", "vm"))
        row["ratio_user"] = ratio(row["cmc"]["user"], row["pan"]["user"])
    return row


# -- the report -------------------------------------------------------------------------------------------------------


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


HEADER = (f"{'model':<44} {'pan':>6} {'cmc':>6} {'wall':>6} {'vm':>6} {'ratio':>6} {'of vm':>6} {'user':>6} {'length':>8} {'cmc':>7}")


def line(row):
    cmc, vm = row.get("cmc", {}), row.get("vm", {})
    text = (f"{row['name']:<44} {number(row['pan']['cpu']):>6} {number(cmc.get('cpu')):>6} {number(cmc.get('wall')):>6} "
            f"{number(vm.get('cpu')):>6} {number(row.get('ratio')):>6} {number(row.get('ratio_vm')):>6} {number(row.get('ratio_user')):>6} "
            f"{row['pan']['length'] if row['pan']['length'] is not None else '-':>8} "
            f"{cmc['length'] if cmc.get('length') is not None else '-':>7}")
    for name in ("pan", "cmc"):
        if name in row and row[name]["cpu"] is None:
            text += f"  {name}: {row[name]['note'][:80]}"
    return text


def summary(rows):
    compared = [row for row in rows if row.get("ratio") is not None]
    if not compared:
        return []
    lines = []
    for group in ("own", "models", "spin", None):
        chosen = [row for row in compared if group in (row["group"], None)]
        if not chosen:
            continue
        within, within_vm = (sum(row[key] <= 1 for row in chosen) for key in ("ratio", "ratio_vm"))
        shorter = sum((row["cmc"]["length"] or 0) <= (row["pan"]["length"] or 0) for row in chosen)
        lines.append(f"{group or 'all':<7} {within} of {len(chosen)} within {AIM_RATIO} x pan + {AIM_SECONDS} s "
                     f"(vm: {within_vm}); median ratio {statistics.median(row['ratio'] for row in chosen):.2f} "
                     f"(vm: {statistics.median(row['ratio_vm'] for row in chosen):.2f}); "
                     f"counterexample not longer than pan's: {shorter}")
    worst = sorted(compared, key=lambda row: -row["ratio"])[:10]
    return [*lines, "worst ten: " + ", ".join(f"{row['name']} {row['ratio']:.1f}" for row in worst)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmc", default=str(ROOT / "build" / "cmc"))
    parser.add_argument("--runs", type=int, default=3, help="of each program, in turns (3)")
    parser.add_argument("--seconds", type=float, default=30, help="CPU time that each run gets (30)")
    parser.add_argument("--own", action="store_true", help="only the models of this folder")
    parser.add_argument("--pan-only", action="store_true", help="only SPIN's verifier: is each model violated?")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("names", nargs="*", metavar="NAME", help="models whose name contains one of these")
    options = parser.parse_args()
    if not shutil.which("spin") or not shutil.which("gcc"):
        return SKIPPED
    options.cmc = str(pathlib.Path(options.cmc).resolve())
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # a compiler that is left behind is counted, too
    cases = [*own_cases()] + ([] if options.own else [*shipped_cases(), *example_cases()])
    cases = [case for case in cases if not options.names or any(name in case.name for name in options.names)]
    rows = []
    print(HEADER, flush=True)
    for case in cases:
        with tempfile.TemporaryDirectory() as name:
            rows.append(compare(case, options, pathlib.Path(name)))
        print(line(rows[-1]), flush=True)
        if options.json:
            options.json.write_text(json.dumps({"schema": "cmc.first_error/1", "rows": rows}, indent=1) + "\n")
    print("\nsorted by cmc / (2 x pan + 0.05 s)\n" + HEADER)
    for row in sorted(rows, key=lambda row: -(row.get("ratio") or 0)):
        print(line(row))
    print("\n".join(summary(rows)))
    missed = [row["name"] for row in rows if row["group"] == "own" and any(row[each]["cpu"] is None for each in PROGRAMS if each in row)]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
