"""Kills searches with checkpoints (kill -9, at random moments), resumes them until they are over, and compares.

    kill.py CMC MODELS [--kills N] [--seed S] [--damage]
"""

import argparse
import hashlib
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import part_of_day  # noqa: E402

CACHES = ["--lossy-capacity", "4096", "--lookup-buffer", "1024", "--memory", "64M"]
CYCLES = ["--property", "ltl_0", "--ltl", "[] (ncrit == 1 -> <> (ncrit <= 1))"]
FAIR = ["--property", "ltl_0", "--ltl", "[] (ncrit == 1 -> <> (ncrit == 0))", "--fairness", "weak"]
ENGINES = {
    "dfs": ["--threads", "1"],
    "dfs, 2 threads": ["--threads", "2"],
    "bfs": ["--search", "bfs", "--threads", "1"],
    "rounds": ["--beyond", "sorted", "--lookup-buffer", "4096", "--memory", "64M", "--threads", "1"],
    "cached": ["--beyond", "cached", *CACHES, "--threads", "1"],
    "cached, dfs": ["--beyond", "cached", "--search", "dfs", *CACHES, "--threads", "2"],
    "cached, bfs": ["--beyond", "cached", "--search", "bfs", *CACHES, "--threads", "1"],
    "ndfs": [*CYCLES, "--cycles", "ndfs", "--threads", "1"],
    "ndfs, 2 threads": [*CYCLES, "--cycles", "ndfs", "--threads", "2"],
    "hull": [*CYCLES, "--cycles", "hull", "--threads", "1"],
    "hull, fair, 2 threads": [*FAIR, "--cycles", "hull", "--threads", "2"],
    "scc": [*FAIR, "--threads", "1"],
    "cycles beyond memory": [*FAIR, "--beyond", "cached", *CACHES, "--threads", "1"],
    "rounds, 2 threads": ["--beyond", "sorted", "--lookup-buffer", "4096", "--memory", "64M", "--threads", "2"],
}
DAMAGED = ("bfs", "cached", "scc")
NO_CHECKPOINT, OVER = 2, (0, 1)


SAME = ("verdict", "complete", "states_stored", "states_matched", "transitions", "error_count", "endless_atomic", "coverage",
        "state_bytes_max", "reasons")


def figures(file):
    """What must not depend on how often a search was killed."""
    result = json.loads(file.read_text())
    log = {name: result["log"][name] for name in ("single_successor", "dead_ends", "state_sizes")}
    return {**{name: result[name] for name in SAME}, "log": log}


