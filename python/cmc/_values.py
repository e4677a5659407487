"""Values of variables, and steps, as Python has them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union

Scalar = Union[int, str]  #: a number; the name of an mtype or a channel, or "none"
Value = Union[Scalar, List[Tuple[Scalar, ...]]]  #: of a channel: its messages, the first to be received first


def scalar(text: str) -> Scalar:
    return int(text) if text.lstrip("-").isdecimal() else text


def message(text: str) -> tuple[Scalar, ...]:
    return tuple(scalar(field) for field in text.split(","))


class Step:
    """A step of a run, or one that can be taken. `data` has all that is known of it (a step of cmc.trace/1)."""

    def __init__(self, data: dict[str, Any], changes: Optional[List[str]] = None) -> None:
        self.data = data
        self._changes = changes

    @property
    def number(self) -> Optional[int]:
        """From 1; None: a move of the claim, or a step that was not taken yet."""
        number: Optional[int] = self.data.get("step")
        return number

    @property
    def process(self) -> str:
        """ "user[0]" """
        return str(self.data["process"])

    @property
    def pid(self) -> int:
        return int(self.data.get("pid", 255))

    @property
    def text(self) -> str:
        """The statement."""
        return str(self.data["text"])

    @property
    def file(self) -> str:
        return str(self.data.get("file") or "")

    @property
    def line(self) -> int:
        return int(self.data.get("line") or 0)

    @property
    def partner(self) -> Optional[str]:
        """Of a rendezvous: the process that receives."""
        partner = self.data.get("partner")
        return str(partner["process"]) if partner else None

    @property
    def changes(self) -> list[str]:
        """What it changes: "x: 0 -> 1"."""
        return self._changes if self._changes is not None else [_change(each) for each in self.data.get("changes", [])]

    def __str__(self) -> str:
        who = f"{self.process} -> {self.partner}" if self.partner else self.process
        what = f"  [{', '.join(self.changes)}]" if self.changes else ""
        return f"{who} {self.file}:{self.line} {self.text}{what}"

    def __repr__(self) -> str:
        return f"<cmc.Step {self}>"


def _change(data: Dict[str, Any]) -> str:
    if "process" in data:
        return f"{data['process']} {data['event']}"
    if "channel" in data:
        return f"{data['channel']}: {_contents(data['old'])} -> {_contents(data['new'])}"
    return f"{data['variable']}: {data['old']} -> {data['new']}"


def _contents(messages: List[Any]) -> str:
    return " ".join(f"[{','.join(map(str, each)) if isinstance(each, list) else each}]" for each in messages) or "empty"


def frame(page: str) -> str:
    """A page as a cell of a notebook shows it."""
    escaped = page.replace("&", "&amp;").replace('"', "&quot;")
    return f'<iframe sandbox="allow-scripts" style="width: 100%; height: 40em; border: 0" srcdoc="{escaped}"></iframe>'
