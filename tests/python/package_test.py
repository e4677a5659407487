#!/usr/bin/env python3
"""The Python package: what it finds, how it says what is wrong, how it is interrupted, and that it keeps no memory.

Usage: package_test.py [TEST...]     by build/cmc-python, which has the extension in it, or where the package is installed
"""
import contextlib
import io
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import threading
import time
import unittest
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
if "_cmc" in sys.builtin_module_names:
    sys.path.insert(0, str(ROOT / "python"))

import cmc  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
COUNTER = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> break od; assert(x == N) }"
ENDLESS = "int x, y; init { do :: x++ :: y++ :: x + y == -1 -> break od }"
CHANNELS = """mtype = { ping, pong }; chan q = [2] of { mtype, byte }; chan now = [0] of { byte };
active proctype S() { q ! ping, 3; q ! pong, 4; now ! 7 }
active proctype R() { byte n; now ? n; assert(n != 7) }"""


def resident_kilobytes():
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path("/proc/self/status").read_text()).group(1))


class Package(unittest.TestCase):
    def test_the_examples_of_the_documents_run(self):
        self.assertEqual(len(EXAMPLES), 5)
        printed = []
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "models").symlink_to(ROOT / "models")
            before = os.getcwd()
            os.chdir(place)
            try:
                for example in EXAMPLES:
                    if "numpy" in example and numpy is None:
                        continue
                    with contextlib.redirect_stdout(io.StringIO()) as output:
                        exec(compile(example, "docs/python.md", "exec"), {})  # pylint: disable=exec-used
                    printed.append(output.getvalue())
            finally:
                os.chdir(before)
        text = "".join(printed)
        for said in ("holds ", "invalid end state", "m.pml 1 8 undeclared variable 'y'", "incomplete ["):
            self.assertIn(said, text)

    def test_a_result_is_what_the_program_says(self):
        holds = cmc.parse(COUNTER, {"N": 3}).check()
        self.assertTrue(holds)
        self.assertEqual((holds.verdict, holds.reasons, holds.counterexample), ("holds", [], None))
        self.assertEqual([(each.name, each.verdict) for each in holds.properties], [("safety", "holds")])
        self.assertEqual(holds.data["schema"], "cmc.result/1")
        violated = cmc.parse(COUNTER, {"N": 4}, ltl="[] (x < 3)").check()
        self.assertFalse(violated)
        self.assertEqual(len(violated.counterexamples), 2)
        wrong = violated.counterexample
        self.assertEqual((wrong.property, wrong.kind, wrong.line), ("safety", "assertion", 1))
        self.assertEqual(wrong.steps[-1].text, "assert((x==4))")
        self.assertEqual([step.changes for step in wrong.steps if step.changes][0], ["x: 0 -> 1"])
        self.assertEqual(wrong.steps[0].process, "P[0]")
        self.assertEqual(violated.data["errors"][0]["counterexample"], 1)
        self.assertIn("<html", violated.page())
        self.assertIn("srcdoc=", violated._repr_html_())
        self.assertNotIn("iframe", holds._repr_html_())

    def test_options_are_those_of_the_program(self):
        model = cmc.parse(ENDLESS)
        cut = model.check(time=0.2, threads=1, reductions="none")
        self.assertEqual(cut.verdict, "incomplete")
        self.assertEqual(len(cut.reasons), 1)
        self.assertEqual(cut.data["options"]["reductions"], "none")
        several = cmc.parse(COUNTER, {"N": 4}, ltl="[] (x < 9)")
        self.assertEqual(len(several.check(property=["safety", "ltl_0"], no_end_states=True).properties), 2)
        self.assertEqual([each.name for each in several.check("--property=ltl_0", memo=None).properties], ["ltl_0"])
        for wrong in ({"nonsense": 3}, {"json": "x"}, {"trail": "x"}, {"threads": 0}, {"property": "none"}):
            with self.assertRaises(cmc.Error):
                model.check(**wrong)
        for value in ({}, {"a": 1}, [True], b"1", object()):
            with self.assertRaisesRegex(TypeError, "^time: .* is neither a number"):
                model.check(time=value)
        with self.assertRaises(cmc.Error):
            model.check("other.pml")

    def test_mistakes_have_their_places(self):
        with self.assertRaises(cmc.ModelError) as caught:
            cmc.parse("init {\n  y = 1;\n  z = 2 }", name="m.pml")
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), ("m.pml", 2, 3))
        self.assertEqual([each.line for each in error.mistakes], [2, 3])
        self.assertIn("m.pml:2:3: error:", str(error))
        for path, kind in (("/no/such/model.pml", FileNotFoundError), ("/", IsADirectoryError)):
            with self.assertRaises(kind):
                cmc.load(path)
        with self.assertRaises(cmc.ModelError):
            cmc.parse('init { printf("\udcff") }'.encode("utf-8", "surrogateescape").decode("latin-1") + "}")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            cmc.parse("bit b; active proctype P() { b = 5 }")
        self.assertTrue(all(each.filename == __file__ for each in said))

    def test_any_bytes_are_a_model(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m\udcff.pml"
            path.write_bytes(b'byte x; init { printf("\xff"); x = 1; assert(x == 0) } // \xe9')
            result = cmc.load(path).check()
            self.assertEqual(result.verdict, "violated")
            self.assertIn("assert", result.counterexample.steps[-1].text)
            result.page()
            path.write_bytes(b'init { \xff\xfe }')
            with self.assertRaises(cmc.ModelError):
                cmc.load(path)

    def test_a_session_is_walked_in_both_directions(self):
        session = cmc.parse(CHANNELS).start()
        self.assertEqual(session.state["q"], [])
        session.choose(0)
        session.choose(0)
        self.assertEqual(session.state["q"], [("ping", 3), ("pong", 4)])
        self.assertEqual(session.choices[0].partner, "R[1]")
        session.back()
        self.assertEqual((session.position, len(session), session.state["q"]), (1, 2, [("ping", 3)]))
        session.forward(9)
        session.choose(0)
        self.assertEqual(session.evaluate("n", process=1), 7)
        session.choose(0)
        self.assertIn("assertion violated", session.end)
        self.assertTrue(session.why)
        self.assertEqual([step.process for step in session.steps], ["S[0]", "S[0]", "S[0]", "R[1]"])
        session.go_to(0)
        self.assertTrue(session.find("len(q) == 2"))
        self.assertFalse(session.find("len(q) == 3"))
        for wrong in (lambda: session.choose(5), lambda: session.go_to(99), lambda: session.evaluate("nothing"),
                      lambda: session.load("no trail"), lambda: session.find("x", process=9)):
            with self.assertRaises(cmc.Error):
                wrong()
        self.assertIn("srcdoc=", session._repr_html_())

    def test_a_counterexample_can_be_walked(self):
        wrong = cmc.parse(COUNTER, {"N": 4}).check().counterexample
        session = wrong.session()
        session.forward(1000)
        self.assertEqual(session.position, len(wrong.steps))
        self.assertIn("assertion violated", session.end)
        endless = cmc.parse("byte x; active proctype P() { do :: x = 1 - x od }", ltl="<> (x == 2)").check().counterexample
        self.assertIsNotNone(endless.loop_start)
        self.assertIsNotNone(endless.session().loop_start)

    def test_a_session_is_for_one_thread(self):
        session = cmc.parse(ENDLESS).start()
        finder = threading.Thread(target=self.find_nothing, args=[session])
        finder.start()
        time.sleep(0.3)
        with self.assertRaisesRegex(RuntimeError, "another thread"):
            session.position  # pylint: disable=pointless-statement
        finder.join()
        self.assertEqual(session.position, 0)

    @staticmethod
    def find_nothing(session):
        with contextlib.suppress(cmc.Error):
            session.find("x == -1", time=1)

    @unittest.skipIf(numpy is None, "NumPy is not there")
    def test_a_graph_has_arrays(self):
        graph = cmc.parse("byte x; active [2] proctype P() { x++ }").graph()
        self.assertTrue(graph.complete)
        self.assertEqual(len(graph.nodes), len(graph.states))
        self.assertEqual(len(graph.edges), len(graph.statements))
        self.assertTrue((graph.edges["target"] < len(graph.nodes)).all())
        reached = {0}
        for source, target in zip(graph.edges["source"].tolist(), graph.edges["target"].tolist()):
            self.assertIn(source, reached)
            reached.add(target)
        self.assertEqual(reached, set(range(len(graph.nodes))))
        self.assertTrue(graph.svg.startswith("<svg"))
        cut = cmc.parse(ENDLESS).graph(2000)
        self.assertFalse(cut.complete)
        self.assertTrue(cut.reason)
        self.assertEqual(cut.svg, "")
        counted = cmc.load(ROOT / "models/classics/dekker.pml").graph()
        self.assertEqual(len(counted.nodes), 110)

    def test_threads_check_at_the_same_time(self):
        verdicts = []
        threads = [threading.Thread(target=lambda n=n: verdicts.append((n, cmc.parse(COUNTER, {"N": n}).check(threads=1).verdict)))
                   for n in range(1, 7)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(sorted(verdicts), [(n, "holds" if n == 3 else "violated") for n in range(1, 7)])

    def test_ctrl_c_ends_a_check_with_what_was_found(self):
        # A job in the background of a shell ignores it.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        model = cmc.parse(ENDLESS)
        for work in (model.check, lambda: model.start().find("x == -1", time=100), lambda: model.start().run(10**9)):
            timer = threading.Timer(0.4, os.kill, [os.getpid(), signal.SIGINT])
            begun = time.monotonic()
            timer.start()
            with self.assertRaises(cmc.Interrupted) as caught:
                work()
            self.assertLess(time.monotonic() - begun, 10)
            if work == model.check:  # pylint: disable=comparison-with-callable
                self.assertEqual(caught.exception.result.verdict, "incomplete")
                self.assertGreater(caught.exception.result.states, 0)
        self.assertIsInstance(caught.exception, KeyboardInterrupt)
        self.assertTrue(cmc.parse(COUNTER, {"N": 3}).check())  # and Python goes on

    def test_another_signal_raises_its_own_exception(self):
        def handler(number, frame):
            raise TimeoutError

        before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            with self.assertRaises(TimeoutError):
                cmc.parse(ENDLESS).check()
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_a_thousand_checks_keep_no_memory(self):
        def once(number):
            result = cmc.parse(COUNTER, {"N": number % 5}).check(threads=1, shorten=0)
            if result.counterexample:
                result.page()
            session = cmc.parse(CHANNELS).start()
            session.run(10)
            with contextlib.suppress(cmc.Error):
                cmc.parse("init { y = 1 }")

        for number in range(200):
            once(number)
        before = resident_kilobytes()
        for number in range(800):
            once(number)
        self.assertLess(resident_kilobytes() - before, 4000)

    def test_the_notebook_is_small_has_no_output_and_runs(self):
        path = ROOT / "python" / "tour.ipynb"
        self.assertLess(path.stat().st_size, 50_000)
        cells = json.loads(path.read_text())["cells"]
        self.assertFalse(any(cell.get("outputs") for cell in cells))
        names = {}
        for source in ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"):
            if "graph" in source and numpy is None:
                continue
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(source, path.name, "exec"), names)  # pylint: disable=exec-used
        self.assertEqual(names["result"].counterexample.kind, "invalid end state")


if __name__ == "__main__":
    unittest.main()
