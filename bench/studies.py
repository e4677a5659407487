#!/usr/bin/env python3
"""The studies that docs/seeds.md repeats: measures them, keeps raw data and pictures in logs/, and makes the tables of
documents from these files.

    bench/studies.py measure            everything, about two hours on an idle machine with two cores; then the tables
    bench/studies.py measure latency    one or some of: latency, xtp, transactions, solver-overhead, searches
    bench/studies.py tables             only the tables, from the data that there are
    bench/studies.py check              exit code 1 if a table is not what the data say

A table stands between `<!-- studies: NAME -->` and `<!-- end -->`. A study without raw data leaves its tables alone.
Needs build/cmc, build/cmc-solverd and, of cmake -DCMC_BENCH=ON -DCMC_STUDIES=ON, the programs cmc-latency, bench_xtp,
bench_transactions and bench_solver_overhead; gnuplot for the pictures.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCUMENTS = ("docs/seeds.md", "docs/latency.md", "docs/transactions.md", "logs/README.md")
# The searches of logs/*.log: all parts of the store are set, and there is one thread, so that every figure but times and
# resident memory comes out again.
PARTS = "--threads 1 --search dfs --reductions none --bloom-hashes 3 --partitions 32 --page-size 16K --generator vm"
SEARCHES = {
    "lunar4": f"{PARTS} --steps statement --bloom-bits 8M --lossy-capacity 512K --lookup-buffer 16K models/lunar/lunar4.pml",
    "lunar-e": f"{PARTS} --steps statement --bloom-bits 16M --lossy-capacity 1M --lookup-buffer 32K -DFLOWS=2 "
               "models/lunar/lunar-e.pml",
    "leader10": f"{PARTS} --steps path --bloom-bits 8M --lossy-capacity 512K --lookup-buffer 16K -DN=10 -DSTAY "
                "models/leader/leader.pml",
    "peterson5": f"{PARTS} --steps path --bloom-bits 128M --lossy-capacity 16M --lookup-buffer 256K -DN=5 -DINIT -DLATE "
                 "models/peterson/peterson_busy.pml",
}
SMOKE_SEARCHES = {"leader4": f"{PARTS} --bloom-bits 64K --lossy-capacity 1K --lookup-buffer 256 -DN=4 models/leader/leader.pml"}


class Failed(Exception):
    pass


def module(path):
    """A script beside this one, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def conditions():
    processor = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                      if line.startswith("model name")), platform.machine())
    return {"date": time.strftime("%Y-%m-%d"), "processor": processor, "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.release()}", "load": os.getloadavg()[0]}


# --- measuring

def run(command, output=None):
    command = [str(each) for each in command]
    print("+", " ".join(command), *([">", str(output)] if output else []), flush=True)
    with open(output if output else os.devnull, "w") as file:
        done = subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()[-400:]}")


def keep_pictures(work, folder, names):
    for name in names:
        if (work / name).exists():
            shutil.copy(work / name, folder / name)


def measure_latency(args, folder, work):
    few = ["--samples", "1", "--rounds", "50", "--launches", "1"] if args.smoke else []
    run([args.build / "cmc-latency", "--out", work, *few])
    keep_pictures(work, folder, ["table.csv", "points.csv", "latency.json", *(f"{name}.svg" for name in
                                                                            ("means", "percentiles", "sizes"))])
    keep_pictures(work, folder, [path.name for path in work.glob("points-*.png")])


def measure_xtp(args, folder, work):
    few = ["--smoke"] if args.smoke else ["--repeats", "7"]
    run([sys.executable, "-B", ROOT / "studies/xtp/run.py", "--bench", args.build / "bench_xtp", "--cmc", args.build / "cmc",
         "--out", work, *few])
    keep_pictures(work, folder, ["run.json", "tables.md", "figure5.svg"])


