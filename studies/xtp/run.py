#!/usr/bin/env python3
"""The study of hand-written against generated programs (Thees, Gotzhein 1997), repeated with the protocol of models/xtp:
end-to-end times of messages in ping-pong, and states per second of searches of the same models. Prints tables as
Markdown; --out FOLDER keeps them with all figures (run.json) and a plot (figure5.gp, .svg if gnuplot is there).
Exit code 1 if a run failed or checkers disagree.
"""
import argparse
import json
import os
import pathlib
import platform
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAYLOADS = (10, 1000, 10000)
LIMITS = (10, 1000, 10000, 0)
BY_LENGTH = 0
DELAY_MS = 0.9
SEED_TABLE3 = {  # of 1997, ms: SandiaXTP by payload; EC and PET/DINGO by limit and payload
    "SandiaXTP": {("-", 10): 0.80, ("-", 1000): 1.52, ("-", 10000): 2.68},
    "EC": {(10, 10): 3.06, (1000, 10): 3.66, (1000, 1000): 6.74, (10000, 10): 10.2, (10000, 1000): 13.3,
           (10000, 10000): 37.6},
    "PET/DINGO": {(10, 10): 33.9, (1000, 10): 36.4, (1000, 1000): 39.4, (10000, 10): 81.7, (10000, 1000): 84.7,
                  (10000, 10000): 108.3},
}


class Failed(Exception):
    pass


def session(args, kind, payload, messages, repeats, real=False):
    """The JSON of one bench_xtp run with this kind of end on both sides."""
    command = [args.bench, "--models", str(ROOT / "models" / "xtp"), "--initiator", kind, "--responder", kind,
               "--repeats", str(repeats), "--set", f"messages={messages}", f"payload={payload}",
               f"delay_ms={DELAY_MS}", "timeout_ms=1000", *(["--real"] if real else [])]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit code {run.returncode}: {run.stderr.strip()} {run.stdout.strip()}")
    return json.loads(run.stdout)


def messages_for(kind, limit, quick):
    if quick:
        return 5
    if kind in ("hand", "bare"):
        return 20000
    cost = {"flat": 1, "layered": 5}[kind.split(":")[0]] * (30 if "reference" in kind else 1)
    return max(10, int(4000 / cost / (1 + limit / 50)))


def rows_of(args):
    """(name, kind, limit or '-'): the lines of the tables."""
    rows = [("hand-written", "hand", "-")]
    for model in ("flat", "layered"):
        for variant in args.variants:
            for limit in LIMITS:
                rows.append((f"{model}, {variant}", f"{model}:{variant}:{limit}", limit))
    return rows


def measure_processing(args):
    """ns of a message, end to end, without the network's delay: by (kind, payload)."""
    times = {}
    repeats = 1 if args.smoke else args.repeats
    for payload in PAYLOADS:
        times["bare", payload] = session(args, "bare", payload, messages_for("bare", 0, args.smoke), repeats)
    for _, kind, limit in rows_of(args):
        for payload in PAYLOADS:
            if limit == "-" or limit == BY_LENGTH or payload <= limit:
                count = messages_for(kind, 0 if limit == "-" else limit, args.smoke)
                times[kind, payload] = session(args, kind, payload, count, repeats)
    return times


def table(title, rows, value, unit="µs"):
    """Lines of a Markdown table like those of the study; `value(kind, payload)`: ns, or None."""
    base = value("hand", 10)
    lines = [f"**{title}**", "", "| program | limit | " + " | ".join(f"{p:,} B | relative" for p in PAYLOADS) + " |",
             "|---|---|" + "---|---|" * len(PAYLOADS)]
    for name, kind, limit in rows:
        cells = []
        for payload in PAYLOADS:
            ns = value(kind, payload)
            cells += ["–", "–"] if ns is None else [f"{ns / 1000:,.1f} {unit}", f"{ns / base:,.2f}"]
        lines.append(f"| {name} | {'by length' if limit == BY_LENGTH else limit} | " + " | ".join(cells) + " |")
    return lines + [""]


