#!/usr/bin/env python3
"""Tables and plots of what bench_transactions has measured (result.csv), and whether the shapes are those of 2025.
Tables go to standard output as Markdown, plots to --out: SVG and the scripts for gnuplot.

    build/bench_transactions > result.csv; studies/transactions/study.py result.csv --out plots
"""
import argparse
import collections
import csv
import pathlib
import shutil
import statistics
import subprocess

SCHEMES = ("buffered", "snapshot", "mutex")
SCENARIOS = ("write", "read+write")
FIGURES = ("seconds", "collisions", "extra_us", "broken")


def read(path):
    """(scheme, scenario, sync, threads, files, iterations) -> figure -> values of all runs."""
    cells = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = (row["scheme"], row["scenario"], row["sync"] == "1", int(row["threads"]), int(row["files"]), int(row["iterations"]))
            for figure in FIGURES:
                cells[key][figure].append(float(row[figure]))
    return cells


def middle(values):
    return statistics.median(values)


def spread(values, digits):
    return f"{middle(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def table(cells):
    print("| scheme | scenario | synced | threads | files | iterations | seconds | collisions | extra, us an iteration | broken |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for (scheme, scenario, sync, *sizes), figures in cells.items():
        numbers = " | ".join(str(size) for size in sizes)
        print(f"| {scheme} | {scenario} | {'yes' if sync else 'no'} | {numbers} | {spread(figures['seconds'], 3)} | "
              f"{spread(figures['collisions'], 0)} | {spread(figures['extra_us'], 0)} | {spread(figures['broken'], 0)} |")


def shapes(cells):
    """Relations of the study of 2025, without syncs: yes or no, with the figures."""
    def value(figure, *key):
        return middle(cells[key][figure]) if key in cells else None

    plain = [key for key in cells if not key[2]]
    most = max(key[5] for key in plain)
    print("\nshapes, of medians, not synced:\n")
    slower = [key for key in plain if key[0] == "snapshot"]
    count = sum(value("seconds", *key) > value("seconds", "buffered", *key[1:]) for key in slower)
    print(f"- snapshot is slower than buffered in {count} of {len(slower)} cells")
    for figure in ("collisions", "extra_us"):
        for scheme in SCHEMES[:2]:
            for scenario in SCENARIOS:
                by_files = [value(figure, scheme, scenario, False, 4, files, most) for files in (1, 5, 10)]
                falls = by_files == sorted(by_files, reverse=True)
                print(f"- {figure}, {scheme}, {scenario}, 4 threads, 1, 5, 10 files: {', '.join(f'{v:.0f}' for v in by_files)}: "
                      f"{'falls' if falls else 'does not fall each time'}")
    for threads in (1, 2, 3, 4):
        ours, theirs = (value("seconds", scheme, "write", False, threads, 1, most) for scheme in ("buffered", "mutex"))
        print(f"- {threads} threads, only writes to one file, {most} iterations: buffered {ours:.3f} s, mutex {theirs:.3f} s: "
              f"{'faster' if ours < theirs else 'not faster'}")
    broken = {scheme: sum(sum(figures["broken"]) > 0 for key, figures in cells.items() if key[0] == scheme) for scheme in SCHEMES}
    print("- cells with a history that is not serialisable: " + ", ".join(f"{scheme} {count}" for scheme, count in broken.items()))


def plot(folder, name, title, label, series):
    """series: title -> (x, median, least, most) each."""
    for number, points in enumerate(series.values()):
        (folder / f"{name}.{number}.dat").write_text("".join(" ".join(map(str, point)) + "\n" for point in points))
    lines = ", ".join(f"'{name}.{number}.dat' using 1:2:3:4 with yerrorlines title '{each}'" for number, each in enumerate(series))
    script = (f"set terminal svg size 800,500\nset output '{name}.svg'\nset title '{title}'\nset xlabel '{label}'\nset logscale y\n"
              f"set key outside\nset xtics 1\nplot {lines}\n")
    (folder / f"{name}.gnuplot").write_text(script)
    if shutil.which("gnuplot"):
        subprocess.run(["gnuplot", f"{name}.gnuplot"], cwd=folder, check=True)


def plots(cells, folder):
    folder.mkdir(parents=True, exist_ok=True)
    most = max(key[5] for key in cells if not key[2])

    def points(figure, keys):
        # A logarithmic axis has no 0.
        return [(x, *(max(pick(cells[key][figure]), 0.1) if figure != "seconds" else pick(cells[key][figure]) for pick in (middle, min, max)))
                for x, key in keys if key in cells]

    for figure in ("seconds", "collisions", "extra_us"):
        series = {f"{scheme}, {scenario}": points(figure, [(threads, (scheme, scenario, False, threads, 1, most)) for threads in (1, 2, 3, 4)])
                  for scheme in SCHEMES for scenario in SCENARIOS if figure == "seconds" or scheme != "mutex"}
        plot(folder, f"threads_{figure}", f"{figure}, one file, {most} iterations, not synced", "threads", series)
    for figure in ("collisions", "extra_us"):
        series = {f"{scheme}, {scenario}": points(figure, [(files, (scheme, scenario, False, 4, files, most)) for files in (1, 5, 10)])
                  for scheme in SCHEMES[:2] for scenario in SCENARIOS}
        plot(folder, f"files_{figure}", f"{figure}, 4 threads, {most} iterations, not synced", "files", series)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="folder for plots")
    args = parser.parse_args()
    cells = read(args.result)
    table(cells)
    shapes(cells)
    if args.out:
        plots(cells, args.out)


if __name__ == "__main__":
    main()
