#!/usr/bin/env python3
"""SPIN decides whether random models can do what logs say, and `cmc conform` has to say the same.

    spin_says.py --cmc build/cmc [--models 10] [--logs 8] [--seed 1] [--options=...]

Models and logs are those of judge.py, without rendezvous. For SPIN a log becomes part of the model: each observed statement looks,
in one step with it, whether it is the next event of some node, and if it is none, the run is dead. An assertion fails where the last
event is passed, so the log is explained if and only if SPIN finds an error. Of a log that is not explained SPIN also says how many
events are. Exit code 77: SPIN or tcc is not there.
"""
import argparse
import pathlib
import random
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "spin"))
import judge  # noqa: E402
import spin_counts  # noqa: E402

SPIN_FLAGS = ["-a", "-o3"]


class Model(judge.Model):
    """Statements after which the value that was seen can be told: no rendezvous."""

    @staticmethod
    def statements():
        return [each for each in judge.Model.statements() if not each[0].startswith("r") or each[0] == "recv"]

    @staticmethod
    def seen(kind, statement):
        """The value that the statement has shown, as an expression behind it."""
        if kind in ("set", "inc"): return f"x{statement[1]}"
        if statement[1] == "c": return str(statement[-1])
        return f"x{statement[-1]}" if statement[1] == "x" else "y"

    def look(self, process, location, statement, streams):
        """What stands behind a statement: it is the next event of a node, or no rule observes it, or the run is dead."""
        passed, unseen = [], []
        for number, (_, of, kind, variable, label, modulus, where) in enumerate(self.rules):
            if of is not None and of != process: continue
            if kind == "label":
                if label != location: continue
                seen = f"x{variable}"
            else:
                of_kind = "set" if statement[0] == "inc" else statement[0]
                if kind != of_kind or (kind == "set" and statement[1] != variable): continue
                seen = self.seen(statement[0], statement)
            observed = "true" if where is None else f"x1 == {where}"
            unseen.append(f"!({observed})")
            for i, stream in enumerate(streams):
                if not stream: continue
                value = f"value{i}[at{i}]" + ("" if modulus is None else f" % {modulus}")
                others = "".join(f" && at{j} >= needs{i}_{j}[at{i}]" for j in range(len(streams)) if j != i)
                passed.append(f":: {observed} && at{i} < {len(stream)} && event{i}[at{i}] == {number} && {value} == {seen}{others} -> at{i}++")
        if not unseen: return ""
        end = " && ".join(f"at{i} == {len(stream)}" for i, stream in enumerate(streams))
        return ("; if " + " ".join(passed) + f" :: else -> if :: {' && '.join(unseen)} :: else -> dead = true fi fi; assert(dead || !({end}))")

    def with_log(self, streams):
        names = [rule[0] for rule in self.rules]
        lines = ["bool dead;", "byte x0, x1;", f"chan q = [{self.capacity}] of {{ byte }};"]
        for i, stream in enumerate(streams):
            lines.append(f"short at{i};")
            columns = {f"event{i}": [names.index(event) for (event, _), _ in stream], f"value{i}": [value for (_, value), _ in stream]}
            columns |= {f"needs{i}_{j}": [needs[j] for _, needs in stream] for j in range(len(streams)) if j != i}
            lines += [f"short {name}[{len(values)}] = {{ {', '.join(map(str, values))} }};" for name, values in columns.items() if values]
        for number, process in enumerate(self.processes):
            lines.append(f"active proctype P{number}() {{ byte y;")
            for at, edges in enumerate(process):
                options = " ".join(f":: atomic {{ !dead && {self.guard(s)} -> {self.statement(s)}{self.look(number, at, s, streams)} }}; goto L{to}"
                                   for s, to in edges)
                lines.append(f"L{at}: if {options} fi;")
            lines.append("}")
        return "\n".join(lines) + "\n"

    def guard(self, statement):
        """Whether the statement can be executed, so that it is one step with what stands behind it."""
        if statement[0] == "send": return "nfull(q)"
        if statement[0] == "recv": return f"q?[{statement[-1]}]" if statement[1] == "c" else "nempty(q)"
        return self.statement(statement) if statement[0] == "is" else "true"


def spin_explains(model, streams, folder, seconds=120):
    """Whether SPIN finds a run through all of the log."""
    if not any(streams): return True
    (folder / "log.pml").write_text(model.with_log(streams))
    for tool, command in (("spin", ["spin", *SPIN_FLAGS, "log.pml"]), ("tcc", ["tcc", "-w", "-DSAFETY", "-DVECTORSZ=8192", "-o", "pan", "pan.c"])):
        code, output = spin_counts.run_tool(tool, command, folder, seconds)
        if code != 0: raise AssertionError(f"{tool}: {output}\n{(folder / 'log.pml').read_text()}")
    _, output = spin_counts.run_tool("pan", ["./pan", "-E", "-m100000", "-w18"], folder, seconds)
    if "errors: 1" in output and "assertion violated" in output: return True
    if "errors: 0" in output and "Search not completed" not in output and "max search depth" not in output: return False
    raise AssertionError(f"SPIN does not decide: {output}")


def fault(model, streams, answer, folder):
    explained = spin_explains(model, streams, folder)
    if explained != (answer["verdict"] == "explained"): return f"{answer['verdict']}, but SPIN says {explained}"
    if explained or len(streams) > 1: return None
    for events, possible in ((answer["explained"], True), (answer["explained"] + 1, False)):
        if spin_explains(model, [streams[0][:events]], folder) != possible:
            return f"{answer['explained']} events are explained, but SPIN says {not possible} of {events}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cmc", required=True)
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--logs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--options", default="", help="of cmc conform")
    arguments = parser.parse_args()
    if shutil.which("spin") is None or shutil.which("tcc") is None:
        print("spin or tcc is not installed", file=sys.stderr)
        return 77
    stats = {}
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(arguments.seed, arguments.seed + arguments.models):
            rng = random.Random(seed)
            model = Model(rng)
            path, cases = judge.write_cases(model, judge.Explorer(model), rng, arguments.logs, scratch, seed)
            answers = judge.ask(arguments.cmc, [*arguments.options.split(), "--each", path, *(name for _, name in cases)])
            for (streams, name), answer in zip(cases, answers):
                stats[answer["verdict"]] = stats.get(answer["verdict"], 0) + 1
                wrong = fault(model, streams, answer, pathlib.Path(scratch))
                if wrong:
                    print(f"seed {seed}, {pathlib.Path(name).name}: {wrong}\n{model.text()}\n{pathlib.Path(name).read_text()}", file=sys.stderr)
                    return 1
    print(f"{arguments.models} models, SPIN says the same: {stats}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