def seed_table():
    base = SEED_TABLE3["SandiaXTP"]["-", 10]
    lines = ["**The study's Table 3 (1997), relative**", "",
             "| program | limit | " + " | ".join(f"{p:,} B" for p in PAYLOADS) + " |", "|---|---|---|---|---|"]
    for name, cells in SEED_TABLE3.items():
        for limit in dict.fromkeys(limit for limit, _ in cells):
            values = [cells.get((limit, p)) for p in PAYLOADS]
            lines.append(f"| {name} | {limit} | " +
                         " | ".join("–" if v is None else f"{v / base:.1f}" for v in values) + " |")
    return lines + [""]


def measure_real(args):
    """Medians in real time, two processes: {payload: ns}, and ns of a context switch."""
    count = 20 if args.smoke else 300
    runs = {payload: session(args, "hand", payload, count, 1, real=True) for payload in PAYLOADS}
    switch = min(run["context_switch_ns"] for run in runs.values())
    return {payload: run["half_round_trip_ns"] for payload, run in runs.items()}, switch


def plot(folder, rows, times):
    """Figure 5 of the study: processing times over payloads, both axes logarithmic."""
    series = [(f"{name}, limit {'by length' if limit == BY_LENGTH else limit}" if limit != "-" else name, kind)
              for name, kind, limit in rows]
    lines = ["set terminal svg size 900,600", "set output 'figure5.svg'", "set logscale xy", "set key outside",
             "set xlabel 'payload (bytes)'", "set ylabel 'processing time, end to end (microseconds)'"]
    for number, (_, kind) in enumerate(series):
        lines.append(f"$data{number} << EOD")
        lines += [f"{p} {times[kind, p]['one_way_ns_least'] / 1000}" for p in PAYLOADS if (kind, p) in times]
        lines.append("EOD")
    lines.append("plot " + ", ".join(f"$data{number} using 1:2 with linespoints title '{name}'"
                                     for number, (name, _) in enumerate(series)))
    (folder / "figure5.gp").write_text("\n".join(lines) + "\n")
    if shutil.which("gnuplot"):
        subprocess.run(["gnuplot", "figure5.gp"], cwd=folder, check=True)


