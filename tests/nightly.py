#!/usr/bin/env python3
"""The nightly ring: everything that takes too long for each change. `bootstrap.sh nightly` builds build/ and calls this.

Usage: nightly.py [PART...] [--list] [--all]

Of long comparisons a night takes the part of the day (support/part_of_day.py), so that a week has them all; with --all it
takes all. Runs the parts one after the other, each to its end, and keeps their output in build/nightly/PART.log. Prints a table
behind them: part, seconds, result. Exit code 1 if one has failed. A part that needs a program that is not installed is
skipped, which the table says.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/support"))
import part_of_day  # noqa: E402

BUILD = ROOT / "build"
LOGS = BUILD / "nightly"
DAY = part_of_day.DAY  # chooses seeds
JOBS = str(os.cpu_count() or 1)
COMPILER_BYTES = 2_500_000_000  # of one compiler, with sanitizers
FUZZED = sorted(path.stem.removeprefix("fuzz_") for path in (ROOT / "tests/fuzz").glob("fuzz_*.cc"))
SUBJECTS = ["never", "accept", "non-progress", "ltl", "por"]
THREADED = ["search", "storage", "keys"]
THREADED_CASES = "*threads*,*workers*,gate:*"  # of these programs
MODELS = [str(ROOT / "models" / name) for name in ("classics", "features", "properties", "ipc")]
PRECOMPILED = ["cmc_precompiled", "cmc_precompiled_pic", "cmc_precompiled_json"]  # headers that compile commands name
PRODUCT = ("base/", "ir/", "promela/", "checker/", "storage/", "solver-bridge/")
ON_DISK = ["--lossy-capacity", "200", "--lookup-buffer", "100"]
SORTED = [*ON_DISK, "--beyond", "sorted"]
# What is compiled once is not compiled again, also behind precompiled headers.
CCACHE = {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
          "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime"} if shutil.which("ccache") else {}


@dataclass
class Part:
    name: str
    what: str
    commands: list  # of lists of words
    environment: dict = field(default_factory=dict)
    needs: tuple = ()  # programs


def ctest(folder, *arguments):
    return ["ctest", "--test-dir", str(folder), "--output-on-failure", "-j", JOBS, "--timeout", "7200", *arguments]


def build(folder, *targets):
    by_memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // COMPILER_BYTES
    return ["cmake", "--build", str(folder), "-j", str(max(1, min(int(JOBS), by_memory))), *(["--target", *targets] if targets else [])]


def configure(preset):
    return ["cmake", "--preset", preset, "-S", str(ROOT), "-DCMC_JOINED=ON"]


def files_of_day():
    """A regular expression of them, for run-clang-tidy."""
    tracked = subprocess.run(["git", "ls-files", "*.cc"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    names = re.findall(r"(\w+)=(?:ram|cycles|disk)/\w+\.h", (ROOT / "CMakeLists.txt").read_text())
    engines = [f"build-clang-tidy/engines/{name}_1.cc" for name in names]
    files = part_of_day.of([*(file for file in tracked if file.startswith(PRODUCT)), *engines])
    return f"^{re.escape(str(ROOT))}/({'|'.join(map(re.escape, files))})$"


def parts():
    fuzz_seconds, runs, models_asked = (300, 1000, 2000) if part_of_day.WHOLE else (60, 150, 300)
    asan, tsan, tidy = (ROOT / f"build-{name}" for name in ("asan", "tsan", "clang-tidy"))
    models = [str(asan / "cmc"), "test", "--quiet", "--jobs", JOBS, *MODELS]
    threads = [str(tsan / "cmc"), "test", "--quiet", "--threads", "2", "--jobs", "1", *part_of_day.of(sorted(str(path) for folder in MODELS for path in pathlib.Path(folder).rglob("*.pml")))]
    difference = [str(BUILD / "random_diff"), "-j", JOBS, "--out", str(LOGS / "disagreements")]
    tests_of_day = [] if part_of_day.WHOLE else ["-I", f"{DAY % part_of_day.PARTS + 1},,{part_of_day.PARTS}"]
    seeds = 1_000_000 + DAY % 10_000 * 2_000
    return [
        Part("tests", f"what takes too long for each change, {part_of_day.text()}", [ctest(BUILD, "-L", "nightly")]),
        Part("asan", "unit tests of the day, and searches of models, with clang, AddressSanitizer and UndefinedBehaviorSanitizer",
             [configure("asan"), build(asan), ctest(asan, "-L", "unit", *tests_of_day),
              *([*models, *ways] for ways in ([], ["--reductions", "none"], ["--reductions", "por"], ["--engine", "simple"], SORTED))],
             {"UBSAN_OPTIONS": "print_stacktrace=1"}, needs=("clang++",)),
        Part("tsan", "searches with two threads, in memory and on disk, with ThreadSanitizer",
             [configure("tsan"), build(tsan, "cmc", *(f"tests_{name}" for name in THREADED)),
              *([str(tsan / f"tests_{name}"), THREADED_CASES] for name in THREADED),
              *([*threads, *ways] for ways in ([], ["--memo", "64K"], ["--search", "bfs"], ON_DISK, SORTED))],
             {"TSAN_OPTIONS": "halt_on_error=1"}),
        Part("clang-tidy", "clang-tidy over the product, and over the engines with keys of one word",
             [["cmake", "-S", str(ROOT), "-B", str(tidy), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMC_WERROR=ON",
               "-DCMAKE_CXX_COMPILER=clang++", "-DCMAKE_CXX_FLAGS=-Xclang -fno-pch-timestamp"], build(tidy, *PRECOMPILED),
              ["run-clang-tidy", "-quiet", "-p", str(tidy), "-j", JOBS, files_of_day()]],
             needs=("clang++", "run-clang-tidy")),
        Part("fuzz", f"libFuzzer, {fuzz_seconds} s for each target",
             [["sh", str(ROOT / "tests/fuzz/run.sh"), str(fuzz_seconds), name] for name in FUZZED], needs=("clang++",)),
        Part("limits", f"{runs} searches at their limits, seed {DAY}",
             [[sys.executable, "-B", str(ROOT / "tests/fuzz/limits.py"), "--cmc", str(BUILD / "cmc"), "--runs", str(runs), "--seed",
               str(DAY), "--out", str(LOGS / "limits")]]),
        Part("random", f"random models against SPIN, from seed {seeds}",
             [[*difference, "--from", str(seeds), "--to", str(seeds + models_asked)],
              *([*difference, "--subject", name, "--from", str(seeds), "--to", str(seeds + models_asked // 6)] for name in SUBJECTS)],
             needs=("spin", "tcc")),
        Part("python", "the wheel in an empty environment, with a notebook and type checkers",
             [[sys.executable, "-B", str(ROOT / "tests/python/wheel_test.py")]]),
        Part("mpich", "searches by several processes, with MPICH instead of Open MPI",
             [build(BUILD, "cmc-mpich"), ctest(BUILD, "-R", "^mpi: |random ranks")],
             {"CMC_MPIRUN": "mpirun.mpich", "CMC_MPI": str(BUILD / "mpich/cmc-mpi")}, needs=("mpicxx.mpich", "mpirun.mpich")),
        Part("mutants", "mistakes in the rules of reductions are found",
             [[sys.executable, "-B", str(ROOT / "tests/keys/mutants.py"), str(ROOT), "--part-of-day"]]),
    ]


def run(part):
    """The result as the table says it."""
    missing = [name for name in part.needs if shutil.which(name) is None]
    if missing:
        return f"skipped: {' and '.join(missing)} not installed"
    path = LOGS / f"{part.name}.log"
    failures = []
    with path.open("w") as log:
        for command in part.commands:
            print("$", *command, file=log, flush=True)
            done = subprocess.run(command, cwd=BUILD, env={**os.environ, **CCACHE, **part.environment}, stdin=subprocess.DEVNULL, stdout=log,
                                  stderr=subprocess.STDOUT)
            if done.returncode != 0:
                failures.append(f"{pathlib.Path(command[0]).name} (exit code {done.returncode})")
                if command[0] == "cmake":  # what is not built cannot run
                    break
    return f"FAILED: {', '.join(failures)}; see {path.relative_to(ROOT)}" if failures else "passed"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help="default: all")
    parser.add_argument("--list", action="store_true", help="print the parts and their commands")
    parser.add_argument("--all", action="store_true", help="not only the part of the day: all that a week has")
    arguments = parser.parse_args()
    if arguments.all:
        os.environ["CMC_PARTS"] = "all"
        part_of_day.WHOLE = True
    every = parts()
    unknown = set(arguments.parts) - {part.name for part in every}
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(part.name for part in every)}")
    chosen = [part for part in every if not arguments.parts or part.name in arguments.parts]
    if arguments.list:
        for part in chosen:
            print(f"{part.name}: {part.what}")
            for command in part.commands:
                print("   ", *(f"{name}={value}" for name, value in part.environment.items()), *command)
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    table = []
    for part in chosen:
        print(f"nightly: {part.name}: {part.what}", file=sys.stderr, flush=True)
        started = time.monotonic()
        result = run(part)
        table.append(f"{part.name:10} {time.monotonic() - started:8.0f}  {result}")
    print(f"{'part':10} {'seconds':>8}  result", *table, sep="\n")
    return 1 if any("FAILED" in row for row in table) else 0


if __name__ == "__main__":
    sys.exit(main())
