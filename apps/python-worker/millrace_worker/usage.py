"""What a process uses of its limits, as the executor needs it to decide whether the process is kept."""

from __future__ import annotations

import os
import resource
import sys
import time

#: The exit status of a process that has no memory left; 1 is any other failure.
MEMORY_STATUS = 71


class Usage:
    """Opens its files before the seal hides /proc. Made in the forked process."""

    def __init__(self) -> None:
        self._rollup = _opened("/proc/self/smaps_rollup")
        self._pages = _opened("/proc/self/statm")
        self._resident_at_start = resident_bytes(resource.getrusage(resource.RUSAGE_SELF))

    @property
    def descriptors(self) -> list[int]:
        return [descriptor for descriptor in (self._rollup, self._pages) if descriptor is not None]

    def cpu_milliseconds(self) -> int:
        """Returns the CPU time of all threads since the fork."""
        return round(time.process_time() * 1000)

    def private_bytes(self, enough: int = 0) -> int:
        """Returns the memory that this process does not share with the zygote.

        The kernel takes milliseconds to add it up. Where the resident memory is not above `enough`, that is returned,
        which is never less. Where the kernel does not say, it is the growth of the largest resident size since the fork.
        """
        try:
            resident = self._resident_bytes() if enough > 0 else None
            return resident if resident is not None and resident <= enough else self._rollup_bytes()
        except (OSError, TypeError, ValueError, IndexError):
            # An author's code can have closed the descriptor, or opened another file with its number.
            return resident_bytes(resource.getrusage(resource.RUSAGE_SELF)) - self._resident_at_start

    def _resident_bytes(self) -> int:
        return int(os.pread(self._pages, 256, 0).split()[1]) * resource.getpagesize()

    def _rollup_bytes(self) -> int:
        lines = os.pread(self._rollup, 4096, 0).decode("ascii").splitlines()
        private = [int(line.split()[1]) for line in lines if line.startswith(("Private_Dirty", "Private_Clean"))]
        if not private:
            raise ValueError
        return sum(private) * 1024


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def resident_bytes(used: resource.struct_rusage) -> int:
    return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether this exception, or the one that it was raised from, is the end of the memory."""
    cause: BaseException | None = error
    for _ in range(20):
        if cause is None or isinstance(cause, MemoryError):
            break
        cause = cause.__cause__
    return isinstance(cause, MemoryError)
