#!/usr/bin/env python3
"""Checkpoints, certificates and mirrors of cmc-mpi. Usage: mpi_checkpoint_test.py CMC MODELS

Skipped where there is no mpirun, or cmc-mpi was not built."""
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "crash"))
import kill_ranks  # noqa: E402  (it is in the other folder)
import mpi_run  # noqa: E402

CMC = os.path.abspath(sys.argv[1])
AUDIT = os.path.join(os.path.dirname(CMC), "cmc-audit")
MODELS = pathlib.Path(sys.argv[2]).resolve()
SECONDS = 300
LEADER = ["--reductions", "none", "-DN=7", MODELS / "leader/leader.pml"]
PETERSON = ["--reductions", "none", MODELS / "peterson/peterson3.pml"]
LONG = ["--reductions", "none", MODELS / "peterson/peterson4.pml"]
SAME = ["verdict", "complete", "states_stored", "states_matched", "transitions", "error_count", "state_bytes_max", "coverage"]


def command(ranks, *arguments):
    """Of cmc, or with a number of ranks of cmc-mpi."""
    return [*map(str, [CMC] if ranks is None else mpi_run.command(CMC, ranks)), *map(str, arguments)]


class Saved(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.run_folder = self.folder / "run"

    def run_command(self, ranks, *arguments):
        return subprocess.run(command(ranks, *arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
                              check=False)

    def result(self, ranks, *arguments):
        """(exit code, the JSON result)"""
        file = self.folder / "result.json"
        ran = self.run_command(ranks, *arguments, f"--json={file}")
        self.assertTrue(file.exists(), (ran.args, ran.stdout, ran.stderr))
        result = json.loads(file.read_text())
        file.unlink()
        return ran.returncode, result

    def expected(self, arguments):
        code, result = self.result(None, "check", *arguments)
        return code, {name: result[name] for name in SAME}

    def compare(self, expected, ranks, *arguments):
        code, result = self.result(ranks, *arguments)
        self.assertEqual((code, {name: result[name] for name in SAME}), expected)
        return result

    def begin(self, ranks, arguments, *options):
        """Ends at a limit of time, so that there is something left. (Alone and in memory a search is quick.)"""
        code, result = self.result(ranks, "check", "--checkpoint", self.run_folder, "--memory", "200M", "--time", "0.15" if ranks else "0.01", *options,
                                   *arguments)
        self.assertEqual((code, [reason["kind"] for reason in result["reasons"]]), (3, ["time"]), result["reasons"])
        self.assertIn("resume", result["reasons"][0]["text"])
        return result

    def files(self):
        return sorted(file for file in self.run_folder.iterdir() if file.name != "LOCK")

    def test_goes_on_with_any_number_of_ranks_and_alone(self):
        expected = self.expected(LEADER)
        self.begin(2, LEADER)
        text = self.run_command(None, "info", self.run_folder)
        self.assertIn("goes on from checkpoint", text.stdout)
        for ranks in 3, None, 1, 4:
            code, result = self.result(ranks, "resume", self.run_folder, "--time", "0.3")
            if result["complete"]:
                break
            self.assertEqual((code, [reason["kind"] for reason in result["reasons"]]), (3, ["time"]), result["reasons"])
        if not result["complete"]:
            result = self.compare(expected, 2, "resume", self.run_folder)
        self.assertEqual({name: result[name] for name in SAME}, expected[1])
        over = self.run_command(3, "resume", self.run_folder)
        self.assertEqual((over.returncode, "is over: verdict: holds" in over.stdout), (0, True), over.stderr)

    def test_a_search_that_began_alone_goes_on_among_ranks(self):
        expected = self.expected(LEADER)
        self.begin(None, LEADER, "--partitions", "64", "--threads", "1")
        self.compare(expected, 3, "resume", self.run_folder)

    def test_a_search_in_memory_goes_on_among_ranks(self):
        expected = self.expected(LEADER)
        self.begin(None, LEADER, "--threads", "1")
        self.compare(expected, 2, "resume", self.run_folder)

    def test_a_search_that_would_turn_to_a_reduction_does_not_among_ranks(self):
        late = ["-DJOBS=3", "-DPHASES=16", MODELS.parent / "bench/models/late_jobs.pml"]  # it pays among the jobs
        expected = self.expected(["--reductions", "merge,dead-variables", *late])
        code, _ = self.result(None, "check", "--checkpoint", self.run_folder, "--memory", "200M", "--time", "0.0001", "--threads", "1", *late)
        self.assertEqual(code, 3)
        self.compare(expected, 2, "resume", self.run_folder, "--time", "60")

    def test_what_cannot_go_on_among_ranks_is_refused(self):
        self.begin(None, LEADER, "--threads", "1", "--search", "dfs")
        ran = self.run_command(2, "resume", self.run_folder)
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn("leave out --search", ran.stderr)

    def test_any_rank_is_told_to_end(self):
        expected = self.expected(LEADER)
        for turn in range(3):
            shutil.rmtree(self.run_folder, ignore_errors=True)
            process = subprocess.Popen(command(3, "check", "--checkpoint", self.run_folder, "--memory", "200M", *LONG),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while len(kill_ranks.ranks_of(process.pid)) < 3 or not (self.run_folder / "run.json").exists():
                self.assertIsNone(process.poll())
                time.sleep(0.02)
            time.sleep(0.5)
            os.kill(sorted(kill_ranks.ranks_of(process.pid))[turn], signal.SIGTERM)
            output, errors = process.communicate(timeout=SECONDS)
            self.assertIn("was interrupted after", output, errors)
            self.assertIn("cmc-mpi resume", output)
            self.assertNotEqual(process.returncode, 0)
        del expected
        code, result = self.result(2, "resume", self.run_folder, "--time", "0.3")
        self.assertEqual((code, [reason["kind"] for reason in result["reasons"]]), (3, ["time"]))

    def test_certificates_are_audited_as_ever(self):
        for ranks in 1, 3:
            shutil.rmtree(self.run_folder, ignore_errors=True)
            code, result = self.result(ranks, "check", "--certificate", self.run_folder, "--memory", "200M", MODELS / "peterson/peterson3.pml")
            self.assertEqual((code, result["verdict"]), (0, "holds"))
            audit = subprocess.run([AUDIT, self.run_folder, MODELS / "peterson/peterson3.pml"], capture_output=True, text=True, check=False)
            self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)
            self.assertIn(f"{result['states_stored']:,}", audit.stdout)

    def test_an_error_behind_a_checkpoint_has_a_counterexample(self):
        model = ["-DROUNDS=1", "--reductions", "none", MODELS / "features/termination.pml"]
        for ranks in 2, 3:
            shutil.rmtree(self.run_folder, ignore_errors=True)
            process = subprocess.Popen(command(2, "check", "--checkpoint", self.run_folder, "--checkpoint-checks", "20", "--max-errors", "0",
                                               "--memory", "200M", *model), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            for line in process.stderr:
                if "checkpoint 2" in line:
                    break
            for rank in kill_ranks.ranks_of(process.pid):
                with contextlib.suppress(ProcessLookupError):  # an MPI may have ended it
                    os.kill(rank, signal.SIGKILL)
            process.communicate()
            trail = self.folder / "trail"
            code, result = self.result(ranks, "resume", self.run_folder, "--checkpoint-checks", "0", f"--trail={trail}")
            self.assertEqual((code, result["verdict"]), (1, "violated"))
            replayed = self.run_command(None, "replay", MODELS / "features/termination.pml", trail)
            self.assertEqual(replayed.returncode, 1, replayed.stdout + replayed.stderr)

    def test_two_users_of_a_folder(self):
        process = subprocess.Popen(command(2, "check", "--checkpoint", self.run_folder, "--checkpoint-checks", "20", "--memory", "200M",
                                           *LONG), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not list(self.run_folder.glob("manifest.*")):
            time.sleep(0.02)
        for ranks in 2, None:
            ran = self.run_command(ranks, "resume", self.run_folder)
            self.assertEqual((ran.returncode, ran.stderr.count("is in use by process")), (2, 1), ran.stderr)
        os.kill(kill_ranks.ranks_of(process.pid)[0], signal.SIGTERM)
        process.communicate(timeout=SECONDS)

    def test_what_is_damaged_is_found(self):
        expected = self.expected(PETERSON)
        self.begin(2, LEADER)
        # Another run's files have the same names.
        other = self.folder / "other"
        self.run_folder.rename(other)
        process = subprocess.Popen(command(2, "check", "--checkpoint", self.run_folder, "--checkpoint-checks", "4", "--memory", "200M",
                                           "--checkpoint-every", "0", *PETERSON), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "checkpoint 2" in line:
                break
        for rank in kill_ranks.ranks_of(process.pid):
            os.kill(rank, signal.SIGKILL)
        process.communicate()
        whole = self.folder / "whole"
        self.run_folder.rename(whole)
        source = random.Random(7)

        def flip(file):
            content = bytearray(file.read_bytes())
            if content:
                content[source.randrange(len(content))] ^= 1 << source.randrange(8)
            file.write_bytes(content)

        def cut(file):
            file.write_bytes(file.read_bytes()[:file.stat().st_size // 2])

        def empty(file):
            file.write_bytes(b"")

        def swap(file):
            like = [each for each in self.files() if each.name.split(".")[0] == file.name.split(".")[0] and each != file]
            if like:
                content = like[0].read_bytes()
                like[0].write_bytes(file.read_bytes())
                file.write_bytes(content)

        def replace(file):
            if (other / file.name).exists():
                shutil.copy(other / file.name, file)

        def remove(file):
            file.unlink()

        def forge(file):
            """Another number of states, and no seal that fits."""
            file.write_bytes(file.read_bytes().replace(b'"states":', b'"states":1', 1))

        outcomes = {"exact": 0, "refused": 0}
        for number, damage in enumerate([flip, cut, empty, swap, replace, remove, forge]):
            names = [file.name for file in sorted(whole.iterdir()) if file.name != "LOCK"]
            for name in source.sample(names, min(2, len(names))):
                shutil.rmtree(self.run_folder, ignore_errors=True)
                shutil.copytree(whole, self.run_folder)
                damage(self.run_folder / name)
                ranks = (1, 2, 3)[number % 3]
                file = self.folder / "result.json"
                ran = self.run_command(ranks, "resume", self.run_folder, "-q", "--checkpoint-checks", "0", f"--json={file}")
                if ran.returncode == 2:
                    outcomes["refused"] += 1
                    continue
                result = json.loads(file.read_text())
                self.assertEqual((ran.returncode, {each: result[each] for each in SAME}), expected, (damage, name, ran.stderr))
                outcomes["exact"] += 1
        self.assertGreater(outcomes["exact"], 0, outcomes)

    def test_a_mirror_has_what_is_lost(self):
        expected = self.expected(LEADER)
        mirror = self.folder / "mirror"
        self.begin(3, LEADER, "--mirror", mirror)
        self.assertEqual(sorted(each.name for each in mirror.iterdir()), ["rank-0", "rank-1", "rank-2"])
        whole, whole_mirror = self.folder / "whole", self.folder / "whole-mirror"
        self.run_folder.rename(whole)
        mirror.rename(whole_mirror)

        def lost(what, ranks, exact=True):
            for place, copy in (self.run_folder, whole), (mirror, whole_mirror):
                shutil.rmtree(place, ignore_errors=True)
                shutil.copytree(copy, place)
            what()
            if exact:
                self.compare(expected, ranks, "resume", self.run_folder, "--mirror", mirror)
            else:
                ran = self.run_command(ranks, "resume", self.run_folder, "--mirror", mirror)
                self.assertEqual(ran.returncode, 2, ran.stdout + ran.stderr)

        def remove(*patterns):
            for pattern in patterns:
                for file in self.run_folder.glob(pattern):
                    file.unlink()

        def spoil(folder):
            for file in folder.glob("states.*"):
                content = bytearray(file.read_bytes())
                content[len(content) // 2] ^= 1
                file.write_bytes(content)

        lost(lambda: remove("*.r1", "*.r1.*"), 3)
        lost(lambda: shutil.rmtree(self.run_folder), 2)
        lost(lambda: shutil.rmtree(self.run_folder), None)
        lost(lambda: spoil(self.run_folder), 3)
        lost(lambda: shutil.rmtree(mirror / "rank-1"), 3)
        lost(lambda: (remove("states.*.r1*"), spoil(mirror / "rank-2")), 3, exact=False)

    def test_a_full_disk(self):
        small = self.folder / "small"
        small.mkdir()
        if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6M", "tmpfs", small], capture_output=True, check=False).returncode:
            self.skipTest("no file system can be mounted")
        try:
            self.run_folder = small / "run"
            code, result = self.result(2, "check", "--checkpoint", self.run_folder, "--checkpoint-checks", "50", "--memory", "200M",
                                       f"--store={self.folder}", "--time", "300", *LONG)
            self.assertEqual((code, result["verdict"]), (3, "incomplete"))
            self.assertIn("nearly full", json.dumps(result["reasons"]))
            text = self.run_command(None, "info", self.run_folder)
            self.assertIn("goes on from checkpoint", text.stdout)
        finally:
            subprocess.run(["umount", small], check=True)

    def test_solver_guards(self):
        for model, size in ("sequence_window.pml", "-DSMALL"), ("lock.pml", "-DLARGE"):
            path = MODELS / "solver" / model
            code, alone = self.result(None, "check", size, "--max-errors", "0", "--reductions", "none", path)
            shutil.rmtree(self.run_folder, ignore_errors=True)
            ended, together = self.result(2, "check", size, "--max-errors", "0", "--reductions", "none", "--checkpoint", self.run_folder,
                                          "--checkpoint-checks", "20", "--memory", "300M", "--time", "0.5", path)
            for ranks in 3, 2, 1, 2, 3, 1, 2:
                if not together["complete"]:
                    ended, together = self.result(ranks, "resume", self.run_folder, "--time", "3")
            self.assertEqual((ended, {name: together[name] for name in SAME}), (code, {name: alone[name] for name in SAME}),
                             together["reasons"])


if __name__ == "__main__":
    if not mpi_run.is_there(CMC):
        print("there is no MPI here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
