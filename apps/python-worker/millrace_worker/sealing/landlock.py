"""Landlock: which files the process can open, and which TCP ports it can connect to."""

import ctypes
import os
import stat

from .kernel import syscall

_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1
_RULE_NET_PORT = 2

_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_REMOVE_DIR = 1 << 4
_REMOVE_FILE = 1 << 5
_MAKE_CHAR = 1 << 6
_MAKE_DIR = 1 << 7
_MAKE_REG = 1 << 8
_MAKE_SOCK = 1 << 9
_MAKE_FIFO = 1 << 10
_MAKE_BLOCK = 1 << 11
_MAKE_SYM = 1 << 12
_REFER = 1 << 13
_TRUNCATE = 1 << 14
_IOCTL_DEV = 1 << 15
_VERSION_1 = (1 << 13) - 1

_BIND_TCP = 1 << 0
_CONNECT_TCP = 1 << 1
_SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0
_SCOPE_SIGNAL = 1 << 1

_READ = _READ_FILE | _READ_DIR
_READ_WRITE_FILE = _READ_FILE | _WRITE_FILE | _TRUNCATE
# Not devices, sockets and named pipes; files of any kind cannot be executed.
_SCRATCH = (
    _READ_WRITE_FILE | _READ_DIR | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_SYM | _REFER
)
_FILE_RIGHTS = _EXECUTE | _READ_WRITE_FILE | _IOCTL_DEV

#: From this version on, TCP connections are restricted too.
NETWORK_ABI = 4


class _RulesetAttributes(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


class _NetPort(ctypes.Structure):
    _fields_ = [("allowed", ctypes.c_uint64), ("port", ctypes.c_uint64)]


def abi():
    """The version of Landlock that the kernel offers, from 1. Raises OSError where there is none."""
    return syscall("landlock_create_ruleset", None, 0, _CREATE_RULESET_VERSION)


def restrict(readable, writable_files, scratch, port):
    """
    Restricts this process for good: it can read below `readable`, write the files `writable_files`, write below
    `scratch`, and connect by TCP to `port` alone (None: to no port; needs NETWORK_ABI). Needs no_new_privs. Paths that
    do not exist or are closed to it anyway are left out. Returns the version of Landlock.
    """
    version = abi()
    handled = _handled(version)
    size = 8 if version < NETWORK_ABI else 16 if version < 6 else 24
    ruleset = syscall("landlock_create_ruleset", ctypes.byref(handled), size, 0)
    try:
        for path in readable:
            _allow(ruleset, path, _READ, handled.fs)
        for path in writable_files:
            _allow(ruleset, path, _READ_WRITE_FILE, handled.fs)
        _allow(ruleset, scratch, _SCRATCH, handled.fs)
        if port is not None and version >= NETWORK_ABI:
            rule = _NetPort(_CONNECT_TCP, port)
            syscall("landlock_add_rule", ruleset, _RULE_NET_PORT, ctypes.byref(rule), 0)
        syscall("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)
    return version


def _handled(version):
    files = _VERSION_1
    files |= _REFER if version >= 2 else 0
    files |= _TRUNCATE if version >= 3 else 0
    files |= _IOCTL_DEV if version >= 5 else 0
    network = _BIND_TCP | _CONNECT_TCP if version >= NETWORK_ABI else 0
    scoped = _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL if version >= 6 else 0
    return _RulesetAttributes(files, network, scoped)


def _allow(ruleset, path, rights, handled):
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _FILE_RIGHTS
        rule = _PathBeneath(rights & handled, opened)
        syscall("landlock_add_rule", ruleset, _RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(opened)
