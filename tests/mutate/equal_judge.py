#!/usr/bin/env python3
"""Judges what `cmc mutate` says of mutants that no property kills: equal, or not.

The states and steps of model and mutant are read from the pictures of `cmc graph`, places and statements are taken out of
them, and the coarsest bisimulation of both together is found by partition refinement. Equal mutants must be bisimilar to the
model, survivors must not. The run that is shown for a survivor is followed in both: it must be one of the graph that it is said to
be of, and all but its last step must look like a run of the other one. Prints one line for each that is wrong, and a table. Exit
code 1 if there is one.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = r'"((?:[^"\\]|\\.)*)"'
STEP = re.compile(rf"\s*(\w+) -> (\w+) \[label={TEXT} tooltip={TEXT}")
STATE = re.compile(rf"\s*(\w+) \[label={TEXT} tooltip={TEXT}")
PLACE = re.compile(r" at \S+ \(state \d+(?:, (label [^,)]*))?.*?(?=\\n)")
CAPACITY = re.compile(r"(holds \d+) of \d+")
EMPTY = re.compile(r"(?:^|(?<=\\n))[^\\\s]+ holds 0: empty\\n")  # a channel without room is not shown at all
IN_PROMELA_S = "#define PROMELA_S"
RUN = re.compile(r"(\S+) line \d+: (.*?)(?: => (\S+) line \d+: .*?)?(?:  \[.*\])?$")


def graph(model, cmc):
    """({state: what is seen of it}, {state: {(who moves, next state)}}, {state: {(step as text, who moves, next state)}}); None: there
    are too many states."""
    run = subprocess.run([cmc, "graph", "--steps", "statement", str(model)], capture_output=True, text=True)
    if run.returncode != 0:
        return None
    states, steps, texts = {}, collections.defaultdict(set), collections.defaultdict(set)
    for line in run.stdout.splitlines():
        if found := STEP.match(line):
            who = re.match(r"\S+( => \S+)?", found[3].replace(r"\n", " "))[0]
            steps[found[1]].add((who, found[2]))
            texts[found[1]].add((found[4], who, found[2]))
        elif found := STATE.match(line):
            states[found[1]] = PLACE.sub(lambda place: " " + (place[1] or ""), EMPTY.sub("", CAPACITY.sub(r"\1", found[3])))
    return states, steps, texts


def bisimilar(one, other):
    states = {(side, name): text for side, (named, _, _) in enumerate((one, other)) for name, text in named.items()}
    steps = {(side, name): {(who, (side, to)) for who, to in moves}
             for side, (_, named, _) in enumerate((one, other)) for name, moves in named.items()}
    blocks = states
    while True:
        finer = {each: (blocks[each], frozenset((who, blocks.get(to)) for who, to in steps.get(each, ()))) for each in states}
        numbers = {key: number for number, key in enumerate(dict.fromkeys(finer.values()))}
        if len(numbers) == len(set(blocks.values())):
            return finer[0, "s0"] == finer[1, "s0"]
        blocks = {each: numbers[key] for each, key in finer.items()}


def differs(run, owner, other):
    """Whether the run is one of the owner, and the other one can do all that is seen of it but the last step."""
    (seen, _, moves), (seen_there, _, moves_there) = owner, other
    ends = {("s0", frozenset({"s0"}))}
    for step in run:
        ends = {end for end in ends if end[1]}
        who, statement, partner = RUN.match(step).groups()
        text = f"{who} => {partner}: {statement}" if partner else f"{who}: {statement}"
        ends = {(to, frozenset(after for each in others for _, mover, after in moves_there[each]
                               if mover == moves_ and seen_there[after] == seen[to]))
                for at, others in ends for known, moves_, to in moves[at] if known == text.replace('"', '\\"')}
    return any(not others for _, others in ends)


def judge(model, args, table):
    """Lines about mutants that are wrong."""
    base, wrong = graph(model, args.cmc), []
    is_not_compared = IN_PROMELA_S in model.read_text(errors="replace")  # a solver's answers are not in cmc's graphs
    with tempfile.TemporaryDirectory(prefix="equal_judge.") as folder:
        run = subprocess.run([args.cmc, "mutate", "--json", "--out", folder, "--mutants", str(args.mutants), "--time", str(args.seconds),
                              str(model)], capture_output=True, text=True)
        for case in json.loads(run.stdout)["cases"] if base and run.stdout else []:
            mutant = pathlib.Path(folder, f"{case['number']}.pml")
            if case["group"] != "model" or case["verdict"] not in ("equal", "survived") or not mutant.exists():
                continue
            found = graph(mutant, args.cmc)
            same = found and bisimilar(base, found)
            word = "too large" if not found else "bisimilar" if same else "not bisimilar"
            table[case["verdict"], word] += 1
            if found and same != (case["verdict"] == "equal") and not (same and is_not_compared):
                wrong.append(f"{model}: mutant {case['number']} is {case['verdict']}, and {word}")
            if found and case.get("run"):
                owner, other = (base, found) if case["run_of"] == "model" else (found, base)
                shown = differs(case["run"], owner, other)
                table["run", "only one has it" if shown else "not followed"] += 1
                if not shown:
                    wrong.append(f"{model}: mutant {case['number']}: the run is none of the {case['run_of']}, or of both: {case['run'][-1]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=pathlib.Path, default=[ROOT / "models"], metavar="MODEL")
    parser.add_argument("--cmc", default=str(ROOT / "build" / "cmc"))
    parser.add_argument("--mutants", type=int, default=100, metavar="N", help="at most, of each model (default 100)")
    parser.add_argument("--seconds", type=int, default=20, help="for the mutants of a model (default 20)")
    part_of_day.add_to(parser)
    args = parser.parse_args()
    table, wrong = collections.Counter(), []
    for path in args.models:
        for model in part_of_day.some(sorted(path.rglob("*.pml")) if path.is_dir() else [path], args):
            here = judge(model, args, table)
            print(*here, sep="\n", end="\n" if here else "", flush=True)
            wrong += here
    print(*(f"{count:6} {verdict}, {word}" for (verdict, word), count in table.most_common()), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
