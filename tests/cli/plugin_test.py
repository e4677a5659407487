#!/usr/bin/env python3
"""Hand-written successors (cmc check --generator plugin:FILE): the example of studies/xtp/plugin, wrong ones, and files that
are none. Usage: plugin_test.py CMC. Skipped (77) without a C++ compiler.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "models" / "xtp" / "flat.pml"
SOURCE = ROOT / "studies" / "xtp" / "plugin" / "flat.cc"
CMC = ""
COMPILER = os.environ.get("CXX") or "c++"


class PluginTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def cmc(self, *arguments):
        return subprocess.run([CMC, *arguments], cwd=self.path, capture_output=True, text=True, timeout=120)

    def build(self, text, name="flat.so", model=MODEL, defines=()):
        header = self.cmc("info", "--plugin-header", str(model), *defines)
        self.assertEqual(header.returncode, 0, header.stderr)
        (self.path / "model.h").write_text(header.stdout)
        (self.path / "flat.cc").write_text(text)
        subprocess.run([COMPILER, "-std=c++20", "-O1", "-w", "-shared", "-fPIC", "-I.", f"-I{ROOT}/checker/plugin", "-o",
                        name, "flat.cc"], cwd=self.path, check=True, timeout=300)

    def check(self, *options, plugin="flat.so", model=MODEL):
        generator = ["--generator", f"plugin:{plugin}"] if plugin else ["--reductions", "none"]
        return self.cmc("check", str(model), *generator, "--json", "-", "--max-errors", "0", *options)

    def test_the_example(self):
        self.build(SOURCE.read_text())
        own = json.loads(self.check(plugin="").stdout)
        checked = self.check("--check-generator")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        result = json.loads(checked.stdout)
        self.assertEqual((result["verdict"], result["states_stored"], result["transitions"]),
                         ("holds", own["states_stored"], own["transitions"]))
        # Without the comparison nothing is proved.
        alone = self.check()
        result = json.loads(alone.stdout)
        self.assertEqual((alone.returncode, result["verdict"], result["states_stored"]),
                         (3, "incomplete", own["states_stored"]))
        self.assertIn("plug-in", alone.stdout)
        # It is of the model with these options only.
        other = self.check("-DW=1")
        self.assertEqual(other.returncode, 2)
        self.assertIn("of another model", other.stderr)

    def test_errors_are_found_and_replayed(self):
        self.build(SOURCE.read_text().replace("kNumbers = kWindow + 1", "kNumbers = kWindow"), defines=["-DBURST", "-DS=2"])
        found = self.check("-DBURST", "-DS=2", "--max-errors", "1")
        self.assertEqual((found.returncode, json.loads(found.stdout)["verdict"]), (1, "violated"), found.stderr)

    def test_wrong_plugins_are_found(self):
        mistakes = [("x.touch(&x, e == 0 ? g_contents_arrived_0 : g_contents_arrived_1);\n  if", "if"),  # not noted
                    ("if (status() == m_OPENING) {\n      status() = m_OPEN;", "if (status() == m_OPENING) {"),
                    ("{2, false}, ", "")]
        for right, wrong in mistakes:
            text = SOURCE.read_text()
            self.assertIn(right, text)
            self.build(text.replace(right, wrong))
            run = self.check("--check-generator", "-q")
            self.assertNotEqual(run.returncode, 0, wrong)
            self.assertNotIn('"holds"', run.stdout)

    def test_what_is_no_plugin(self):
        (self.path / "garbage.so").write_text("no object")
        for plugin, words in [("garbage.so", "cannot load"), ("missing.so", "cannot load")]:
            run = self.check(plugin=plugin)
            self.assertEqual(run.returncode, 2)
            self.assertIn(words, run.stderr)
        self.build("extern \"C\" int something() { return 1; }\n", name="other.so")
        self.assertIn("is no plug-in", self.check(plugin="other.so").stderr)
        self.build('#include "interface.h"\n'
                   "constexpr CmcPlugin kOld = {77, \"\", nullptr};\n"
                   "extern \"C\" const CmcPlugin* cmc_plugin() { return &kOld; }\n", name="old.so")
        self.assertIn("another version", self.check(plugin="old.so").stderr)

    def test_options_that_do_not_go_with_it(self):
        for options in (["--engine", "simple"], ["--reductions", "por"], ["--steps", "statement"]):
            self.assertEqual(self.check(*options).returncode, 2, options)
        self.assertEqual(self.cmc("simulate", "--generator", "plugin:flat.so", str(MODEL)).returncode, 2)
        priorities = ROOT / "models" / "features" / "priorities.pml"
        self.assertIn("priorities", self.check(model=priorities).stderr)


def main():
    global CMC
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    CMC = os.path.abspath(sys.argv.pop(1))
    if shutil.which(COMPILER) is None:
        print(f"skipped: there is no {COMPILER}")
        return 77
    unittest.main(verbosity=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
