#!/usr/bin/env python3
"""The `expect:` lines of a folder's models with native code, in every state compared with the virtual machine and the
reference interpreter. By the day a part of the models that have at most 500,000 states (tests/support/part_of_day.py);
all models with CMC_PARTS=all.

Usage: native_part.py CMC FOLDER
"""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

MOST_STATES = 500_000  # three minutes, when the reference interpreter computes them, too


def states_by_model(cmc, folder):
    """The sum of the states in its lines, but those that are marked slow."""
    listed = subprocess.run([cmc, "test", "--list", "--json", folder], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            check=True, timeout=60)
    states = {}
    for case in json.loads(listed.stdout)["cases"]:
        expected = case["expected"]
        of_line = 0 if expected is None or expected["slow"] else expected["states"] or 0
        states[case["model"]] = states.get(case["model"], 0) + of_line
    return states


def chosen(states):
    """Large and small models in each part."""
    by_size = sorted(states, key=lambda model: (states[model], model))
    return part_of_day.of([model for model in by_size if part_of_day.WHOLE or states[model] <= MOST_STATES])


def main():
    cmc, folder = sys.argv[1:]
    models = chosen(states_by_model(cmc, folder))
    print(f"{len(models)} models: {part_of_day.text()}", flush=True)
    if not models:
        return 0
    return subprocess.run([cmc, "test", "--quiet", "--generator", "native", "--check-generator", "--kill-after", "20m", *models],
                          stdin=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
