"""What a process that runs takes. (Its rusage counts what the program that started it had, too.)"""

import pathlib
import re


def peak_of(pid):
    """Peak memory in bytes; 0: the process has ended."""
    try:
        return int(re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1)) * 1024
    except (OSError, AttributeError):
        return 0
