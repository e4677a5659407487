"""What an editor has seen of the language server, beside what it should see."""


def exit_code(run, saw, wanted):
    """Of a test. `run`: of the editor; `saw`, `wanted`: texts by name. Prints what differs."""
    wrong = {name: (saw.get(name), value) for name, value in wanted.items() if saw.get(name) != value}
    for name, (is_, should_be) in wrong.items():
        print(f"{name}: {is_!r} instead of {should_be!r}")
    if wrong or run.returncode != 0:
        print(run.stdout, run.stderr)
    return 1 if wrong or run.returncode != 0 else 0
