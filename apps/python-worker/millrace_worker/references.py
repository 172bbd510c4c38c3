"""Objects that stay in this process while the executor refers to them by number."""

from __future__ import annotations

import itertools
import threading
from typing import Any


class UnknownReference(LookupError):
    def __init__(self, number: int) -> None:
        super().__init__(f"The object {number} belongs to a run that has ended.")


class References:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._objects: dict[int, Any] = {}
        self._known: dict[int, int] = {}
        self._lock = threading.Lock()

    def add(self, value: Any) -> int:
        """Returns the number of an object; the same one each time."""
        with self._lock:
            number = self._known.get(id(value))
            if number is None:
                number = next(self._numbers)
                self._objects[number] = value
                self._known[id(value)] = number
            return number

    def get(self, number: int) -> Any:
        try:
            return self._objects[number]
        except KeyError:
            raise UnknownReference(number) from None

    def drop(self, number: int) -> None:
        with self._lock:
            value = self._objects.pop(number, None)
            if value is not None:
                self._known.pop(id(value), None)

    def clear(self) -> None:
        self._objects.clear()
        self._known.clear()
