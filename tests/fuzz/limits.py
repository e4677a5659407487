#!/usr/bin/env python3
"""Random runs of `cmc check` at and beyond their limits: memory, time, a tiny store, a full disk, signals.

Usage: limits.py --cmc PATH [--runs N] [--seed S] [--first I] [--jobs J] [--cache FOLDER] [--out FOLDER] [--shrink]

A run is wrong if
- it says "holds" or "violated" and a plain search (--engine simple --reductions none, no limits) or another run says
  the opposite;
- it ends with exit code 4, by a signal that nobody sent, or not at all;
- it exceeds --memory by more than 15 % + 8 MB, or ends more than 1 s after --time or a signal (times the load of the
  machine; such a run is repeated, and counts if it is too large or too late each time);
- it leaves files in the store, in the folder for temporary files or beside its results, or processes; after SIGKILL:
  if the next run leaves them;
- its JSON, trail or log is cut, is missing without a reason, or contradicts the exit code.
Each failure is printed with a shell command that does the same (signals: roughly); the models are kept in --out.
Exit code 1 if something was wrong. Run I of a seed is the same each time: --first I --runs 1.
"""

import argparse
import collections
import hashlib
import json
import multiprocessing
import os
import pathlib
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import limit_models

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from process_memory import peak_of  # noqa: E402

MB = 1 << 20
SIGNALS = {"KILL": 2, "TERM": 2, "INT": 1, "HUP": 1, "XCPU": 1}
VERDICTS = {0: "holds", 1: "violated", 3: "incomplete"}
# With exit code 2: options that do not go together, and a profile of what only the simple engine can search.
REFUSALS = ["--help` says more", "there is no profile: it is made by the fast engine"]
HANGS = 20  # seconds after the time limit
ORACLE_SECONDS = 8
SMALL_DISK = "4m"


@dataclass
class Run:
    """One call of cmc check. What can be left out to make a failure smaller is a list of options."""
    number: int
    model: limit_models.Model
    properties: list
    options: list = field(default_factory=list)  # of lists
    meaning: list = field(default_factory=list)  # options that change what is right
    memory: str = None
    seconds: float = None
    fairness: str = "none"
    outputs: list = field(default_factory=list)
    store: bool = False
    small_disk: bool = False
    file_blocks: int = None
    signal: str = None
    signal_after: float = 0


@dataclass
class End:
    """How a run ended."""
    code: int = 0
    hung: bool = False
    wall: float = 0
    cpu: float = 0
    peak: int = 0
    after_signal: float = None
    text: str = ""
    left: list = field(default_factory=list)
    result: dict = None
    trouble: list = field(default_factory=list)  # of outputs


# Drawing a run


def some(rng, options, most):
    return rng.sample(options, rng.randint(1, min(most, len(options))))


def store_options(rng):
    codec = rng.choice(["keys", "raw", "zlib", "diff", "sha1:16", "sha1:64", "sha1:160"])
    zlib = ["--zlib-level", str(rng.randint(1, 9))] if codec == "zlib" and rng.random() < 0.5 else []
    pages = [
        ["--lossy-capacity", rng.choice(["1", "2", "10", "200", "1000", "10K"])],
        ["--partitions", rng.choice(["1", "2", "4", "32", "64", "4096"])],
        ["--page-size", rng.choice(["512", "4K", "64K", "1M"])],
        ["--io", rng.choice(["buffered", "direct", "buffered-async", "direct-async"])],
        ["--lookup-buffer", rng.choice(["1", "10", "1000", "100K"])]]
    beyond = rng.choice(["auto", "cached", "sorted"])
    if beyond == "sorted":
        return [["--beyond", beyond], *some(rng, pages, 4)]
    return [["--beyond", beyond]] * (rng.random() < 0.5) + some(rng, pages + [
        ["--bloom-bits", rng.choice(["1", "64", "4K", "64K", "1M"])],
        ["--bloom-hashes", str(rng.randint(1, 8))],
        ["--page-codec", codec, *zlib],
        ["--reclaim-ahead", rng.choice(["1", "10", "10%", "100%"])],
        ["--evaluator", rng.choice(["age", "incoming", "outgoing", "combined"])]], 5)


