"""The threads that read the socket. The thread that reads the frame of a vertex can also compute it.

A vertex then needs no other thread: handing it to the event loop, its method to a thread, and the result back to the
loop takes as much CPU time as a small vertex. While a thread computes, another one waits for frames, so that a component
that calls the executor gets its answer.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable

from millrace_worker.frames import FrameSocket
from millrace_worker.loop import MAXIMUM_THREADS
from millrace_worker.usage import MEMORY_STATUS, is_out_of_memory


class Readers:
    """Reads frames until the connection ends, and with it the process.

    ``take`` is called with each frame, in their order, and returns whether this thread may compute it. ``compute`` is then
    called with the frame; ``pass_on`` where this thread has another one, or where no further thread can start to read.
    """

    def __init__(
        self,
        connection: FrameSocket,
        *,
        take: Callable[[dict], bool],
        compute: Callable[[dict], None],
        pass_on: Callable[[dict], None],
    ) -> None:
        self.threads: set[threading.Thread] = set()
        self._connection = connection
        self._take = take
        self._compute = compute
        self._pass_on = pass_on
        self._lock = threading.Lock()
        self._computing = 0
        self._wait = _waiter(connection.fileno())

    def start(self) -> None:
        """Starts the first thread. Raises RuntimeError where it cannot start."""
        self._add_thread()

    def _serve(self) -> None:
        """An error here, or the end of the connection, ends the process at once: no run waits for it any more."""
        try:
            while True:
                self._wait()
                frame = self._read()
                if frame is not None:
                    self._compute(frame)
                    with self._lock:
                        self._computing -= 1
                # A thread that waits holds nothing of a run.
                del frame
        except BaseException as error:
            os._exit(MEMORY_STATUS if is_out_of_memory(error) else 1)

    def _read(self) -> dict | None:
        """Takes all frames that have arrived; returns the one that this thread computes."""
        own = None
        with self._lock:
            is_open = self._connection.read_arrived()
            while (frame := self._connection.take()) is not None:
                if not self._take(frame):
                    continue
                if own is None and self._can_compute():
                    own = frame
                    self._computing += 1
                else:
                    self._pass_on(frame)
            if not is_open:
                os._exit(0)
        return own

    def _can_compute(self) -> bool:
        """Returns whether another thread reads meanwhile; starts it where it is missing."""
        return self._computing + 1 < len(self.threads) or self._has_another_thread()

    def _has_another_thread(self) -> bool:
        if len(self.threads) > MAXIMUM_THREADS:
            return False
        try:
            self._add_thread()
        except RuntimeError:
            # The process may have no more threads.
            return False
        return True

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name=f"millrace_{len(self.threads)}", daemon=True)
        thread.start()
        self.threads.add(thread)


def _waiter(descriptor: int) -> Callable[[], object]:
    """Returns a function that waits until something arrives. Of the threads in it, each arrival wakes one."""
    if hasattr(select, "epoll"):
        arrivals = select.epoll()
        arrivals.register(descriptor, select.EPOLLIN | select.EPOLLET)
        return lambda: arrivals.poll(maxevents=1)

    def wait() -> None:
        select.select([descriptor], [], [])

    return wait
