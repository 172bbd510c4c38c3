"""The event loop in which components run, the threads for their methods that are not coroutines, and how a component with
only such methods runs without a loop."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections import deque
from collections.abc import Coroutine, Generator
from typing import Any

# As many as asyncio has.
MAXIMUM_THREADS = min(32, (os.cpu_count() or 1) + 4)


class Loop(asyncio.SelectorEventLoop):
    """A loop that hands calls to threads of its own.

    Each method of a component that is no coroutine is such a call. An executor of concurrent.futures takes twice the CPU
    time for it: it has a future of its own for each call, with a lock, which asyncio then copies into the awaited one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._pool = Threads(self)

    @property
    def threads(self) -> set[threading.Thread]:
        """The threads that the loop keeps for its calls."""
        return self._pool.threads | set(getattr(self._default_executor, "_threads", ()))

    def run_in_executor(self, executor: Any, func: Any, *arguments: Any) -> Any:
        if executor is None and self._default_executor is None and not self._executor_shutdown_called:
            return self._pool.start(func, arguments)
        return super().run_in_executor(executor, _call, func, arguments)


class Threads:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.threads: set[threading.Thread] = set()
        self._loop = loop
        self._calls: queue.SimpleQueue = queue.SimpleQueue()
        # One item for each thread that waits for a call; its methods are atomic. With all threads, it has no effect.
        self._idle: deque[None] = deque()

    def start(self, func: Any, arguments: tuple) -> asyncio.Future:
        """Returns the future of a call. Raises RuntimeError where the first thread cannot start."""
        future = self._loop.create_future()
        if not self._takes_idle():
            self._add_thread()
        self._calls.put((future, func, arguments))
        return future

    def _takes_idle(self) -> bool:
        try:
            self._idle.pop()
        except IndexError:
            return False
        return True

    def _add_thread(self) -> None:
        number = len(self.threads)
        if number >= MAXIMUM_THREADS:
            return
        thread = threading.Thread(target=self._work, name=f"asyncio_{number}", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            # The process may have no more threads: the call waits for one of the others.
            if not self.threads:
                raise
            return
        self.threads.add(thread)

    def _work(self) -> None:
        while True:
            future, func, arguments = self._calls.get()
            if not future.cancelled():
                settle = _settle_result
                try:
                    outcome = _call(func, arguments)
                except BaseException as error:  # The caller gets it, whatever it is.
                    settle, outcome = _settle_exception, error
                self._idle.append(None)
                self._loop.call_soon_threadsafe(settle, future, outcome)
                del outcome
            else:
                self._idle.append(None)
            # A thread that waits holds nothing of a run.
            del future, func, arguments


def _call(func: Any, arguments: tuple) -> Any:
    """A future takes no StopIteration, and its reader would wait without end."""
    try:
        return func(*arguments)
    except StopIteration as error:
        # As generators and coroutines do.
        msg = "component raised StopIteration"
        raise RuntimeError(msg) from error


class _NoLoop:
    """Stands for the loop while a coroutine runs that only waits for calls in other threads: makes them at once."""

    def run_in_executor(self, _executor: Any, func: Any, *arguments: Any) -> _Ended:
        # As in another thread, there is no running loop.
        asyncio._set_running_loop(None)
        try:
            return _Ended(_call(func, arguments))
        finally:
            asyncio._set_running_loop(NO_LOOP)


class _Ended:
    """An awaitable that has ended."""

    def __init__(self, result: Any) -> None:
        self._result = result

    def __await__(self) -> Generator[Any, None, Any]:
        return self._result
        yield


NO_LOOP: Any = _NoLoop()


def run_to_end(work: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine in this thread, which has no loop. It can wait for nothing but ``asyncio.to_thread``."""
    asyncio._set_running_loop(NO_LOOP)
    try:
        work.send(None)
        work.throw(RuntimeError("The component waits for an event loop, and has none."))
    except StopIteration:
        pass
    finally:
        asyncio._set_running_loop(None)


def _settle_result(future: asyncio.Future, result: Any) -> None:
    if not future.done():
        future.set_result(result)


def _settle_exception(future: asyncio.Future, error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