def search_options(rng):
    if rng.random() < 0.06:
        return [["--engine", "simple"]]
    reductions = ["none", "por", "merge", "dead-variables", "symmetry", "all", "por,merge", "por-queue"]
    options = [["--threads", str(rng.randint(1, 3))]]
    options += some(rng, [
        ["--search", rng.choice(["auto", "dfs", "bfs"])],
        ["--key-set", rng.choice(["normal", "compact"])],
        ["--memo", rng.choice(["64K", "1M", "16M"])],
        ["--cycles", rng.choice(["auto", "ndfs", "hull"])],
        ["--reductions", rng.choice(reductions)]], 4)
    return options


def meaning_options(rng):
    return rng.choice([[]] * 8 + [["-E"], ["--overflow", "error"], ["--steps", "statement"], ["--steps", "path"]])


def output_options(rng):
    shares = {"--log": 0.4, "--trail": 0.5, "--trace-json": 0.2, "--html": 0.1, "--itf": 0.1, "--svg": 0.1,
              "--mermaid": 0.1, "--profile": 0.1}
    return [[option, option[2:] + ".out"] for option, share in shares.items() if rng.random() < share]


def draw(rng, number, model, names):
    run = Run(number, model, [])
    if names and rng.random() < 0.6:
        run.properties = [rng.choice(names)]
    run.memory = rng.choice("6M 7M 8M 8500K 9M 9500K 10M 11M 12M 14M 16M 20M 24M 32M 48M 64M".split())
    run.seconds = round(rng.choice([0.05, 0.2, rng.uniform(0.05, 3)]), 2)
    run.fairness = "weak" if rng.random() < 0.35 else "none"
    run.meaning = meaning_options(rng)
    run.options = search_options(rng) + [["--max-errors", rng.choice(["0", "1", "2"])]] * (rng.random() < 0.4)
    run.options += [["--shorten", rng.choice(["0", "1", "5"])]] * (rng.random() < 0.3)
    run.options += [["--generator", "vm"]]  # A compiler needs more memory than these limits.
    run.outputs = [each for each in output_options(rng) if each[0] != "--profile" or run.properties == ["safety"]]
    if rng.random() < 0.1:
        run.options.append(["--no-store"])
    elif ["--engine", "simple"] not in run.options:
        nested = ["--cycles", "ndfs"] in run.options  # in RAM only, and without fairness
        run.fairness = "none" if nested else run.fairness
        run.options += store_options(rng) if not nested and rng.random() < 0.6 else []
        if ["--beyond", "sorted"] in run.options:
            run.options = [each for each in run.options if each[0] != "--search"]
        run.store = rng.random() < 0.6
        run.small_disk = run.store and rng.random() < 0.15
    if rng.random() < 0.15:
        run.file_blocks = rng.choice([1, 16, 100, 1000, 3000, 10000])
    if rng.random() < 0.25:
        run.signal = rng.choice([name for name, weight in SIGNALS.items() for _ in range(weight)])
        run.signal_after = round(rng.uniform(0.02, 1.2), 2)
    return run


# Running it


def model_arguments(model, path):
    return [f"-D{define}".replace("-D-D", "-D") for define in model.defines] + [str(path)]


def arguments(run, path, store):
    words = ["check"]
    for name in run.properties:
        words += ["--property", name]
    words += run.meaning + (["--fairness", "weak"] if run.fairness == "weak" else [])
    words += [word for option in run.options + run.outputs for word in option]
    words += ["--memory", run.memory] if run.memory else []
    words += ["--time", str(run.seconds)] if run.seconds else []
    words += ["--store", str(store)] if run.store else []
    return words + ["--json=result.json", *model_arguments(run.model, path)]


