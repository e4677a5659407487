#!/usr/bin/env python3
"""Runs Python in a virtual environment with a package from PyPI. Usage: with_package.py PACKAGE ARGUMENT...
Exit code 77: it cannot be installed, for example without a network."""
import pathlib
import subprocess
import sys
import tempfile
import venv


def main():
    package, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = pathlib.Path(folder, "bin", "python")
        if subprocess.run([python, "-m", "pip", "install", "-q", package], timeout=600).returncode != 0:
            print(f"{package} cannot be installed")
            return 77
        return subprocess.run([python, "-B", *arguments], timeout=1200).returncode


if __name__ == "__main__":
    sys.exit(main())
