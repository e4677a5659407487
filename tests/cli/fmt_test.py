#!/usr/bin/env python3
"""cmc fmt as people run it. Usage: fmt_test.py CMC MODELS [--counts] [unittest arguments]. --counts: also searches SPIN's examples, laid out."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CMC, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = pathlib.Path("/usr/share/doc/spin/examples/Examples")
UGLY = "byte x;\nactive proctype P(){\nx=1;\n}\n"
NEAT = "byte x;\nactive proctype P() {\n  x = 1;\n}\n"


def cmc(*arguments, **options):
    return subprocess.run([CMC, *map(str, arguments)], capture_output=True, text=True, timeout=600, errors="surrogateescape", **options)


class FmtTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.model = self.path / "model.pml"
        self.model.write_text(UGLY)

    def run_fmt(self, *arguments, code=0, **options):
        run = cmc("fmt", *arguments, **options)
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def test_files_are_written_once(self):
        self.model.chmod(0o640)
        link = self.path / "link.pml"
        link.symlink_to(self.model)
        self.assertEqual(self.run_fmt(link).stdout, "")
        self.assertEqual(self.model.read_text(), NEAT)
        self.assertEqual(self.model.stat().st_mode & 0o777, 0o640)
        self.assertTrue(link.is_symlink())
        written = self.model.stat()
        self.run_fmt(self.model)
        self.assertEqual((self.model.stat().st_mtime_ns, self.model.stat().st_ino), (written.st_mtime_ns, written.st_ino))
        self.assertEqual(sorted(each.name for each in self.path.iterdir()), ["link.pml", "model.pml"])

    def test_check_and_diff_write_nothing(self):
        neat = self.path / "neat.pml"
        neat.write_text(NEAT)
        self.assertEqual(self.run_fmt("--check", self.model, neat, code=1).stdout, f"{self.model}\n")
        self.assertEqual(self.run_fmt("--check", neat).stdout, "")
        shown = self.run_fmt("--diff", self.model, neat).stdout
        self.assertEqual(self.run_fmt("--check", "--diff", self.model, code=1).stdout, shown)
        self.assertEqual(self.model.read_text(), UGLY)
        subprocess.run(["patch", "-s", str(self.model)], input=shown, text=True, check=True)
        self.assertEqual(self.model.read_text(), NEAT)

    def test_diffs_of_models_can_be_applied(self):
        for number, path in enumerate(sorted(MODELS.rglob("*.pml"))):
            lines = path.read_text().split("\n")
            ugly = "\n".join(line if line.startswith("#") or "\\" in line or i % (number % 9 + 2) else "    " + line
                             for i, line in enumerate(lines))
            self.model.write_text(ugly)
            shown = self.run_fmt("--diff", "-I", path.parent, self.model).stdout
            self.run_fmt("-I", path.parent, self.model)
            laid_out = self.model.read_text()
            self.model.write_text(ugly)
            subprocess.run(["patch", "-s", str(self.model)], input=shown, text=True, check=True)
            self.assertEqual(self.model.read_text(), laid_out, path)

    def test_standard_input_is_printed(self):
        self.assertEqual(self.run_fmt("-", input=UGLY).stdout, NEAT)
        self.assertEqual(self.run_fmt("--indent", "tab", "-", input=UGLY).stdout, NEAT.replace("  ", "\t"))
        self.assertEqual(self.run_fmt("--check", "-", input=UGLY, code=1).stdout, "<stdin>\n")

    def test_texts_with_errors_are_left_alone(self):
        good = self.path / "good.pml"
        good.write_text(UGLY)
        self.model.write_text("active proctype P() {\nx = ;\n}\n")
        run = self.run_fmt(self.model, good, code=2)
        self.assertIn(f"{self.model}:2:5: error:", run.stderr)
        self.assertEqual(self.model.read_text(), "active proctype P() {\nx = ;\n}\n")
        self.assertEqual(good.read_text(), NEAT)
        self.assertIn("undeclared", self.run_fmt("-", input="#error undeclared\n", code=2).stderr)
        self.assertIn("'/dev/zero' is larger than 64 MiB", self.run_fmt("/dev/zero", code=2).stderr)
        for wrong in ((), ("-", self.model), ("--indent", "0", self.model), (self.path / "missing.pml",), (self.path,)):
            self.assertNotEqual(self.run_fmt(*wrong, code=2).stderr, "")

    def test_texts_that_would_be_read_differently_are_left_alone(self):
        text = "#define S(x) #x\ninit { printf(S(a==b)) }\n"
        self.model.write_text(text)
        self.assertIn("another token", self.run_fmt(self.model, code=2).stderr)
        self.assertEqual(self.model.read_text(), text)

    def test_options_say_how_texts_are_read(self):
        text = "#ifdef BAD\n}\n#endif\n#include \"part.h\"\ninit{ADD}\n"
        self.model.write_text(text)
        (self.path / "parts").mkdir()
        (self.path / "parts" / "part.h").write_text("byte x;\n#define ADD x++\n")
        self.run_fmt(self.model, code=2)
        self.run_fmt("-I", self.path / "parts", "-DBAD", self.model, code=2)
        self.run_fmt("-I", self.path / "parts", self.model)
        self.assertTrue(self.model.read_text().endswith("init {ADD}\n"))

    def test_a_failing_disk_leaves_the_file(self):
        if os.geteuid() == 0 and not os.path.exists("/dev/full"):
            self.skipTest("no full device")
        with open("/dev/full", "w") as full:
            run = subprocess.run([CMC, "fmt", "-"], input=UGLY, text=True, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 2)

    def models(self):
        """Copies of all models: (folder, relative paths)."""
        for name, folder in (("models", MODELS), ("bench", ROOT / "bench" / "models"), ("cases", ROOT / "tests" / "spin" / "cases"), ("examples", EXAMPLES)):
            if folder.is_dir():
                shutil.copytree(folder, self.path / name)
                yield name, [each.relative_to(self.path) for each in sorted((self.path / name).rglob("*")) if each.is_file()]

    def test_all_models_stay_what_they_are(self):
        """The dump of a model has all that the checker knows of it but its columns."""
        read = 0
        for _, files in self.models():
            for file in files:
                before = cmc("info", "--dump", file, cwd=self.path)
                if before.returncode != 0:
                    continue
                read += 1
                self.run_fmt(file, cwd=self.path)
                after = cmc("info", "--dump", file, cwd=self.path)
                self.assertEqual(before.stdout, after.stdout, file)
                self.run_fmt("--check", file, cwd=self.path)
        self.assertGreater(read, 300)

    def test_searches_find_the_same(self):
        """After it, SPIN's examples have SPIN's counts and the project's models what their texts expect."""
        if not COUNTS:
            self.skipTest("only with --counts")
        for name, files in self.models():
            cmc("fmt", *files, cwd=self.path)  # not all files are models
            if name == "examples":
                subprocess.run([sys.executable, "-B", ROOT / "tests/spin/run_examples.py", "--cmc", CMC, "--examples", self.path / name], check=True)
            else:
                subprocess.run([CMC, "test", "--quiet", "--kill-after", "60s", self.path / name], check=True)


if __name__ == "__main__":
    COUNTS = "--counts" in sys.argv
    del sys.argv[1:3]
    unittest.main(argv=[each for each in sys.argv if each != "--counts"])
