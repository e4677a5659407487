"""What can go wrong."""

from __future__ import annotations

from typing import Any, NamedTuple


class Mistake(NamedTuple):
    """An error in a model's text."""

    message: str
    file: str
    line: int  #: 0: of the file as a whole
    column: int


class Error(Exception):
    """CMC cannot do what is asked for: an option, a property, a trail that there is not."""


class ModelError(Error):
    """A model has errors. The text of the exception is what the program prints: with source lines and carets."""

    def __init__(self, message: str, mistakes: list[Mistake]) -> None:
        super().__init__(message)
        self.mistakes = mistakes

    @property
    def file(self) -> str:
        return self.mistakes[0].file

    @property
    def line(self) -> int:
        return self.mistakes[0].line

    @property
    def column(self) -> int:
        return self.mistakes[0].column


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. What was found until then is in `result`, which then is usually "incomplete"."""

    def __init__(self, result: Any = None) -> None:
        super().__init__("interrupted")
        self.result = result


def make(message: str, mistakes: list[tuple[str, str, int, int]]) -> Error:
    if mistakes:
        return ModelError(message, [Mistake(*each) for each in mistakes])
    return Error(message.strip())