def shell_command(cmc, run, path):
    words = [str(cmc), *arguments(run, path, "S")]
    if run.signal:
        words = ["timeout", "-s", run.signal, str(run.signal_after), *words]
    line = shlex.join(words)
    if run.file_blocks:
        line = f"ulimit -f {run.file_blocks}; {line}"
    if run.small_disk:
        line = f"mkdir -p S; mount -t tmpfs -o size={SMALL_DISK} tmpfs S; {line}"
    return line


def processes_of(session):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            found.append(int(entry.name))
    return found


def start(words, folder, environment, file_blocks=None):
    def prepare():
        os.setsid()
        if file_blocks:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_blocks * 1024, file_blocks * 1024))
    with open(folder / "text", "wb") as text:
        return subprocess.Popen(words, cwd=folder / "out", env=environment, stdin=subprocess.DEVNULL, stdout=text,
                                stderr=text, preexec_fn=prepare)


def wait(process, run, end):
    """Sends the signal of the run, and waits."""
    begun = time.monotonic()
    signalled = None
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        now = time.monotonic() - begun
        if pid:
            break
        end.peak = max(end.peak, peak_of(process.pid))
        if run.signal and signalled is None and now >= run.signal_after:
            signalled = now
            process.send_signal(getattr(signal, "SIG" + run.signal))
        if now > (run.seconds or 5) + HANGS * load():
            end.hung = True
            process.kill()
        time.sleep(0.003 if now < 0.5 else 0.01)
    process.returncode = os.waitstatus_to_exitcode(status)
    end.code, end.wall = process.returncode, now
    end.after_signal = None if signalled is None else now - signalled
    end.cpu = usage.ru_utime + usage.ru_stime


