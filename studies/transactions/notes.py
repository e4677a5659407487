#!/usr/bin/env python3
"""Collects ideas: notes.py FOLDER. Two people who write down the same idea at the same time do not overwrite each other."""
import json
import os
import pathlib
import subprocess
import sys
import urllib.parse
import uuid

TXN = os.environ.get("TXN", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "txn"))
NO_SUCH_FILE = 4


def txn(folder, *words):
    run = subprocess.run([TXN, "--dir", folder, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode not in (0, NO_SUCH_FILE):
        sys.exit(f"not saved: {run.stderr.strip()}")
    return run.stdout


def main(folder):
    transaction = str(uuid.uuid4())
    txn(folder, "start", transaction)
    name = input("Name of your idea: ")
    file = urllib.parse.quote(name, safe="").replace(".", "%2E")
    if before := txn(folder, "read", transaction, file):
        print("It is there already:", json.dumps(json.loads(before), indent=2, ensure_ascii=False))
    idea = {"name": name, "description": input("Description of your idea: "), "notes": []}
    while note := input("Next note [leave blank to stop]: "):
        idea["notes"].append(note)
    txn(folder, "write", transaction, file, json.dumps(idea))
    txn(folder, "commit", transaction)
    print("saved")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__))