def temporary_folder():
    """In memory, if there is such a place: a kill loses nothing that was written, so nothing need be in stable storage."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None)


class Run:
    """One run directory and the process that works on it."""

    def __init__(self, cmc, model, options, folder):
        self.cmc, self.model, self.options = cmc, model, options
        self.folder = folder / "run"
        self.result = folder / "result.json"
        self.begun = False

    def command(self, checks):
        if self.begun:
            return [self.cmc, "resume", self.folder, f"--json={self.result}", "--checkpoint-checks", str(checks)]
        return [self.cmc, "check", *self.options, self.model, "--checkpoint", self.folder, f"--json={self.result}",
                "--checkpoint-checks", str(checks), "--checkpoint-every", "0"]

    def start(self, checks):
        return subprocess.Popen(self.command(checks), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def kill(self, process):
        process.kill()

    def was_killed(self, code):
        return code == -9

    def newest(self):
        """The epoch of the newest manifest that is whole; 0: there is none."""
        epochs = [0]
        for file in self.folder.glob("manifest.*.json"):
            body, _, seal = file.read_bytes().rpartition(b',"sha256"')
            if seal == b':"%s"}\n' % hashlib.sha256(body).hexdigest().encode():
                epochs.append(int(file.name.split(".")[1]))
        return max(epochs)


def kill_until_over(run, random_source, most_seconds, most_kills):
    """Kills, exit code of the run that came to its end."""
    kills = 0
    while True:
        killing = kills < most_kills
        process = run.start(random_source.choice((5, 20, 100)) if killing else 1000)
        if killing:
            timer = threading.Timer(random_source.uniform(0, most_seconds), run.kill, [process])
            timer.start()
        else:
            timer = None
        output = process.communicate()[1]
        if timer is not None:
            timer.cancel()
        acknowledged = max([0] + [int(epoch) for epoch in re.findall(r"checkpoint (\d+): ", output)])
        assert run.newest() >= acknowledged, f"checkpoint {acknowledged} was said to be there"
        assert "going on from" not in output, output
        if process.returncode in OVER:
            return kills, process.returncode
        if process.returncode == NO_CHECKPOINT:
            assert not run.newest(), output  # killed before the first one
            shutil.rmtree(run.folder, ignore_errors=True)
            run.begun = False
            continue
        assert run.was_killed(process.returncode), (process.returncode, output)
        kills += 1
        run.begun = (run.folder / "run.json").exists()
        if not run.begun:
            shutil.rmtree(run.folder, ignore_errors=True)


def kill_test(cmc, models, kills, random_source):
    model = models / "peterson" / "peterson_busy.pml"
    left = kills
    share = min(12, -(-kills // len(ENGINES)))  # so that each has some
    turn = 0
    expected = {}
    while left > 0:
        name, engine = list(ENGINES.items())[turn % len(ENGINES)]
        turn += 1
        options = ["-DN=3", "-DINIT", "--max-errors", "0", "--reductions", "none", *engine]
        with temporary_folder() as text:
            folder = pathlib.Path(text)
            if name not in expected:
                reference = folder / "reference.json"
                begun = time.monotonic()
                code = subprocess.run([cmc, "check", *options, model, f"--json={reference}"], stdout=subprocess.DEVNULL,
                                      check=False).returncode
                expected[name] = (figures(reference), code, time.monotonic() - begun)
            wanted, code, seconds = expected[name]
            run = Run(cmc, model, options, folder)
            done, got = kill_until_over(run, random_source, 1.2 * seconds + 0.1, min(left, share))
            assert got == code, (name, got, code)
            assert figures(run.result) == wanted, (name, figures(run.result), wanted)
            left -= max(done, 1)
    print(f"{kills - left} kills in {turn} runs: as if nothing had happened")


def damage_test(cmc, models, arguments, random_source, name):
    """Each byte of the newest checkpoint flipped, each file cut: the result is the same, from the one before, or none."""
    model = models / "peterson" / "peterson.pml"
    options = ["-DN=3", "--max-errors", "0", "--reductions", "none", *ENGINES[name]]
    count = refused = 0
    with temporary_folder() as text:
        folder = pathlib.Path(text)
        reference = folder / "reference.json"
        subprocess.run([cmc, "check", model, *options, f"--json={reference}"], stdout=subprocess.DEVNULL, check=False)
        run = Run(cmc, model, options, folder)
        process = run.start(1)
        for line in process.stderr:
            if line.startswith("cmc: checkpoint 2"):
                process.kill()
                break
        process.communicate()
        whole = folder / "whole"
        run.folder.rename(whole)
        run.begun = True
        for file in sorted(whole.iterdir()):
            content = file.read_bytes()
            if not content:
                continue  # the kill came before anything was written
            count_of_places = part_of_day.share(-(-len(content) // arguments.damage_every), arguments)
            places = random_source.sample(range(len(content)), count_of_places)
            flipped = [content[:at] + bytes([content[at] ^ 1 << random_source.randrange(8)]) + content[at + 1:] for at in places]
            for damaged in [*flipped, content[:len(content) // 2], b""]:
                shutil.rmtree(run.folder, ignore_errors=True)
                shutil.copytree(whole, run.folder)
                (run.folder / file.name).write_bytes(damaged)
                run.result.unlink(missing_ok=True)
                process = subprocess.run([*run.command(0), "-q"], capture_output=True, text=True, check=False)
                count += 1
                if process.returncode == 2:
                    refused += 1
                    continue
                assert process.returncode == 0, (file.name, process)
                assert figures(run.result) == figures(reference), (file.name, figures(run.result), figures(reference))
    print(f"{name}: {count} damages, {refused} of them refused, never another result")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cmc", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--damage-every", type=int, default=100, help="one byte in so many is flipped; 0: none")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    part_of_day.add_to(parser)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    random_source = random.Random(options.seed)
    kill_test(options.cmc.resolve(), options.models, part_of_day.share(options.kills, options), random_source)
    if options.damage_every > 0:
        for name in DAMAGED:
            damage_test(options.cmc.resolve(), options.models, options, random_source, name)


if __name__ == "__main__":
    sys.exit(main())
