#!/usr/bin/env python3
"""A small run of the study of transactions: every history of the buffered scheme and of the mutex is serialisable, and
the tables are made. Usage: study_test.py BENCH_TRANSACTIONS"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main(program):
    run = subprocess.run([program, "--runs", "2", "--scale", "100", "--sync-scale", "10"], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    rows = list(csv.DictReader(io.StringIO(run.stdout)))
    assert len(rows) == 2 * 2 * 2 * 5 * 4 * 3, len(rows)
    for row in rows:
        assert row["scheme"] == "snapshot" or row["broken"] == "0", row
        assert row["threads"] != "1" or (row["broken"], row["collisions"]) == ("0", "0"), row
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "result.csv"
        path.write_text(run.stdout)
        script = ROOT / "studies" / "transactions" / "study.py"
        made = subprocess.run([sys.executable, "-B", script, path, "--out", folder], capture_output=True, text=True, timeout=120)
        assert made.returncode == 0, made.stderr
        assert "| buffered |" in made.stdout and "shapes" in made.stdout, made.stdout


if __name__ == "__main__":
    main(sys.argv[1])
