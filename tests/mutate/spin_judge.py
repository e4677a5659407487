#!/usr/bin/env python3
"""Compares what `cmc mutate` says of random mutants with what SPIN says of their texts.

Killed by a property: SPIN finds it violated. Survived, equal or unreachable: SPIN finds that all properties hold. Invalid:
SPIN refuses the text, too. Models with priorities and notraces are left out: there CMC differs (docs/spin.md,
docs/properties.md). Prints a line for each model and for each difference. Exit code 1 if there is one.
"""
import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "spin"))
import compare_properties  # noqa: E402
import run_models  # noqa: E402
import spin_counts  # noqa: E402
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

EXAMPLES = pathlib.Path("/usr/share/doc/spin/examples/Examples")
HOLDING = ("survived", "equal", "unreachable")


def mutants_of(model, number, args, folder):
    """The report of `cmc mutate` on a sample, whose texts are in `folder`; None: there is none."""
    command = [args.cmc, "mutate", str(model), "--mutants", str(number), "--seed", str(args.seed), "--json", "--out", str(folder),
               "--memory", "1G", "--time", str(args.model_seconds), *(["--faults"] if args.faults else [])]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    return json.loads(run.stdout) if run.returncode in (0, 3) and run.stdout else None


def spin_says(folder, name, properties, args):
    """{property: violated, holds or unknown}. Raises ToolError if SPIN refuses the text."""
    code, output = spin_counts.run_tool("spin", ["spin", *spin_counts.SPIN_FLAGS, name], folder, 60)
    if code != 0 or not (folder / "pan.c").exists():
        raise spin_counts.ToolError("spin", output)
    verifier = compare_properties.Verifier(folder, "tcc", args.seconds)
    claims, traces = compare_properties.claims_and_traces(folder)
    verdicts = {}
    if {"safety", "trace", "notrace"} & set(properties):
        by_kind = {}
        compare_properties.safety_by_spin(verifier, by_kind, traces)
        verdicts.update({key: verdict for (key, _), verdict in by_kind.items()})
    for claim in claims:
        if claim in properties:
            chosen = ["-N", claim] if len(claims) > 1 else []
            verdicts[claim] = compare_properties.claim_by_spin(verifier, [], ["-a", *chosen])
    if "accept" in properties:
        verdicts["accept"] = compare_properties.claim_by_spin(verifier, ["-DNOCLAIM"], ["-A", "-a"])
    return verdicts


def judge(model, case, report, texts, args):
    """(word for the table, a difference or None)"""
    file = pathlib.Path(case["file"]).resolve()
    included = f"-{file.name}" if file != model else ".pml"
    holding = [each["name"] for each in report["properties"]]
    verdict = case["verdict"]
    wanted = [case["property"]] if verdict == "killed" else [case["strengthens"]] if "strengthens" in case else holding
    with tempfile.TemporaryDirectory(prefix="spin_judge.") as scratch:
        folder = pathlib.Path(scratch, "model")
        shutil.copytree(model.parent, folder)
        shutil.copy(texts / f"{case['number']}{included}", folder / file.relative_to(model.parent))
        try:
            said = spin_says(folder, model.name, wanted, args)
        except spin_counts.ToolError as error:
            # SPIN's verifier ends at what CMC reports as an error, such as a division by zero.
            if args.verbose:
                print(f"{model}: mutant {case['number']}, {verdict}: {error}: {' '.join(error.text.split())}", flush=True)
            return f"{error.stage} fails ({verdict})", None
    if verdict == "invalid":
        return "invalid, not for SPIN", None
    words = {name: said.get(name, "unknown") for name in wanted}
    if verdict == "killed":
        known, agrees = words[wanted[0]] != "unknown", words[wanted[0]] == "violated"
    else:
        known, agrees = "violated" in words.values() or "unknown" not in words.values(), "violated" not in words.values()
    if not known:
        return f"SPIN does not decide ({verdict})", None
    difference = None if agrees else f"{model}: mutant {case['number']} is {verdict} {case.get('property', '')}, SPIN: {words}"
    return ("same" if agrees else "DIFFERENT"), difference


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=pathlib.Path, default=[ROOT / "models", EXAMPLES], metavar="MODEL",
                        help="models and folders (default: models/ and SPIN's examples)")
    parser.add_argument("--cmc", default=str(ROOT / "build" / "cmc"))
    parser.add_argument("--mutants", type=int, default=6, metavar="N", help="of each model (default 6)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=20, help="for each search of SPIN's (default 20)")
    parser.add_argument("--model-seconds", type=int, default=60, help="for the mutants of a model (default 60)")
    parser.add_argument("--faults", action="store_true", help="also lost and doubled messages")
    parser.add_argument("-v", "--verbose", action="store_true", help="also show why SPIN says nothing")
    part_of_day.add_to(parser)
    args = parser.parse_args()
    if shutil.which("spin") is None or shutil.which("tcc") is None:
        print("spin or tcc is not installed", file=sys.stderr)
        return 77
    models = [model for path in args.models for model in (sorted(path.rglob("*.pml")) if path.is_dir() else [path])]
    table, differences = collections.Counter(), []
    for model in part_of_day.some(models, args):
        text = model.read_text(errors="replace")
        if run_models.IN_PROMELA_S in text or "priority" in text or "notrace" in text:
            continue
        with tempfile.TemporaryDirectory(prefix="spin_judge.") as scratch:
            report = mutants_of(model, args.mutants, args, pathlib.Path(scratch, "mutants"))
            if report is None:
                continue
            here = collections.Counter()
            for case in report["cases"]:
                if case["verdict"] in ("budget", "not run"):
                    here[case["verdict"]] += 1
                    continue
                word, difference = judge(model.resolve(), case, report, pathlib.Path(scratch, "mutants"), args)
                here[word] += 1
                if difference:
                    differences.append(difference)
                    print(difference, flush=True)
            table += here
            print(f"{model}: {', '.join(f'{word} {count}' for word, count in here.most_common())}", flush=True)
    print(f"{sum(table.values())} mutants: {', '.join(f'{word} {count}' for word, count in table.most_common())}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
