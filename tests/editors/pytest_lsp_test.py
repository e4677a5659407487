#!/usr/bin/env python3
"""Runs pytest_lsp_suite.py in a virtual environment with pytest-lsp from PyPI. Usage: pytest_lsp_test.py CMC. Skipped (77) without a network."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv


def main():
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = pathlib.Path(folder, "bin", "python")
        if subprocess.run([python, "-m", "pip", "install", "-q", "pytest-lsp==1.0.1"], timeout=600).returncode != 0:
            print("pytest-lsp cannot be installed")
            return 77
        shutil.copy(pathlib.Path(__file__).with_name("pytest_lsp_suite.py"), pathlib.Path(folder, "test_suite.py"))
        return subprocess.run([python, "-m", "pytest", "-q", "test_suite.py"], cwd=folder, timeout=600,
                              env={**os.environ, "CMC_PROGRAM": os.path.abspath(sys.argv[1])}).returncode


if __name__ == "__main__":
    sys.exit(main())
