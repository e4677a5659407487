#!/usr/bin/env python3
"""Compares cmc with SPIN's verifier, one after the other on this machine: CPU time and memory for the same work.

Both explore every state and count every error. README.md in this folder says what is measured and how it is kept fair.
Exit code 1 if cmc and the unreduced verifier disagree on states, transitions or errors, or if one of them fails; 77
(ctest: skipped) if spin or gcc is missing.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "spin"))
import spin_counts  # noqa: E402

EXAMPLES = pathlib.Path("/usr/share/doc/spin/examples/Examples")  # Debian package spin
SKIPPED = 77
GOAL = 5  # cmc shall need this many times less CPU time and memory
MB = 1 << 20


@dataclass(frozen=True)
class Model:
    """pan: (depth needed, log2 of states) of the verifier without and with its reduction. Only a first guess that saves
    a run: a guess that does not fit is replaced by what the run reports."""
    name: str
    path: pathlib.Path
    defines: tuple = ()
    pan: tuple = (None, None)

    def arguments(self):
        return [*self.defines, str(self.path)]


def model(name, path, *defines, plain=None, reduced=None, root=ROOT):
    return Model(name, root / path, defines, (plain, reduced))


MODELS = [
    model("peterson4", "models/peterson/peterson4.pml", plain=(1653395, 24), reduced=(165342, 20)),
    model("peterson_busy", "models/peterson/peterson_busy.pml", "-DN=3", "-DINIT",
          plain=(39160, 18), reduced=(8767, 15)),
    model("leader7", "models/leader/leader.pml", "-DN=7", plain=(121, 19), reduced=(105, 16)),
    model("leader8", "models/leader/leader.pml", "-DN=8", plain=(138, 22), reduced=(120, 18)),
    model("lunar-e", "models/lunar/lunar-e.pml", "-DFLOWS=2", plain=(925, 19), reduced=(457, 19)),
    model("lunar-f", "models/lunar/lunar-f.pml", "-DFLOWS=2", plain=(888, 20), reduced=(444, 20)),
    model("lunar-g", "models/lunar/lunar-g.pml", "-DFLOWS=2", plain=(1177, 18), reduced=(601, 18)),
    model("lunar-h", "models/lunar/lunar-h.pml", "-DFLOWS=2", plain=(1282, 23), reduced=(651, 23)),
    model("bakery2", "models/classics/bakery.pml", "-DROUNDS=10", plain=(584, 20), reduced=(564, 20)),
    model("bakery3", "models/classics/bakery.pml", "-DN=3", "-DROUNDS=2", plain=(223, 22), reduced=(217, 20)),
    model("sliding_window", "models/classics/sliding_window.pml", "-DW=7", plain=(34563, 22), reduced=(12978, 19)),
    model("msi", "models/classics/msi.pml", "-DCACHES=9", plain=(10374830, 20), reduced=(6451020, 20)),
    model("philosophers", "models/classics/philosophers.pml", "-DN=9", plain=(1048125, 20), reduced=(780544, 20)),
    model("readers_writers", "models/classics/readers_writers.pml", "-DREADERS=7", "-DWRITERS=6",
          plain=(216847, 20), reduced=(183485, 20)),
    model("client_server", "models/features/client_server.pml", "-DCLIENTS=3", plain=(121744, 20), reduced=(91635, 19)),
    model("sieve", "models/features/sieve.pml", "-DMAX=30", "-DPRIMES=10", plain=(422, 21), reduced=(413, 17)),
    model("spin:leader", "LTL/leader.pml", root=EXAMPLES, plain=(183, 23), reduced=(157, 14)),
    model("spin:pftp", "LTL/pftp.pml", root=EXAMPLES, plain=(5780, 19), reduced=(1923, 16)),
    model("spin:p337", "Book_1991/p337.pftp.ses.pml", root=EXAMPLES, plain=(706, 19), reduced=(375, 16)),
    model("spin:p347", "Book_1991/p347.pftp.ses5.pml", root=EXAMPLES, plain=(1941, 18), reduced=(1119, 16)),
    model("spin:cambridge", "cambridge.pml", root=EXAMPLES, plain=(17117, 21), reduced=(8770, 19)),
    model("spin:dtp", "dtp.pml", root=EXAMPLES, plain=(545, 18), reduced=(323, 16)),
    model("spin:sort", "sort.pml", root=EXAMPLES, plain=(202, 20), reduced=(155, 10)),
    # Made to be bad for a checker that remembers steps (all but sliding_puzzle).
    model("pancakes", "bench/models/pancakes.pml", "-DN=10", plain=(3628800, 22), reduced=(3628800, 22)),
    model("sandpile", "bench/models/sandpile.pml", "-DGRAINS=68", plain=(90, 22), reduced=(90, 22)),
    model("sliding_puzzle", "bench/models/sliding_puzzle.pml", "-DCOLUMNS=5",
          plain=(1651076, 21), reduced=(1651076, 21)),
    model("conveyor1", "bench/models/conveyor.pml", "-DPRODUCERS=3", plain=(4447547, 23), reduced=(290833, 21)),
    model("conveyor2", "bench/models/conveyor.pml", "-DBELTS=2", "-DQSZ=6", plain=(1478670, 20), reduced=(204787, 20)),
    model("swarm", "bench/models/swarm.pml", "-DTASKS=20", "-DROUNDS=1", plain=(213, 22), reduced=(131, 22)),
    model("swarm-shared", "bench/models/swarm.pml", "-DTASKS=20", "-DROUNDS=1", "-DSHARED",
          plain=(213, 22), reduced=(131, 22)),
    # Processes that talk by rendezvous only.
    model("assembly_line", "bench/models/assembly_line.pml", plain=(262, 21)),
    model("brp", "bench/models/brp.pml", "-DCHUNKS=6", "-DRETRIES=4", "-DDATA=4", plain=(7834, 22)),
    model("token_ring", "bench/models/token_ring.pml", "-DPRIORITIES=3", plain=(94891, 20)),
    model("franklin", "bench/models/franklin.pml", plain=(164, 20)),
    model("link_layer", "bench/models/link_layer.pml", "-DNODES=3", plain=(138702, 20)),
    model("store", "bench/models/store.pml", "-DKEYS=1", plain=(429, 22)),
    # One process that looks at everything (stack_machine: at three numbers).
    model("pegs", "bench/models/pegs.pml", "-DSIDE=5", plain=(23, 20)),
    model("pocket_cube", "bench/models/pocket_cube.pml", plain=(3271238, 22)),
    model("stack_machine", "bench/models/stack_machine.pml", "-DDEPTH=5", "-DMODULUS=16", plain=(133707, 19)),
    # On which reductions did not pay, or must: independent jobs, rendezvous between local steps, locks with local work.
    model("jobs", "bench/models/jobs.pml", plain=(143, 20), reduced=(89, 13)),
    model("remote_calls", "bench/models/remote_calls.pml", plain=(239, 20), reduced=(136, 12)),
    model("fast_mutex", "bench/models/fast_mutex.pml", plain=(140869, 20), reduced=(8731, 17)),
    model("gossip", "bench/models/gossip.pml", plain=(198, 21)),
    model("workers", "bench/models/workers.pml", plain=(273, 23), reduced=(165, 12)),
    model("late_jobs", "bench/models/late_jobs.pml", plain=(330, 21), reduced=(330, 21)),
]
SMOKE_MODELS = [
    model("philosophers", "models/classics/philosophers.pml"),
    model("swarm", "bench/models/swarm.pml", "-DTASKS=5"),
]


@dataclass(frozen=True)
class Program:
    """What is measured. threads: of cmc; spin_flags, defines: of the verifier."""
    key: str
    title: str
    threads: int = 0
    spin_flags: tuple = ()
    defines: tuple = ()
    reduced: bool = False

    @property
    def is_cmc(self):
        return self.threads > 0


CORES = len(os.sched_getaffinity(0))
CMC = Program("cmc", "cmc, 1 thread", threads=1)
CMC_THREADS = Program("cmc_threads", f"cmc, {CORES} threads", threads=CORES)
PAN_COMMON = ("-DSAFETY", "-DNOFAIR", "-DNOCLAIM")
PLAIN_FLAGS = tuple(spin_counts.SPIN_FLAGS)
PAN = Program("pan", "pan", spin_flags=PLAIN_FLAGS, defines=("-DNOREDUCE",))
PAN_COLLAPSE = Program("pan_collapse", "pan -DCOLLAPSE", spin_flags=PLAIN_FLAGS, defines=("-DNOREDUCE", "-DCOLLAPSE"))
PAN_REDUCED = Program("pan_reduced", "pan, reduced", spin_flags=("-a",), reduced=True)
PROGRAMS = [CMC, PAN, PAN_COLLAPSE, PAN_REDUCED] + ([CMC_THREADS] if CORES > 1 else [])

SMALL_DEPTH, SMALL_TABLE = 100, 10  # of the verifier of a trivial model; no table is smaller
FIRST_DEPTH, LARGEST_DEPTH = 4_000_000, 400_000_000


class Failure(Exception):
    """A run without a result. limit: it hit the time or memory limit, which is a result of its own."""

    def __init__(self, text, limit=False):
        super().__init__(text)
        self.limit = limit


def say(text):
    print(text, file=sys.stderr, flush=True)


# -- running ----------------------------------------------------------------------------------------------------------


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, pathlib.Path(folder)
        self.measure = self.folder / "measure"
        self.report = self.folder / "report"
        source = pathlib.Path(__file__).resolve().parent / "measure.c"
        self.tool("gcc", ["gcc", "-O2", "-o", str(self.measure), str(source)])

    def tool(self, stage, command, folder=None):
        code, output = spin_counts.run_tool(stage, command, folder or self.folder, 600)
        if code != 0:
            raise Failure(f"{stage} failed: {output[-500:]}")

    def measured(self, command, folder):
        """The output of a command and what it cost."""
        self.report.unlink(missing_ok=True)
        try:
            _, output = spin_counts.run_tool("run", [str(self.measure), str(self.report), *command], folder,
                                             self.args.timeout)
        except spin_counts.ToolError:
            raise Failure(f"> {self.args.timeout} s", limit=True) from None
        if not self.report.exists():
            raise Failure(f"could not be run: {output[-300:]}")
        status, user, system, peak, wall = self.report.read_text().split()
        cost = {"cpu_seconds": float(user) + float(system), "wall_seconds": float(wall),
                "peak_bytes": int(peak) * 1024}
        return os.waitstatus_to_exitcode(int(status)), output, cost

    def run_cmc(self, model, program):
        result_file = self.folder / "result.json"
        result_file.unlink(missing_ok=True)
        command = [self.args.cmc, "check", "-q", "--property", "safety", f"--json={result_file}", "--threads", str(program.threads),
                   "--reductions", "none", "--max-errors", "0", "--shorten", "0", "--memory", f"{self.args.memory}M", *model.arguments()]
        code, output, cost = self.measured(command, ROOT)
        if code not in (0, 1, 3) or not result_file.exists():
            raise Failure(f"cmc ended with {code}: {output[-300:]}")
        result = json.loads(result_file.read_text())
        if not result["complete"]:
            raise Failure(", ".join(reason["kind"] for reason in result["reasons"]), limit=True)
        run = {**cost, "states": result["states_stored"], "transitions": result["transitions"],
               "errors": result["error_count"], "depth": result["depth_reached"]}
        keys = result.get("keys")
        if keys:
            run["key_set_bytes"] = keys["set_bytes"]
            run["keys"] = {name: value for name, value in keys.items() if name != "components"}
        return run, {"run": shlex.join(command)}

    def build_pan(self, model, program):
        """A folder with the model and its verifier, and the commands that made it."""
        folder = self.folder / "pan"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(model.path.parent, folder)  # the model may include its neighbours
        spin = ["spin", *program.spin_flags, *model.defines, model.path.name]
        gcc = ["gcc", f"-O{self.args.optimize}", "-w", *PAN_COMMON, *program.defines, f"-DMEMLIM={self.args.memory}",
               "-o", "pan", "pan.c"]
        self.tool("spin", spin, folder)
        if not (folder / "pan.c").exists():
            raise Failure("spin made no verifier")
        self.tool("gcc", gcc, folder)
        return folder, {"spin": shlex.join(spin), "gcc": shlex.join(gcc)}

    def run_pan(self, folder, depth, table):
        command = ["./pan", f"-m{depth}", "-n", "-c0", f"-w{table}"]
        code, output, cost = self.measured(command, folder)
        report = spin_counts.parse_report(output)
        reached = re.search(r"depth reached (\d+)", output)
        if "max search depth too small" in output and reached:
            return None
        if "out of memory" in output or "MEMLIM bound" in output:
            raise Failure(f"> {self.args.memory} MB", limit=True)
        if not report["complete"] or not reached:
            raise Failure(f"pan ended with {code}: {output[-300:]}")
        return {**cost, "states": report["stored"], "transitions": report["transitions"], "errors": report["errors"],
                "vector_bytes": report["vector_bytes"], "depth": int(reached.group(1)), "depth_limit": depth,
                "table": table}, {"pan": shlex.join(command)}

    def run_pan_fitted(self, folder, guess):
        """A run whose depth limit and hash table fit: enough, and no more than the search needs."""
        depth, table = (fitting_depth(guess[0]), max(guess[1], SMALL_TABLE)) if guess else (FIRST_DEPTH, 22)
        while depth <= LARGEST_DEPTH:
            result = self.run_pan(folder, depth, table)
            if result is None:
                depth = max(FIRST_DEPTH, depth * 10)
                continue
            run, commands = result
            needed = fitting_table(run["states"])
            if depth <= run["depth"] * 1.5 + 10 and table == needed:
                return run, commands
            depth, table = fitting_depth(run["depth"]), needed
        raise Failure(f"deeper than {LARGEST_DEPTH} steps", limit=True)


def fitting_depth(reached):
    return reached * 5 // 4 + 5


def fitting_table(states):
    return max(SMALL_TABLE, math.ceil(math.log2(max(states, 1))))


# -- one model --------------------------------------------------------------------------------------------------------


def measure_model(bench, model, runs):
    """By program: its runs, median, commands; or what went wrong."""
    results = {}
    for program in PROGRAMS:
        entry = results[program.key] = {"commands": {}, "runs": []}
        say(f"  {program.title}")
        try:
            if program.is_cmc:
                for _ in range(runs):
                    run, commands = bench.run_cmc(model, program)
                    entry["runs"].append(run)
                    entry["commands"].update(commands)
            else:
                measure_pan(bench, model, program, runs, entry, results)
        except Failure as failure:
            entry["limit" if failure.limit else "failure"] = str(failure)
            say(f"    {failure}")
            continue
        except spin_counts.ToolError as error:
            entry["failure"] = error.stage
            say(f"    {error.stage} {error.text}")
            continue
        entry["median"] = median_of(entry["runs"])
    return results


def measure_pan(bench, model, program, runs, entry, results):
    folder, build_commands = bench.build_pan(model, program)
    entry["commands"].update(build_commands)
    guess = model.pan[program.reduced]
    sibling = results.get(PAN.key, {}).get("median")
    if sibling and not program.reduced:  # the same search
        guess = (sibling["depth"], fitting_table(sibling["states"]))
    while len(entry["runs"]) < runs:
        run, commands = bench.run_pan_fitted(folder, guess)
        entry["runs"].append(run)
        entry["commands"].update(commands)
        guess = (run["depth"], fitting_table(run["states"]))


def median_of(runs):
    """Medians of what varies, and what does not."""
    return {name: statistics.median_low([run[name] for run in runs]) if isinstance(value, (int, float)) else value
            for name, value in runs[0].items()}


def add_derived(results, baselines):
    """Bytes per state, and ratios to cmc with one thread."""
    base = results[CMC.key].get("median")
    for key, entry in results.items():
        median = entry.get("median")
        if not median:
            continue
        above = max(median["peak_bytes"] - baselines[key], 0)
        median["bytes_per_state"] = above / median["states"]
        if "key_set_bytes" in median:
            median["key_set_bytes_per_state"] = median["key_set_bytes"] / median["states"]
        if base:
            entry["ratio"] = {name: median[name] / base[name] if base[name] else None
                              for name in ("cpu_seconds", "peak_bytes", "bytes_per_state")}


def disagreements(model, results):
    """Everything that must be equal and is not, as sentences; and programs that failed."""
    found = []
    for program in PROGRAMS:
        failure = results[program.key].get("failure")
        if failure and program not in (PAN_COLLAPSE, PAN_REDUCED):
            found.append(f"{model.name}: {program.title} failed: {failure}")
        for run in results[program.key]["runs"][1:]:
            first = results[program.key]["runs"][0]
            found += [f"{model.name}: {program.title} found {run[n]} {n}, before {first[n]}"
                      for n in ("states", "transitions", "errors") if run[n] != first[n]]
    base = results[CMC.key].get("median")
    for program in (PAN, PAN_COLLAPSE, CMC_THREADS):
        other = results.get(program.key, {}).get("median")
        if base and other:
            found += [f"{model.name}: cmc has {base[name]} {name}, {program.title} {other[name]}"
                      for name in ("states", "transitions", "errors") if base[name] != other[name]]
    return found


def measure_baselines(bench, runs):
    """Peak memory of each program on a model that does nothing."""
    path = bench.folder / "trivial" / "trivial.pml"
    path.parent.mkdir()
    path.write_text("init { skip }\n")
    trivial = Model("trivial", path, (), ((SMALL_DEPTH, SMALL_TABLE),) * 2)
    baselines = {}
    for program in PROGRAMS:
        if program.is_cmc:
            peaks = [bench.run_cmc(trivial, program)[0]["peak_bytes"] for _ in range(runs)]
        else:
            folder, _ = bench.build_pan(trivial, program)
            peaks = [bench.run_pan(folder, SMALL_DEPTH, SMALL_TABLE)[0]["peak_bytes"] for _ in range(runs)]
        baselines[program.key] = statistics.median_low(peaks)
    return baselines


# -- report -----------------------------------------------------------------------------------------------------------


def output_of(command):
    try:
        return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True).stdout.strip()
    except OSError:
        return ""


def first_line(path, pattern=""):
    try:
        return next((line.strip() for line in open(path, encoding="utf-8") if re.search(pattern, line)), "")
    except OSError:
        return ""


def describe_machine(args):
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "cpu": first_line("/proc/cpuinfo", "^model name").partition(":")[2].strip() or platform.machine(),
        "cores": CORES,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "huge_pages": first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
        "load_average_before": os.getloadavg()[0],
        "versions": {
            "cmc": output_of([args.cmc, "--version"]),
            "source": output_of(["git", "describe", "--always", "--dirty"]),
            "spin": output_of(["spin", "-V"]),
            "gcc": output_of(["gcc", "--version"]).partition("\n")[0],
        },
    }


def number(value, digits=0):
    return f"{value:,.{digits}f}"


def cell(entry, name):
    """One figure of a program; the column of CPU seconds says why there is none."""
    median = entry.get("median")
    if not median:
        return entry.get("limit", "failed") if entry and name == "cpu_seconds" else "-"
    value = median.get(name)
    if value is None:
        return "-"
    if name == "peak_bytes":
        return number(value / MB, 1)
    return number(value, 0 if isinstance(value, int) else 1 if name.endswith("per_state") else 2)


def ratio_cell(entry, name):
    value = entry.get("ratio", {}).get(name)
    return "-" if value is None else f"{value:.3g}" if value >= 1 else f"{value:.2f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def short_of_goal(entry):
    return [f"{label} {ratio_cell(entry, name)}"
            for name, label in (("cpu_seconds", "CPU"), ("peak_bytes", "MB"), ("bytes_per_state", "bytes/state"))
            if entry.get("ratio", {}).get(name) is not None and entry["ratio"][name] < GOAL]


def markdown(report):
    machine = report["machine"]
    versions = machine["versions"]
    lines = [
        "# cmc and SPIN's verifier", "",
        f"{machine['date']}, {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['memory_bytes'] // MB:,} MB, Linux {machine['kernel']}, load {machine['load_average_before']:.1f}. "
        f"{versions['cmc']} ({versions['source']}), {versions['spin']}, {versions['gcc']}. "
        f"Medians of {report['settings']['runs']}.", "",
        "Every interleaving, every error: `cmc --threads 1` and `pan -DNOREDUCE`. B/state: peak memory above that of a "
        "trivial model, by states; set: cmc's set of keys alone. The last three columns say how many times as much pan "
        "needs.", "",
    ]
    rows, variants, short = [], [], []
    for name, model in report["models"].items():
        results = model["results"]
        cmc, pan = results[CMC.key], results[PAN.key]
        counts = cmc if "median" in cmc else pan
        rows.append([name, cell(counts, "states"), cell(counts, "transitions"), cell(counts, "errors")]
                    + [cell(cmc, column) for column in ("cpu_seconds", "peak_bytes", "bytes_per_state")]
                    + [cell(cmc, "key_set_bytes_per_state")]
                    + [cell(pan, column) for column in ("cpu_seconds", "peak_bytes", "bytes_per_state")]
                    + [ratio_cell(pan, column) for column in ("cpu_seconds", "peak_bytes", "bytes_per_state")])
        reduced, collapse, threads = (results.get(p.key, {}) for p in (PAN_REDUCED, PAN_COLLAPSE, CMC_THREADS))
        variants.append([name] + [cell(reduced, column) for column in ("states", "cpu_seconds", "peak_bytes")]
                        + [ratio_cell(reduced, column) for column in ("cpu_seconds", "peak_bytes")]
                        + [cell(collapse, column) for column in ("cpu_seconds", "peak_bytes", "bytes_per_state")]
                        + [ratio_cell(collapse, column) for column in ("cpu_seconds", "peak_bytes")]
                        + ([cell(cmc, "wall_seconds")]
                           + [cell(threads, column) for column in ("wall_seconds", "cpu_seconds", "peak_bytes")]
                           if threads else []))
        if short_of_goal(pan):
            short.append(f"- {name}: " + ", ".join(short_of_goal(pan)))
    lines += [table(["model", "states", "transitions", "errors", "cmc CPU s", "MB", "B/state", "set B/state",
                     "pan CPU s", "MB", "B/state", "CPU ×", "MB ×", "B/state ×"], rows), "",
              f"Short of {GOAL} times:" if short else f"All are {GOAL} times or more.", *short, "",
              "The same models with SPIN's partial-order reduction and its data-flow optimisations (fewer states: other "
              "work), with -DCOLLAPSE, and with all cores. × is again how many times as much as cmc with one thread.",
              "",
              table(["model", "reduced: states", "CPU s", "MB", "CPU ×", "MB ×", "collapse: CPU s", "MB", "B/state",
                     "CPU ×", "MB ×"] + (["cmc 1 thread: wall s", f"{CORES} threads: wall s", "CPU s", "MB"]
                                         if CORES > 1 else []), variants)]
    if report["disagreements"]:
        lines += ["", "**DISAGREEMENTS**", "", *("- " + text for text in report["disagreements"])]
    return "\n".join(lines) + "\n"


def pan_guesses(report):
    """For the table of models in this script: what fits."""
    for name, model in report["models"].items():
        guesses = {label: model["results"][program.key].get("median")
                   for label, program in (("plain", PAN), ("reduced", PAN_REDUCED))}
        print(name, ", ".join(f"{label}=({m['depth']}, {m['table']})" for label, m in guesses.items() if m))


# -- command line -----------------------------------------------------------------------------------------------------


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cmc", default=str(ROOT / "build" / "cmc"), help="the program (default build/cmc)")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of each program (default 3); medians count")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="models whose name contains one of these")
    parser.add_argument("--programs", nargs="+", choices=[program.key for program in PROGRAMS], metavar="PROGRAM",
                        help="only these, beside cmc and pan: " + ", ".join(program.key for program in PROGRAMS[2:]))
    parser.add_argument("--timeout", type=int, default=600, metavar="SECONDS", help="limit for each run (default 600)")
    parser.add_argument("--memory", type=int, default=12000, metavar="MB", help="limit for each run (default 12000)")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="write the tables there, not to stdout")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write everything there")
    parser.add_argument("--smoke", action="store_true", help="two tiny models, once, quickly: a test of this script")
    parser.add_argument("--list", action="store_true", help="list the models and stop")
    parser.add_argument("--guesses", type=pathlib.Path, metavar="FILE",
                        help="print what the table of models in this script should hold, from an earlier --json")
    args = parser.parse_args()
    if args.runs < 1:
        parser.error("--runs: at least 1")
    args.cmc = str(pathlib.Path(args.cmc).resolve())
    args.optimize = "3"
    if args.smoke:
        args.runs, args.optimize = 1, "0"
    return args


def select_models(args):
    models = SMOKE_MODELS if args.smoke else MODELS
    selected = [m for m in models if not args.only or any(name in m.name for name in args.only)]
    for missing in (m for m in selected if not m.path.is_file()):
        say(f"{missing.name}: {missing.path} is not installed")
    return [m for m in selected if m.path.is_file()]


def main():
    args = parse_arguments()
    if args.guesses:
        pan_guesses(json.loads(args.guesses.read_text()))
        return 0
    models = select_models(args)
    if args.list:
        print("\n".join(" ".join([m.name, *m.arguments()]) for m in models))
        return 0
    if not shutil.which("spin") or not shutil.which("gcc"):
        say("needs spin and gcc")
        return SKIPPED
    if not os.access(args.cmc, os.X_OK):
        say(f"{args.cmc}: no such program (--cmc)")
        return 2
    if not models:
        say("no such model (--list)")
        return 2

    if args.programs:
        PROGRAMS[:] = [program for program in PROGRAMS if program in (CMC, PAN) or program.key in args.programs]
    report = {"schema": "cmc.bench/1", "machine": describe_machine(args),
              "settings": {"runs": args.runs, "timeout_seconds": args.timeout, "memory_mb": args.memory},
              "programs": {program.key: program.title for program in PROGRAMS}, "models": {}, "disagreements": []}
    with tempfile.TemporaryDirectory(prefix="cmc-bench.") as folder:
        try:
            bench = Bench(args, folder)
            report["baseline_bytes"] = measure_baselines(bench, args.runs)
        except (Failure, spin_counts.ToolError) as error:
            say(f"a model that does nothing: {error}")
            return 1
        for each in models:
            say(each.name)
            results = measure_model(bench, each, args.runs)
            add_derived(results, report["baseline_bytes"])
            report["models"][each.name] = {"file": str(each.path), "defines": list(each.defines), "results": results}
            problems = disagreements(each, results)
            report["disagreements"] += problems
            for problem in problems:
                say(f"DISAGREEMENT: {problem}")
            write(args, report)  # after each model: a long run that is stopped keeps what it has
    if not args.markdown:
        print(markdown(report), end="")
    if report["disagreements"]:
        say("DISAGREEMENTS:\n  " + "\n  ".join(report["disagreements"]))
        return 1
    return 0


def write(args, report):
    if args.markdown:
        args.markdown.write_text(markdown(report), encoding="utf-8")
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
