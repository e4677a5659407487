#!/usr/bin/env python3
"""Judges `cmc conform` by an explorer of its own on random models: verdicts, what the model could have done, changes.

    judge.py --cmc build/cmc [--models 50] [--logs 40] [--seed 1]

It shares nothing with CMC: models are made here as graphs of statements, with a meaning that is written down here once
more; their Promela text is for CMC alone. Logs come from random runs, as they are and damaged (an event dropped, doubled,
changed, two swapped), as one log, as logs with vector clocks, or as several logs without clocks.
"""
import argparse
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

VALUES = 3  # of variables and messages: 0, 1, 2


class Model:
    """Processes are lists of locations, each a list of (statement, target). A state is (locations, locals, globals, q)."""

    def __init__(self, rng):
        self.capacity = rng.choice([1, 2])
        self.is_local = rng.random() < 0.5  # each event belongs to a process
        self.processes = [self.process(rng) for _ in range(rng.choice([2, 2, 3]))]
        self.rules = self.make_rules(rng)
        self.process_of = {rule[0]: rule[1] for rule in self.rules}
        self.alphabet = {(rule[0], v) for rule in self.rules for v in range(VALUES + 1)}

    @staticmethod
    def statements():
        return [("set", 0, 0), ("set", 1, 1), ("inc", 0), ("inc", 0), ("inc", 1), ("inc", 1), ("is", 0, 1), ("is", 1, 1), ("true",),
                ("send", "c", 0), ("send", "c", 2), ("send", "x", 0), ("send", "y"), ("recv", "y"), ("recv", "c", 1),
                ("rsend", "c", 1), ("rsend", "x", 1), ("rrecv", "y"), ("rrecv", "c", 1), ("sety",)]

    def process(self, rng):
        size = rng.randint(2, 4)
        statements = self.statements()
        return [[(rng.choice(statements), rng.randrange(size)) for _ in range(rng.choice([1, 1, 2, 3]))] for _ in range(size)]

    def make_rules(self, rng):
        """(event, process or None, kind, variable, label or None, modulus or None, always: condition on global 1)"""
        rules = []
        for number in range(rng.randint(1, 6)):
            kind = rng.choice(["set", "send", "recv", "rsend", "rrecv", "label"])
            process = rng.choice([0, 1] if kind == "label" or self.is_local else [None, 0, 1])
            label = rng.randrange(len(self.processes[process])) if kind == "label" else None
            variable = rng.randrange(2)
            modulus = rng.choice([None, None, 2])
            where = rng.choice([None, None, None, 0, 1])
            rules.append((f"e{number}", process, kind, variable, label, modulus, where))
        return rules

    @staticmethod
    def statement(s):
        kind = s[0]
        if kind == "set": return f"x{s[1]} = {s[2]}"
        if kind == "inc": return f"x{s[1]} = (x{s[1]} + 1) % {VALUES}"
        if kind == "is": return f"x{s[1]} == {s[2]}"
        if kind == "true": return "true"
        if kind == "sety": return "y = x0"
        channel = "r" if kind[0] == "r" and kind != "recv" else "q"
        if kind.endswith("send"): return f"{channel}!" + {"c": str(s[-1]), "x": f"x{s[-1]}", "y": "y"}[s[1]]
        return f"{channel}?" + {"c": str(s[-1]), "y": "y"}[s[1]]

    def text(self):
        lines = []
        for event, process, kind, variable, label, modulus, where in self.rules:
            value = "v" if modulus is None else f"v % {modulus}"
            step = {"set": f"x{variable} = {value}", "send": f"q ! {value}", "recv": f"q ? {value}", "rsend": f"r ! {value}",
                    "rrecv": f"r ? {value}", "label": ""}[kind]
            at = "" if process is None else f" at P{process}" + ("" if label is None else f"@L{label}")
            condition = [] if where is None else [f"x1 == {where}"]
            if kind == "label": condition.append(f"x{variable} == {value}")
            lines.append(f"//@ event {event}(v){at}" + (f" : {step}" if step else "") +
                         (" where " + " && ".join(condition) if condition else ""))
        lines += ["byte x0, x1;", f"chan q = [{self.capacity}] of {{ byte }};", "chan r = [0] of { byte };"]
        for number, process in enumerate(self.processes):
            lines.append(f"active proctype P{number}() {{ byte y;")
            for at, edges in enumerate(process):
                options = " ".join(f":: {self.statement(s)} -> goto L{target}" for s, target in edges)
                lines.append(f"L{at}: if {options} fi;")
            lines.append("}")
        return "\n".join(lines) + "\n"

    def start(self):
        count = len(self.processes)
        return (0,) * count, (0,) * count, (0, 0), ()

    def successors(self, state):
        """Pairs of the next state and a list of roles: (process, left location, kind, variable, value)."""
        at, ys, xs, q = state

        def moved(changes, ys=ys, xs=xs, q=q):
            places = list(at)
            for p, target in changes: places[p] = target
            return tuple(places), ys, xs, q

        def stored(values, i, v):
            return values[:i] + (v,) + values[i + 1:]

        for p, process in enumerate(self.processes):
            for s, target in process[at[p]]:
                kind = s[0]
                here = (p, at[p])
                if kind in ("set", "inc"):
                    v = s[2] if kind == "set" else (xs[s[1]] + 1) % VALUES
                    yield moved([(p, target)], xs=stored(xs, s[1], v)), [here + ("set", s[1], v)]
                elif kind == "is":
                    if xs[s[1]] == s[2]: yield moved([(p, target)]), [here + ("none", None, None)]
                elif kind == "true":
                    yield moved([(p, target)]), [here + ("none", None, None)]
                elif kind == "sety":
                    yield moved([(p, target)], ys=stored(ys, p, xs[0])), [here + ("sety", None, xs[0])]
                elif kind == "send":
                    v = {"c": s[-1], "x": xs[s[-1]] if s[1] == "x" else 0, "y": ys[p]}[s[1]]
                    if len(q) < self.capacity: yield moved([(p, target)], q=q + (v,)), [here + ("send", None, v)]
                elif kind == "recv":
                    if not q or (s[1] == "c" and q[0] != s[2]): continue
                    after = stored(ys, p, q[0]) if s[1] == "y" else ys
                    yield moved([(p, target)], ys=after, q=q[1:]), [here + ("recv", None, q[0])]
                elif kind == "rsend":
                    v = s[2] if s[1] == "c" else xs[s[2]]
                    for o, other in enumerate(self.processes):
                        if o == p: continue
                        for t, goal in other[at[o]]:
                            if t[0] != "rrecv" or (t[1] == "c" and t[2] != v): continue
                            after = stored(ys, o, v) if t[1] == "y" else ys
                            yield (moved([(p, target), (o, goal)], ys=after),
                                   [here + ("rsend", None, v), (o, at[o], "rrecv", None, v)])

    def events(self, role, after):
        """All events that the role is logged as; empty: it is not observed."""
        process, location, kind, variable, value = role
        found = set()
        for event, of, what, which, label, modulus, where in self.rules:
            if of is not None and of != process: continue
            if where is not None and after[2][1] != where: continue
            if what == "label":
                if label != location: continue
                seen = after[2][which]
            else:
                if what != kind or (what == "set" and which != variable): continue
                seen = value
            if modulus is None:
                found.add((event, seen))
            else:
                found |= {(event, v) for v in range(VALUES + 1) if v % modulus == seen}
                if seen >= modulus: found.add((event, None))  # observed, but no value fits
        return found

    def visible(self, state):
        """Next state, and for each observed role the events that fit."""
        for after, roles in self.successors(state):
            parts = [self.events(role, after) for role in roles]
            yield after, [part for part in parts if part]


