"""A run that is walked in both directions."""

from __future__ import annotations

import json
from typing import Optional

from . import _cmc
from ._errors import Interrupted
from ._values import Scalar, Step, Value, frame, message, scalar


class Session:
    """A run of a model, at first in its initial state. What was walked stays, to be walked again, until another choice
    is made. For one thread."""

    def __init__(self, model: _cmc.Model) -> None:
        self._run = _cmc.Session(model)

    @property
    def position(self) -> int:
        """How many choices lead here from the initial state."""
        return self._run.position()

    def __len__(self) -> int:
        """The last position that is known."""
        return self._run.length()

    def __bool__(self) -> bool:
        return True

    @property
    def loop_start(self) -> Optional[int]:
        """Of a run that was loaded and never ends: from this position on it is repeated."""
        return self._run.loop_start()

    @property
    def choices(self) -> list[Step]:
        """What can happen now, with what each step would change. Empty: the run is over."""
        return [Step(each, each.pop("changes")) for each in self._run.choices()]

    @property
    def state(self) -> dict[str, Value]:
        """Variables by name: "x", "a[2]", "P[1].y" for a local one; channels have lists of messages."""
        return {name: scalar(text) if messages is None else [message(each) for each in messages]
                for name, text, messages in self._run.values()}

    @property
    def end(self) -> str:
        """ "error: assertion violated: (x==1)", "invalid end state: ..."; "": the run can go on."""
        return self._run.end()

    @property
    def why(self) -> list[str]:
        """Why it ends so: sentences."""
        return self._run.why()

    @property
    def steps(self) -> list[Step]:
        """The steps up to here, the last 100,000."""
        return [Step(step) for step in json.loads(self._run.trace(100_000))["traces"][0]["steps"]]

    def choose(self, choice: int) -> None:
        """Takes the step, also one that fails; `end` says so then."""
        if choice < 0:
            raise IndexError("choices are counted from 0")
        self._run.take(choice)

    def go_to(self, position: int) -> None:
        self._run.go_to(position)

    def back(self, count: int = 1) -> None:
        self._run.go_to(max(0, self.position - count))

    def forward(self, count: int = 1) -> None:
        """Along what was walked or loaded."""
        self._run.go_to(min(len(self), self.position + count))

    def run(self, steps: int, seed: int = 1) -> int:
        """Takes at most so many steps: those that lie ahead, then random ones. Returns how many there were."""
        taken, interrupted = self._run.run(steps, seed)
        if interrupted:
            raise Interrupted(taken)
        return taken

    def find(self, expression: str, process: Optional[int] = None, time: float = 10) -> bool:
        """Goes to the nearest state from here in which the expression holds. False: there is none. `process`: whose own
        variables it may name."""
        found, interrupted = self._run.find(expression, process, time)
        if interrupted:
            raise Interrupted()
        return found

    def evaluate(self, expression: str, process: Optional[int] = None) -> Scalar:
        """An expression of the model's language in this state: "len(q) == 2"."""
        return scalar(self._run.evaluate(expression, process))

    def load(self, trail: str) -> None:
        """The run of a trail, of CMC or of SPIN, instead of this one. It begins at its start."""
        self._run.load(trail)

    def page(self) -> str:
        """The run up to here as a page for a browser."""
        return self._run.page(100_000)

    def __repr__(self) -> str:
        return f"<cmc.Session at {self.position} of {len(self)}{', ' + self.end if self.end else ''}>"

    def _repr_html_(self) -> str:
        return frame(self.page())