def measure_transactions(args, folder, work):
    few = ["--runs", "2", "--scale", "200", "--sync-scale", "10"] if args.smoke else ["--runs", "5", "--scale", "3", "--sync-scale", "20"]
    where = "/dev/shm" if os.path.isdir("/dev/shm") else work
    run([args.build / "bench_transactions", "--folder", where, "--hold", "0.5", "5", *few], folder / "result.csv")
    run([sys.executable, "-B", ROOT / "studies/transactions/study.py", folder / "result.csv", "--out", work])
    keep_pictures(work, folder, [path.name for path in work.glob("*.svg")])


def measure_solver_overhead(args, folder, work):
    few = ["--repeats", "2"] if args.smoke else ["--full", "--repeats", "6"]
    program = args.build / "bench_solver_overhead"
    run([program, *few], folder / "result.csv")
    run([program, *few, "--modes", "in-process,ipc", "--wait", "block"], folder / "block.csv")
    run([sys.executable, "-B", ROOT / "bench/solver_overhead.py", folder / "result.csv", "--folder", work,
         "--markdown", folder / "tables.md"])
    keep_pictures(work, folder, ["averages.png", "ipc-chatty.png", "tcp-chatty.png"])


def measure_searches(args, folder, work):
    for name, options in (SMOKE_SEARCHES if args.smoke else SEARCHES).items():
        log = os.path.relpath(args.logs / f"{name}.log", ROOT)  # what is in the log is the same wherever the tree is
        run([args.build / "cmc", "check", *options.split(), "--log", log, f"--json={os.path.relpath(work / name, ROOT)}.json"])
        result = json.loads((work / f"{name}.json").read_text())
        (folder / f"{name}.json").write_text(json.dumps(
            {"arguments": options.split(), "states": result["states_stored"], "cpu_seconds": result["cpu_seconds"],
             "memory_peak_bytes": result["memory_peak_bytes"]}, indent=1) + "\n")
    run([args.build / "cmc", "log", "--plot", work, *(args.logs / f"{name}.log" for name in
                                                     (SMOKE_SEARCHES if args.smoke else SEARCHES))])
    keep_pictures(work, folder, [path.name for path in work.glob("*.png")])


MEASURES = {"latency": measure_latency, "xtp": measure_xtp, "transactions": measure_transactions,
            "solver-overhead": measure_solver_overhead, "searches": measure_searches}


def measure(args):
    for name in args.studies or MEASURES:
        folder = args.logs / name
        work = folder / "work"
        work.mkdir(parents=True, exist_ok=True)
        before, start = conditions(), time.monotonic()
        MEASURES[name](args, folder, work)
        shutil.rmtree(work)
        before["minutes"] = round((time.monotonic() - start) / 60, 1)
        (folder / "conditions.json").write_text(json.dumps(before, indent=1) + "\n")
        print(f"{name}: {before['minutes']} minutes, load {before['load']:.1f} at the beginning", flush=True)


# --- tables

