"""The vertex that the current task or thread computes."""

from __future__ import annotations

import contextvars
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from millrace_worker.vertex_run import VertexRun

_current: contextvars.ContextVar[VertexRun | None] = contextvars.ContextVar("millrace_vertex_run", default=None)
_active: dict[int, VertexRun] = {}


class NoVertexRun(RuntimeError):
    def __init__(self) -> None:
        super().__init__("No component is running: its host cannot be called.")


def begin(run: VertexRun) -> contextvars.Token:
    _active[run.number] = run
    return _current.set(run)


def end(run: VertexRun) -> None:
    _active.pop(run.number, None)


def find() -> VertexRun | None:
    """Returns the run of this task; a thread that an author started belongs to the only active run, if there is one."""
    run = _current.get()
    if run is not None and run.number in _active:
        return run
    return next(iter(_active.values())) if len(_active) == 1 else None


def require() -> VertexRun:
    run = find()
    if run is None:
        raise NoVertexRun
    return run
