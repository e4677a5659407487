#!/usr/bin/env python3
"""The wheel: `pip wheel .`, installed into an empty environment; there the tests of the package, the program, a model that
needs a solver, type checkers, and the notebook.

Usage: wheel_test.py [--wheel FILE] [--keep FOLDER]     --wheel: one that was built; --keep: put what is built there

Needs PyPI for what builds the wheel, NumPy, mypy and nbclient. Exit code 77 if that cannot be reached.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 12_000_000
SOLVER = ROOT / "models" / "solver" / "sequence_window.pml"
TYPED = """import cmc
result: cmc.Result = cmc.parse("init { skip }", {"N": 3}).check(threads=1, time="10s")
states: int = result.states
step: cmc.Step = result.counterexamples[0].steps[0]
changes: list[str] = step.changes
"""
NOTEBOOK = """import nbclient, nbformat, sys
book = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
nbformat.write(book, sys.argv[2])
"""


def run(*command, code=0, **options):
    done = subprocess.run([str(each) for each in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", **options)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-5000:]}")
    return done.stdout


def is_reachable(python):
    return subprocess.run([str(python), "-m", "pip", "download", "--no-deps", "-d", tempfile.mkdtemp(), "pybind11"],
                          capture_output=True).returncode == 0


def outputs(path):
    """[(output as text, as HTML)] of the notebook's cells of code."""
    cells = json.loads(path.read_text())["cells"]
    said = [cell["outputs"] for cell in cells if cell["cell_type"] == "code"]
    return ["".join("".join(each.get("text", [])) + str(each.get("data", "")) for each in cell) for cell in said]


def check(folder, wheel):
    python, programs = folder / "env" / "bin" / "python", folder / "env" / "bin"
    environment = {**os.environ, "PATH": f"{programs}:/usr/bin:/bin"}
    run(python, "-m", "pip", "install", "--no-index", wheel)
    print(run(python, ROOT / "tests" / "python" / "package_test.py", cwd=folder).splitlines()[-1])
    print(run("cmc", "--version", env=environment).strip())
    run("cmc", "check", "--quiet", "-DLARGE", SOLVER, env=environment)
    print(run(python, "-c", f"import cmc; r = cmc.load({str(SOLVER)!r}, {{'LARGE': None}}).check(); print(r); assert r", cwd=folder).strip())
    run(python, "-m", "pip", "install", "--quiet", "numpy", "mypy", "nbclient", "ipykernel")
    print(run(python, ROOT / "tests" / "python" / "package_test.py", cwd=folder).splitlines()[-1])
    (folder / "typed.py").write_text(TYPED)
    (folder / "empty").mkdir()
    print(run(python, "-m", "mypy", "--strict", "../typed.py", cwd=folder / "empty").strip())
    print(run(python, "-m", "mypy", "--strict", "-p", "cmc", cwd=folder / "empty").strip())
    (folder / "run.py").write_text(NOTEBOOK)
    run(python, folder / "run.py", ROOT / "python" / "tour.ipynb", folder / "tour.ipynb", env=environment)
    said = outputs(folder / "tour.ipynb")
    for number, word in ((0, "srcdoc="), (0, "violated"), (1, "philosopher[0]"), (2, "held[0]"), (3, "philosopher"), (4, "("), (5, "<svg")):
        if word not in said[number]:
            sys.exit(f"tour.ipynb: cell {number} does not say {word}: {said[number][:500]}")
    print(f"tour.ipynb: {len(said)} cells")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wheel_test.") as scratch:
        folder = args.keep.resolve() if args.keep else pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        run(sys.executable, "-m", "venv", folder / "env")
        if not is_reachable(folder / "env" / "bin" / "python"):
            print("PyPI cannot be reached", file=sys.stderr)
            return 77
        wheel = args.wheel
        if wheel is None:
            run(folder / "env" / "bin" / "python", "-m", "pip", "wheel", "--no-deps", "-w", folder / "wheels", ROOT)
            wheel = next((folder / "wheels").glob("cmc-*.whl"))
        size = wheel.stat().st_size
        print(f"{wheel.name}: {size:,} bytes")
        if size > MOST_BYTES:
            sys.exit(f"the wheel has more than {MOST_BYTES:,} bytes")
        check(folder, wheel.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