def orders(parts):
    return list(itertools.permutations(parts)) if len(parts) > 1 else [tuple(parts)]


class Explorer:
    """(state, cut) by (state, cut)."""

    def __init__(self, model):
        self.model = model
        self.known = {}

    def visible(self, state):
        if state not in self.known: self.known[state] = list(self.model.visible(state))
        return self.known[state]

    def explains(self, streams):
        """streams: lists of (event, needs), where needs has a position for each stream."""
        start = (self.model.start(), (0,) * len(streams))
        seen, stack = {start}, [start]
        goal = tuple(len(stream) for stream in streams)
        furthest = {}
        while stack:
            state, cut = stack.pop()
            furthest.setdefault(sum(cut), set()).add((state, cut))
            if cut == goal: return True, None
            for after, parts in self.visible(state):
                for order in orders(parts):
                    cuts = {cut}
                    for part in order:
                        cuts = {c[:i] + (c[i] + 1,) + c[i + 1:] for c in cuts for i, stream in enumerate(streams)
                                if c[i] < len(stream) and stream[c[i]][0] in part and
                                all(c[j] >= n for j, n in enumerate(stream[c[i]][1]) if j != i)}
                    for c in cuts:
                        if (after, c) not in seen:
                            seen.add((after, c))
                            stack.append((after, c))
        return False, furthest

    def alternatives(self, states):
        return {event for state in states for _, parts in self.visible(state) for part in parts for event in part}


