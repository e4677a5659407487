"""What cmc check --checkpoint and cmc resume take, refuse and say."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

CMC = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
MODEL = """#include "limit.h"
byte x, y, z;
active proctype P() { do :: x < LIMIT -> x++ :: y < LIMIT -> y++ :: z < LIMIT -> z++ od }
"""
LTL = "byte x; active proctype P() { x = 1 } ltl p { <> (x == 1) }"


class CheckpointTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.write("model.pml", MODEL)
        self.write("limit.h", "#define LIMIT 60\n")

    def write(self, name, text):
        (self.path / name).write_text(text)

    def cmc(self, *arguments):
        return subprocess.run([CMC, *arguments], cwd=self.path, capture_output=True, text=True, check=False)

    def begin(self, *arguments):
        return self.cmc("check", "-E", "--reductions", "none", "--threads", "1", "--checkpoint", "run", *arguments, "model.pml")

    def save(self):
        """A run that a limit has ended, soon. Returns what the whole search says of its states."""
        whole = self.cmc("check", "-E", "--reductions", "none", "model.pml").stdout
        for seconds in ("0.001", "0.01", "0.03"):  # a loaded machine may need some before the search begins
            ended = self.begin("--time", seconds)
            self.assertEqual(ended.returncode, 3, ended)
            if "before its search began" not in ended.stdout:
                break
            shutil.rmtree(self.path / "run", ignore_errors=True)
        self.assertIn("`cmc resume run` goes on", ended.stdout)
        return re.search(r"([0-9,]+)  states stored", whole).group(1)

    def forge(self, path, text, old, new):
        """Writes the text of a file with a sum at its end, with something replaced: the sum is right, so that only that is wrong."""
        body = text[:text.rindex(',"sha256"')]
        self.assertIn(old, body)
        body = body.replace(old, new)
        path.write_text(f'{body},"sha256":"{hashlib.sha256(body.encode()).hexdigest()}"}}\n')

    def refused(self, result, words):
        self.assertEqual(result.returncode, 2, result)
        self.assertIn(words, result.stderr)

    def test_a_search_that_has_no_checkpoints_is_refused(self):
        for arguments, words in (
            (["--engine", "simple"], "only the fast engine"),
            (["--page-codec", "raw"], "leave out --page-codec"),
            (["--page-codec", "sha1:64"], "checkpoints have keys"),
            (["--profile", "p.json"], "a profile is of one process"),
        ):
            self.refused(self.begin(*arguments), words)
        self.refused(self.cmc("check", "--checkpoint-every", "5m", "model.pml"), "without --checkpoint")
        self.write("model.pml", LTL)
        self.refused(self.begin(), "--property")
        self.assertFalse((self.path / "run").exists())

    def test_every_search_goes_on(self):
        self.write("model.pml", MODEL + "ltl p { [] (x == 3 -> <> (x >= 3)) }\nltl q { <> (z > 5) }\n")
        store = ["--lookup-buffer", "512"]  # from the start
        for number, (arguments, engine) in enumerate((
            (["--property", "safety"], "dfs"),
            (["--property", "safety", "--search", "bfs"], "bfs"),
            (["--property", "safety", "--beyond", "sorted", *store], "rounds"),
            (["--property", "safety", "--beyond", "cached", *store], "cached"),
            (["--property", "safety", "--bloom-bits", "1M"], "cached"),
            (["--property", "safety", "--beyond", "cached", *store, "--search", "dfs"], "cached"),
            (["--property", "safety", "--beyond", "cached", *store, "--search", "bfs"], "cached"),
            (["--property", "p", "--cycles", "ndfs"], "ndfs"),
            (["--property", "p", "--cycles", "hull"], "hull"),
            (["--property", "p", "--fairness", "weak"], "scc"),
            (["--property", "p", "--fairness", "weak", "--beyond", "cached", *store], "cached"),
            (["--property", "q", "--cycles", "hull"], "hull"),
        )):
            run = f"run{number}"
            with self.subTest(arguments=arguments):
                options = ["-E", "--reductions", "none", "--threads", "1", *arguments]
                whole = self.cmc("check", *options, "--json=whole.json", "model.pml").returncode
                ended = self.cmc("check", *options, "--checkpoint", run,
                                 "--time", "0.05", "model.pml")
                if whole == 0:
                    self.assertEqual(ended.returncode, 3, ended)
                    self.assertIn(f", {engine}\n", self.cmc("info", run).stdout)
                    self.assertEqual(self.cmc("resume", run, "--time", "1h", "--json=parts.json").returncode, 0)
                    results = [json.loads((self.path / name).read_text()) for name in ("whole.json", "parts.json")]
                    for figure in ("verdict", "complete", "states_stored", "transitions", "error_count"):
                        self.assertEqual(results[0][figure], results[1][figure], figure)
                elif ended.returncode == 3:
                    self.assertEqual(self.cmc("resume", run, "--time", "1h").returncode, whole)

    def test_the_directory_is_all_that_is_needed(self):
        states = self.save()
        for name in ("model.pml", "limit.h"):
            (self.path / name).unlink()
        (self.path / "run").rename(self.path / "moved")
        result = self.cmc("resume", "moved", "--threads", "2")
        self.assertEqual(result.returncode, 0, result)
        self.assertIn(f"{states}  states stored", result.stdout)
        result = self.cmc("resume", "moved")
        self.assertEqual(result.returncode, 0, result)
        self.assertIn(f"is over: verdict: holds ({states} states", result.stdout)

    def test_the_search_is_over_when_its_results_are_written(self):
        """Else a run that is killed between the two would have a verdict, and its counterexample nowhere."""
        result = self.begin("--checkpoint-checks", "400", "--json=/dev/full")
        self.assertEqual(result.returncode, 2, result)
        self.assertIn("No space left", result.stderr)
        result = self.cmc("resume", "run", "--json=result.json")
        self.assertEqual(result.returncode, 0, result)
        self.assertIn('"verdict": "holds"', (self.path / "result.json").read_text())
        self.assertIn("is over", self.cmc("resume", "run").stdout)
        written = (self.path / "result.json").read_text()
        self.assertIn("is over", self.cmc("resume", "run", "--json=result.json").stdout)
        self.assertEqual((self.path / "result.json").read_text(), written)
        over = json.loads(self.cmc("resume", "run", "--json").stdout)
        self.assertEqual((over["schema"], over["checkpoints"][0]["verdict"]), ("cmc.run/1", "holds"))

    def test_the_disk_has_a_limit(self):
        ended = self.begin("--disk", "1K")
        self.assertEqual(ended.returncode, 3, ended)
        self.assertIn("the disk limit of 1.0 KB was reached after", ended.stdout)
        self.assertIn("`cmc resume run` goes on", ended.stdout)
        self.assertEqual(self.cmc("resume", "run", "--disk", "1G").returncode, 0)
        ended = self.cmc("check", "-E", "--beyond", "sorted", "--lossy-capacity", "1K", "--disk", "1K", "model.pml")
        self.assertEqual(ended.returncode, 3, ended)
        self.assertIn("the disk limit of 1.0 KB was reached after", ended.stdout)

    def test_info_says_what_is_there(self):
        self.save()
        result = self.cmc("info", "run")
        self.assertEqual(result.returncode, 0, result)
        self.assertIn("run: a run of model.pml, begun with cmc ", result.stdout)
        self.assertRegex(result.stdout, r"checkpoint 1: [0-9,]+ states?, [0-9,]+ transitions?, [0-9.]+ [A-Za-z]+, dfs\n")
        self.assertTrue(result.stdout.endswith("`cmc resume run` goes on from checkpoint 1\n"), result.stdout)
        self.assertEqual(self.cmc("resume", "run").returncode, 0)
        shown = json.loads(self.cmc("info", "run", "--json").stdout)
        self.assertEqual((shown["schema"], shown["user"]), ("cmc.run/1", None))
        self.assertEqual([(each["epoch"], each["whole"], each["verdict"]) for each in shown["checkpoints"]],
                         [(2, True, "holds"), (1, True, None)])
        newest = next((self.path / "run").glob("states.2*"))
        newest.write_bytes(b"damaged")
        self.assertIn("checkpoint 2: damaged: ", self.cmc("info", "run").stdout)
        self.refused(self.cmc("info", "."), "it has no run.json")

    def assert_goes_on(self, stderr):
        """Few states are found again: on a loaded machine two threads may find no more in so little memory."""
        for states in re.findall(r'"states_before":(\d+)', stderr):
            self.assertLess(int(states), 1 << 18)

    def assert_leads_to_the_error(self, result):
        self.assertEqual(result["errors"][0]["counterexample"], 1, result["errors"])
        self.assertGreater(result["errors"][0]["depth"], 100)

    def begin_and_kill(self, folder, least_states, *arguments):
        """A run that is killed when a checkpoint has so many states."""
        words = [CMC, "check", "-E", "--reductions", "none", "--threads", "1", "--checkpoint", folder, "--checkpoint-checks", "500",
                 "--checkpoint-every", "0", *arguments, "model.pml"]
        with subprocess.Popen(words, cwd=self.path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                saved = re.match(r"cmc: checkpoint \d+: ([0-9,]+) states", line)
                if saved and int(saved[1].replace(",", "")) >= least_states:
                    break
            process.kill()

    def test_a_search_in_ram_goes_on_in_rounds_with_less_memory(self):
        self.write("model.pml", MODEL.replace("z++ od", "z++; assert(!(BAD)) od"))
        for bad, exit_code in (("0", 0), ("x == 0 && y == 0 && z == LIMIT", 1)):
            with self.subTest(bad=bad):
                whole = json.loads(self.cmc("check", "-E", "--reductions", "none", f"-DBAD={bad}", "--json", "model.pml").stdout)
                run = f"run{exit_code}"
                self.begin_and_kill(run, 700_000, f"-DBAD={bad}")
                resumed = self.cmc("resume", run, "--memory", "11M", "--json=result.json")
                self.assertEqual(resumed.returncode, exit_code, resumed)
                self.assertNotIn("begins again", resumed.stderr)
                result = json.loads((self.path / "result.json").read_text())
                self.assertEqual(result["order"], "rounds")
                if exit_code == 0:
                    for name in ("states_stored", "states_matched", "transitions", "coverage"):
                        self.assertEqual(result[name], whole[name])
                else:
                    self.assertNotIn("second search", resumed.stderr + resumed.stdout)
                    self.assert_leads_to_the_error(result)

    def test_what_was_found_in_ram_is_kept_beyond_memory(self):
        self.write("limit.h", "#define LIMIT 75\n")
        self.write("model.pml", MODEL.replace("z++ od", "z++; assert(!(BAD)) od"))
        for number, (bad, options, order) in enumerate((("0", ["--threads", "1"], "rounds"), ("0", ["--threads", "2"], "rounds"),
                                                        ("0", ["--threads", "1", "--search", "dfs"], "dfs"),
                                                        ("x == 0 && y == 0 && z == LIMIT", ["--threads", "1"], "rounds"))):
            with self.subTest(bad=bad, options=options):
                words = ["check", "-E", "--max-errors", "0", "--reductions", "none", f"-DBAD={bad}", "--json=result.json", "model.pml"]
                whole, kept = ((self.cmc(*words, *more), json.loads((self.path / "result.json").read_text()))
                               for more in ([], ["--checkpoint", f"run{number}", "--memory", "15500K", "--progress", "json", *options]))
                self.assertEqual(kept[0].returncode, whole[0].returncode, kept)
                self.assert_goes_on(kept[0].stderr)
                self.assertEqual(kept[1]["order"], order)
                for name in ("states_stored", "states_matched", "transitions", "error_count", "coverage"):
                    self.assertEqual(kept[1][name], whole[1][name], name)
                self.assertNotIn("second search", kept[0].stderr)
                if bad != "0":
                    self.assert_leads_to_the_error(kept[1])

    def test_a_search_in_ram_goes_on_beyond_memory_without_checkpoints(self):
        self.write("limit.h", "#define LIMIT 75\n")
        self.write("model.pml", MODEL.replace("z++ od", "z++; assert(!(BAD)) od"))
        os.mkdir(self.path / "disk")
        for bad, options in (("0", ["--threads", "1"]), ("x == 0 && y == 0 && z == LIMIT", ["--threads", "1"]),
                             ("x == 0 && y == 0 && z == LIMIT", ["--threads", "2"]),
                             ("x == 0 && y == 0 && z == LIMIT", ["--threads", "1", "--search", "dfs"])):
            with self.subTest(bad=bad, options=options):
                words = ["check", "-E", "--max-errors", "0", "--reductions", "none", f"-DBAD={bad}", "--json=result.json", "model.pml"]
                whole, beyond = ((self.cmc(*words, *more), json.loads((self.path / "result.json").read_text()))
                                 for more in ([], ["--memory", "15500K", "--store", "disk", "--progress", "json", *options]))
                self.assertEqual(beyond[0].returncode, whole[0].returncode, beyond)
                self.assert_goes_on(beyond[0].stderr)
                self.assertNotIn("second search", beyond[0].stderr)
                self.assertIn(beyond[1]["order"], ("rounds", "dfs"))
                for name in ("states_stored", "states_matched", "transitions", "error_count", "coverage"):
                    self.assertEqual(beyond[1][name], whole[1][name], name)
                if bad != "0":
                    self.assert_leads_to_the_error(beyond[1])
                self.assertEqual(os.listdir(self.path / "disk"), [])

    def test_a_changed_model_is_noted(self):
        states = self.save()
        self.write("limit.h", "#define LIMIT 7\n")
        result = self.cmc("resume", "run")
        self.assertIn("'limit.h' has changed since", result.stderr)
        self.assertIn(f"{states}  states stored", result.stdout)

    def test_a_foreign_file_stays(self):
        os.mkdir(self.path / "run")
        self.write("run/run.json", "mine")
        self.refused(self.begin(), "'run' is not empty")
        self.assertEqual((self.path / "run/run.json").read_text(), "mine")

    def test_a_run_is_over_when_its_results_are_told(self):
        with open("/dev/full", "w") as full:
            words = [CMC, "check", "-E", "--reductions", "none", "--checkpoint", "run", "--checkpoint-every", "0",
                     "--checkpoint-checks", "500", "model.pml"]
            self.assertEqual(subprocess.run(words, cwd=self.path, stdout=full, stderr=subprocess.DEVNULL).returncode, 2)
        self.assertIn("states stored", self.cmc("resume", "run", "--trail", "t.json").stdout)
        over = self.cmc("resume", "run", "--trail", "t.json")
        self.assertIn("is over: verdict: holds", over.stdout)
        self.assertIn("--trail t.json: nothing is written, since the search is over", over.stderr)

    def test_a_run_may_go_on_with_another_store(self):
        words = ["--store", "gone/a", "--beyond", "sorted", "--lookup-buffer", "512"]
        self.assertEqual(self.begin("--time", "0.2", *words).returncode, 3)
        self.write("gone", "no folder")
        self.refused(self.cmc("resume", "run"), "--store: cannot create a directory in 'gone/a'")
        self.assertEqual(self.cmc("resume", "run", "--store", "other", "--time", "1h").returncode, 0)

    def test_another_format_is_refused(self):
        self.save()
        path = self.path / "run/run.json"
        text = path.read_text()
        for found in (1, None, "cmc.run/2"):
            self.forge(path, text, '"format":"cmc.run/1"', f'"format":{json.dumps(found)}')
            self.refused(self.cmc("resume", "run"), f'its format is {json.dumps(found)} instead of "cmc.run/1"')

    def test_a_search_for_which_keys_are_too_wide_keeps_its_limits(self):
        """Four bits and more of each process. For 20 s the search went on, as it waited for a checkpoint that the simple engine never writes."""
        self.write("model.pml", "byte t; active proctype Q() { int y; do :: y < 1000000 -> y++ od }\n"
                   "active [250] proctype P() { byte x; do :: atomic { t == _pid - 1 -> x++; t = (t + 1) % 250 } od }")
        result = self.begin("--memory", "60M")
        self.assertIn("the simple engine is used, because keys would need more than 16 words", result.stderr)
        self.assertIn("the search is not saved: the simple engine has no checkpoints", result.stderr)
        self.assertRegex(result.stdout, r"the memory limit of 60.0 MB was reached after [0-9,]+ states\n")

    def test_a_forged_division_of_frames_is_damage(self):
        self.write("model.pml", MODEL.replace("byte x, y, z;\n", "").replace("{ do", "{ byte x, y, z; do"))
        self.save()
        (path,) = (self.path / "run").glob("manifest.*.json")
        text = path.read_text()
        for division, reason in (("coarse 0", "is damaged"), ("coarse x", "the checkpoint's division of frames is none")):
            self.forge(path, text, '"division":"coarse"', f'"division":"{division}"')
            result = self.cmc("resume", "run")
            self.assertEqual(result.returncode, 3, result)
            self.assertIn(reason, result.stdout)

    def test_what_decides_the_search_cannot_be_changed(self):
        self.save()
        self.refused(self.cmc("resume", "run", "--steps", "path"), "the run was begun without --steps")
        self.refused(self.cmc("resume", "run", "--reductions", "all"), "the run was begun with --reductions=none")
        self.refused(self.begin(), "in 'run' is a run already")
        self.refused(self.cmc("resume", "."), "it has no run.json")

    def test_a_signal_saves(self):
        self.write("limit.h", "#define LIMIT 254\n")
        command = [CMC, "check", "-E", "--reductions", "none", "--checkpoint", "run", "--checkpoint-checks", "20", "model.pml"]
        with subprocess.Popen(command, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.assertIn("checkpoint 1: ", process.stderr.readline())
            self.refused(self.cmc("resume", "run"), "is in use by process")
            process.send_signal(signal.SIGTERM)
            output = process.communicate()[0]
            self.assertEqual(process.returncode, 3)
            self.assertIn("interrupted", output)
        self.assertEqual(self.cmc("resume", "run", "--time", "0.01", "-q").returncode, 3)


if __name__ == "__main__":
    unittest.main()
