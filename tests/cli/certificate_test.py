#!/usr/bin/env python3
"""Has certificates written, audited and read by somebody else: this file's own reader, made from the texts of the format alone.

Usage: certificate_test.py CMC AUDIT [--all]       --all: of each model that is searched within a second, not only of small ones
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

CMC = AUDIT = None
MOST_STATES = 3000  # of a model that is audited in the ring `full`
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
PETERSON = str(MODELS / "peterson/peterson2.pml")
FOR_SPIN = {"peterson2", "dekker", "d_step", "exception", "mutex"}  # models without channels, of several kinds
PROCESSES = """
typedef Pair { byte a; short b[2] };
Pair pairs[2]; bit fl; bool row[3]; mtype = { red, green }; mtype light = red; unsigned u : 5; int negative;
proctype Child(byte par; int more) {
  byte k;
  { byte i; i = par; pairs[i].b[1] = more - 3 }
  { byte i; short z; i = 1; z = -2; row[i] = 1; negative = z };
  Pair own; own.b[1] = par; k = own.b[1];
  if :: par > 0 -> run Grandchild(k) :: else fi
}
proctype Grandchild(byte n) { u = u + n; light = green; atomic { fl = 1; fl == 0; n = 3 } }
init { atomic { run Child(0, 2); run Child(1, -4) }; fl = 0 }
"""
SIEVE = str(MODELS / "features/sieve.pml")  # whose processes come and go


def leb128(text, at):
    value = shift = 0
    while True:
        byte = text[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


class Certificate:
    """The format is in RUN_FORMAT.md; what is not as it says is an AssertionError."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.run = self.sealed("run.json")
        self.manifest = self.sealed(max((path.name for path in self.folder.glob("manifest.*.json")), key=lambda name: int(name.split(".")[1])))
        assert self.manifest["complete"] and self.manifest["verdict"] == "holds"
        self.contents = {}
        for text in self.files("contents"):
            at = 0
            while at < len(text):
                component, at = leb128(text, at)
                length, at = leb128(text, at)
                self.contents.setdefault(component, []).append(text[at:at + length])
                at += length

        def ranges(words):
            return [tuple(map(int, word.split("+"))) for word in words]

        (table,) = self.files("components")
        first, second, *others = (line.split() for line in table.decode().splitlines())
        self.hidden, self.global_bytes, self.pieces = (int(word) for word in first[1::2])
        self.globals = ranges(second[1:])
        self.frames = [(int(words[1]), ranges(words[2:])) for words in others]

    def sealed(self, name):
        text = (self.folder / name).read_bytes()
        body = text[:text.rindex(b',"sha256"')]
        whole = json.loads(text)
        assert whole["sha256"] == hashlib.sha256(body).hexdigest(), name
        return whole

    def files(self, kind):
        for file in self.manifest["files"]:
            if file["kind"] != kind:
                continue
            text = (self.folder / file["name"]).read_bytes()
            assert len(text) == file["bytes"] and hashlib.sha256(text).hexdigest() == file["sha256"], file["name"]
            yield text

    def keys(self):
        """Numbers, whose most significant word is word 0."""
        words = self.manifest["words"]
        for text in self.files("states"):
            at, last = 0, -1
            while at < len(text):
                count, size, crc = struct.unpack_from("<III", text, at)
                coded = text[at + 12:at + 12 + size]
                assert 1 <= count <= 4096 and len(coded) == size and zlib.crc32(coded) == crc
                key = 0
                for word in struct.unpack_from(f"<{words}Q", coded):
                    key = key << 64 | word
                inside = 8 * words
                for number in range(count):
                    if number > 0:
                        difference, inside = leb128(coded, inside)
                        key += difference
                    assert key > last
                    last = key
                    yield key
                assert inside == size
                at += 12 + size

    def vector(self, key):
        """Without hidden variables."""
        words, numbers = self.manifest["words"], {}
        for field in self.manifest["layout"]:
            numbers[field["component"]] = key >> 64 * (words - 1 - field["word"]) + field["shift"] & (1 << field["width"]) - 1

        def content(component):
            return self.contents[component][numbers.get(component, 0)]

        control = content(0)
        types = control[2:]
        vector = bytearray(self.global_bytes + sum(self.frames[number][0] for number in types))

        def put(base, ranges, component):
            for number, (offset, size) in enumerate(ranges):
                text = content(component + number)
                assert len(text) == size
                vector[base + offset:base + offset + size] = text

        vector[self.hidden:self.hidden + 3] = bytes([len(types)]) + control[:2]
        put(0, self.globals, 1)
        frame = self.global_bytes
        for pid, number in enumerate(types):
            vector[frame] = number
            size, ranges = self.frames[number]
            put(frame, ranges, 1 + len(self.globals) + pid * self.pieces)
            frame += size
        return bytes(vector[self.hidden:])


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout


