#!/usr/bin/env python3
"""Traces as people and programs get them: golden outputs of a few models, and formats that must be well-formed.

Usage: trace_test.py CMC [--update]      --update: writes the golden outputs into tests/data/traces
"""

import html.parser
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/data/traces"
CMC = str(pathlib.Path(sys.argv[1]).resolve())
UPDATE = "--update" in sys.argv

CHECK = ["check", "--search", "bfs", "--threads", "1", "--engine", "simple", "-q"]
REPLAYED = {
    "philosophers": ("models/classics/philosophers.pml", []),
    "alternating_bit": ("models/classics/alternating_bit.pml", ["-DDEAF"]),
    "mutex": ("models/properties/mutex.pml", ["--property", "served"]),
}
VIEWS = {
    "diff": [],
    "full": ["--trace", "full"],
    "columns": ["--trace", "columns", "--width", "70"],
    "no-fold": ["--no-fold"],
}

# Names and texts that break out of whatever does not escape them.
HOSTILE = '''mtype = { ack };
chan q = [2] of { mtype };
byte x;
active proctype P() { printf("</script><b>&\\"'%d{{title}}\\n", x); q!ack; x = 1 }
active proctype Q() { q?ack; assert(x > 1 && x < 1) }
'''
HOSTILE_NAME = 'a<b>&"c" \'d\' ;#%{{data}}.pml'


def run(*arguments, cwd=ROOT, text=None):
    return subprocess.run([CMC, *arguments], cwd=cwd, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=300)


class Page(html.parser.HTMLParser):
    """Counts elements, and looks whether they are closed in their order."""

    VOID = {"meta", "input", "br", "link"}

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.data, self.in_data = [], [], "", False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        self.in_data = dict(attrs).get("id") == "data"

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()
        self.in_data = False

    def handle_data(self, data):
        if self.in_data:
            self.data += data


