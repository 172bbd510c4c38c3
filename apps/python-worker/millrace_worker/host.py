"""Calls of the executor from an author's code: by the event loop, and by any thread, the loop's own included."""

from __future__ import annotations

import asyncio
import itertools
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, AsyncIterator, Iterator

from millrace_worker.frames import FrameSocket
from millrace_worker.loop import NO_LOOP


class HostError(Exception):
    """The executor could not do what was asked; the text is its error."""


class Host:
    """``run_number`` returns the number of the run that calls; it raises when none does."""

    def __init__(self, connection: FrameSocket, run_number: Callable[[], int]) -> None:
        self._connection = connection
        self._run_number = run_number
        self._numbers = itertools.count(1)
        self._pending: dict[int, Future | queue.SimpleQueue] = {}
        self._lock = threading.Lock()

    def send(self, frame: dict) -> None:
        self._connection.send(frame)

    def call(self, method: str, arguments: dict) -> Any:
        """Blocks this thread until the answer is there. Answers arrive in another thread, so the loop may wait here."""
        return self._start(method, arguments).result()

    async def call_async(self, method: str, arguments: dict) -> Any:
        if asyncio.get_running_loop() is NO_LOOP:
            return self.call(method, arguments)
        return await asyncio.wrap_future(self._start(method, arguments))

    def stream(self, method: str, arguments: dict) -> Iterator[Any]:
        """Yields the chunks of an answer; the last item is the whole answer, as a pair ``(None, answer)``."""
        items = self._start_stream(method, arguments)
        while True:
            kind, value = items.get()
            if kind == "error":
                raise HostError(value)
            if kind == "value":
                yield None, value
                return
            yield value, None

    async def stream_async(self, method: str, arguments: dict) -> AsyncIterator[Any]:
        loop = asyncio.get_running_loop()
        items: asyncio.Queue = asyncio.Queue()
        self._start_stream(method, arguments, lambda item: loop.call_soon_threadsafe(items.put_nowait, item))
        while True:
            kind, value = await items.get()
            if kind == "error":
                raise HostError(value)
            if kind == "value":
                yield None, value
                return
            yield value, None

    def answer(self, frame: dict) -> None:
        """Takes an answer of the executor; called by the thread that reads the socket."""
        number = frame["answer"]
        with self._lock:
            waiting = self._pending.get(number)
            if waiting is not None and "chunk" not in frame:
                del self._pending[number]
        if waiting is None:
            return
        if isinstance(waiting, Future):
            if "error" in frame:
                waiting.set_exception(HostError(frame["error"]))
            else:
                waiting.set_result(frame.get("value"))
        elif "chunk" in frame:
            waiting.put(("chunk", frame["chunk"]))
        elif "error" in frame:
            waiting.put(("error", frame["error"]))
        else:
            waiting.put(("value", frame.get("value")))

    def _start(self, method: str, arguments: dict) -> Future:
        future: Future = Future()
        # From here on it cannot be cancelled: its answer comes in any case.
        future.set_running_or_notify_cancel()
        self._ask(future, method, arguments)
        return future

    def _start_stream(self, method: str, arguments: dict, put=None) -> Any:
        items: Any = queue.SimpleQueue() if put is None else _Forward(put)
        self._ask(items, method, arguments)
        return items

    def _ask(self, waiting: Any, method: str, arguments: dict) -> None:
        number = next(self._numbers)
        run = self._run_number()
        with self._lock:
            self._pending[number] = waiting
        try:
            self.send({"call": number, "run": run, "method": method, "args": arguments})
        except BaseException:
            with self._lock:
                self._pending.pop(number, None)
            raise


class _Forward:
    def __init__(self, put) -> None:
        self.put = put
