"""Models: read, checked, walked."""

from __future__ import annotations

import importlib.metadata
import os
import warnings
from typing import Any, List, Mapping, Sequence, Union

from . import _cmc
from ._errors import Interrupted
from ._graph import Graph
from ._result import Result
from ._session import Session

OptionValue = Union[int, float, str, "os.PathLike[str]"]
#: A flag, a value, several values; None: as if it were not there.
Option = Union[None, bool, OptionValue, Sequence[OptionValue]]


class Model:
    """A model that was read. `load` and `parse` make it."""

    def __init__(self, model: _cmc.Model) -> None:
        self._model = model

    def check(self, *words: str, **options: Option) -> Result:
        """Searches all states. The options are those of `cmc check`, but for those about output: `search="bfs"` is
        `--search bfs`, `max_errors=0` is `--max-errors 0`, `profile=True` is `--profile`. By default a search uses all
        processors and 80 % of the memory. Raises Interrupted, which has the result so far, if Ctrl-C ends it."""
        found, interrupted = self._model.check(_deciding(words, options))
        result = Result(found, self.start)
        if interrupted:
            raise Interrupted(result)
        return result

    def start(self) -> Session:
        """A run in the initial state."""
        return Session(self._model)

    def graph(self, limit: int = 10_000, *words: str, **options: Option) -> Graph:
        """At most so many states, breadth first, and the steps between them. Needs NumPy. The options are those of
        `cmc graph`."""
        data, interrupted = self._model.graph(limit, _deciding(words, options))
        graph = Graph(data)
        if interrupted:
            raise Interrupted(graph)
        return graph


def load(path: Union[str, os.PathLike[str]], defines: Mapping[str, Any] = {}, *words: str, **options: Option) -> Model:
    """Reads a model. `defines`: values of macros, as -D has them. The options are those of `cmc info` about reading:
    `ltl="[] (x < 3)"` adds a formula; `"-Ifolder"` is a word. Raises ModelError where the text has errors."""
    with open(path, "rb"):
        pass  # raises what Python users expect, if there is no such file
    return _warned(_cmc.Model.load(os.fsencode(path), _reading(defines, words, options)))


def parse(text: str, defines: Mapping[str, Any] = {}, *words: str, name: str = "model", **options: Option) -> Model:
    """The same for a text. `name` is what messages call it."""
    return _warned(_cmc.Model.parse(text, name, _reading(defines, words, options)))


def _warned(model: _cmc.Model) -> Model:
    if model.warnings():
        warnings.warn(model.warnings(), stacklevel=3)
    return Model(model)


def _reading(defines: Mapping[str, Any], words: Sequence[str], options: Mapping[str, Option]) -> List[str]:
    macros = (f"-D{name}" if value is None else f"-D{name}={int(value) if isinstance(value, bool) else value}"
              for name, value in defines.items())
    return [*macros, *_words(words, options)]


def _words(words: Sequence[str], options: Mapping[str, Option]) -> List[str]:
    made = list(words)
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            made.append(option)
        elif value is not None and value is not False:
            values = value if isinstance(value, (list, tuple)) else [value]
            made.extend(f"{option}={_option_value(name, each)}" for each in values)
    return made


def _option_value(name: str, value: Any) -> OptionValue:
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError(f"{name}: {value!r} is neither a number nor a text, a path, or a list of them")
    return value


def _deciding(words: Sequence[str], options: Mapping[str, Option]) -> List[str]:
    made = _words(words, options)
    return made + _solver(made)


def _solver(words: Sequence[str]) -> List[str]:
    """The solver's worker was installed with this package; a program would look beside itself, which is Python."""
    if any(word.startswith("--solver-program") for word in words):
        return []
    try:
        files = importlib.metadata.files("cmc") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return [f"--solver-program={file.locate()}" for file in files if file.name == "cmc-solverd"]