def one_stream(events):
    return [[(event, (0,)) for event in events]]


def changed(model, events):
    """All logs with one event dropped, added, exchanged or two swapped."""
    letters = sorted(model.alphabet)
    for i in range(len(events)):
        yield events[:i] + events[i + 1:]
        if i + 1 < len(events): yield events[:i] + [events[i + 1], events[i]] + events[i + 2:]
        for letter in letters: yield events[:i] + [letter] + events[i + 1:]
    for i in range(len(events) + 1):
        for letter in letters: yield events[:i] + [letter] + events[i:]


def random_run(model, explorer, rng, steps):
    state, events = model.start(), []
    for _ in range(steps):
        choices = explorer.visible(state)
        if not choices: break
        state, parts = rng.choice(choices)
        for part in rng.choice(orders(parts)):
            fitting = [event for event in part if event[1] is not None]
            if not fitting: return events
            events.append(rng.choice(sorted(fitting)))
    return events


def damaged(model, events, rng):
    events = list(events)
    if not events: return events
    i = rng.randrange(len(events))
    how = rng.choice(["drop", "double", "change", "swap"])
    if how == "drop": del events[i]
    if how == "double": events.insert(i, events[i])
    if how == "change": events[i] = rng.choice(sorted(model.alphabet))
    if how == "swap" and i + 1 < len(events): events[i], events[i + 1] = events[i + 1], events[i]
    return events


def with_clocks(events, rng, process_of, most=3):
    """The events in streams, each behind some of those before it: lists of (event, needs)."""
    count = rng.randint(2, most)
    streams = [[] for _ in range(count)]
    for event in events:
        i = rng.randrange(count) if process_of is None else process_of[event[0]]
        before = streams[i][-1][1] if streams[i] else (0,) * count
        needs = tuple(max(before[j], rng.choice([before[j], len(streams[j])])) for j in range(count))
        streams[i].append((event, needs))
    return streams


def lines_of(streams, clocks):
    lines = []
    for i, stream in enumerate(streams):
        for position, ((event, value), needs) in enumerate(stream):
            line = {"event": event, "v": value}
            if clocks:
                line["node"] = f"n{i}"
                line["clock"] = {f"n{j}": needs[j] if j != i else position + 1 for j in range(len(streams))}
            lines.append(json.dumps(line) + "\n")
    return lines


def is_limited(options):
    return any(each.split("=")[0] in ("--states", "--time", "--memory") for each in options)


def ask(cmc, arguments):
    result = subprocess.run([cmc, "conform", "--json"] + arguments, capture_output=True, text=True, check=False)
    if result.returncode not in ((0, 1, 3) if is_limited(arguments) else (0, 1)):
        raise AssertionError(f"exit code {result.returncode} of {arguments}: {result.stderr}{result.stdout[-300:]}")
    return json.loads(result.stdout)["logs"]


def judge_one(model, explorer, streams, answer, stats, options):
    explained, furthest = explorer.explains(streams)
    verdict = answer["verdict"]
    stats[verdict] = stats.get(verdict, 0) + 1
    if verdict == "incomplete": return None if is_limited(options) and answer["reason"] else f"incomplete: {answer['reason']}"
    if explained != (verdict == "explained"): return f"{verdict}, but the judge says {explained}"
    if explained or len(streams) > 1: return None
    if answer["explained"] != max(furthest): return f"{answer['explained']} are explained, but the judge says {max(furthest)}"
    states = {state for state, _ in furthest[max(furthest)]}
    could = {event for event, _ in explorer.alternatives(states)}
    names = {text.split("(")[0] for text in answer["alternatives"]}
    if answer["all_alternatives"] and not names <= could: return f"alternatives {names}, but the judge says {could}"
    if answer["all_alternatives"] and len(model.rules) == 1 and names != could: return f"alternatives {names}, judge {could}"
    events = [event for event, _ in streams[0]]
    if len(events) > 12: return None
    stats["changes"] = stats.get("changes", 0) + 1
    helps = any(explorer.explains(one_stream(other))[0] for other in changed(model, events))
    if answer["change"] is not None and not helps: return f"the change '{answer['change']}', but none helps"
    if answer["change"] is None and answer["all_changes"] and helps: return "no change, but one helps"
    return None


