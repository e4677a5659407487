"""CMC from Python: load a Promela model, check it, walk through its runs, look at its states.

    import cmc
    result = cmc.load("peterson.pml", defines={"N": 3}).check()
    print(result.verdict, result.states)
    for step in result.counterexample.steps: ...
"""

from ._errors import Error, Interrupted, Mistake, ModelError
from ._graph import KINDS, Graph
from ._model import Model, load, parse
from ._result import Counterexample, Property, Result
from ._session import Session
from ._values import Step

__all__ = ["KINDS", "Counterexample", "Error", "Graph", "Interrupted", "Mistake", "Model", "ModelError", "Property",
           "Result", "Session", "Step", "load", "parse"]
