"""A process of a lease: reads frames of the executor, computes vertices, answers.

The main thread has the event loop. Other threads read the socket, and compute the vertices that need no event loop; so a
component that blocks the loop with a call of the executor gets its answer.
"""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import platform
import socket
import threading
from typing import Any

import lfx

from millrace_worker import PROTOCOL, confine, current, files, printed
from millrace_worker.bridges import used
from millrace_worker.compiled import Compiled
from millrace_worker.failure import describe
from millrace_worker.frames import FrameSocket, FrameTooLarge
from millrace_worker.graph_view import new_context
from millrace_worker.host import Host
from millrace_worker.loop import Loop, run_to_end
from millrace_worker.readers import Readers
from millrace_worker.recorded import restore
from millrace_worker.references import References
from millrace_worker.usage import MEMORY_STATUS, Usage, is_out_of_memory
from millrace_worker.values import Values
from millrace_worker.vertex_run import VertexRun, runs_without_loop


def serve(options: dict) -> None:
    """Connects to the executor and serves until it closes the connection. Never returns.

    A process that cannot be confined as the executor demands says so in its greeting, and ends.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(options["socket"])
    frames = FrameSocket(connection, options["maximumFrameBytes"])
    usage = Usage()
    try:
        sealed = confine.confine(options, [connection.fileno(), *usage.descriptors])
        files.open_folder(options["scratch"])
    except Exception as error:
        frames.send({"hello": options["token"], "failure": f"{type(error).__name__}: {error}"})
        os._exit(1)
    frames.send(_greeting(options["token"], sealed))
    if not confine.is_enough(options, sealed):
        os._exit(1)
    printed.install()
    Process(frames, usage).run()
    os._exit(0)


def _greeting(token: str, sealed: dict) -> dict:
    return {
        "hello": token,
        "protocol": PROTOCOL,
        "pid": os.getpid(),
        "lfx": version(),
        "python": platform.python_version(),
        "sealed": sealed,
    }


def version() -> str:
    from importlib.metadata import version as installed

    return getattr(lfx, "__version__", None) or installed("lfx")


class Process:
    def __init__(self, connection: FrameSocket, usage: Usage) -> None:
        self._connection = connection
        self._usage = usage
        self._host = Host(connection, lambda: current.require().number)
        self._references = References()
        self._values = Values(self._host, self._references)
        self._compiled = Compiled()
        self._context: dict[str, dict] = {}
        # The loop keeps only weak references to its tasks.
        self._tasks: dict[int, asyncio.Task] = {}
        self._own_threads: set[threading.Thread] = set()
        self._loop = Loop()
        # Each vertex begins with the same ones, in any thread.
        self._variables = contextvars.copy_context()
        self._readers = Readers(connection, take=self._take, compute=self._compute_here, pass_on=self._pass_on)

    def run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(_loop_failed)
        # Those of the seal, too.
        self._own_threads.update(threading.enumerate())
        self._readers.start()
        self._loop.run_forever()

    def _take(self, frame: dict) -> bool:
        """Takes a frame, and returns whether it is a vertex to compute without the loop. Called in order of the frames."""
        if "run" in frame:
            created = self._compiled.known_class(frame)
            if created is not None and runs_without_loop(created, frame):
                return True
            self._pass_on(frame)
        elif "answer" in frame:
            self._host.answer(frame)
        elif "drop" in frame:
            for number in frame["drop"]:
                self._references.drop(number)
        elif "restore" in frame:
            self._restore(frame["restore"])
        else:
            self._pass_on(frame)
        return False

    def _pass_on(self, frame: dict) -> None:
        self._loop.call_soon_threadsafe(self._dispatch, frame)

    def _compute_here(self, frame: dict) -> None:
        """Computes a vertex in this thread."""
        self._variables.copy().run(run_to_end, self._answer(frame["run"], self._compute(frame)))

    def _restore(self, change: dict) -> None:
        """Before the vertices that follow, in whichever thread they run."""
        try:
            restore(self._context_of(change["part"]), change, self._values)
        except Exception as error:
            self._loop.call_soon_threadsafe(_loop_failed, self._loop, {"message": "restore", "exception": error})

    def _dispatch(self, frame: dict) -> None:
        if "run" in frame:
            self._start(frame["run"], self._compute(frame))
        elif "use" in frame:
            self._start(frame["use"], self._use(frame))
        elif "check" in frame:
            self._start(frame["check"], self._check(frame))
        elif "reset" in frame:
            self._reset(frame["reset"], frame.get("enoughBytes", 0))

    def _start(self, number: int, work: Any) -> None:
        task = self._loop.create_task(self._answer(number, work))
        self._tasks[number] = task

    async def _answer(self, number: int, work: Any) -> None:
        try:
            answer = {"done": number, **await work}
        except BaseException as error:  # A run waits for the answer, whatever an author raises.
            _end_without_memory(error)
            answer = {"failed": number, **describe(error)}
        finally:
            self._tasks.pop(number, None)
        try:
            self._connection.send(answer)
        except (FrameTooLarge, ValueError, TypeError, RecursionError, MemoryError) as error:
            _end_without_memory(error)
            self._connection.send({"failed": number, **describe(error)})

    async def _compute(self, frame: dict) -> dict:
        context = self._context_of(frame["flow"].get("part", ""))
        run = VertexRun(frame, host=self._host, values=self._values, context=context)
        current.begin(run)
        try:
            return await run.compute(self._compiled.component_class(frame))
        finally:
            current.end(run)

    def _context_of(self, part: str) -> dict:
        # Threads that compute vertices of the same part get the same one.
        return self._context.get(part) or self._context.setdefault(part, new_context())

    async def _use(self, frame: dict) -> dict:
        run = UseRun(frame["use"], self._host, self._values)
        current.begin(run)
        try:
            target = self._references.get(frame["ref"])

            def chunk(data: Any) -> None:
                self._connection.send({"event": "chunk", "run": run.number, "data": data})

            return {"value": await used.use(target, frame["method"], frame["args"], values=self._values, chunk=chunk)}
        finally:
            current.end(run)

    async def _check(self, frame: dict) -> dict:
        """Compiles a text, without making a component of it."""
        created = self._compiled.component_class(frame)
        return {"value": {"class": created.__name__}}

    def _kept_threads(self) -> set[threading.Thread]:
        return self._own_threads | self._readers.threads | self._loop.threads

    def _reset(self, number: int, enough_bytes: int) -> None:
        """Forgets a run. Reports what could outlast it: tasks and threads of its components, and memory."""
        self._references.clear()
        self._context.clear()
        files.forget()
        others = [task for task in asyncio.all_tasks(self._loop) if not task.done()]
        gc.collect(1)
        self._connection.send(
            {
                "done": number,
                "value": {
                    "tasks": len(others),
                    "threads": len(set(threading.enumerate()) - self._kept_threads()),
                    "bytes": self._usage.private_bytes(enough_bytes),
                    "cpuMilliseconds": self._usage.cpu_milliseconds(),
                },
            }
        )


class UseRun:
    """Stands for the executor's use of an object, so that the object can call the executor."""

    def __init__(self, number: int, host: Host, values: Values) -> None:
        self.number = number
        self.host = host
        self.values = values
        self.printed = 0
        self.sent: dict[str, str | None] = {}
        self.held: Any = None
        self.feeds_chat = False


def _loop_failed(loop: asyncio.AbstractEventLoop, context: dict) -> None:
    error = context.get("exception")
    if error is not None:
        _end_without_memory(error)
    loop.default_exception_handler(context)


def _end_without_memory(error: BaseException) -> None:
    """Ends a process that has reached the limit of its memory: what it computes from then on cannot be trusted."""
    if is_out_of_memory(error):
        os._exit(MEMORY_STATUS)
