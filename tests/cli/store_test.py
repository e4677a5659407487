#!/usr/bin/env python3
"""Runs searches with the disk store: what single options cost, what is in its files, what a lossy one says.

Usage: store_test.py CMC
"""

import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

CMC = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
LEADER = [str(MODELS / "leader/leader.pml"), "-DN=6"]
PETERSON = [str(MODELS / "peterson/peterson_busy.pml"), "-DN=4", "--steps", "path"]

# storage/FORMAT.md: the header of a page.
HEADER = struct.Struct("<IHBBIIQQQIIIIII")
RAW, ZLIB, DIFF = 1, 2, 4


def different_vectors(entries, count):
    """The state vectors of a page with the codec diff."""
    found = []
    at = 0
    before = b""
    for _ in range(count):
        size, at = varint(entries, at)
        vector = bytearray()
        while len(vector) < size:
            equal, at = varint(entries, at)
            changed, at = varint(entries, at)
            vector += before[len(vector):len(vector) + equal] + entries[at:at + changed]
            at += changed
        before = bytes(vector)
        found.append(before)
    assert at == len(entries)
    return found


def check(*arguments):
    """Runs cmc check with one thread; returns the exit code, the JSON result, megabytes at the peak and CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        process = subprocess.Popen([CMC, "check", "--threads", "1", "--reductions", "none", f"--json={result}", *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        text = process.stdout.read()
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        loaded = json.loads(result.read_text()) if result.exists() else None
    return process.returncode, loaded, text, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def pages(path):
    """The headers and payloads of a file p<partition>.<number>."""
    content = path.read_bytes()
    offset = 0
    while offset < len(content):
        (magic, version, codec, words, partition, layout, file, sequence, at, count, raw, stored, slot, bits,
         crc) = HEADER.unpack_from(content, offset)
        assert magic == 0x50434D43 and version == 5, (hex(magic), version)
        assert at == offset
        page = content[offset:offset + slot]
        assert zlib.crc32(page[:60] + bytes(4) + page[64:]) == crc
        yield codec, count, raw, page[HEADER.size:HEADER.size + stored]
        offset += slot


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def vectors(entries, count):
    at = 0
    found = []
    for _ in range(count):
        size, at = varint(entries, at)
        found.append(entries[at:at + size])
        at += size
    assert at == len(entries)
    return found


class StoreTest(unittest.TestCase):
    def test_one_option_takes_no_more_than_the_model_needs(self):
        code, plain, text, _, _ = check(*LEADER)
        self.assertEqual(code, 0, text)
        for option in [["--bloom-bits", "64K"], ["--lossy-capacity", "20K"], ["--partitions", "64"],
                       ["--bloom-hashes", "2"], ["--lookup-buffer", "100"], ["--page-size", "4K"]]:
            code, result, text, megabytes, seconds = check(*LEADER, *option)
            self.assertEqual(code, 0, text)
            self.assertEqual(result["states_stored"], plain["states_stored"])
            self.assertEqual(result["transitions"], plain["transitions"])
            # 40 MB and 0.3 CPU seconds on a quiet machine; it took 0.6 to 12 GB, and up to 13 seconds.
            self.assertLess(megabytes, 40, option)
            self.assertLess(seconds, 2, option)

    def test_sweeps_and_single_replacements_are_counted_apart(self):
        # Below an eighth of the table, a sweep leaves bucket after bucket full: the rest are single replacements.
        for ahead in ["1", "5%", "12%"]:
            with tempfile.TemporaryDirectory() as folder:
                log = pathlib.Path(folder) / "r.log"
                code, result, text, _, _ = check(*LEADER, "--lossy-capacity", "4000", "--reclaim-ahead", ahead, "--log", str(log))
                self.assertEqual(code, 0, text)
                store = result["log"]["store"]
                if ahead == "1":
                    self.assertEqual(store["reclaim_runs"], 0)
                    self.assertGreater(store["replacements"], 1000)
                    self.assertLessEqual(store["reclaimed"], store["replacements"] + store["reopened"])
                else:
                    self.assertGreater(store["reclaim_runs"], 0)
                    self.assertLess(store["reclaim_runs"], 1000)
                figures = re.search(r"bytes in ([\d.]+) runs\n([\d.]+) single replacements\n", log.read_text())
                self.assertEqual([int(each.replace(".", "")) for each in figures.groups()],
                                 [store["reclaim_runs"], store["replacements"]])
                run = subprocess.run([CMC, "log", str(log)], capture_output=True, text=True, timeout=60)
                self.assertEqual(run.returncode, 0, run.stdout)
                self.assertIn("all identities hold", run.stdout)
                self.assertIn("check --threads 1 --reductions none", run.stdout)

    def test_identities_hold_of_bitmaps_and_of_states_that_are_expanded_twice(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        cases = root / "tests" / "spin" / "cases"
        late = str(root / "tests" / "data" / "earned" / "late_cycle.pml")
        bitmap = ["--property", "safety", "--reductions", "none", "--bloom-hashes", "1", "--bloom-bits", "2K"]
        again = ["--property", "safety", "--reductions", "por-queue"]
        for words in [[str(cases / "old_style.pml"), *bitmap], [str(cases / "nested_inlines.pml"), *bitmap],
                      [late, *again], [late, *again, "--search", "bfs"], [late, *again, "--partitions", "4"],
                      [late, *again, "--time", "0.05"]]:
            with self.subTest(words), tempfile.TemporaryDirectory() as folder:
                log = pathlib.Path(folder) / "r.log"
                code, _, text, _, _ = check(*words, "--threads", "1", "--log", str(log))
                self.assertEqual(code, 3 if "--time" in words else 0, text)
                run = subprocess.run([CMC, "log", str(log)], capture_output=True, text=True, timeout=60)
                self.assertEqual(run.returncode, 0, run.stdout)

    def test_what_was_on_disk_is_reported_although_it_is_gone(self):
        code, result, text, _, _ = check(*LEADER, "--lossy-capacity", "2000", "--lookup-buffer", "500")
        self.assertEqual(code, 0, text)
        store = result["log"]["store"]
        self.assertGreater(store["disk_bytes_peak"], 0)
        self.assertGreaterEqual(store["disk_bytes_peak"], store["disk_bytes"])
        self.assertGreaterEqual(store["bytes_written"], store["disk_bytes_peak"])
        self.assertRegex(text, r"states on disk.*; at most [\d.]+ [KM]B at a time, [\d.]+ [KM]B written in all")

    def test_depth_first_with_a_small_cache_finds_a_deadlock_soon(self):
        code, result, text, megabytes, seconds = check("-DN=12", "--search", "dfs", "--lossy-capacity", "200K",
                                                       "--shorten", "0", str(MODELS / "classics/philosophers.pml"))
        self.assertEqual(code, 1, text)
        self.assertLess(result["states_stored"], 20000)
        self.assertLess(megabytes, 100)
        self.assertLess(seconds, 5)

    def test_breadth_first_with_the_disk_converts_keys_seldom(self):
        # The last levels bring new contents one by one; each cost a conversion of the whole store (36 before).
        code, result, text, _, _ = check(str(MODELS / "leader/leader.pml"), "-DN=7", "--memory", "12M", "--search", "bfs")
        self.assertEqual(code, 0, text)
        self.assertEqual(result["states_stored"], 461474)
        self.assertGreater(result["states_before_store"], 0)
        self.assertLess(result["keys"]["relayouts"], 33)

    def test_python_reads_pages_of_state_vectors(self):
        of_codec = {}
        for codec, options in [(RAW, ["raw"]), (ZLIB, ["zlib", "--zlib-level", "9"]), (DIFF, ["diff"])]:
            with tempfile.TemporaryDirectory() as folder:
                code, result, text, _, _ = check(*LEADER, "--lossy-capacity", "20K", "--store", folder, "--keep",
                                                 "--page-codec", *options)
                self.assertEqual(code, 0, text)
                found = []
                stored = 0
                for path in pathlib.Path(folder).rglob("p*.*"):
                    for its_codec, count, raw, payload in pages(path):
                        self.assertEqual(its_codec, codec)
                        stored += len(payload)
                        entries = zlib.decompress(payload) if codec == ZLIB else payload
                        self.assertEqual(len(entries), raw)
                        found += different_vectors(entries, count) if codec == DIFF else vectors(entries, count)
                of_codec[codec] = (len(found), len(set(found)), stored)
                self.assertGreater(len(found), result["states_stored"] // 2)
                self.assertEqual(len(set(found)), len(found))
                self.assertTrue(all(len(vector) <= result["state_bytes_max"] for vector in found))
        self.assertLess(of_codec[ZLIB][2], of_codec[RAW][2] / 3)
        self.assertLess(of_codec[DIFF][2], of_codec[RAW][2])

    def test_every_kind_of_io_finds_the_same_states_and_says_how_long_it_waited(self):
        store = ["--lossy-capacity", "2K", "--page-size", "512", "--store"]
        results = {}
        for kind in ("buffered", "direct", "buffered-async", "direct-async"):
            with tempfile.TemporaryDirectory() as folder:
                log = pathlib.Path(folder) / "log"
                code, result, text, _, _ = check(*LEADER, *store, folder, "--io", kind, "--log", str(log))
                if code == 3 and "no direct I/O" in text:
                    continue
                self.assertEqual(code, 0, text)
                self.assertGreater(result["log"]["disk_wait_seconds"], 0)
                self.assertIn("  waited for the disk, of all threads\n", text)
                self.assertRegex(log.read_text(), r"\nDisk wait: [0-9.]+ms; explicit lookups of [0-9.]+ partitions\n")
                self.assertGreaterEqual(result["log"]["explicit_partitions"], result["log"]["store"]["explicit_lookups"])
                results[kind] = result["states_stored"], result["transitions"]
        self.assertGreaterEqual(len(results), 2)
        self.assertEqual(len(set(results.values())), 1, results)

    def test_states_are_dumped_as_bytes_and_as_values(self):
        with tempfile.TemporaryDirectory() as folder:
            dump = pathlib.Path(folder) / "states.txt"
            code, result, text, _, _ = check(*LEADER, "--dump-states", f"100:{dump}")
            self.assertEqual(code, 0, text)
            head, *states = dump.read_text().split("\nstate ")
            self.assertIn("leader.pml: states, breadth first", head)
            self.assertEqual(len(states), 100)
            seen = set()
            for number, state in enumerate(states):
                lines = state.splitlines()
                size = int(re.fullmatch(rf"{number}, (\d+) bytes", lines[0])[1])
                rows = [line for line in lines if re.match(r"  [0-9a-f]{4} ", line)]
                cells = [cell for row in rows for cell in row.split()[1:]]
                self.assertEqual(len(cells), size)
                self.assertLessEqual(size, result["state_bytes_max"])
                seen.add("".join(cell.rstrip("*") for cell in cells))
                self.assertIn("node[0]", state)
            self.assertEqual(len(seen), 100)
            self.assertRegex(states[-1], r"\n\d+ bytes in 100 states, [0-9.]+ % of them 0; on average a state differs")
            code, _, text, _, _ = check(*LEADER, "--dump-states", f"100:{folder}/no/states.txt")
            self.assertEqual(code, 2, text)

    def test_hash_compaction_says_how_many_states_it_may_have_lost(self):
        store = ["--lossy-capacity", "20K", "--bloom-bits", "256K", "--bloom-hashes", "1"]
        code, exact, text, _, _ = check(*PETERSON, *store)
        self.assertEqual(code, 0, text)
        for bits, loses in [(16, True), (24, True), (64, False), (160, False)]:
            code, result, text, _, _ = check(*PETERSON, *store, "--page-codec", f"sha1:{bits}")
            self.assertEqual(code, 3, text)
            self.assertEqual(result["verdict"], "incomplete")
            self.assertFalse(result["complete"])
            self.assertIn(f"{bits} bits of their SHA-1", text)
            lost = exact["states_stored"] - result["states_stored"]
            expected = result["log"]["expected_omissions"]
            if loses:
                # Those that only they lead to are lost, too.
                self.assertGreater(lost, expected / 2)
                self.assertGreater(expected, 1)
            else:
                self.assertEqual(lost, 0)
                self.assertLess(expected, 0.01)
        self.assertEqual(check(*PETERSON, *store, "--page-codec", "sha1:15")[0], 2)
        self.assertEqual(check(*PETERSON, *store, "--page-codec", "sha1:161")[0], 2)

    def test_hash_compaction_still_finds_errors(self):
        code, result, text, _, _ = check("-DN=8", "--lossy-capacity", "10K", "--page-codec", "sha1:32",
                                         str(MODELS / "classics/philosophers.pml"))
        self.assertEqual(code, 1, text)
        self.assertEqual(result["verdict"], "violated")


if __name__ == "__main__":
    CMC = os.path.abspath(sys.argv.pop(1))
    unittest.main()