def write_cases(model, explorer, rng, logs, folder, seed):
    """The model and random logs of it as files: the model's path, pairs of streams and the path of their log."""
    path = os.path.join(folder, f"{seed}.pml")
    with open(path, "w", encoding="utf-8") as out: out.write(model.text())
    cases = []
    for number in range(logs):
        events = random_run(model, explorer, rng, rng.choice([5, 20, 60]))
        if number % 2 == 1: events = damaged(model, events, rng)
        clocks = number % 4 >= 2
        streams = with_clocks(events, rng, model.process_of if model.is_local else None) if clocks else one_stream(events)
        if number % 8 == 7:  # some damage that the order knows of, too
            rng.shuffle(streams[0])
            streams[0] = [(event, (0,) * len(streams)) for event, _ in streams[0]]
        lines = lines_of(streams, clocks)
        if clocks: rng.shuffle(lines)
        name = os.path.join(folder, f"{seed}-{number}.jsonl")
        with open(name, "w", encoding="utf-8") as out: out.writelines(lines)
        streams = [s for s in streams if s] or [[]]
        if clocks: streams = renumbered(lines, streams)
        cases.append((streams, name))
    return path, cases


def judge_model(cmc, seed, logs, folder, stats, options):
    rng = random.Random(seed)
    model = Model(rng)
    explorer = Explorer(model)
    path, cases = write_cases(model, explorer, rng, logs, folder, seed)
    answers = ask(cmc, options + ["--each", path] + [name for _, name in cases])
    for (streams, name), answer in zip(cases, answers):
        fault = judge_one(model, explorer, streams, answer, stats, options)
        if fault: raise AssertionError(f"{path} {name}: {fault}")
    # several logs without clocks
    events = random_run(model, explorer, rng, 20)
    if rng.random() < 0.5: events = damaged(model, events, rng)
    parts = [[(event, (0, 0)) for event in events[i::2]] for i in range(2)]
    names = []
    for i, part in enumerate(parts):
        names.append(os.path.join(folder, f"{seed}-part{i}.jsonl"))
        with open(names[-1], "w", encoding="utf-8") as out: out.writelines(lines_of([part], False))
    fault = judge_one(model, explorer, parts, ask(cmc, options + [path] + names)[0], stats, options)
    if fault: raise AssertionError(f"{path} {' '.join(names)}: {fault}")


def renumbered(lines, streams):
    """Streams as their clocks say, read back from the lines: nodes without events are none."""
    nodes = {}
    for line in map(json.loads, lines): nodes.setdefault(line["node"], []).append(line)
    names = sorted(nodes)
    for name in names: nodes[name].sort(key=lambda line: line["clock"][name])
    if not names: return streams
    result = []
    for name in names:
        result.append([((line["event"], line["v"]),
                        tuple(sum(other["clock"][n] <= line["clock"].get(n, 0) for other in nodes[n]) if n != name else 0
                              for n in names)) for line in nodes[name]])
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmc", required=True)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--logs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--options", default="", help="of cmc conform; with a limit a log may be incomplete")
    part_of_day.add_to(parser)
    arguments = parser.parse_args()
    stats = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in part_of_day.some(range(arguments.seed, arguments.seed + arguments.models), arguments):
            try:
                judge_model(arguments.cmc, seed, arguments.logs, folder, stats, arguments.options.split())
            except AssertionError as error:
                print(f"seed {seed}: {error}", file=sys.stderr)
                print(open(os.path.join(folder, f"{seed}.pml"), encoding="utf-8").read(), file=sys.stderr)
                name = str(error).split(".jsonl")[0].split(" ")[-1] + ".jsonl"
                if os.path.exists(name): print(open(name, encoding="utf-8").read(), file=sys.stderr)
                return 1
    print(f"{arguments.models} models{', ' + part_of_day.text() if arguments.part_of_day else ''}: {stats}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
