"""The zygote: imports lfx once, and forks a process for each command of the executor.

It has one thread at every fork, and compiles no text of an author. Its control socket is descriptor 3. Commands:
``{"fork": id, …options}`` and ``{"kill": id}``. Reports: ``{"ready": …}``, ``{"forked": id, "pid": …}`` and
``{"exited": id, "status": …, "cpuSeconds": …, "residentBytes": …}``. It ends, with its processes, when the control socket closes.
"""

from __future__ import annotations

import ctypes
import gc
import os
import select
import signal
import socket
import sys
import threading

from millrace_worker import PROTOCOL
from millrace_worker.frames import FrameSocket
from millrace_worker.sealing import limits
from millrace_worker.usage import resident_bytes

CONTROL_DESCRIPTOR = 3
MAXIMUM_CONTROL_BYTES = 1 << 20
PR_SET_PDEATHSIG = 1


def main() -> None:
    _die_with_parent(os.getppid())
    # What the executor inherited from its own parent.
    limits.close_files({0, 1, 2, CONTROL_DESCRIPTOR})
    control = FrameSocket(socket.socket(fileno=CONTROL_DESCRIPTOR), MAXIMUM_CONTROL_BYTES)
    from millrace_worker import process, warm

    warm.warm()
    if threading.active_count() != 1:
        names = ", ".join(thread.name for thread in threading.enumerate())
        sys.exit(f"The zygote must have one thread before it forks, and has: {names}.")
    gc.collect()
    gc.freeze()
    control.send({"ready": True, "protocol": PROTOCOL, "pid": os.getpid(), "lfx": process.version()})
    Zygote(control).run()


class Zygote:
    def __init__(self, control: FrameSocket) -> None:
        self._control = control
        self._ids: dict[int, int] = {}
        self._pids: dict[int, int] = {}

    def run(self) -> None:
        wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._inherited = (wake, waker)
        while True:
            readable, _, _ = select.select([self._control.fileno(), wake], [], [])
            if wake in readable:
                os.read(wake, 4096)
            self._reap()
            if self._control.fileno() in readable:
                if not self._control.fill():
                    self._end()
                while (frame := self._control.take()) is not None:
                    self._obey(frame)

    def _obey(self, frame: dict) -> None:
        if "fork" in frame:
            self._fork(frame)
        elif "kill" in frame:
            pid = self._pids.get(frame["kill"])
            if pid is not None:
                # Not reaped yet, so that the id still belongs to the process.
                os.kill(pid, signal.SIGKILL)

    def _fork(self, frame: dict) -> None:
        number = frame["fork"]
        zygote = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self._control.send({"exited": number, "status": None, "reason": str(error)})
            return
        if pid == 0:
            self._become(frame, zygote)
        self._ids[pid] = number
        self._pids[number] = pid
        self._control.send({"forked": number, "pid": pid})

    def _become(self, frame: dict, zygote: int) -> None:
        status = 1
        try:
            _die_with_parent(zygote)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._control.close()
            for descriptor in self._inherited:
                os.close(descriptor)
            from millrace_worker import process

            process.serve(frame)
        except BaseException as error:
            os.write(2, f"A process could not start: {type(error).__name__}: {error}\n".encode(errors="replace"))
        finally:
            os._exit(status)

    def _reap(self) -> None:
        while self._ids:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            number = self._ids.pop(pid, None)
            if number is not None:
                del self._pids[number]
                self._control.send(
                    {
                        "exited": number,
                        "status": os.waitstatus_to_exitcode(status),
                        "cpuSeconds": int(used.ru_utime + used.ru_stime),
                        "residentBytes": resident_bytes(used),
                    }
                )

    def _end(self) -> None:
        for pid in self._ids:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)


def _die_with_parent(parent: int) -> None:
    """Asks the kernel to kill this process when its parent ends; only Linux can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
