"""The vertex that the current task or thread computes."""

from __future__ import annotations

import contextvars
from typing import Any, Protocol

from millrace_worker.host import Host
from millrace_worker.values import Values


class CurrentRun(Protocol):
    """What a component reaches of the vertex that computes it."""

    number: int
    host: Host
    values: Values
    # The characters that the vertex printed.
    printed: int
    # The texts of the messages that the vertex sent, by id; None for one that is still partial.
    sent: dict[str, str | None]
    # Whether a chat output makes a message of its own for one of the vertex.
    feeds_chat: bool
    # The message that waits: see memory.send_held.
    held: Any


_current: contextvars.ContextVar[CurrentRun | None] = contextvars.ContextVar("millrace_vertex_run", default=None)
_active: dict[int, CurrentRun] = {}


class NoVertexRun(RuntimeError):
    def __init__(self) -> None:
        super().__init__("No component is running: its host cannot be called.")


def begin(run: CurrentRun) -> contextvars.Token:
    _active[run.number] = run
    return _current.set(run)


def end(run: CurrentRun) -> None:
    _active.pop(run.number, None)


def find() -> CurrentRun | None:
    """Returns the run of this task; a thread that an author started belongs to the only active run, if there is one."""
    run = _current.get()
    if run is not None and run.number in _active:
        return run
    return next(iter(_active.values())) if len(_active) == 1 else None


def require() -> CurrentRun:
    run = find()
    if run is None:
        raise NoVertexRun
    return run
