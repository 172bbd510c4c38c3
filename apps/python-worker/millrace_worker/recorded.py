"""Whether a later attempt can replay a vertex: what the vertex changed outside of its outputs.

A later attempt has another process. It gets the changes of the shared context when they are data. Files that the vertex
left in its folder, and objects in the context, are lost with the process: then the vertex is computed again.
"""

from __future__ import annotations

import os
from typing import Any

from lfx.schema.data import Data
from lfx.schema.dataframe import DataFrame
from lfx.schema.dotdict import dotdict
from lfx.schema.message import Message
from pandas import RangeIndex

from millrace_worker import files
from millrace_worker.messages import DECLARED
from millrace_worker.values import MAXIMUM_DEPTH, Values

MAXIMUM_FILES = 10_000


class Recorded:
    """Compares the shared context and the folder of the process before and after a vertex."""

    def __init__(self, values: Values, context: dict) -> None:
        self._values = values
        self._context = context
        self._before = self._encoded()
        self._files = _files()

    def changes(self) -> dict[str, Any]:
        """Returns members of the ``done`` frame: ``repeatable`` and, if it is true, ``context``."""
        after = self._encoded()
        if after is None or self._files is None or _files() != self._files:
            return {"repeatable": False}
        before = self._before or {}
        changed = {key: value for key, value in after.items() if key not in before or before[key] != value}
        removed = [key for key in before if key not in after]
        return {"repeatable": True, "context": {"set": changed, "removed": removed}}

    def _encoded(self) -> dict | None:
        """Returns the context as values of frames; None when it would not be the same after its way through a frame."""
        context = dict(self._context)
        if not all(type(key) is str and is_data(value) for key, value in context.items()):
            return None
        return {key: self._values.encode(value) for key, value in context.items()}


def is_data(value: Any, depth: int = 0) -> bool:
    """Returns whether a frame can carry a value so that the same value arrives."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return True
    if depth > MAXIMUM_DEPTH:
        return False
    if kind is list:
        return all(is_data(item, depth + 1) for item in value)
    if kind is dict or kind is dotdict:
        return all(type(key) is str and is_data(item, depth + 1) for key, item in value.items())
    if kind is Message:
        extra = {key: item for key, item in value.data.items() if key not in DECLARED}
        return value.text_stream is None and is_data(extra, depth + 1)
    if kind is Data:
        return is_data(value.data, depth + 1)
    if kind is DataFrame:
        return isinstance(value.index, RangeIndex) and all(
            type(column) is str and (value[column].dtype.kind in "ifb" or is_data(value[column].tolist(), depth + 1))
            for column in value.columns
        )
    return False


def restore(context: dict, change: dict, values: Values) -> None:
    """Changes the context as a vertex did that an earlier attempt computed."""
    for key in change["removed"]:
        context.pop(key, None)
    for key, value in change["set"].items():
        context[key] = values.decode(value)


def _files() -> set[tuple] | None:
    """Returns the files below the working folder, without hidden ones (caches of packages); None for too many."""
    found: set[tuple] = set()
    for folder, folders, names in os.walk("."):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        for name in names:
            if name.startswith("."):
                continue
            path = os.path.join(folder, name)
            if files.is_fetched(path):
                continue
            try:
                status = os.stat(path, follow_symlinks=False)
            except OSError:
                continue
            found.add((path, status.st_size, status.st_mtime_ns))
            if len(found) > MAXIMUM_FILES:
                return None
    return found