def number(value, digits=2):
    """Two significant digits; whole numbers from 100 on have thousands separators."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 10 ** (digits - 1) else f"{rounded:g}"


def markdown(head, rows):
    ruler = "|".join("---" if index == 0 else "---:" for index in range(len(head)))
    return ["| " + " | ".join(head) + " |", f"|{ruler}|", *("| " + " | ".join(row) + " |" for row in rows)]


def under(where):
    return f"{where['date']}, {where['processor']}, {where['cores']} cores, {where['system']}, load {where['load']:.1f} at the beginning"


def latency_rows(folder):
    channels = json.loads((folder / "latency.json").read_text())["channels"]
    return {each["channel"]: each for each in channels if each["main"]}


def latency_relations(folder):
    rows = latency_rows(folder)

    def pair(first, second):
        return "; ".join(f"{rows[each]['rtt_mean_ns']:,.0f} (median {rows[each]['p50_ns']:,})" if each in rows else "-"
                         for each in (first, second))

    def ratio(first, second):
        if first not in rows or second not in rows:
            return "-"
        return (f"{number(rows[first]['rtt_mean_ns'] / rows[second]['rtt_mean_ns'])} "
                f"(medians {number(rows[first]['p50_ns'] / rows[second]['p50_ns'])})")

    order = [rows[each]["rtt_mean_ns"] for each in ("spin", "semaphore", "tcp", "zmq-tcp") if each in rows]
    return markdown(["relation", "2025, ns", "CMC, ns"], [
        ["spin lock, two threads; two processes", "292; 271", pair("spin threads", "spin")],
        ["semaphore, two threads; two processes", "6,462; 3,106", pair("semaphore threads", "semaphore")],
        ["ZeroMQ within a process; between two", "20,623; 29,340", pair("zmq inproc", "zmq ipc")],
        ["TCP; ZeroMQ over TCP", "17,645; 74,127 (containers)", pair("tcp", "zmq-tcp") + " (loopback interface)"],
        ["spin < semaphore < TCP < ZeroMQ over TCP", "yes", "yes" if order == sorted(order) and len(order) == 4 else "no"],
        ["semaphore : spin between processes", "11", ratio("semaphore", "spin")],
        ["ZeroMQ over TCP : TCP", "4.2", ratio("zmq-tcp", "tcp")],
    ])


def latency_table(folder):
    rows = []
    for name, each in latency_rows(folder).items():
        cells = [each[field] for field in ("rtt_mean_ns", "low_ns", "high_ns", "rtt_std_ns", "latency_ns", "p50_ns", "p99_ns")]
        rows.append([name, str(each["points"]), *(f"{cell:,.0f}" for cell in cells)])
    return markdown(["channel", "points", "RTT mean", "95 % low", "95 % high", "RTT std", "latency", "p50", "p99"], rows)


def xtp_figures(folder):
    data = json.loads((folder / "run.json").read_text())
    times = {(each["kind"], each["payload"]): each["one_way_ns_least"] for each in data["runs"]}
    hand = times["hand", 10]

    def relative(limit, payload=10):
        parts = [(f"{shape}, {what}", f"{shape}:{variant}:{limit}", payload) for shape in ("flat", "layered")
                 for variant, what in (("native", "native"), ("vm", "VM"))]
        found = [f"{number(times[kind, size] / hand)} ({name})" for name, kind, size in parts if (kind, size) in times]
        return "; ".join(found) if found else "-"

    def with_medium(kind):
        return f"{(times[kind, 10] + 0.9e6) / 1e6:.4f}" if (kind, 10) in times else "-"

    growth = number(times["hand", 10000] / hand) if ("hand", 10000) in times else "-"
    return markdown(["figure", "1997", "CMC"], [
        ["Table 3, 10 bytes, limit 10: hand-written = 1", "EC 3.8, PET/DINGO 42", relative(10)],
        ["the same 10 bytes with limit 10,000", "EC 12.8, PET/DINGO 102", relative(10000)],
        ["the same 10 bytes, payloads by length", "-", relative(0)],
        ["hand-written, 10,000 bytes", "3.4", growth],
        ["Table 2, with 0.9 ms of the medium", "1.70 ms, 3.96, 34.8",
         f"{with_medium('hand')} ms, {with_medium('flat:native:10')} (native), {with_medium('flat:vm:10')} (VM)"],
        ["Table 1, clients in processes of their own", "+ 2 × 0.47 ms", f"+ 2 × {data['context_switch_ns'] / 1000:.1f} µs"],
        ["Figure 5", "drawn", "drawn, `logs/xtp/figure5.svg`"],
        ["a message of 1,000 bytes: EC : UHH : DINGO", "1 : 3 : 7.5", "[mechanisms](xtp.md#mechanisms-and-a-forecast)"],
    ])


def solver_figures(folder):
    study = module(ROOT / "bench/solver_overhead.py")
    means = study.means_of(study.read_times(folder / "result.csv"))
    outliers = study.find_outliers(study.read_times(folder / "result.csv"))

    def mean(of, mode, kind="known"):
        points = study.of_kind(study.overheads(of, mode), kind)
        return sum(point.overhead for point in points) / len(points)

    def fit(mode):
        return study.fit_line(study.of_kind(study.overheads(means, mode), "known"))

    def counts(modes):
        return ", ".join(str(count) for count in study.fastest(means, modes).values())

    def before(modes):
        return f"{100 * study.fastest(means, modes[1:])[modes[1]] / len(means[modes[0]]):.1f} %"

    ipc, tcp = fit("ipc-chatty"), fit("tcp-chatty")
    predicates = len(means["in-process"])
    block = mean(study.means_of(study.read_times(folder / "block.csv")), "ipc")
    active = mean(means, "ipc")
    gain = 100 * (1 - active / block)
    many, one = study.COMPARED[1], study.COMPARED[0]
    pairs = sum(len(places) for places in means.values())
    return markdown(["figure", "thesis", "CMC"], [
        ["predicates, tests", "679, 53", f"{predicates}, {len({test for test, _ in means['in-process']})}"],
        ["requests a predicate", "20 to 286", "1; as a comparison 20 to 286"],
        ["overhead of one request, on average", "-", f"{active:.3f} ms (ipc), {mean(means, 'tcp'):.3f} ms (tcp)"],
        ["... without active waiting (`--solver-wait block`)", "-", f"{block:.3f} ms: active waiting {'saves' if gain >= 0 else 'costs'} {abs(gain):.0f} %"],
        ["overhead: slope", "0.03 ms a request", f"{ipc.slope:.3f} ms (ipc), {tcp.slope:.3f} ms (tcp)"],
        ["overhead: intercept", "-13.1 ms: the new architecture was faster below 438 requests",
         f"{ipc.intercept:+.2f} ms, {tcp.intercept:+.2f} ms"],
        ["fastest: in process, ipc, tcp", "172, 265, 242", f"{counts(many)} with many requests; {counts(one)} with one"],
        ["ipc before tcp", "53.8 %", f"{before(many)} with many requests, {before(one)} with one"],
        ["the first query of a test", "above the line: the server's start",
         f"above: {mean(means, 'ipc', 'start'):.1f} ms; the first question about a constraint {mean(means, 'ipc', 'prepare'):.1f} ms"],
        ["outliers", "one, two of four repeats took 4 s instead of 40 ms", f"{len(outliers)} of {pairs:,}"],
        ["Abb. 1, averages with errors", "drawn", "`logs/solver-overhead/averages.png`"],
        ["Abb. 2, overhead, fit, residuals with and without first queries", "drawn", "`ipc-chatty.png`, `tcp-chatty.png`"],
    ])


def transaction_cells(folder):
    study = module(ROOT / "studies/transactions/study.py")
    return study, study.read(folder / "result.csv")


def transaction_table(folder):
    study, cells = transaction_cells(folder)
    most = max(key[5] for key in cells if not key[2])
    rows = []
    for scenario in study.SCENARIOS:
        for files, threads in ((1, 1), (1, 2), (1, 3), (1, 4), (5, 4), (10, 4)):
            of = {scheme: cells[scheme, scenario, False, threads, files, most] for scheme in study.SCHEMES}

            def both(figure, of=of):
                return ", ".join(f"{study.middle(of[scheme][figure]):,.0f}" for scheme in study.SCHEMES[:2])

            lost = sum(value > 0 for value in of["snapshot"]["broken"])
            rows.append([scenario, str(files), str(threads), *(study.spread(of[scheme]["seconds"], 2) for scheme in study.SCHEMES),
                         both("collisions"), both("extra_us"), f"{lost} of {len(of['snapshot']['broken'])}"])
    return markdown(["scenario", "files", "threads", "buffered, s", "snapshot, s", "mutex, s", "collisions", "extra, us",
                     "snapshot lost commits"], rows)


def transaction_shapes(folder):
    study, cells = transaction_cells(folder)
    plain = [key for key in cells if not key[2]]
    most = max(key[5] for key in plain)

    def middle(figure, *key):
        return study.middle(cells[key][figure])

    snapshots = [key for key in plain if key[0] == "snapshot"]
    slower = sum(middle("seconds", *key) > middle("seconds", "buffered", *key[1:]) for key in snapshots)
    by_files = {figure: [middle(figure, "buffered", "write", False, 4, files, most) for files in (1, 5, 10)]
                for figure in ("collisions", "extra_us")}
    faster = [threads for threads in (2, 3, 4) if middle("seconds", "buffered", "write", False, threads, 1, most) <
              middle("seconds", "mutex", "write", False, threads, 1, most)]
    broken = sum(sum(cells[key]["broken"]) > 0 for key in cells if key[0] != "snapshot")
    return markdown(["shape (transactions held open for 0.5 to 5 ms)", "2025", "CMC"], [
        ["snapshot is slower than buffered", "in every cell", f"in {slower} of {len(snapshots)} cells"],
        ["collisions of 4 threads with 1, 5, 10 files", "fall", ", ".join(f"{each:,.0f}" for each in by_files["collisions"])],
        ["extra time of an iteration, likewise", "follows them", ", ".join(f"{each:,.0f} µs" for each in by_files["extra_us"])],
        ["only writes to one file: faster than a mutex", "with 2 and 3 threads",
         f"with {', '.join(map(str, faster))} threads" if faster else "never"],
        ["histories of buffered and mutex that are not serialisable", "-", str(broken)],
    ])


def search_table(folder):
    rows = []
    for path in sorted(folder.glob("*.json")):
        if path.name == "conditions.json":
            continue
        each = json.loads(path.read_text())
        rows.append([f"{path.stem}.log", f"`cmc check {' '.join(each['arguments'])}`", f"{each['states']:,}",
                     f"{each['cpu_seconds']:.1f}, {each['memory_peak_bytes'] / 2 ** 20:.1f} MB"])
    return markdown(["log", "command", "states", "CPU s, peak"], rows)


# Name of a table: the study whose data it is made of, and how.
TABLES = {"latency-relations": ("latency", latency_relations), "latency-run": ("latency", latency_table),
          "xtp": ("xtp", xtp_figures), "solver": ("solver-overhead", solver_figures),
          "transactions": ("transactions", transaction_table), "transaction-shapes": ("transactions", transaction_shapes),
          "searches": ("searches", search_table)}
BLOCK = re.compile(r"<!-- studies: ([\w-]+) -->\n(.*?)<!-- end -->\n", re.S)


def with_tables(text, logs):
    """The document with its tables as the data say; those without data stay."""
    def table(match):
        study, make = TABLES[match[1]]
        folder = logs / study
        if not (folder / "conditions.json").exists():
            return match[0]
        lines = make(folder) + ["", f"({under(json.loads((folder / 'conditions.json').read_text()))})"]
        return f"<!-- studies: {match[1]} -->\n" + "\n".join(lines) + "\n<!-- end -->\n"
    return BLOCK.sub(table, text)


def tables(args):
    wrong = []
    for name in DOCUMENTS:
        path = args.root / name
        text = path.read_text()
        made = with_tables(text, args.logs)
        if made == text:
            continue
        wrong.append(name)
        if args.command != "check":
            path.write_text(made)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["measure", "tables", "check"])
    parser.add_argument("studies", nargs="*", metavar="STUDY", help=f"of measure: {', '.join(MEASURES)} (default: all)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="where the programs are")
    parser.add_argument("--logs", type=pathlib.Path, default=ROOT / "logs", help="where the data go")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="where the documents are")
    parser.add_argument("--smoke", action="store_true", help="tiny repetitions: only tests the script")
    args = parser.parse_args()
    if unknown := set(args.studies) - set(MEASURES):
        parser.error(f"no studies: {', '.join(sorted(unknown))}")
    args.logs = args.logs.resolve()
    args.build = args.build.resolve()
    try:
        if args.command == "measure":
            measure(args)
        wrong = tables(args)
    except Failed as error:
        print(f"studies.py: {error}", file=sys.stderr)
        return 2
    for name in wrong:
        print(f"{name}: {'tables are not what the data in logs/ say; run bench/studies.py tables' if args.command == 'check' else 'tables made'}")
    return 1 if args.command == "check" and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