def certify(folder, *words):
    return run(CMC, "check", "--quiet", "--certificate", folder, *words)


def dumped_vectors(*words):
    """Of all states, by way of --dump-states, without hidden variables."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "states.txt"
        run(CMC, "check", "--quiet", "--reductions", "none", "--dump-states", f"1000000:{file}", *words)
        vectors = set()
        for state in file.read_text().split("\nstate ")[1:]:
            lines = re.findall(r"^  [0-9a-f]{4,}  ((?:[0-9a-f]{2}\*? *)+)$", state, re.MULTILINE)
            vectors.add(bytes.fromhex("".join(lines).replace("*", "").replace(" ", "")))
        return vectors


def expectations():
    """(model, -D words, options) for each `expect: holds` of the models."""
    for path in sorted(MODELS.rglob("*.pml")):
        for line in re.findall(r"expect:(.*)", path.read_text()):
            words = line.split()
            if "holds" not in words or "solver" in words or "slow" in words:
                continue
            given = dict(word.split("=", 1) for word in words if "=" in word and not word.startswith("-"))
            steps = given.get("steps", "spin")
            if steps == "path" or (int(given.get("states", 0)) > MOST_STATES and "--all" not in sys.argv):
                continue
            yield [str(path), *(word for word in words if word.startswith("-D")), f"--steps={steps}"]


class CertificateTest(unittest.TestCase):
    def test_another_reader_finds_the_same_states(self):
        for words in [[PETERSON], [SIEVE], [PETERSON, "--steps", "statement", "--search", "bfs", "--threads", "1"]]:
            with self.subTest(words), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(certify(folder, *words)[0], 0)
                certificate = Certificate(folder)
                keys = list(certificate.keys())
                self.assertEqual(len(set(keys)), certificate.manifest["states"])
                self.assertIn(0, keys)
                self.assertEqual({certificate.vector(key) for key in keys}, dumped_vectors(*words))

    def test_models_are_certified(self):
        certified = 0
        for words in expectations():
            with self.subTest(words), tempfile.TemporaryDirectory() as folder:
                code, text = certify(folder, "--property", "safety", "--time", "1", *words)
                if code == 3 or code == 1:
                    continue  # larger than it seemed, or not all that the model states is about safety
                self.assertEqual(code, 0, text)
                code, text = run(AUDIT, folder, words[0])
                self.assertEqual(code, 0, text)
                self.assertRegex(text, "certified: (the model holds|safety holds, and of other properties nothing is said); ")
                certified += 1
        self.assertGreater(certified, 40)

    def forge_run(self, folder, change):
        """Another run.json, whose sum is right."""
        path = pathlib.Path(folder) / "run.json"
        whole = json.loads(path.read_text())
        del whole["sha256"]
        change(whole)
        body = json.dumps(whole, separators=(",", ":"))[:-1]
        path.write_text(f'{body},"sha256":"{hashlib.sha256(body.encode()).hexdigest()}"}}\n')

    def test_what_is_certified_is_what_is_shown(self):
        text = "byte x; active proctype P() { do :: x < 4 -> x++ :: x == 4 -> break od; assert(x != LIM) }"
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            model, limit = folder / "m.pml", folder / "lim.h"
            model.write_text('#include "lim.h"\n' + text)
            limit.write_text("#define LIM 5\n")
            self.assertEqual(certify(name + "/c", str(model))[0], 0)
            code, output = run(AUDIT, name + "/c", str(model))
            self.assertEqual(code, 0, output)
            self.assertIn(f"with: {limit}, SHA-256 {hashlib.sha256(limit.read_bytes()).hexdigest()}", output)
            limit.write_text("#define LIM 4\n")
            code, output = run(AUDIT, name + "/c", str(model))
            self.assertEqual(code, 1, output)
            self.assertIn(f"A: the certificate is not of the model '{model}': '{limit}' has another text", output)
            self.assertEqual(run(AUDIT, name + "/c")[0], 0)
            limit.unlink()
            self.assertEqual(run(AUDIT, name + "/c", str(model))[0], 2)
            other = {"name": str(limit), "text": "#define LIM 4\n"}
            for change, said in ((lambda each: each["model"]["files"].insert(0, other), "A: run.json has two texts of one name"),
                                 (lambda each: each["model"]["files"].append({"name": "<x>", "text": ""}), "A: run.json has a text that is of no file")):
                shutil.copytree(folder / "c", folder / "forged")
                self.forge_run(folder / "forged", change)
                code, output = run(AUDIT, name + "/forged")
                self.assertEqual((code, said in output), (1, True), output)
                shutil.rmtree(folder / "forged")
            self.forge_run(folder / "c", lambda each: each["arguments"].insert(0, "-DX=\x1b[2K\r"))
            self.assertIn("checked with: -DX=\\x1b[2K\\x0d --reductions=none\n", run(AUDIT, name + "/c")[1])

    def test_only_safety_is_certified(self):
        for more in ("ltl p { [] (x < 4) }", "never { do :: x == 4 -> break :: true od }", "trace { q!b; q!a }"):
            with self.subTest(more), tempfile.TemporaryDirectory() as folder:
                model = pathlib.Path(folder) / "m.pml"
                model.write_text("mtype = { a, b }; chan q = [2] of { mtype }; byte x; active proctype P() { q!a; q!b; do :: x < 4 -> x++ "
                                 ":: x == 4 -> break od }\n" + more)
                self.assertEqual(certify(folder + "/c", "--property", "safety", str(model))[0], 0)
                self.forge_run(folder + "/c", lambda each: each["arguments"].clear())
                code, output = run(AUDIT, folder + "/c")
                self.assertEqual(code, 0, output)
                self.assertIn("certified: safety holds, and of other properties nothing is said; ", output)

    def test_rounds_are_certified(self):
        with tempfile.TemporaryDirectory() as folder:
            words = [str(MODELS / "peterson/peterson3.pml"), "--beyond", "sorted", "--store", folder, "--memory", "16M"]
            self.assertEqual(certify(folder + "/certificate", *words)[0], 0)
            for memory in ["1G", "12M"]:  # all states at once, or in slices
                code, text = run(AUDIT, folder + "/certificate", "--memory", memory)
                self.assertEqual(code, 0, text)
                self.assertIn("45,915 reachable states, 128,653 transitions", text)

    @unittest.skipUnless(shutil.which("spin"), "SPIN is not installed")
    def test_spin_says_the_same(self):
        """Its own verifier, told the states of a certificate, finds no successor that is missing, and no error."""
        asked = 0
        for words in expectations():
            if "--all" not in sys.argv and pathlib.Path(words[0]).stem not in FOR_SPIN:
                continue
            with self.subTest(words), tempfile.TemporaryDirectory() as folder:
                if certify(folder, "--property", "safety", "--time", "1", *words)[0] != 0:
                    continue
                code, text = run(AUDIT, folder, "--oracle", "pan")
                if code == 2:
                    self.assertRegex(text, "not carried over|not in its folder")
                    continue
                self.assertEqual(code, 0, text)
                self.assertIn("the verifier that Spin Version", text)
                asked += 1
        self.assertGreaterEqual(asked, len(FOR_SPIN))
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model.pml"
            model.write_text(PROCESSES)
            self.assertEqual(certify(folder + "/certificate", "-E", str(model))[0], 0)
            code, text = run(AUDIT, folder + "/certificate", "--oracle", "pan")
            self.assertEqual(code, 0, text)

    @unittest.skipUnless(shutil.which("spin"), "SPIN is not installed")
    def test_nothing_of_a_certificate_is_run_for_spin(self):
        for text, words, message in [("#ifdef OTHER\nc_decl { int f(); }\n#endif\nactive proctype P() { skip }", [], "parts in C"),
                                     ("#ifdef OTHER\nc_de\\ \ncl { int f(); }\n#endif\nactive proctype P() { skip }", [], "parts in C"),
                                     ("active proctype P() { skip }", ["-DX=$(touch;here)"], "other characters")]:
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                model = pathlib.Path(folder) / "model.pml"
                model.write_text(text)
                self.assertEqual(certify(folder + "/certificate", "-E", str(model), *words)[0], 0)
                code, output = run(AUDIT, folder + "/certificate", "--oracle", "pan")
                self.assertEqual(code, 2, output)
                self.assertIn(message, output)

    @unittest.skipUnless(shutil.which("spin"), "SPIN is not installed")
    def test_spin_finds_what_is_missing(self):
        """A verifier of another model: a step leads to a state that is not there, an assertion fails."""
        for change, letter in [("s/flag\\[_pid\\] = 0/flag[_pid] = 3/", "C2"), ("s/assert(.*)/assert(ncrit == 2)/", "C3")]:
            with self.subTest(change), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(certify(folder + "/certificate", PETERSON)[0], 0)
                other = pathlib.Path(folder) / "spin"
                other.write_text(f"#!/bin/sh\n[ ! -e peterson.pml ] || sed -i '{change}' peterson.pml\nexec {shutil.which('spin')} \"$@\"\n")
                other.chmod(0o755)
                done = subprocess.run([AUDIT, folder + "/certificate", "--oracle", "pan"], capture_output=True, text=True, check=False,
                                      env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
                self.assertEqual(done.returncode, 1, done)
                self.assertIn(f"not certified: {letter}", done.stdout)

    def test_exit_codes(self):
        with tempfile.TemporaryDirectory() as folder:
            certify(folder, PETERSON)
            code, text = run(AUDIT, folder, "--sample", "50")
            self.assertEqual(code, 3)
            self.assertIn("no proof", text)
            self.assertEqual(run(AUDIT, folder, PETERSON)[0], 0)
            code, text = run(AUDIT, folder, SIEVE)
            self.assertEqual((code, text.split(":")[:2]), (1, ["not certified", " A"]))
            self.assertEqual(run(AUDIT, folder + "/none")[0], 2)
            self.assertEqual(run(AUDIT)[0], 2)
            self.assertIn("cmc-audit: DIR is required\n(`cmc-audit --help` says more)\n", run(AUDIT)[1])
            states = next(pathlib.Path(folder).glob("states.*"))
            states.write_bytes(states.read_bytes()[:-1])
            self.assertEqual(run(AUDIT, folder)[0], 1)

    def test_what_has_no_certificate_is_refused(self):
        for words, message in [(["--reductions", "por"], "--reductions none"), (["--steps", "path"], "--steps"),
                               (["--engine", "simple"], "fast engine"), (["--fairness", "weak"], "--fairness")]:
            with self.subTest(words), tempfile.TemporaryDirectory() as folder:
                code, text = certify(folder, PETERSON, *words)
                self.assertEqual(code, 2)
                self.assertIn(message, text)

    def test_a_model_with_an_error_has_no_certificate(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(certify(folder, str(MODELS / "classics/philosophers.pml"))[0], 1)
            code, text = run(AUDIT, folder)
            self.assertEqual(code, 2, text)


if __name__ == "__main__":
    CMC, AUDIT = (os.path.abspath(word) for word in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + [word for word in sys.argv[3:] if word != "--all"])
