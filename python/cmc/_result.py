"""What a check found out."""

from __future__ import annotations

import json
from typing import Any, Callable, List, NamedTuple, Optional

from . import _cmc
from ._session import Session
from ._values import Step, frame


class Property(NamedTuple):
    name: str
    kind: str  #: "safety", "ltl", "never claim", ...
    verdict: str  #: "holds", "violated", "incomplete"
    reasons: List[str]  #: why it is incomplete
    states: int
    transitions: int
    seconds: float
    file: Optional[str]
    line: Optional[int]


class Counterexample:
    """A run that violates a property, confirmed by a second interpreter. `data` has everything (a trace of cmc.trace/1)."""

    def __init__(self, data: dict[str, Any], number: int, result: Result) -> None:
        self.data = data
        self._number = number
        self._result = result

    @property
    def kind(self) -> str:
        """ "assertion", "invalid end state", "acceptance cycle", ... """
        return str(self.data["cause"]["kind"])

    @property
    def message(self) -> str:
        return str(self.data["cause"]["message"])

    @property
    def file(self) -> Optional[str]:
        """Where the error is; None: nowhere."""
        file: Optional[str] = self.data["cause"]["file"]
        return file

    @property
    def line(self) -> Optional[int]:
        line: Optional[int] = self.data["cause"]["line"]
        return line

    @property
    def steps(self) -> list[Step]:
        """The last 100,000."""
        return [Step(step) for step in self.data["steps"]]

    @property
    def loop_start(self) -> Optional[int]:
        """Of a run that never ends: the number of the first step that is repeated."""
        start: Optional[int] = self.data["loop_start"]
        return start

    @property
    def why(self) -> list[str]:
        """Why the run ends so: sentences."""
        return list(self.data["cause"]["explanation"])

    @property
    def trail(self) -> str:
        """The text of a trail, which `cmc replay` and `Session.load` read."""
        return self._result._found.trail(self._number)

    def session(self) -> Session:
        """The run once more, to be walked."""
        session = self._result._start()
        session.load(self.trail)
        return session

    def __str__(self) -> str:
        return "\n".join([f"{self.property}: {self.message}", *(f"{number:5}  {step}" for number, step in enumerate(self.steps, 1)), *self.why])

    def __repr__(self) -> str:
        return f"<cmc.Counterexample of {self.property}: {self.message}, {len(self.data['steps'])} steps>"

    def _repr_html_(self) -> str:
        return self._result._repr_html_()

    @property  # the last one, as it hides what it is made with
    def property(self) -> str:
        """The name of the property that it violates."""
        return str(self.data["property"])


class Result:
    """The result of a check. It is true if all properties hold, so `assert model.check()` means that. `data` has what
    `cmc check --json` writes (cmc.result/1)."""

    def __init__(self, found: _cmc.CheckResult, start: Callable[[], Session]) -> None:
        self._found = found
        self._start = start
        self._counterexamples: Optional[List[Counterexample]] = None
        self.data: dict[str, Any] = json.loads(found.json())

    @property
    def verdict(self) -> str:
        """ "holds", "violated", "incomplete": the worst of all properties."""
        return str(self.data["verdict"])

    def __bool__(self) -> bool:
        return self.verdict == "holds"

    @property
    def reasons(self) -> list[str]:
        """Why it is incomplete: sentences."""
        return [each["text"] for each in self.data["reasons"]]

    @property
    def states(self) -> int:
        """Of the search for the first property."""
        return int(self.data["states_stored"])

    @property
    def transitions(self) -> int:
        return int(self.data["transitions"])

    @property
    def properties(self) -> list[Property]:
        return [
            Property(each["name"], each["kind"], each["verdict"], [reason["text"] for reason in each["reasons"]],
                     each["states_stored"], each["transitions"], each["wall_seconds"], each["file"], each["line"])
            for each in self.data["properties"]
        ]

    @property
    def counterexamples(self) -> list[Counterexample]:
        """The shortest of each property that is violated, then others, as the program numbers them."""
        if self._counterexamples is None:
            text = self._found.traces(100_000)
            traces = json.loads(text)["traces"] if text else []
            self._counterexamples = [Counterexample(trace, number, self) for number, trace in enumerate(traces)]
        return self._counterexamples

    @property
    def counterexample(self) -> Optional[Counterexample]:
        """The first one; None: nothing is violated."""
        return self.counterexamples[0] if self.counterexamples else None

    def page(self) -> str:
        """The counterexamples as a page for a browser, in one file; empty: there is none."""
        return self._found.page(100_000)

    def __repr__(self) -> str:
        reasons = f": {'; '.join(self.reasons)}" if self.reasons else ""
        return f"<cmc.Result {self.verdict}{reasons}, {self.states:,} states>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{_escape(each.name)}</td><td>{each.verdict}</td><td>{each.states:,} states</td>"
                       f"<td>{_escape('; '.join(each.reasons))}</td></tr>" for each in self.properties)
        page = self.page()
        return f"<table>{rows}</table>{frame(page) if page else ''}"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
