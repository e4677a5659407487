"""The states of a model and the steps between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

KINDS = ("plain", "end", "invalid end", "error")


class Graph:
    """All states of a model, or the first ones. Nodes are numbered from 0, the initial state, breadth first.

    nodes   an array with the fields `kind` (an index into cmc.KINDS; "error": no state, but where a step leads that an
            error cuts), `depth` (steps from the initial state, the fewest), `expanded` (false: its steps are not there)
    edges   an array with the fields `source`, `target` (numbers of nodes), `pid` (of the process that moves),
            `error` (the step raises one: an assertion fails)
    states, processes, statements, changes    lists of texts: the first by node, the others by edge
    complete, reason    whether all states are there, and if not why
    """

    def __init__(self, data: Dict[str, Any]) -> None:
        import numpy

        def column(name: str) -> NDArray[numpy.uint32]:
            return numpy.frombuffer(data[name], dtype=numpy.uint32)

        def table(count: int, **columns: Any) -> NDArray[numpy.void]:
            made = numpy.empty(count, dtype=[(name, values.dtype) for name, values in columns.items()])
            for name, values in columns.items():
                made[name] = values
            return made

        ends = column("edges").reshape(-1, 2)
        self.nodes = table(len(data["states"]), kind=column("kinds").astype(numpy.uint8), depth=column("depths"),
                           expanded=column("expanded").astype(bool))
        self.edges = table(len(ends), source=ends[:, 0], target=ends[:, 1], pid=column("pids").astype(numpy.uint8),
                           error=column("errors").astype(bool))
        self.states: list[str] = data["states"]
        self.processes: list[str] = data["processes"]
        self.statements: list[str] = data["statements"]
        self.changes: list[str] = data["changes"]
        self.complete: bool = data["complete"]
        self.reason: str = data["reason"]
        self._svg: str = data["svg"]

    @property
    def svg(self) -> str:
        """A picture; "": there are more than 500 nodes."""
        return self._svg

    def __repr__(self) -> str:
        return f"<cmc.Graph {len(self.nodes):,} nodes, {len(self.edges):,} edges{'' if self.complete else ', incomplete: ' + self.reason}>"

    def _repr_html_(self) -> str:
        return self._svg or repr(self).replace("<", "&lt;")
