#!/usr/bin/env python3
"""What the solver bridge costs: statistics and plots of bench_solver_overhead's measurements.

Usage: solver_overhead.py RESULT.csv [--folder FOLDER] [--markdown FILE]

For every predicate and mode: mean and standard error of the mean over the repeats. The overhead is the difference of the
means of a mode and of the same predicate in process, with the combined error sqrt(e1^2 + e2^2). Two kinds of predicates
stand out and are told apart: query 1 of a worker contains its start, the first query about a constraint its preparation.
For the chatty modes a straight line (overhead over the number of requests) is fitted to the others, weighted by the
errors; residuals are plotted for all and for the others.

How often each mode was the fastest counts predicates by their means. An outlier is a predicate in a mode whose slowest
repeat took more than ten times, and 5 ms more than, the median. Plots need gnuplot.
"""

import argparse
import collections
import csv
import math
import pathlib
import shutil
import subprocess
import sys

Point = collections.namedtuple("Point", "test query first requests overhead error")
Line = collections.namedtuple("Line", "slope slope_error intercept intercept_error chi2 points")
Outlier = collections.namedtuple("Outlier", "test query mode requests times")
COMPARED = (("in-process", "ipc", "tcp"), ("in-process", "ipc-chatty", "tcp-chatty"))  # one request a predicate; many
WINDOW = 55  # predicates of a part that is drawn by itself


def mean_and_error(values):
    """Mean, and standard error of the mean (sigma / sqrt(n))."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, math.inf
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, math.sqrt(variance / len(values))


def read_times(path):
    """{mode: {(test, query): (first, requests, [ms])}}"""
    times = collections.defaultdict(dict)
    with open(path, newline="", encoding="utf-8") as file:
        lines = file.readlines()
        if not lines or not lines[-1].endswith("\n"):
            sys.exit(f"{path}: the last line is cut; remove it, or run the benchmark to its end")
        for row in csv.DictReader(lines):
            place = int(row["test"]), int(row["query"])
            of_place = times[row["mode"]].setdefault(place, (row["first"], int(row["requests"]), []))
            of_place[2].append(int(row["ns"]) / 1e6)
    return times


def means_of(times):
    """{mode: {(test, query): (first, requests, mean ms, error ms)}}"""
    return {mode: {place: (first, requests, *mean_and_error(values))
                   for place, (first, requests, values) in places.items()}
            for mode, places in times.items()}


def fastest(means, modes):
    """{mode: for how many predicates its mean is the smallest}"""
    counts = dict.fromkeys(modes, 0)
    for place in means[modes[0]]:
        counts[min(modes, key=lambda mode: means[mode][place][2])] += 1
    return counts


def find_outliers(times):
    outliers = []
    for mode, places in times.items():
        for (test, query), (_, requests, values) in places.items():
            if max(values) > max(10 * median(values), median(values) + 5):
                outliers.append(Outlier(test, query, mode, requests, values))
    return sorted(outliers, key=lambda outlier: -max(outlier.times))


def windows(means):
    """The first predicate of the part that takes the least in process, and of that which takes the most; there is
    only one part if there are few predicates."""
    base = [means["in-process"][place][2] for place in sorted(means["in-process"])]
    if len(base) <= 2 * WINDOW:
        return [0]
    sums = [sum(base[begin:begin + WINDOW]) for begin in range(len(base) - WINDOW + 1)]
    return [sums.index(min(sums)), sums.index(max(sums))]


def overheads(means, mode):
    points = []
    for place, (first, requests, mean, error) in sorted(means[mode].items()):
        _, _, base, base_error = means["in-process"][place]
        points.append(Point(*place, first, requests, mean - base, math.hypot(error, base_error)))
    return points


def fit_line(points):
    """Weighted least squares: overhead = slope * requests + intercept."""
    weights = [1 / max(point.error, 1e-6) ** 2 for point in points]
    s = sum(weights)
    sx = sum(w * p.requests for w, p in zip(weights, points))
    sy = sum(w * p.overhead for w, p in zip(weights, points))
    sxx = sum(w * p.requests**2 for w, p in zip(weights, points))
    sxy = sum(w * p.requests * p.overhead for w, p in zip(weights, points))
    determinant = s * sxx - sx * sx
    slope = (s * sxy - sx * sy) / determinant
    intercept = (sxx * sy - sx * sxy) / determinant
    chi2 = sum(w * (p.overhead - slope * p.requests - intercept) ** 2 for w, p in zip(weights, points))
    return Line(slope, math.sqrt(s / determinant), intercept, math.sqrt(sxx / determinant), chi2, len(points))


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def of_kind(points, first):
    return [point for point in points if point.first == first]


def write_points(path, points, line):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["test", "query", "first", "requests", "overhead_ms", "error_ms", "residual_ms"])
        for p in points:
            residual = p.overhead - (line.slope * p.requests + line.intercept if line else 0)
            writer.writerow([p.test, p.query, p.first, p.requests, f"{p.overhead:.6f}", f"{p.error:.6f}", f"{residual:.6f}"])


GNUPLOT = """
set datafile separator ','
set terminal pngcairo size 1000,1500
set output '{name}.png'
set multiplot layout 4,1 title '{name}: overhead of the bridge, weighted fit {slope:.4f} ms * requests + {intercept:.3f} ms'
set xlabel 'requests'; set ylabel 'overhead / ms'; set grid; set key top left
kind(a) = (strcol(3) eq a)
set yrange [{low}:{high}]  # the middle 98 %: outliers would press all others to the bottom
plot '{name}.csv' using 4:(kind('start') ? $5 : 1/0) every ::1 with points pt 7 ps 0.6 title 'query 1 of a worker', \\
     '{name}.csv' using 4:(kind('prepare') ? $5 : 1/0) every ::1 with points pt 7 ps 0.6 title 'new constraint', \\
     '{name}.csv' using 4:(kind('known') ? $5 : 1/0) every ::1 with points pt 7 ps 0.6 title 'others'
