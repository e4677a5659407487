"""Takes the power away from a search with checkpoints at every moment, on disks that do as little as POSIX allows.

    power_loss.py CMC MODELS [--random N] [--every N] [--seed S]

What a search does to its directory is recorded with strace. For each moment in it disks are built as they may be after
the power came back: what was written since a file's last fsync is there, is not, is there in part, or is zeros; names
that were made, changed or removed since the directory's last fsync are as before or as after, each by itself. All of
them, none, each one alone lost, each one alone kept, and N at random. Then `cmc resume` must find a checkpoint that is
at least as new as the last one that was told of, and come to the same result. (Method: Pillai et al., "All file systems
are not created equal: on the complexity of crafting crash-consistent applications", OSDI 2014.)
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from kill import figures, part_of_day, temporary_folder

SEARCHES = {
    "dfs": ["--checkpoint-checks", "8"],
    "bfs": ["--search", "bfs", "--checkpoint-checks", "1"],
    "rounds": ["--beyond", "sorted", "--lookup-buffer", "100", "--memory", "64M", "--checkpoint-checks", "60"],
}
OPTIONS = ["-DN=2", "-DINIT", "--max-errors", "0", "--reductions", "none", "--threads", "1"]
CALLS = "openat,write,pwrite64,fsync,fdatasync,rename,unlink,ftruncate,close"
LINE = re.compile(r"\d+ +(\w+)\((.*)\) += (-?\d+)")


def text_of(quoted):
    return bytes.fromhex(quoted.replace("\\x", ""))


def record(cmc, model, options, folder):
    """What was done to the directory "run", in order: tuples of a name and arguments; and the result's figures."""
    trace = folder / "trace"
    command = ["strace", "-f", "-xx", "-s", "100000000", "-e", f"trace={CALLS}", "-o", trace, cmc, "check", *OPTIONS, *options, model,
               "--checkpoint", "run", "--checkpoint-every", "0", "--json=result.json"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    operations = []
    files = {}  # descriptor: name in the directory; "": the directory
    for line in trace.read_text().splitlines():
        found = LINE.match(line)
        if not found or int(found[3]) < 0:
            continue
        call, arguments, result = found[1], found[2], int(found[3])
        names = [text_of(quoted).decode("utf-8", "replace") for quoted in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', arguments)]
        ours = [name.removeprefix("run").removeprefix("/") for name in names if name == "run" or name.startswith("run/")]
        descriptor = int(arguments.split(",")[0]) if arguments[0].isdigit() else None
        if call == "openat":
            files.pop(result, None)
            if ours:
                files[result] = ours[0]
                if "O_CREAT" in arguments:
                    operations.append(("create", ours[0]))
        elif call in ("rename", "unlink") and ours:
            operations.append((call, *ours))
        elif call == "write" and descriptor == 2 and names and "checkpoint" in names[0]:
            operations += [("told", int(epoch)) for epoch in re.findall(r"checkpoint (\d+): ", names[0])]
        elif descriptor in files:
            name = files[descriptor]
            if call == "close":
                del files[descriptor]
            elif call == "write":
                operations.append(("write", name, text_of(re.search(r'"(.*)"', arguments)[1])))
            elif call == "ftruncate":
                assert arguments.endswith(", 0"), arguments
                operations.append(("truncate", name))
            elif call in ("fsync", "fdatasync"):
                operations.append(("sync", name))
            else:
                raise AssertionError(f"what is {call}?")
    return operations, figures(folder / "result.json")


class File:
    def __init__(self):
        self.durable = b""
        self.pending = []  # what was appended; None: it was emptied


class Disk:
    """The directory as the process sees it, and what of it is in stable storage."""

    def __init__(self):
        self.names = {}
        self.durable_names = {}
        self.changes = []  # of names, since the directory's last fsync: (name, file or None)

    def do(self, call, *arguments):
        name = arguments[0]
        if call == "create" and name not in self.names:
            self.change(name, File())
        elif call == "rename":
            self.change(arguments[1], self.names[name])
            self.change(name, None)
        elif call == "unlink":
            self.change(name, None)
        elif call == "truncate":
            self.names[name].pending.append(None)
        elif call == "write":
            self.names[name].pending.append(arguments[1])
        elif call == "sync" and name:
            file = self.names[name]
            file.durable, file.pending = self.content(file, lambda _: "kept"), []
        elif call == "sync":
            self.durable_names, self.changes = dict(self.names), []

    def change(self, name, file):
        if file is None:
            self.names.pop(name, None)
        else:
            self.names[name] = file
        self.changes.append((name, file))

    def open_questions(self):
        """What may or may not be in stable storage."""
        names = [("name", i) for i in range(len(self.changes))]
        files = {id(file): file for file in [*self.durable_names.values(), *(file for _, file in self.changes if file)]}
        return names + [("write", key, i) for key, file in files.items() for i in range(len(file.pending))]

    @staticmethod
    def content(file, fate):
        content = file.durable
        for number, piece in enumerate(file.pending):
            how = fate(number)
            if how == "lost":
                continue
            if piece is None:
                content = b""
            else:
                content += {"kept": piece, "torn": piece[:len(piece) // 2], "zeros": bytes(len(piece))}[how]
        return content

    def after(self, fates):
        """The files of a directory after the power was gone; `fates`: of each of open_questions()."""
        names = dict(self.durable_names)
        for number, (name, file) in enumerate(self.changes):
            if fates["name", number] == "lost":
                continue
            if file is None:
                names.pop(name, None)
            else:
                names[name] = file
        return {name: self.content(file, lambda i, key=id(file): fates["write", key, i]) for name, file in names.items()}


def choices(questions, count, random_source):
    def all_but(one, others, its):
        return {question: its if question == one else others for question in questions}

    yield all_but(None, "kept", None)
    yield all_but(None, "lost", None)
    for question in questions:
        for its in ("lost", "torn", "zeros") if question[0] == "write" else ("lost",):
            yield all_but(question, "kept", its)
        yield all_but(question, "lost", "kept")
    for _ in range(count):
        yield {question: random_source.choice(("kept", "lost", "torn", "zeros") if question[0] == "write" else ("kept", "lost"))
               for question in questions}


def disks(operations, count, moments, random_source):
    """Different directories, each with the newest checkpoint that had been told of."""
    disk = Disk()
    told = 0
    seen = set()
    for number, (call, *arguments) in enumerate(operations):
        if call == "told":
            told = arguments[0]
        else:
            disk.do(call, *arguments)
        if number not in moments:
            continue
        for fates in choices(disk.open_questions(), count, random_source):
            content = disk.after(fates)
            digest = hashlib.sha256(repr((told, sorted(content.items()))).encode()).digest()
            if digest not in seen:
                seen.add(digest)
                yield told, content


def resume(cmc, told, content, expected):
    """False: there was nothing to go on with, as there need not be."""
    with temporary_folder() as text:
        folder = pathlib.Path(text) / "run"
        folder.mkdir()
        for name, data in content.items():
            (folder / name).write_bytes(data)
        info = subprocess.run([cmc, "info", "--json", folder], capture_output=True, text=True, check=False)
        found = json.loads(info.stdout)["checkpoints"] if info.returncode == 0 else []
        newest = max([each["epoch"] for each in found if each["whole"]], default=0)
        assert newest >= told, (told, info, sorted(content))
        result = pathlib.Path(text) / "result.json"
        done = subprocess.run([cmc, "resume", folder, "--checkpoint-checks", "0", f"--json={result}"], capture_output=True, text=True, check=False)
        if newest == 0:
            assert done.returncode == 2, done
            return False
        assert done.returncode == 0, (told, newest, done)
        if not result.exists():
            assert "is over: verdict: holds" in done.stdout, done
        else:
            assert figures(result) == expected, (told, newest, figures(result), expected)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cmc", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--random", type=int, default=3, help="disks at random, of each moment")
    parser.add_argument("--every", type=int, default=1, help="one moment in so many")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    part_of_day.add_to(parser)
    options = parser.parse_args()
    if shutil.which("strace") is None or subprocess.run(["strace", "-o", os.devnull, "true"], check=False).returncode != 0:
        print("strace is not installed, or may not watch other processes here")
        return 77
    print(f"seed {options.seed}")
    random_source = random.Random(options.seed)
    cmc = options.cmc.resolve()
    model = (options.models / "peterson" / "peterson_busy.pml").resolve()
    for name, search in SEARCHES.items():
        with temporary_folder() as text:
            operations, expected = record(cmc, model, search, pathlib.Path(text))
        moments = set(part_of_day.some(range(0, len(operations), options.every), options))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            tried = list(pool.map(lambda each: resume(cmc, *each, expected),
                                  disks(operations, options.random, moments, random_source)))
        told = sum(operation[0] == "told" for operation in operations)
        print(f"{name}: {len(operations)} operations, {told} checkpoints, {len(tried)} disks, "
              f"{len(tried) - sum(tried)} of them before the first checkpoint: as if nothing had happened")
    return 0


if __name__ == "__main__":
    sys.exit(main())
