"""Calls to the kernel that Python's standard library does not offer."""

import ctypes
import errno
import os
import platform
import sys

from .syscall_numbers import NUMBERS

MACHINE = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
IS_SUPPORTED = sys.platform == "linux" and MACHINE in NUMBERS and sys.maxsize > 2**32

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def syscall(name, *arguments):
    """Makes a system call by its name. Raises OSError with the kernel's errno."""
    number = NUMBERS[MACHINE][name]
    result = _libc.syscall(ctypes.c_long(number), *(_argument(one) for one in arguments))
    if result == -1:
        raise _error(name)
    return result


def call(name, *arguments):
    """Calls a function of the C library that returns -1 on failure. Raises OSError."""
    result = getattr(_libc, name)(*(_argument(one) for one in arguments))
    if result == -1:
        raise _error(name)
    return result


def prctl(option, *arguments):
    """prctl(2) with its unused arguments set to zero."""
    return call("prctl", option, *arguments, *([0] * (4 - len(arguments))))


def reason_of(error):
    """One line that says which call failed and how."""
    if isinstance(error, OSError) and error.errno is not None:
        return f"{error.filename or 'call'}: {errno.errorcode.get(error.errno, error.errno)} ({error.strerror})"
    return str(error) or type(error).__name__


def _error(name):
    code = ctypes.get_errno()
    return OSError(code, os.strerror(code), name)


def _argument(value):
    if isinstance(value, int):
        return ctypes.c_long(value)
    if isinstance(value, str):
        return ctypes.c_char_p(os.fsencode(value))
    return value