plot '{name}.csv' using 4:(kind('known') ? $5 : 1/0):6 every ::1 with yerrorbars pt 7 ps 0.4 title 'others', \\
     {slope} * x + {intercept} lw 2 title 'fit'
set ylabel 'residual / ms'
set yrange [{residual_low}:{residual_high}]
plot '{name}.csv' using 4:7:6 every ::1 with yerrorbars pt 7 ps 0.4 title 'residuals, all', 0 notitle
plot '{name}.csv' using 4:(kind('known') ? $7 : 1/0):6 every ::1 with yerrorbars pt 7 ps 0.4 title 'residuals, others', 0 notitle
unset multiplot
"""


def run_gnuplot(folder, name, text):
    script = folder / f"{name}.gnuplot"
    script.write_text(text, encoding="utf-8")
    if shutil.which("gnuplot"):
        subprocess.run(["gnuplot", script.name], cwd=folder, check=True)


def middle_range(values):
    """What 98 % of the values lie in, and a tenth more on both sides."""
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 100], ordered[-1 - len(ordered) // 100]
    margin = max(0.1 * (high - low), 1e-3)
    return low - margin, high + margin


def plot(folder, name, line, points):
    low, high = middle_range([point.overhead for point in points])
    residual_low, residual_high = middle_range([point.overhead - line.slope * point.requests - line.intercept
                                                for point in points if point.first == "known"])
    run_gnuplot(folder, name, GNUPLOT.format(name=name, slope=line.slope, intercept=line.intercept, low=low, high=high,
                                             residual_low=residual_low, residual_high=residual_high))


AVERAGES = """
set datafile separator ','
set terminal pngcairo size 1200,{height}
set output 'averages.png'
set multiplot layout {panels},1 title 'mean time of each predicate'
set xlabel 'predicate'; set ylabel 'time / ms'; set grid; set key top left; set logscale y
plot {all}
{parts}unset multiplot
"""


def plot_averages(folder, means):
    """All predicates, and parts of them with the standard errors of the means."""
    modes = COMPARED[1]
    with open(folder / "averages.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["predicate", "test", "query"] + [f"{mode}{of}" for mode in modes for of in ("_ms", "_error_ms")])
        for number, place in enumerate(sorted(means["in-process"]), start=1):
            cells = [f"{value:.6f}" for mode in modes for value in means[mode][place][2:]]
            writer.writerow([number, *place, *cells])
    columns = list(enumerate(modes))
    everything = ", ".join(f"'averages.csv' using 1:{4 + 2 * i} every ::1 with points pt 7 ps 0.5 title '{mode}'"
                           for i, mode in columns)
    parts = ""
    for begin in windows(means):
        bars = ", ".join(f"'averages.csv' using 1:{4 + 2 * i}:{5 + 2 * i} every ::1 with yerrorbars pt 7 ps 0.5 "
                         f"title '{mode}'" for i, mode in columns)
        parts += f"set xrange [{begin + 0.5}:{begin + WINDOW + 0.5}]\nplot {bars}\n"
    panels = 1 + len(windows(means))
    run_gnuplot(folder, "averages", AVERAGES.format(height=450 * panels, panels=panels, all=everything, parts=parts))


def fastest_table(means):
    lines = ["| compared | predicates | " + " | ".join(("in process fastest", "ipc fastest", "tcp fastest", "ipc before tcp")) + " |",
             "|---|---:|---:|---:|---:|---:|"]
    for modes in (each for each in COMPARED if all(mode in means for mode in each)):  # what was measured
        counts = fastest(means, modes)
        before = fastest(means, modes[1:])[modes[1]]
        total = len(means[modes[0]])
        cells = [f"{count} ({100 * count / total:.1f} %)" for count in (*counts.values(), before)]
        lines.append("| " + " | ".join([", ".join(modes), str(total), *cells]) + " |")
    return "\n".join(lines)


def outlier_table(outliers, most=10):
    if not outliers:
        return "No outliers."
    lines = [f"{len(outliers)} outliers, the largest ones:", "",
             "| test-query | mode | requests | median, ms | all repeats, ms |", "|---|---|---:|---:|---|"]
    for each in outliers[:most]:
        times = ", ".join(f"{value:.1f}" for value in each.times)
        lines.append(f"| {each.test}-{each.query} | {each.mode} | {each.requests} | {median(each.times):.1f} | {times} |")
    return "\n".join(lines)


def report(means, folder):
    lines = ["| mode | predicates | query 1, ms more | new constraint, ms more | others: mean overhead, ms | median | fit of the others |",
             "|---|---:|---:|---:|---:|---:|---|"]
    for mode in ("ipc", "tcp", "ipc-chatty", "tcp-chatty"):
        if mode not in means:
            continue
        points = overheads(means, mode)
        known = of_kind(points, "known")
        has_spread = all(math.isfinite(point.error) for point in known)  # with one repeat there is none
        line = fit_line(known) if mode.endswith("chatty") and has_spread else None
        columns = [mode, str(len(points))]
        for first in ("start", "prepare", "known"):
            columns.append("{:.3f} ± {:.3f}".format(*mean_and_error([p.overhead for p in of_kind(points, first)])))
        columns.append(f"{median([p.overhead for p in known]):.3f}")
        columns.append("-" if line is None else
                       f"({line.slope * 1000:.2f} ± {line.slope_error * 1000:.2f}) µs × requests + "
                       f"({line.intercept:.3f} ± {line.intercept_error:.3f}) ms; chi²/n {line.chi2 / line.points:.1f}"
                       + (f"; no overhead below {-line.intercept / line.slope:.0f} requests" if -line.intercept >= line.slope else ""))
        lines.append("| " + " | ".join(columns) + " |")
        if folder:
            write_points(folder / f"{mode}.csv", points, line)
            if line:
                plot(folder, mode, line, points)
    base = [mean for first, _, mean, _ in means["in-process"].values() if first == "known"]
    return "\n".join(lines) + "\n\nIn process (others): mean {:.3f} ± {:.3f} ms".format(*mean_and_error(base)) + (
        f", median {median(base):.3f} ms\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result")
    parser.add_argument("--folder", type=pathlib.Path, help="for CSV files and plots")
    parser.add_argument("--markdown", type=pathlib.Path, help="for the table that is printed")
    arguments = parser.parse_args()
    if arguments.folder:
        arguments.folder.mkdir(parents=True, exist_ok=True)
    times = read_times(arguments.result)
    means = means_of(times)
    text = "\n\n".join([report(means, arguments.folder), fastest_table(means), outlier_table(find_outliers(times))]) + "\n"
    if arguments.folder:
        plot_averages(arguments.folder, means)
    sys.stdout.write(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
