"""Ceilings of the process, its open files, and its environment."""

import contextlib
import ctypes
import os
import resource

from .kernel import call

_M_ARENA_MAX = -8
_PAGE = os.sysconf("SC_PAGE_SIZE")
_MOST_FILES = 65_536


def set_limits(memory_bytes, cpu_seconds, files_bytes, open_files):
    """
    Sets the ceilings. `memory_bytes` is address space beyond what the process has now; at `cpu_seconds` of CPU the
    kernel ends it; `files_bytes` is the largest file that it can write.
    """
    _share_arenas()
    memory = _address_space() + memory_bytes
    _limit(resource.RLIMIT_AS, memory, memory)
    _limit(resource.RLIMIT_CPU, cpu_seconds, cpu_seconds + 1)
    _limit(resource.RLIMIT_FSIZE, files_bytes, files_bytes)
    _limit(resource.RLIMIT_NOFILE, open_files, open_files)
    for one in (resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE):
        _limit(one, 0, 0)


def limit_threads(count):
    """Limits threads and processes. The kernel counts them per user: alone in a user namespace, they are this process's."""
    _limit(resource.RLIMIT_NPROC, count, count)


def close_files(kept):
    """Closes every file descriptor but `kept`; 0, 1 and 2 then name /dev/null unless they are kept."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        if standard not in kept and standard != null:
            os.dup2(null, standard, inheritable=True)
    start = 3
    for one in sorted({*kept, 0, 1, 2}):
        if one >= start:
            os.closerange(start, one)
            start = one + 1
    os.closerange(start, _highest_file() + 1)


def replace_environment(variables):
    """Sets the environment, and wipes the one with which the program was started from memory."""
    os.environ.clear()
    call("clearenv")
    start, end = _initial_environment()
    ctypes.memset(start, 0, end - start)
    os.environ.update(variables)


def _limit(kind, soft, hard):
    _, present = resource.getrlimit(kind)
    ceiling = hard if present == resource.RLIM_INFINITY else min(hard, present)
    resource.setrlimit(kind, (min(soft, ceiling), ceiling))


def _share_arenas():
    """Without this, the C library reserves 64 MB or more of address space for each thread that allocates."""
    with contextlib.suppress(AttributeError, OSError):
        call("mallopt", _M_ARENA_MAX, 2)


def _address_space():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * _PAGE


def _highest_file():
    try:
        return max(int(name) for name in os.listdir("/proc/self/fd"))
    except FileNotFoundError:
        # Without a limit, or with one that nothing reaches, closing each number would take minutes.
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return _MOST_FILES if limit == resource.RLIM_INFINITY else min(limit, _MOST_FILES)


def _initial_environment():
    """The addresses at which the program's environment was stored when it started."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as stat:
        # Fields are counted from 1; the second is in parentheses and can contain anything.
        fields = stat.read().rpartition(")")[2].split()
    return int(fields[50 - 3]), int(fields[51 - 3])
