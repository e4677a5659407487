#!/usr/bin/env python3
"""Logs of random runs of all models conform to them: what `cmc simulate` shows of messages and plain global variables, as a log.

    models_judge.py --cmc build/cmc --models models [--runs 3] [--steps 200]

The map is the one that `cmc conform --suggest` prints, as far as the log has it. A model without such steps is left out, and so is
a run that sends a channel of a process, which has no name in a map.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

MESSAGES = {"send", "receive", "peek", "rendezvous"}


def run(cmc, *arguments, codes=(0, 1)):
    result = subprocess.run([cmc, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
    if result.returncode not in codes: raise AssertionError(f"{arguments}: {result.returncode} {result.stderr}{result.stdout[-500:]}")
    return result.stdout


def suggested(cmc, model):
    """Rules by name; those of arrays of variables and of labels cannot be made of a trace."""
    rules = {}
    for line in run(cmc, "conform", "--suggest", model).splitlines():
        found = re.match(r"event (\w+)\(([^)]*)\) : (.*)", line)
        if not found or (found[1].startswith("set_") and "[" in found[3]): continue
        rules[found[1]] = (found[2].split(", "), line)
    return rules


def events_of(trace, rules):
    values = dict(trace["initial"]["globals"])
    for step in trace["steps"]:
        for change in step["changes"]:
            if "variable" in change: values[change["variable"]] = change["new"]
        logged = []
        message = step.get("message")
        if message and step["kind"] in MESSAGES:
            channel = re.match(r"([\w.]+)(?:\[(\d+)\])?$", message["channel"])
            kinds = {"sent": ["send"], "received": ["receive"], "read": ["receive"], "handed over": ["send", "receive"]}
            for kind in kinds[message["kind"]] if channel else []:
                index = [int(channel[2])] if channel[2] else []
                logged.append((f"{kind}_{channel[1]}", index + message["fields"]))
        if step["kind"] == "assignment":
            target = re.match(r"(\w+) = ", step["text"])
            if target and target[1] in values: logged.append((f"set_{target[1]}", [values[target[1]]]))
        for name, fields in logged:
            if name not in rules: continue
            yield {"event": name, **dict(zip(rules[name][0], fields))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmc", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=200)
    part_of_day.add_to(parser)
    arguments = parser.parse_args()
    held, events, left_out, incomplete = 0, 0, [], 0
    for model in part_of_day.some(sorted(pathlib.Path(arguments.models).rglob("*.pml")), arguments):
        rules = suggested(arguments.cmc, model)
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "map").write_text("".join(line + "\n" for _, line in rules.values()), encoding="utf-8")
            logs = []
            for seed in range(arguments.runs if rules else 0):
                trace = json.loads(run(arguments.cmc, "simulate", "--seed", seed, "--max-steps", arguments.steps, "--json", model))
                lines = [json.dumps(each) + "\n" for each in events_of(trace["traces"][0], rules)]
                if not lines or any(re.search(r"\]\.\w", line) for line in lines): continue
                logs.append(folder / f"{seed}.jsonl")
                logs[-1].write_text("".join(lines), encoding="utf-8")
                events += len(lines)
            if not logs:
                left_out.append(model.name)
                continue
            answer = run(arguments.cmc, "conform", "--json", "--each", "--time", "60", "--map", folder / "map", model, *logs, codes=(0, 1, 3))
            for log, each in zip(logs, json.loads(answer)["logs"]):
                held += 1
                incomplete += each["verdict"] == "incomplete"
                if each["verdict"] == "not explained":
                    print(f"{model} {log.name}: {json.dumps(each, indent=1)}\n{(folder / 'map').read_text()}{log.read_text()}")
                    return 1
    print(f"{held} logs with {events} events, {incomplete} incomplete; no such steps: {', '.join(left_out)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
