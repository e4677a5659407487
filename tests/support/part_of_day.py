"""Long comparisons of many alike things take one part of seven a day, so that a week has them all: numbers i, i + 7,
i + 14 and so on. CMC_PARTS=all in the environment takes all, CMC_DAY=N the part of another day.
tests/support/part_of_day.h is the same for programs.

A script whose parser has add_to(parser) divides only with --part-of-day: what its other arguments say is for a week then.
"""
import os
import time

PARTS = 7
WHOLE = os.environ.get("CMC_PARTS") == "all"
DAY = int(os.environ.get("CMC_DAY") or time.time() // 86400)


def has(number):
    return WHOLE or number % PARTS == DAY % PARTS


def of(things):
    """Those of a list whose order is always the same."""
    return [thing for number, thing in enumerate(things) if has(number)]


def add_to(parser):
    parser.add_argument("--part-of-day", action="store_true", help="of all that, the part of the day (CMC_PARTS=all: all)")


def some(things, options):
    """What a script with these options takes of a list."""
    return of(things) if options.part_of_day else list(things)


def share(number, options):
    """How many of so many alike, random things it takes."""
    return -(-number // PARTS) if options.part_of_day and not WHOLE else number


def text():
    return "all parts" if WHOLE else f"part {DAY % PARTS + 1} of {PARTS}; again: CMC_DAY={DAY}, all: CMC_PARTS=all"
