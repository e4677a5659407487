#!/usr/bin/env python3
"""The program txn as scripts use it, notes.py on top of it, and the counter of two processes, 1,000 times.
Usage: txn_test.py TXN [--runs N] [--cmc CMC]"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTES = ROOT / "studies" / "transactions" / "notes.py"
DONE, CONFLICT, USAGE, IMPOSSIBLE, NO_SUCH_FILE = range(5)


class TxnTest(unittest.TestCase):
    txn = None
    runs = 1000
    cmc = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *words, content=b""):
        return subprocess.run([self.txn, "--dir", self.folder, "--no-sync", *words], input=content, capture_output=True)

    def expect(self, code, *words, content=b""):
        run = self.call(*words, content=content)
        self.assertEqual(run.returncode, code, (words, run.stderr))
        return run

    def content(self, name):
        path = self.folder / name
        return path.read_text() if path.exists() else None

    def test_a_transaction_goes_through_many_processes(self):
        self.expect(DONE, "start", "t")
        self.expect(NO_SUCH_FILE, "read", "t", "a")
        self.expect(DONE, "write", "t", "a", "--dir")
        self.expect(DONE, "write", "t", "b", content=b"\0\xff\n")
        self.assertEqual(self.expect(DONE, "read", "t", "a").stdout, b"--dir")
        self.assertEqual(self.expect(DONE, "status", "t").stdout, b"buffered\nwrite a: 5 bytes\nwrite b: 3 bytes\n")
        self.assertIsNone(self.content("a"))
        self.expect(DONE, "commit", "t")
        self.assertEqual(self.content("a"), "--dir")
        self.assertEqual((self.folder / "b").read_bytes(), b"\0\xff\n")
        self.assertIn(b"there is no transaction 't'", self.expect(IMPOSSIBLE, "commit", "t").stderr)

    def test_rollback_remove_and_redo(self):
        (self.folder / "a").write_text("1")
        self.expect(DONE, "start", "t")
        self.expect(DONE, "remove", "t", "a")
        self.expect(DONE, "rollback", "t")
        self.assertEqual(self.content("a"), "1")
        self.expect(DONE, "start", "t", "--scheme", "snapshot")
        self.expect(DONE, "remove", "t", "a")
        self.assertIsNone(self.content("a"))
        self.assertEqual(self.expect(DONE, "redo").stdout, b"discarded t\n")
        self.assertEqual(self.expect(DONE, "redo").stdout, b"")
        self.assertEqual(self.content("a"), "1")

    def test_wrong_usage(self):
        for words in ([], ["start"], ["start", "t", "x"], ["read", "t"], ["nonsense", "t"], ["commit", "t", "a"], ["--scheme", "x", "start", "t"],
                      ["write", "t", "a", "b", "c"], ["--nonsense", "redo"]):
            self.assertIn(b"usage: txn", self.expect(USAGE, *words).stderr)
        self.expect(IMPOSSIBLE, "start", "../t")
        self.expect(DONE, "start", "t")
        self.assertIn(b"already", self.expect(IMPOSSIBLE, "start", "t").stderr)
        self.assertIn(b"cannot be a name", self.expect(IMPOSSIBLE, "write", "t", "a/b", "x").stderr)
        run = subprocess.run([self.txn, "--dir", self.folder / "none", "start", "t"], capture_output=True)
        self.assertEqual(run.returncode, IMPOSSIBLE)

    def test_the_help_says_that_snapshot_is_for_one_writer(self):
        run = subprocess.run([self.txn, "--help"], capture_output=True, text=True)
        self.assertEqual(run.returncode, DONE)
        self.assertIn("snapshot is for one writer at a time", run.stdout)

    def add_one(self, transaction, counter):
        """The exit code of the first step that does not succeed, or 0."""
        run = self.call("read", transaction, counter)
        if run.returncode == CONFLICT:
            return CONFLICT
        value = b"0" if run.returncode == NO_SUCH_FILE else b"%d" % (int(run.stdout) + 1)
        return self.call("write", transaction, counter, content=value).returncode

    def attempt(self, transaction, *options):
        self.expect(DONE, "start", transaction, *options)
        return self.add_one(transaction, "c1") or self.add_one(transaction, "c2") or self.call("commit", transaction).returncode

    def test_snapshot_loses_a_commit_when_two_processes_write(self):
        """The counter in the order of snapshot.pml's first counterexample."""
        scheme = ("--scheme", "snapshot")
        self.expect(DONE, "start", "A", *scheme)
        self.expect(NO_SUCH_FILE, "read", "A", "c1")
        self.expect(DONE, "start", "B", *scheme)
        self.expect(NO_SUCH_FILE, "read", "B", "c1")
        self.expect(DONE, "write", "A", "c1", "0")
        self.assertEqual(self.add_one("A", "c2"), DONE)
        self.expect(DONE, "commit", "A")
        self.expect(CONFLICT, "write", "B", "c1", "0")
        self.assertEqual(self.attempt("B2", *scheme), DONE)
        self.assertEqual((self.content("c1"), self.content("c2")), ("0", "0"))  # though two have committed

    def test_notes_of_two_sessions(self):
        def session():
            return subprocess.Popen([sys.executable, "-B", NOTES, self.folder], env={**os.environ, "TXN": str(self.txn)}, text=True,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        def say(process, *lines):
            process.stdin.write("".join(line + "\n" for line in lines))
            process.stdin.flush()

        def wait_for_read(file):
            """Until the session has looked whether the idea is there."""
            for _ in range(600):
                for log in (self.folder / ".transactions").glob("*.open"):
                    if file.encode() in log.read_bytes():
                        return
                subprocess.run(["sleep", "0.05"])
            self.fail("the session did not begin")

        slow, fast, other = session(), session(), session()
        say(slow, "My Great/Idea")
        wait_for_read("My%20Great%2FIdea")
        say(fast, "My Great/Idea", "I have a faster idea!", "from 2", "")
        self.assertIn("saved", fast.communicate()[0])
        say(slow, "I have a slower idea!", "from 1", "")
        error = slow.communicate()[1]
        self.assertIn("not saved: txn: conflict", error)
        self.assertEqual(slow.returncode, 1)
        say(other, "Another. Idea", "no conflict", "")
        self.assertIn("saved", other.communicate()[0])
        self.assertIn("faster", self.content("My%20Great%2FIdea"))
        self.assertIn("no conflict", self.content("Another%2E%20Idea"))
        again = session()
        say(again, "My Great/Idea", "better", "")
        self.assertIn("I have a faster idea!", again.communicate()[0])

    def run_two(self, folder):
        """Two processes of which each adds one to both counters, until it has committed. Their events are in A.jsonl and B.jsonl. The
        result: how often a commit found a conflict."""
        script = """
txn() { "$1" --dir "$2" --no-sync --events "$2.$3.jsonl" "$4" $3 $5 $6 2>/dev/null; }
while :; do
  txn "$1" "$2" $3 start || exit 3
  for c in c1 c2; do
    old=$(txn "$1" "$2" $3 read $c); code=$?
    case $code in 0) new=$((old + 1));; 4) new=0;; 1) continue 2;; *) exit 3;; esac
    txn "$1" "$2" $3 write $c $new; code=$?
    case $code in 0) ;; 1) continue 2;; *) exit 3;; esac
  done
  txn "$1" "$2" $3 commit; code=$?
  case $code in 0) exit 0;; 1) echo repeated;; *) exit 3;; esac
done"""
        folder.mkdir()
        both = [subprocess.Popen(["sh", "-c", script, "sh", self.txn, folder, name], stdout=subprocess.PIPE) for name in "AB"]
        repeated = 0
        for process in both:
            repeated += process.communicate()[0].count(b"repeated")
            self.assertEqual(process.returncode, 0)
        self.assertEqual(((folder / "c1").read_text(), (folder / "c2").read_text()), ("1", "1"), folder.name)
        return repeated

    def test_two_processes_count_to_one(self):
        """The counters are 1 and 1, each time."""
        repeated = sum(self.run_two(self.folder / str(run)) for run in range(self.runs))
        print(f"{self.runs} runs: 1 and 1 each time; {repeated} conflicts at the commit", file=sys.stderr)

    def test_two_processes_do_what_their_model_does(self):
        """In some order of what each has logged; and not if a line is missing."""
        if self.cmc is None: self.skipTest("no --cmc")
        conform = [self.cmc, "conform", "-q", "-DSPLIT", "-DLOCK", "-DCRASH", "-DEVENTS", ROOT / "models" / "transactions" / "buffered.pml"]
        for run in range(max(1, self.runs // 10)):
            self.run_two(self.folder / str(run))
            logs = [self.folder / f"{run}.{name}.jsonl" for name in "AB"]
            held = subprocess.run([*conform, *logs], capture_output=True, text=True)
            self.assertEqual(held.returncode, 0, held.stdout + held.stderr + "".join(log.read_text() for log in logs))
            log = logs[run % 2]
            log.write_text("".join(line for line in log.read_text().splitlines(True) if '"sync_mark"' not in line))
            held = subprocess.run([*conform, *logs], capture_output=True, text=True)
            self.assertEqual(held.returncode, 1, held.stdout + held.stderr)
            self.assertIn("sync_mark", held.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("txn", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=1000, help="of the counter (default 1,000)")
    parser.add_argument("--cmc", type=pathlib.Path, help="to hold what was logged against the model")
    arguments, rest = parser.parse_known_args()
    TxnTest.txn, TxnTest.runs, TxnTest.cmc = arguments.txn.resolve(), arguments.runs, arguments.cmc and arguments.cmc.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
