"""A process of a lease: reads frames of the executor, computes vertices, answers.

Two threads: the main one has the event loop, in which components run; another reads the socket, so that a component
that blocks the loop with a call of the executor gets its answer.
"""

from __future__ import annotations

import asyncio
import gc
import os
import platform
import socket
import sys
import threading
from typing import Any

import lfx

from millrace_worker import PROTOCOL, current, printed, seal
from millrace_worker.bridges import used
from millrace_worker.compiled import Compiled
from millrace_worker.failure import describe
from millrace_worker.frames import FrameSocket, FrameTooLarge
from millrace_worker.host import Host
from millrace_worker.references import References
from millrace_worker.values import Values
from millrace_worker.vertex_run import VertexRun


def serve(options: dict) -> None:
    """Connects to the executor and serves until it closes the connection. Never returns."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(options["socket"])
    _enter(options["scratch"])
    nothing = os.open(os.devnull, os.O_RDWR)
    sealed = _seal(options["seal"], options["scratch"], [connection.fileno(), nothing, 0, 1, 2])
    printed.install()
    _silence(nothing)
    process = Process(FrameSocket(connection, options["maximumFrameBytes"]))
    process.hello(options["token"], sealed)
    process.run()
    os._exit(0)


def _seal(settings: dict | None, scratch: str, kept: list) -> dict:
    """Seals the process as the executor asks. Without settings it stays open."""
    if settings is None:
        return {"level": "open", "layers": {}}
    return seal.apply({**settings, "scratch": scratch, "keep_fds": kept})


def _enter(scratch: str) -> None:
    """Leaves the process nothing of the executor's environment, and a folder of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ") if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, HOME=scratch, TMPDIR=scratch, LANGFLOW_CONFIG_DIR=scratch, LANGCHAIN_TRACING_V2="false")
    os.chdir(scratch)


def _silence(nothing: int) -> None:
    """What native code prints is dropped: it has no vertex, and could be of any length."""
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def version() -> str:
    from importlib.metadata import version as installed

    return getattr(lfx, "__version__", None) or installed("lfx")


class Process:
    def __init__(self, connection: FrameSocket) -> None:
        self._connection = connection
        self._host = Host(connection)
        self._references = References()
        self._values = Values(self._host, self._references)
        self._compiled = Compiled()
        self._context: dict[str, dict] = {}
        self._tasks: dict[int, asyncio.Task] = {}
        self._own_threads: set[threading.Thread] = set()
        self._loop = asyncio.new_event_loop()

    def hello(self, token: str, sealed: dict) -> None:
        self._connection.send(
            {
                "hello": token,
                "protocol": PROTOCOL,
                "pid": os.getpid(),
                "lfx": version(),
                "python": platform.python_version(),
                "sealed": sealed,
            }
        )

    def run(self) -> None:
        asyncio.set_event_loop(self._loop)
        threading.Thread(target=self._read, name="millrace-frames", daemon=True).start()
        # Those of the seal, too.
        self._own_threads.update(threading.enumerate())
        self._loop.run_forever()

    def _read(self) -> None:
        """An error here, or the end of the connection, ends the process at once: no run waits for it any more."""
        try:
            while True:
                frame = self._connection.receive()
                if frame is None:
                    os._exit(0)
                if "answer" in frame:
                    self._host.answer(frame)
                else:
                    self._loop.call_soon_threadsafe(self._dispatch, frame)
        except BaseException:
            os._exit(1)

    def _dispatch(self, frame: dict) -> None:
        if "run" in frame:
            self._start(frame["run"], self._compute(frame))
        elif "use" in frame:
            self._start(frame["use"], self._use(frame))
        elif "check" in frame:
            self._start(frame["check"], self._check(frame))
        elif "cancel" in frame:
            task = self._tasks.get(frame["cancel"])
            if task is not None:
                task.cancel()
        elif "drop" in frame:
            for number in frame["drop"]:
                self._references.drop(number)
        elif "reset" in frame:
            self._reset(frame["reset"])

    def _start(self, number: int, work: Any) -> None:
        task = self._loop.create_task(self._answer(number, work))
        self._tasks[number] = task

    async def _answer(self, number: int, work: Any) -> None:
        try:
            answer = {"done": number, **await work}
        except (Exception, asyncio.CancelledError, SystemExit, KeyboardInterrupt) as error:
            answer = {"failed": number, **describe(error)}
        finally:
            self._tasks.pop(number, None)
        try:
            self._connection.send(answer)
        except (FrameTooLarge, ValueError, TypeError, RecursionError) as error:
            self._connection.send({"failed": number, **describe(error)})

    async def _compute(self, frame: dict) -> dict:
        context = self._context.setdefault(frame["flow"].get("part", ""), {})
        run = VertexRun(frame, host=self._host, values=self._values, context=context)
        current.begin(run)
        try:
            return await run.compute(self._compiled.component_class(frame))
        finally:
            current.end(run)

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

    def _reset(self, number: int) -> None:
        """Forgets a run. Reports what could outlast it: tasks and threads of its components, and memory."""
        self._references.clear()
        self._context.clear()
        others = [task for task in asyncio.all_tasks(self._loop) if not task.done()]
        gc.collect(1)
        self._connection.send(
            {
                "done": number,
                "value": {
                    "tasks": len(others),
                    "threads": len(set(threading.enumerate()) - self._own_threads - self._pool_threads()),
                    "bytes": _private_bytes(),
                },
            }
        )

    def _pool_threads(self) -> set[threading.Thread]:
        """The threads that the loop keeps for methods that are not coroutines."""
        return set(getattr(getattr(self._loop, "_default_executor", None), "_threads", ()))


class UseRun:
    """Stands for the executor's use of an object, so that the object can call the executor."""

    def __init__(self, number: int, host: Host, values: Values) -> None:
        self.number = number
        self.host = host
        self.values = values
        self.printed = 0


def _private_bytes() -> int:
    """Returns the memory that this process does not share with the zygote; 0 where the kernel does not say."""
    try:
        with open("/proc/self/smaps_rollup", encoding="ascii") as rollup:
            return sum(int(line.split()[1]) * 1024 for line in rollup if line.startswith(("Private_Dirty", "Private_Clean")))
    except OSError:
        return _resident_bytes()


def _resident_bytes() -> int:
    import resource

    used_kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used_kilobytes * (1 if sys.platform == "darwin" else 1024)