def cpu_of(command, folder=None):
    """(standard output, CPU seconds) of a program that has to succeed, or to find errors (exit code 1)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode not in (0, 1):
        raise Failed(f"{' '.join(map(str, command))}: exit code {run.returncode}: {run.stderr.strip()[-300:]}")
    return run.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def search_by_cmc(args, model, defines, options):
    command = [args.cmc, "check", str(model), *defines, "-q", "--json", "-", "--threads", "1", "--max-errors", "0",
               "--reductions", "none", *options]
    if "native" in options:
        cpu_of(command)  # leaves its code for the run that counts
    text, cpu = cpu_of(command)
    return json.loads(text)["states_stored"], cpu


def search_by_spin(model, defines):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["spin", "-a", "-o1", "-o2", "-o3", *defines, str(model)], cwd=folder, check=True,
                       capture_output=True)
        subprocess.run(["gcc", "-O3", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000", "-o", "pan", "pan.c"],
                       cwd=folder, check=True)
        text, cpu = cpu_of(["./pan", "-c0", "-n", "-m2000000", "-w20"], folder)
    states = [line.split()[0] for line in text.splitlines() if line.endswith("states, stored")]
    return int(float(states[0])), cpu


def search_table(args):
    cases = [("flat.pml", ["-DW=1", "-DMESSAGES=1"])] if args.smoke else [
        ("flat.pml", ["-DBURST"]), ("layered.pml", ["-DBURST", "-DNETWORK=1"])]
    programs = [(f"cmc, {variant}{' (kept code)' if variant == 'native' else ''}", lambda m, d, v=variant: search_by_cmc(args, m, d, ["--generator", v]))
                for variant in args.variants]
    programs.append(("cmc, vm, simple engine", lambda m, d: search_by_cmc(args, m, d, ["--engine", "simple"])))
    programs.append(("cmc, reference", lambda m, d: search_by_cmc(args, m, d, ["--generator", "reference"])))
    if shutil.which("spin") and not args.smoke:
        programs.append(("SPIN's verifier", search_by_spin))
    lines = ["**States per CPU second**", "", "| model | states | " + " | ".join(name for name, _ in programs) + " |",
             "|---|---|" + "---|" * len(programs)]
    for name, defines in cases:
        results = [run(ROOT / "models" / "xtp" / name, defines) for _, run in programs]
        if len({states for states, _ in results}) != 1:
            raise Failed(f"{name} {' '.join(defines)}: different numbers of states: {[s for s, _ in results]}")
        lines.append(f"| {name} {' '.join(defines)} | {results[0][0]:,} | " +
                     " | ".join(f"{states / max(cpu, 0.001):,.0f}" for states, cpu in results) + " |")
    return lines + [""]


def conditions(args):
    processor = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                      if line.startswith("model name")), platform.machine())
    return ["**Conditions**", "", f"- processor: {processor}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
            f"- system: {platform.system()} {platform.release()}",
            f"- network: delay {DELAY_MS} ms, no limit of its rate, no loss, no damage; window of 4 messages",
            f"- times: least of {1 if args.smoke else args.repeats} runs", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default=str(ROOT / "build" / "bench_xtp"), help="default build/bench_xtp")
    parser.add_argument("--cmc", default=str(ROOT / "build" / "cmc"), help="default build/cmc")
    parser.add_argument("--variants", nargs="+", default=["native", "vm"],
                        help="generators of the programs (default: native vm)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each kind (default 5)")
    parser.add_argument("--out", type=pathlib.Path, help="folder for run.json, tables.md and the plot")
    parser.add_argument("--smoke", action="store_true", help="a second; only tests the script")
    args = parser.parse_args()
    if args.smoke:
        global LIMITS, PAYLOADS
        LIMITS, PAYLOADS = (10, BY_LENGTH), (10,)
    try:
        rows = rows_of(args)
        times = measure_processing(args)
        real, switch_ns = measure_real(args)
        searches = search_table(args)
    except (Failed, subprocess.CalledProcessError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    def processing(kind, payload):
        return times[kind, payload]["one_way_ns_least"] if (kind, payload) in times else None
    def with_medium(kind, payload):
        ns = processing(kind, payload)
        return None if ns is None else ns + DELAY_MS * 1e6
    def separate(kind, payload):
        return real[payload] + 2 * switch_ns
    hand = [row for row in rows if row[1] == "hand"]
    lines = conditions(args)
    lines += table("Table 1: end to end, clients in processes of their own (measured with the client in the engine's "
                   f"process, plus two context switches of {switch_ns / 1000:.1f} µs)", hand, separate)
    lines += table("Table 2: end to end, client and engine in one process (virtual time: processing and delay)", rows,
                   with_medium)
    lines += table("in real time and two processes", hand, lambda kind, payload: real[payload])
    lines += table("Table 3: processing alone, end to end", rows, processing)
    lines += table("of these, users, network and loop without a protocol", [("bare", "bare", "-")],
                   lambda kind, payload: processing("bare" if kind == "bare" else "hand", payload))
    lines += seed_table() + searches
    print("\n".join(lines))
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "tables.md").write_text("\n".join(lines) + "\n")
        (args.out / "run.json").write_text(json.dumps({
            "format": "cmc.xtp/1", "runs": [{"kind": k, "payload": p, **v} for (k, p), v in times.items()],
            "real_half_round_trip_ns": real, "context_switch_ns": switch_ns}, indent=1) + "\n")
        plot(args.out, rows, times)
    return 0


if __name__ == "__main__":
    sys.exit(main())