def load():
    """How many times as long as alone a process may take."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Place:
    """A folder of one run, with its store, its temporary files and its outputs."""

    def __init__(self, run, path):
        self.run, self.path = run, path
        for name in ("store", "tmp", "out"):
            (path / name).mkdir(parents=True)
        self.environment = dict(os.environ, TMPDIR=str(path / "tmp"), XDG_CACHE_HOME=str(path / "cache"), LC_ALL="C")
        self.mounted = run.small_disk and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", path / "store"],
            capture_output=True).returncode == 0

    def left(self):
        return sorted(str(each.relative_to(self.path)) for name in ("store", "tmp")
                      for each in (self.path / name).iterdir())

    def strays(self):
        """Files beside the results that nobody asked for."""
        asked = {"result.json", *(file for _, file in self.run.outputs), "log.out.csv"}
        if "trail.out" in asked:
            asked |= {f"trail-{number}.out" for number in range(2, 100)}  # of further counterexamples
        return sorted("out/" + each.name for each in (self.path / "out").iterdir() if each.name not in asked)

    def remove(self):
        if self.mounted:
            subprocess.run(["umount", "-l", self.path / "store"], capture_output=True)
        shutil.rmtree(self.path, ignore_errors=True)


def run_again(cmc, place, path, end):
    """The next run after a killed one, with the same folders and names: what is still there after it?"""
    words = [cmc, *arguments(place.run, path, place.path / "store")]
    if "ndfs" in words:  # which goes with no option of the store
        del words[words.index("ndfs") - 1:words.index("ndfs") + 1]
    words[2:2] = ["--partitions", "1"] if place.run.store and "--partitions" not in words else []
    next_run = Run(place.run.number, place.run.model, [], seconds=place.run.seconds)
    wait(start(words, place.path, place.environment), next_run, End())
    end.left = place.left() + place.strays() if place.run.store else place.strays()


def read_json(file, end):
    try:
        return json.loads(file.read_text())
    except FileNotFoundError:
        return None
    except ValueError as error:
        end.trouble.append(f"{file.name} is cut: {error}")
        return None


def has_counterexample(end):
    properties = (end.result or {}).get("properties", [])
    return any(each["counterexample"] and each["counterexample"]["steps"] > 0 for each in properties)


def look_at_outputs(cmc, place, path, end):
    out = place.path / "out"
    end.result = read_json(out / "result.json", end)
    read_json(out / "trace-json.out", end)
    if read_json(out / "trail.out", end) is not None:
        replay = subprocess.run([cmc, "replay", "-q", path, out / "trail.out"], capture_output=True, text=True,
                                errors="replace", timeout=120)
        if replay.returncode != 1:
            end.trouble.append(f"the trail does not replay (exit code {replay.returncode}): {replay.stderr[-300:]}")
    if (out / "log.out").exists():
        shown = subprocess.run([cmc, "log", out / "log.out"], capture_output=True, text=True, errors="replace", timeout=120)
        if shown.returncode != 0:
            end.trouble.append(f"`cmc log` ends with {shown.returncode}: {(shown.stdout + shown.stderr)[-300:]}")
    killed = end.code == -signal.SIGKILL  # perhaps between one file and the next
    for option, file in place.run.outputs:
        if option == "--trail" and has_counterexample(end) and not (out / file).exists() \
                and not place.run.file_blocks and not killed:
            end.trouble.append("a counterexample, but no trail")
        if option in ("--html", "--svg") and (out / file).exists():
            if not (out / file).read_bytes().rstrip().endswith(b"</" + option[2:].encode() + b">"):
                end.trouble.append(f"{file} is cut")


def perform(cmc, run, path, folder):
    place = Place(run, folder)
    end = End()
    try:
        process = start([cmc, *arguments(run, path, folder / "store")], folder, place.environment, run.file_blocks)
        wait(process, run, end)
        end.text = (folder / "text").read_text(errors="replace")
        deadline = time.monotonic() + 2 * load()
        while (children := processes_of(process.pid)) and time.monotonic() < deadline:
            time.sleep(0.05)
        for child in children:
            end.left.append(f"process {child}")
            os.kill(child, signal.SIGKILL)
        look_at_outputs(cmc, place, path, end)
        if end.code == -signal.SIGKILL:
            run_again(cmc, place, path, end)
        else:
            end.left += place.left() + place.strays()
    finally:
        place.remove()
    return end


# Judging it


def bytes_of(text):
    return int(float(text[:-1]) * {"K": 1 << 10, "M": MB, "G": 1 << 30}[text[-1]])


def end_problems(run, end):
    if end.hung:
        yield "hangs", f"still ran {end.wall:.1f} s after its start"
        return
    sent = getattr(signal, "SIG" + run.signal) if run.signal else None
    if end.code == 4 or "internal error" in end.text or "CHECK failed" in end.text:
        yield "internal error", end.text.strip()[-400:]
    elif end.code < 0 and -end.code != sent:
        yield "died", f"signal {-end.code}: {end.text.strip()[-300:]}"
    elif end.code >= 128 and end.code - 128 != sent or end.code not in {0, 1, 2, 3} and 0 < end.code < 128:
        yield "exit code", str(end.code)
    elif end.code == 2 and not run.file_blocks and not run.small_disk and not any(text in end.text for text in REFUSALS):
        yield "exit code", f"2: {end.text.strip()[-300:]}"


def limit_problems(run, end):
    if run.memory and end.peak > 1.15 * bytes_of(run.memory) + 8 * MB:
        yield "memory", f"{end.peak / MB:.1f} MB with --memory {run.memory}"
    allowed = load()
    if run.seconds and end.wall > run.seconds + allowed and not end.hung:
        yield "time", f"{end.wall:.1f} s ({end.cpu:.1f} of CPU time) with --time {run.seconds}"
    if end.after_signal is not None and end.after_signal > allowed and not end.hung:
        yield "signal", f"ended {end.after_signal:.1f} s after SIG{run.signal}"


def output_problems(run, end):
    for text in end.trouble:
        yield "output", text
    if end.left:
        yield "left", ", ".join(end.left)
    if end.code not in VERDICTS:
        return
    if end.result is None:
        if not run.file_blocks:
            yield "output", f"no JSON, exit code {end.code}"
        return
    verdict, reasons = end.result["verdict"], end.result["reasons"]
    if verdict != VERDICTS[end.code]:
        yield "output", f"exit code {end.code}, JSON: {verdict}"
    if verdict == "holds" and (reasons or not end.result["complete"]):
        yield "verdict", f"holds, but {reasons or 'not complete'}"
    if verdict == "incomplete" and not reasons:
        yield "verdict", "incomplete without a reason"
    if verdict == "violated" and not end.result["errors"]:
        yield "verdict", "violated without an error"


def verdicts_of(run, end):
    if end.result is None or "properties" not in end.result:
        return {}
    return {each["name"]: each["verdict"] for each in end.result["properties"]
            if each["verdict"] in ("holds", "violated")}


class Oracle:
    """What a plain search says; answers are kept in a folder."""

    def __init__(self, cmc, folder):
        self.cmc, self.folder = cmc, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.program = hashlib.sha1(pathlib.Path(cmc).read_bytes()).hexdigest()

    def verdict(self, run, path, name):
        known = run.model.answers.get((name, run.fairness))
        if known and not run.meaning:
            return known
        words = ["check", "--engine", "simple", "--reductions", "none", "--shorten", "0", "--property", name, "-q",
                 "--time", str(ORACLE_SECONDS), "--memory", "2G", *run.meaning, "--fairness", run.fairness,
                 *model_arguments(run.model, path)]
        key = hashlib.sha1("\0".join([self.program, path.read_text(errors="replace"), *words]).encode()).hexdigest()
        kept = self.folder / key
        if not kept.exists():
            code = subprocess.run([self.cmc, *words], capture_output=True).returncode
            kept.write_text(VERDICTS.get(code, "unknown"))
        return kept.read_text()


def verdict_problems(oracle, run, end, path):
    for name, verdict in verdicts_of(run, end).items():
        right = oracle.verdict(run, path, name)
        if {verdict, right} == {"holds", "violated"}:
            yield "verdict", f"{name} ({run.fairness} fairness): {verdict}, but it is {right}"


def problems(oracle, run, end, path):
    found = [*end_problems(run, end), *limit_problems(run, end), *output_problems(run, end)]
    return found + list(verdict_problems(oracle, run, end, path))


# Many of them


class Judge:
    def __init__(self, options):
        self.options = options
        self.cmc = str(pathlib.Path(options.cmc).resolve())
        self.work = pathlib.Path(options.work)
        self.oracle = Oracle(self.cmc, pathlib.Path(options.cache or self.work / "answers"))
        self.tree = list(limit_models.of_tree())

    def model_of(self, rng):
        if rng.random() < 0.35:
            model = rng.choice(self.tree)
            return model, model.path
        model = limit_models.generated(rng.randrange(self.options.models))
        path = self.work / "models" / f"{model.name}.pml"
        if not path.exists():
            fresh = path.with_suffix(f".{os.getpid()}")
            fresh.write_text(model.text)
            fresh.rename(path)
        return model, path

    def names_of(self, model, path):
        shown = subprocess.run([self.cmc, "info", "--json", *model_arguments(model, path)], capture_output=True, text=True,
                               errors="replace")
        if shown.returncode != 0:
            return None
        return [each["name"] for each in json.loads(shown.stdout)["properties"]]

    def judge(self, run, path):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="run", dir=self.work))
        end = perform(self.cmc, run, path, folder)
        return end, problems(self.oracle, run, end, path)

    def confirmed(self, run, path, found):
        """Only what happens each time, of limits that a busy machine may exceed."""
        for _ in range(2):
            doubtful = [kind for kind, _ in found if kind in ("time", "signal", "memory", "hangs")]
            if not doubtful:
                break
            again = {kind for kind, _ in self.judge(run, path)[1]}
            found = [each for each in found if each[0] not in doubtful or each[0] in again]
        return found

    def shrink(self, run, path, kind):
        """Leaves out options one at a time as long as the same kind of failure is there."""
        def fails(smaller):
            return any(kind == other for _ in range(2) for other, _ in self.judge(smaller, path)[1])
        for name in ("signal", "file_blocks"):
            smaller = Run(**{**vars(run), name: None})
            run = smaller if getattr(run, name) and fails(smaller) else run
        for name in ("options", "outputs", "properties", "meaning"):
            for each in list(getattr(run, name)):
                smaller = Run(**{**vars(run), name: [other for other in getattr(run, name) if other is not each]})
                if name != "meaning" or len(run.meaning) == 1:
                    run = smaller if fails(smaller) else run
        return run

    def one(self, number):
        rng = random.Random(f"{self.options.seed}/{number}")
        names = None
        while names is None:
            model, path = self.model_of(rng)
            names = self.names_of(model, path)
        run = draw(rng, number, model, names + ["non-progress"] * (rng.random() < 0.1))
        end, found = self.judge(run, path)
        found = self.confirmed(run, path, found)
        if found and self.options.shrink:
            run = self.shrink(run, path, found[0][0])
        meaning = (str(path), model.defines, tuple(run.meaning), run.fairness)
        return number, end.code, found, self.kept_command(run, path) if found else None, meaning, verdicts_of(run, end)

    def kept_command(self, run, path):
        """The command, with a model that stays."""
        if self.work not in path.parents:
            return shell_command(self.cmc, run, path)
        out = pathlib.Path(self.options.out)
        out.mkdir(parents=True, exist_ok=True)
        return shell_command(self.cmc, run, shutil.copy(path, out / path.name))


JUDGE = None


def begin(options):
    global JUDGE
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    JUDGE = Judge(options)


def judge_one(number):
    return JUDGE.one(number)


class Opposites:
    """The first run that said "holds" or "violated" of each property."""

    def __init__(self):
        self.first = {}

    def add(self, number, meaning, verdicts):
        for name, verdict in verdicts.items():
            before, other = self.first.setdefault((meaning, name), (number, verdict))
            if other != verdict:
                yield "verdict", f"{meaning[0]} {name}: {verdict}, but {other} in run {before}"


def run_all(options):
    opposites, kinds, codes = Opposites(), collections.Counter(), collections.Counter()
    numbers = range(options.first, options.first + options.runs)
    with multiprocessing.Pool(options.jobs, begin, [options]) as pool:
        for number, code, found, command, meaning, verdicts in pool.imap_unordered(judge_one, numbers):
            codes[VERDICTS.get(code, f"exit code {code}")] += 1
            for kind, text in [*found, *opposites.add(number, meaning, verdicts)]:
                kinds[kind] += 1
                print(f"run {number}: {kind}: {text}", flush=True)
            if command:
                print(f"  {command}", flush=True)
    print(f"limits: {options.runs} runs: " + ", ".join(f"{count} {name}" for name, count in sorted(codes.items())))
    print("limits: " + (", ".join(f"{count} x {kind}" for kind, count in kinds.items()) or "nothing is wrong"))
    return 1 if kinds else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmc", required=True)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--models", type=int, default=130, help="number of generated models")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2), help="runs at the same time")
    parser.add_argument("--cache", help="folder that keeps the answers of plain searches")
    parser.add_argument("--out", default="limits-failed", help="folder for generated models of failures")
    parser.add_argument("--shrink", action="store_true", help="leave out options of a failing command that it does not need")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cmc-limits.") as options.work:
        (pathlib.Path(options.work) / "models").mkdir()
        return run_all(options)


if __name__ == "__main__":
    sys.exit(main())