class Traces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def compare(self, name, text):
        file = GOLDEN / name
        if UPDATE:
            file.write_text(text)
        self.assertEqual(file.read_text(), text, f"{file} (mend: trace_test.py CMC --update)")

    def trail_of(self, model, options):
        trail = self.path / "trail.json"
        checked = run(*CHECK, *options, "--trail", str(trail), model)
        self.assertEqual(checked.returncode, 1, checked.stderr)
        return str(trail)

    def test_golden_views(self):
        for name, (model, options) in REPLAYED.items():
            trail = self.trail_of(model, options)
            for view, arguments in VIEWS.items():
                replayed = run("replay", model, trail, *arguments)
                self.assertEqual(replayed.returncode, 1, replayed.stderr)
                self.compare(f"{name}.{view}.txt", replayed.stdout)
            mermaid = self.path / "chart.mmd"
            run("replay", "-q", model, trail, "--mermaid", str(mermaid))
            self.compare(f"{name}.mmd", mermaid.read_text())

    def test_golden_graph(self):
        for steps in ["spin", "statement"]:
            graph = run("graph", "--steps", steps, "models/classics/philosophers.pml")
            self.assertEqual(graph.returncode, 0, graph.stderr)
            self.compare(f"philosophers.{steps}.dot", graph.stdout)

    def test_check_and_replay_write_the_same_steps(self):
        for model, options in REPLAYED.values():
            one, other, trail = (str(self.path / name) for name in ["check.json", "replay.json", "trail.json"])
            run(*CHECK, *options, "--trail", trail, "--trace-json", one, model)
            run("replay", model, trail, f"--json={other}")
            checked, replayed = (json.loads(pathlib.Path(name).read_text())["traces"][0] for name in [one, other])
            self.assertEqual(checked["steps"], replayed["steps"])
            self.assertEqual(checked["cause"], replayed["cause"])
            self.assertEqual(checked["final"], replayed["final"])

    def test_json_on_standard_output_is_nothing_else(self):
        model, options = REPLAYED["philosophers"]
        replayed = run("replay", model, self.trail_of(model, options), "--json", "-")
        self.assertEqual(json.loads(replayed.stdout)["schema"], "cmc.trace/1")
        self.assertEqual(replayed.returncode, 1)
        simulated = run("simulate", "--seed", "7", "models/features/handshake.pml", "--json", "-")
        trace = json.loads(simulated.stdout)["traces"][0]
        self.assertIsNone(trace["cause"])
        self.assertIn("after", trace["outcome"])
        self.assertEqual([step["step"] for step in trace["steps"]], list(range(1, len(trace["steps"]) + 1)))

    def test_a_deadlock_has_processes_and_a_place(self):
        model, options = REPLAYED["philosophers"]
        error = json.loads(run(*CHECK, *options, "--json", "-", model).stdout)["errors"][0]
        self.assertEqual([process["process"] for process in error["processes"]], ["philosopher[0]", "philosopher[1]", "philosopher[2]"])
        self.assertEqual((error["file"], error["line"]), (model, error["processes"][0]["line"]))
        self.assertIn("held[1] is 1 since step", error["processes"][0]["waits_for"][0])
        self.assertEqual(len(error["explanation"]), 3)

    def test_all_errors_are_in_one_file(self):
        file = self.path / "all.json"
        page = self.path / "all.html"
        (self.path / "m.pml").write_text("byte x; active proctype P() { do :: x < 5 -> x++; assert(x != 2); assert(x != 4) :: break od }\n")
        run("check", "--threads", "1", "--max-errors", "0", "--trace-json", str(file), "--html", str(page), "m.pml", cwd=self.path)
        traces = json.loads(file.read_text())["traces"]
        self.assertEqual({trace["cause"]["message"] for trace in traces}, {"assertion violated: assert((x!=2))", "assertion violated: assert((x!=4))"})
        self.assertEqual(len(json.loads(Page(page.read_text()).data)["traces"]), len(traces))

    def test_a_rare_error_has_a_trace_beside_frequent_ones(self):
        # Each assertion fails in 31 states, and there is one deadlock: 16 traces were of assertions.
        (self.path / "m.pml").write_text(
            "byte x, y; active proctype P() { do :: x < 8 -> x++; assert(x != 2); assert(x != 4); assert(x != 6) "
            ":: x == 8 -> break od; y == 1 }\n"
            "active proctype Q() { byte i; do :: i < 30 -> i++ :: i == 30 -> break od }\n")
        (self.path / "bug-5.trail").write_text("mine\n")
        arguments = ["check", "--threads", "1", "--max-errors", "0", "--reductions", "none", "--trail", "bug.trail", "--json=r.json",
                     "--trace-json", "t.json", "--html", "t.html", "m.pml"]
        checked = run(*arguments, cwd=self.path)
        self.assertEqual(checked.returncode, 1, checked.stderr)
        result = json.loads((self.path / "r.json").read_text())
        self.assertGreater(result["error_count"], 90)
        numbered = {error["counterexample"]: error for error in result["errors"] if error["counterexample"]}
        self.assertEqual(sorted(numbered), [1, 2, 3, 4])
        self.assertEqual(sorted(error["kind"] for error in numbered.values()), ["assertion"] * 3 + ["invalid end state"])
        self.assertTrue(all(error["file"] == "m.pml" for error in numbered.values()))
        self.assertEqual(len(json.loads((self.path / "t.json").read_text())["traces"]), 4)
        self.assertEqual(len(json.loads(Page((self.path / "t.html").read_text()).data)["traces"]), 4)
        for number, error in numbered.items():
            self.assertIn(f"counterexample {number} of 4: {error['kind']}", checked.stdout)
            self.assertEqual(error["trail"], "bug.trail" if number == 1 else f"bug-{number}.trail")
            replayed = run("replay", "m.pml", error["trail"], cwd=self.path)
            self.assertEqual(replayed.returncode, 1, replayed.stderr)
            self.assertIn(error["message"], replayed.stdout)
        # Files of an earlier run are gone; what CMC has not written stays.
        self.assertEqual(run("check", "--trail", "bug.trail", "m.pml", cwd=self.path).returncode, 1)
        self.assertEqual([path.name for path in sorted(self.path.glob("bug*"))], ["bug-5.trail", "bug.trail"])
        self.assertEqual((self.path / "bug-5.trail").read_text(), "mine\n")

    def test_long_names_are_told_apart_in_pictures(self):
        (self.path / "m.pml").write_text(
            "chan channel_with_a_long_name = [0] of { byte };\n"
            "active [2] proctype process_with_a_name_longer_than_thirty_letters() {\n"
            "  if :: channel_with_a_long_name ! 1 :: channel_with_a_long_name ? 1 fi;\n"
            "  assert(channel_with_a_long_name == 77 && channel_with_a_long_name == 78 && _pid == 77) }\n")
        self.assertEqual(run("check", "-q", "--svg", "t.svg", "m.pml", cwd=self.path).returncode, 1)
        svg = xml.etree.ElementTree.parse(self.path / "t.svg").getroot()
        texts = [each for each in svg.iter("{http://www.w3.org/2000/svg}text")]
        heads = [each.text for each in texts if each.get("class") == "h"]
        self.assertEqual([head[-3:] for head in heads], ["[0]", "[1]"])
        # Nothing is wider than the picture; a letter is 7 pixels wide.
        for each in texts:
            left = float(each.get("x")) - (len(each.text or "") * 3.5 if each.get("text-anchor") == "middle" else 0)
            if each.get("text-anchor") != "end":
                self.assertLessEqual(left + 7 * len(each.text or ""), float(svg.get("width")) + 1, each.text)

    def test_graphs_have_a_legend(self):
        (self.path / "m.pml").write_text("byte x; active [2] proctype P() { x == 0; x++; x == 1; x--; x == 7 }\n")
        svg = run("graph", "--format", "svg", "m.pml", cwd=self.path).stdout
        for text in ["P[0]", "P[1]", "initial state", "invalid end state"]:
            self.assertIn(f'">{text}</text>', svg)
        self.assertNotIn("--max-states", svg)
        self.assertIn("--max-states", run("graph", "--format", "svg", "--max-states", "3", "m.pml", cwd=self.path).stdout)

    def test_hostile_names_and_texts(self):
        (self.path / HOSTILE_NAME).write_bytes(HOSTILE.encode().replace(b"printf(\"", b"printf(\"\xff\xc3"))
        files = {kind: self.path / f"out.{kind}" for kind in ["json", "html", "svg", "itf", "mmd"]}
        options = ["--trace-json", "--html", "--svg", "--itf", "--mermaid"]
        arguments = [each for pair in zip(options, map(str, files.values())) for each in pair]
        checked = run("check", "-q", *arguments, HOSTILE_NAME, cwd=self.path)
        self.assertEqual(checked.returncode, 1, checked.stderr)
        self.assertEqual(json.loads(files["json"].read_text())["model"]["file"], HOSTILE_NAME)
        json.loads(files["itf"].read_text())
        xml.etree.ElementTree.parse(files["svg"])
        page = Page(files["html"].read_text())
        self.assertEqual(page.open, [])
        self.assertEqual(page.elements.count("script"), 2)
        self.assertNotIn("b", page.elements)
        data = json.loads(page.data)
        self.assertEqual(data["file"], HOSTILE_NAME)
        self.assertIn("</script><b>&", data["sources"][0]["text"])
        self.assertNotIn("<", files["mmd"].read_text())
        svg = run("graph", "--format", "svg", HOSTILE_NAME, cwd=self.path)
        xml.etree.ElementTree.fromstring(svg.stdout)
        dot = run("graph", HOSTILE_NAME, cwd=self.path).stdout
        self.assertIn('digraph "a<b>&\\"c\\"', dot)

    def test_outputs_that_would_destroy_inputs_are_refused(self):
        (self.path / "m.pml").write_text("byte x; active proctype P() { x = 1; assert(x == 0) }\n")
        self.assertEqual(run("check", "--trail", "t", "m.pml", cwd=self.path).returncode, 1)
        before = (self.path / "t").read_text()
        for arguments in [["replay", "m.pml", "t", "--html", "t"], ["replay", "m.pml", "t", "--json=m.pml"],
                          ["check", "m.pml", "--html", "m.pml"], ["check", "m.pml", "--html", "a", "--svg", "a"],
                          ["simulate", "m.pml", "--itf", "m.pml"], ["check", "m.pml", "--html", "nowhere/a"],
                          ["check", "m.pml", "--only", "nothing"], ["check", "m.pml", "--width", "5"],
                          ["graph", "m.pml", "--max-states", "0"], ["check", "m.pml", "--html", "-"]]:
            refused = run(*arguments, cwd=self.path)
            self.assertEqual(refused.returncode, 2, arguments)
            self.assertNotEqual(refused.stderr, "", arguments)
        self.assertEqual((self.path / "t").read_text(), before)
        (self.path / "notes.html").write_text("of somebody else")
        self.assertEqual(run("check", "--html", "old.html", "-", cwd=self.path, text="init { assert(false) }").returncode, 1)
        for page in ["old.html", "notes.html"]:
            self.assertTrue((self.path / page).exists())
            self.assertEqual(run("check", "--html", page, "-", cwd=self.path, text="init { skip }").returncode, 0)
        self.assertFalse((self.path / "old.html").exists())
        self.assertEqual((self.path / "notes.html").read_text(), "of somebody else")

    def test_long_traces_keep_their_ends(self):
        text = "int x; active proctype P() { do :: x < 3000 -> x++ :: x == 3000 -> assert(false) od }\n"
        (self.path / "m.pml").write_text(text)
        run("check", "-q", "--threads", "1", "--trace-json", "all", "--html", "page", "m.pml", cwd=self.path)
        run("check", "-q", "--threads", "1", "--trace-limit", "10", "--trace-json", "end", "m.pml", cwd=self.path)
        everything, end = (json.loads((self.path / name).read_text())["traces"][0] for name in ["all", "end"])
        self.assertEqual(end["left_out"] + 10, len(everything["steps"]))
        self.assertEqual(end["steps"], everything["steps"][-10:])
        self.assertEqual(end["cause"], everything["cause"])
        self.assertLess((self.path / "page").stat().st_size, 2 << 20)

    def test_a_graph_that_is_too_large_says_so(self):
        graph = run("graph", "--max-states", "10", "models/peterson/peterson.pml")
        self.assertEqual(graph.returncode, 3)
        self.assertIn("first 10 states", graph.stderr)
        self.assertIn("style=dashed", graph.stdout)

    def test_a_line_is_not_longer_than_asked(self):
        model, options = REPLAYED["alternating_bit"]
        trail = self.trail_of(model, options)
        for width in [60, 90]:
            text = run("replay", model, trail, "--trace", "columns", "--width", str(width)).stdout
            long = [line for line in text.split("\n") if len(line) > width and "error:" not in line and "reproduced" not in line]
            self.assertEqual(long, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
