#!/usr/bin/env python3
"""Installs a build into a folder, moves the folder, and uses what is there from elsewhere: the program, manual pages,
completions, the library; then the packages. With CMC_PARTS=all lintian looks at them, which takes it two minutes.

Usage: install_test.py BUILD_FOLDER
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = None
ROOT = pathlib.Path(__file__).resolve().parents[2]


ECHO = """mtype = { PING, PONG, TICK };
chan in = [ROOM] of { mtype, byte };    /* cmc: external */
chan out = [ROOM] of { mtype, byte };   /* cmc: external */
byte count;
active proctype server() {
  byte n;
  do
  :: in?PING(n) -> count++; out!PONG(n + 1)
  :: in?TICK(_) -> out!TICK(count); break
  :: timeout -> out!TICK(255)
  od
}
"""


def run(*command, cwd=None, code=0, env=None):
    result = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL,
                            env={**os.environ, **(env or {})})
    if result.returncode != code:
        raise AssertionError(f"{command}: exit code {result.returncode}: {result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = pathlib.Path(cls.folder.name)
        run("cmake", "--install", BUILD, "--prefix", cls.place / "first")
        # Nothing may depend on the folder that it was installed into.
        (cls.place / "first").rename(cls.place / "moved")
        cls.prefix = cls.place / "moved"
        cls.cmc = cls.prefix / "bin/cmc"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_program_runs_from_elsewhere(self):
        models = self.prefix / "share/cmc/models"
        result = json.loads(run(self.cmc, "check", "--json", models / "classics/dekker.pml", cwd=self.place))
        self.assertEqual(result["verdict"], "holds")
        # The worker and the module are found in libexec, also through a link.
        (self.place / "link").symlink_to(self.cmc)
        for program in [self.cmc, self.place / "link"]:
            self.assertIn("Z3", run(program, "solver", "ping", cwd=self.place))
        run(self.cmc, "check", "--solver", "inprocess", models / "solver/banker.pml", cwd=self.place)
        run(self.cmc, "test", "-q", models / "classics", cwd=self.place)
        self.assertIn("BSD 3-Clause", (self.prefix / "share/doc/cmc/copyright").read_text())

    def test_links_of_the_texts_lead_somewhere(self):
        texts = list((self.prefix / "share/doc/cmc").rglob("*.md"))
        self.assertGreater(len(texts), 15)
        for text in texts:
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text.read_text()):
                if not target.startswith("http"):
                    self.assertTrue((text.parent / target).exists(), f"{text.name}: {target}")

    def test_every_command_has_a_manual_page(self):
        commands = re.findall(r"^  (\w+) {2,}", run(self.cmc, "--help").split("Commands:")[1].split("Examples:")[0], re.MULTILINE)
        self.assertGreater(len(commands), 9)
        pages = {page.name for page in (self.prefix / "share/man/man1").iterdir()}
        self.assertEqual(pages, {"cmc.1.gz"} | {f"cmc-{command}.1.gz" for command in commands if command != "help"})
        if not shutil.which("man"):
            self.skipTest("there is no man")
        for page in pages:
            path = self.prefix / "share/man/man1" / page
            shown = subprocess.run(["man", "--warnings=w", "-l", path], capture_output=True, text=True, env={**os.environ, "MANWIDTH": "80"})
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), page)
            self.assertIn("EXIT STATUS", shown.stdout)
        text = " ".join(subprocess.run(["man", "-l", self.prefix / "share/man/man1/cmc-check.1.gz"], capture_output=True, text=True,
                                       env={**os.environ, "MANWIDTH": "80"}).stdout.split())
        for option in set(re.findall(r"--[\w-]+", run(self.cmc, "help", "check"))) - {"--help"}:
            self.assertIn(option, text)

    def complete(self, *words):
        script = (f". {self.prefix}/share/bash-completion/completions/cmc\n"
                  f"COMP_WORDS=({' '.join(repr(word) for word in words)}) COMP_CWORD={len(words) - 1}\n"
                  "_cmc\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n")
        return run("bash", "-c", script, cwd=self.place).split()

    def test_bash_completes(self):
        self.assertEqual(self.complete("cmc", "che"), ["check"])
        self.assertEqual(self.complete("cmc", "check", "--search", ""), ["auto", "dfs", "bfs"])
        self.assertEqual(self.complete("cmc", "check", "--page-codec", "s"), ["sha1:"])
        self.assertEqual(self.complete("cmc", "test", "--jun"), ["--junit"])
        self.assertIn("--memory", self.complete("cmc", "tune", "--me"))
        self.assertEqual(self.complete("cmc", "info", "--junit"), [])
        self.assertEqual(self.complete("cmc", "help", "aut"), ["automaton"])
        (self.place / "a model.pml").write_text("")
        self.assertEqual(self.complete("cmc", "check", "a "), ["a", "model.pml"])

    def test_other_shells_can_read_their_completions(self):
        for shell, name in [("zsh", "zsh/vendor-completions/_cmc"), ("fish", "fish/vendor_completions.d/cmc.fish")]:
            path = self.prefix / "share" / name
            self.assertIn("automaton", path.read_text())
            if shutil.which(shell):
                run(shell, "-n", path)

    def test_a_program_uses_the_library(self):
        if "-fsanitize" in (BUILD / "CMakeCache.txt").read_text():
            self.skipTest("the library needs the sanitizer of its build")
        shutil.copytree(ROOT / "examples/library", self.place / "example")
        run("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", cwd=self.place / "example")
        run("cmake", "--build", "build", cwd=self.place / "example")
        example = self.place / "example/build/example"
        model = self.prefix / "share/cmc/models/classics/philosophers.pml"
        shown = run(example, model, "-DCURED")
        self.assertIn("holds, ", shown)
        self.assertIn("one run:\n  philosopher[", shown)
        shown = run(example, model)
        self.assertIn("violated, ", shown)
        self.assertIn("safety: invalid end state\n  philosopher[", shown)
        wrong = self.place / "wrong.pml"
        wrong.write_text("init { y = 1 }\n")
        for arguments in [(wrong,), (self.place / "missing.pml",), (model, "--nonsense"), (model, "--json=x")]:
            failed = subprocess.run([example, *map(str, arguments)], capture_output=True, text=True)
            self.assertEqual((failed.returncode, failed.stdout), (2, ""))
            self.assertTrue(failed.stderr.startswith("example: "), failed.stderr)

    def test_another_project_contains_this_one(self):
        project = self.place / "parent"
        shutil.copytree(ROOT / "examples/library", project)
        text = (project / "CMakeLists.txt").read_text()
        (project / "CMakeLists.txt").write_text(text.replace("find_package(cmc REQUIRED)", f"add_subdirectory({ROOT} cmc EXCLUDE_FROM_ALL)"))
        run("cmake", "-S", ".", "-B", "build", "-G", "Ninja", cwd=project)
        commands = run("ninja", "-C", "build", "-t", "commands", "example", cwd=project)
        self.assertIn("libcmc.a", commands)
        self.assertNotIn("-Werror", commands)
        self.assertNotIn("tests_", commands)

    def test_a_program_runs_a_model(self):
        model = self.place / "echo.pml"
        model.write_text(ECHO)
        folder = self.place / "echo"
        run(self.cmc, "compile", "--program", "-DROOM=2", model, "-o", folder)
        run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", folder / "build")
        talk = subprocess.run([folder / "build/program"], input="in PING 3\nin PING 300\nin NOISE 1\nnowhere 1\nin TICK 0", text=True,
                              capture_output=True, timeout=60)
        self.assertEqual((talk.returncode, talk.stdout), (0, "out PONG 4\nout TICK 1\n"), talk.stderr)
        for complaint in ("300 does not fit field 2 of 'in'", "'NOISE' is no value of field 1 of 'in'", "receives from no channel 'nowhere'"):
            self.assertIn(complaint, talk.stderr)
        # What is the user's stays; what is CMC's is written again.
        (folder / "world.cc").write_text("mine")
        (folder / "main.cc").write_text("not mine")
        run(self.cmc, "compile", "--program", "-DROOM=2", model, "-o", folder)
        self.assertEqual((folder / "world.cc").read_text(), "mine")
        self.assertNotEqual((folder / "main.cc").read_text(), "not mine")
        model.write_text(ECHO.replace("/* cmc: external */", ""))
        refused = subprocess.run([self.cmc, "compile", "--program", "-DROOM=2", model, "-o", folder], capture_output=True, text=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no external channel", refused.stderr)

    def test_packages(self):
        folder = self.place / "packages"
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "TGZ", "-B", folder)
        self.assertTrue(list(folder.glob("cmc-*.tar.gz")))
        if not shutil.which("dpkg-shlibdeps"):
            self.skipTest("dpkg-dev is not installed")
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", folder)
        package = next(folder.glob("cmc_*.deb"))
        fields = run("dpkg-deb", "-f", package)
        self.assertRegex(fields, r"Depends: .*libz3-4.*libzmq5|Depends: .*libzmq5.*libz3-4")
        run("dpkg-deb", "-x", package, self.place / "root")
        result = run(self.place / "root/usr/bin/cmc", "check", "-q", self.place / "root/usr/share/cmc/models/classics/dekker.pml",
                     cwd=self.place)
        self.assertIn("verdict: holds", result)
        names = run("dpkg-deb", "-c", next(folder.glob("cmc-dev_*.deb")))
        self.assertIn("./usr/include/cmc/cmc.h", names)
        if os.environ.get("CMC_PARTS") == "all" and shutil.which("lintian"):
            complaints = [line for line in run("lintian", "--allow-root", "--fail-on", "none", *folder.glob("*.deb")).splitlines()
                          if line.startswith("E:")]
            self.assertEqual(complaints, [])


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
