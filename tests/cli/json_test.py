#!/usr/bin/env python3
"""What commands write for programs is what docs/schemas says, and nothing else. Usage: json_test.py CMC MODELS [unittest arguments]. Skipped
(77) without Python's jsonschema."""
import copy
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import jsonschema
except ImportError:
    print("jsonschema (Debian package python3-jsonschema) is not installed")
    sys.exit(77)

CMC, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import part_of_day  # noqa: E402

SCHEMAS = {path.stem: json.loads(path.read_text()) for path in (ROOT / "docs" / "schemas").glob("*.json")}
CHECKERS = {name: jsonschema.Draft202012Validator(schema) for name, schema in SCHEMAS.items()}
MUTEX = """#define ENTER(id) flag[id] = true; \\
  inside++
bool flag[2];
byte inside;
chan c = [2] of { byte, mtype };
mtype = { hello };
inline leave(id) { inside--; flag[id] = false }
active [2] proctype P() {
  byte n;
  do
  :: ENTER(_pid); c ! n, hello; assert(inside < 2); c ? n, _; leave(_pid); printf("out\\n")
  od
}
ltl calm { [] (inside <= 2) }
ltl again { [] <> (inside == 0) }
"""


def name_of(schema):
    return schema.replace("/", ".")


class JsonTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.model = self.path / "mutex.pml"
        self.model.write_text(MUTEX)
        self.seen = {}

    def cmc(self, *arguments, codes=(0, 1), **options):
        run = subprocess.run([CMC, *map(str, arguments)], cwd=self.path, capture_output=True, text=True, errors="replace", timeout=300, **options)
        self.assertIn(run.returncode, codes, f"{arguments}: {run.stderr}")
        return run

    def judge(self, text, schema, what=""):
        document = json.loads(text)
        self.assertEqual(document["schema"], schema, what)
        error = jsonschema.exceptions.best_match(CHECKERS[name_of(schema)].iter_errors(document))
        self.assertIsNone(error, f"{what} {schema}: {error and error.json_path}: {error and error.message[:400]}")
        self.seen.setdefault(schema, document)
        return document

    def judge_file(self, file, schema):
        return self.judge((self.path / file).read_text(), schema, file)

    def everything(self):
        """One of each."""
        self.judge(self.cmc("check", "--max-errors", "0", "--json", "--trail", "t", "--trace-json", "s", "--log", "l", "--profile", "p", self.model).stdout, "cmc.result/1")
        for file, schema in (("t", "cmc.trail/1"), ("s", "cmc.trace/1"), ("p", "cmc.profile/1")):
            self.judge_file(file, schema)
        self.judge(self.cmc("replay", "--json", self.model, "t").stdout, "cmc.trace/1")
        self.judge(self.cmc("simulate", "--seed", "1", "--max-steps", "60", "--json", self.model).stdout, "cmc.trace/1")
        self.judge(self.cmc("info", "--json", self.model).stdout, "cmc.info/1")
        self.judge(self.cmc("log", "--json", "l").stdout, "cmc.log/1")
        self.judge(self.cmc("lint", "--overlaps", "--json", self.model, codes=(0, 3)).stdout or self.empty_lint(), "cmc.lint/1")
        self.judge(self.cmc("mutate", "--json", "--mutants", "6", self.model).stdout, "cmc.mutation/1")
        (self.path / "link.pml").write_text((ROOT / "examples" / "conformance" / "link.pml").read_text())
        (self.path / "events").write_text('{"event": "send", "bit": 0}\n{"event": "got", "bit": 1}\n')
        self.judge(self.cmc("conform", "--json", "link.pml", "events").stdout, "cmc.conformance/1")
        (self.path / "expected.pml").write_text(MUTEX.replace("ltl", "/* expect: violated(assertion) */ ltl", 1))
        self.judge(self.cmc("test", "--json", "--cache", "cache", "expected.pml", "mutex.pml").stdout, "cmc.test/1")
        (self.path / "steps").write_text('{"event": "one"}\n')
        (self.path / "claims.pml").write_text("// expect: states >= 2\n// expect: reached line 6\n// expect: teeth >= 10%\n"
                                              "// expect: explained steps\n//@ event one : x = 1\n"
                                              "byte x; init { x = 1; assert(x == 1) }\n")
        self.judge(self.cmc("test", "--json", "claims.pml", codes=(0,)).stdout, "cmc.test/1")
        for each in (self.path / "cache").rglob("*.json"):
            self.judge(each.read_text(), "cmc.verdict/1")
        self.cmc("tune", "--threads", "1,2", "--out", "grid", self.model)
        self.judge_file("grid/runs.json", "cmc.tune/1")
        self.judge(next((self.path / "grid" / "runs").glob("*.json")).read_text(), "cmc.tune.run/1")
        self.cmc("check", "--checkpoint", "run", "--property", "safety", self.model)
        self.judge(self.cmc("info", "--json", "run").stdout, "cmc.run/1")
        self.model.write_text(MUTEX.replace("inside--", "insid--"))
        self.judge(self.cmc("check", "--json", self.model, codes=(2,)).stdout, "cmc.diagnostics/1")

    @staticmethod
    def empty_lint():
        """No solver is installed."""
        return json.dumps({"schema": "cmc.lint/1", "version": "", "model": {"file": "", "hash": "0" * 40}, "questions": 0, "undecided": 0, "findings": []})

    def test_every_output_is_what_its_schema_says(self):
        self.everything()
        self.judge_progress(MODELS / "peterson" / "peterson4.pml")
        self.assertEqual(set(map(name_of, self.seen)), set(SCHEMAS))

    def judge_progress(self, model):
        lines = self.cmc("check", "--progress", "json", "--time", "2", "--reductions", "none", model, codes=(0, 1, 3)).stderr.splitlines()
        lines = [line for line in lines if line.startswith("{")]
        self.assertTrue(lines)
        for line in lines:
            self.judge(line, "cmc.progress/1")

    def test_planted_mistakes_are_refused(self):
        self.everything()
        refused = 0
        for schema, document in self.seen.items():
            checker = CHECKERS[name_of(schema)]
            for wrong in mistakes(document):
                self.assertFalse(checker.is_valid(wrong), f"{schema}: {[name for name in {**document, **wrong} if document.get(name) != wrong.get(name)]}")
                refused += 1
        self.assertGreater(refused, 300)

    def test_schemas_are_strict_and_named(self):
        written = set()
        for folder in ("checker", "base"):
            for path in (ROOT / folder).rglob("*.cc"):
                written |= set(re.findall(r'"(cmc\.[a-z.]+/[0-9]+)"', path.read_text()))
        internal = {"cmc.checkpoint/1"}  # the files of a checkpoint: checker/checkpoint/RUN_FORMAT.md
        self.assertEqual({name_of(each) for each in written - internal}, set(SCHEMAS))
        guide = (ROOT / "docs" / "json.md").read_text()
        for name, schema in SCHEMAS.items():
            jsonschema.Draft202012Validator.check_schema(schema)
            self.assertEqual(name_of(schema["title"]), name)
            self.assertIn(f"schemas/{name}.json", guide)
            for each in objects_in(schema):
                self.assertTrue("additionalProperties" in each, f"{name}: {list(each.get('properties', {}))}")

    def test_results_of_models(self):
        models = [each for each in sorted(MODELS.rglob("*.pml")) if "solver" not in str(each)]
        for model in part_of_day.of(models):
            run = self.cmc("check", "--json", "--time", "2", "--trail", "t", "--trace-json", "s", model, codes=(0, 1, 3))
            result = self.judge(run.stdout, "cmc.result/1", str(model))
            self.judge(self.cmc("info", "--json", model).stdout, "cmc.info/1", str(model))
            for file, schema in (("t", "cmc.trail/1"), ("s", "cmc.trace/1")):
                if result["trail"] is not None:
                    self.judge_file(file, schema)
                (self.path / file).unlink(missing_ok=True)

    def test_results_of_other_searches(self):
        for options in (["--engine", "simple"], ["--search", "bfs"], ["--lossy-capacity", "200", "--lookup-buffer", "100"], ["--beyond", "sorted"],
                        ["--page-codec", "sha1:40", "--lossy-capacity", "200"], ["--steps", "statement"], ["--reductions", "por,symmetry"], ["--max-states", "50"],
                        ["--memory", "64M"], ["--fairness", "weak"], ["--property", "again"], ["--property", "accept"], ["--trail-order", "switches"], ["--generator", "vm", "--threads", "2"]):
            run = subprocess.run([CMC, "check", "--json=result", "--log", "log", *options, str(self.model)], cwd=self.path, capture_output=True, text=True)
            if run.returncode == 2:  # options that do not go together in this version
                self.assertNotIn("schema", run.stdout)
                continue
            self.judge_file("result", "cmc.result/1")
            self.judge(self.cmc("log", "--json", "result", "log").stdout, "cmc.log/1", str(options))

    def test_a_running_search_and_a_killed_one(self):
        big = self.path / "big.pml"
        big.write_text("active [4] proctype P() { byte a, b; do :: a++ :: b++ od }\n")
        process = subprocess.Popen([CMC, "check", "--json=r.json", "--memory", "200M", str(big)], cwd=self.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(400):
            if (self.path / "r.json").exists() and (self.path / "r.json").stat().st_size > 0:  # empty until the search begins
                break
            time.sleep(0.05)
        self.judge_file("r.json", "cmc.result/1")
        process.send_signal(signal.SIGINT)
        process.wait()
        self.judge_file("r.json", "cmc.result/1")

    def test_mistakes_of_all_commands(self):
        texts = {"macro": "#define A(x) x = y\ninit { A(1) }\n", "inline": "inline f(a) { a = b }\nbyte q;\ninit { f(q) }\n", "include": '#include "part.h"\ninit { z = 1 }\n',
                 "syntax": "init { if :: od }\n", "typing": "byte count;\ninit { cuont = 1 }\n", "bytes": "init { \xff\xfe }\n", "empty": "", "missing": None}
        (self.path / "part.h").write_text("byte z = q;\n")
        (self.path / "t").write_text("")
        for name, text in texts.items():
            model = self.path / f"{name}.pml"
            if text is not None:
                model.write_bytes(text.encode("latin-1"))
            for command in ("check", "info", "lint", "simulate", "mutate"):
                run = self.cmc(command, "--json", model, codes=(2,))
                found = self.judge(run.stdout, "cmc.diagnostics/1", f"{command} {name}")
                errors = [each for each in found["diagnostics"] if each["severity"] == "error"]
                self.assertTrue(errors)
                self.assertIn(errors[0]["message"].split(";")[0], run.stderr)
            first = errors[0]
            if name == "macro":
                self.assertEqual([(each["kind"], each["name"], each["line"]) for each in first["stack"]], [("macro", "A", 1)])
            if name == "inline":
                self.assertEqual([(each["kind"], each["name"], each["line"]) for each in first["stack"]], [("inline", "f", 3)])
            if name == "include":
                self.assertEqual(first["stack"][0]["kind"], "include")
            if name == "typing":
                self.assertEqual((first["hint"], first["line"], first["column"], first["end_column"]), ("count", 2, 8, 13))
            if name == "missing":
                self.assertEqual((first["file"], first["line"]), (None, None))
        self.assertEqual(self.cmc("check", "--json=d.json", "typing.pml", codes=(2,)).stdout, "")
        self.judge_file("d.json", "cmc.diagnostics/1")


def objects_in(schema):
    """All schemas of objects in a schema, but for those that only join others."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "anyOf" not in schema:
            yield schema
        for each in schema.values():
            yield from objects_in(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from objects_in(each)


def mistakes(document):
    """The document with one mistake each: a field too many, a field too few, a value of another type."""
    for name in document:
        if name != "differences":
            missing = copy.deepcopy(document)
            del missing[name]
            if name not in ("log", "keys", "guards", "solver", "ranks", "formulas", "property", "fairness", "loop_start", "texts", "store", "strengthens", "error_line", "run", "run_of", "assertion", "message", "reason", "steps", "next", "change") or name == "schema":
                yield missing
        other = copy.deepcopy(document)
        other[name] = {"unexpected": {"more": 1}}
        yield other
    yield {**document, "unexpected": 1}
    for name, value in document.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            more = copy.deepcopy(document)
            more[name][0]["unexpected"] = 1
            yield more
        if isinstance(value, dict) and name not in ("options",):
            more = copy.deepcopy(document)
            more[name]["unexpected"] = {"x": None}
            yield more


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main()
