"""Namespaces of the process's own, and the end of every privilege in them."""

import ctypes
import fcntl
import os
import socket
import struct

from .kernel import call, prctl, syscall

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_PR_SET_SECUREBITS, _PR_SET_NO_NEW_PRIVS = 28, 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
#: Uid 0 has no capabilities of its own, and none of this can be changed.
_SECUREBITS = 0x2F
_CAPABILITY_VERSION_3 = 0x20080522
_SIGKILL = 9


def unshare(flags):
    call("unshare", flags)


def enter_user_namespace(others, proc):
    """
    Moves this process, which must have one thread, to a user namespace of its own that knows this process's user
    alone, and to the namespaces of `others`, in which it has every capability for now. `proc` is a descriptor of
    /proc. Raises OSError.
    """
    uid, gid = os.geteuid(), os.getegid()
    # After a change of user the files in /proc/self belong to root until the process is dumpable again.
    prctl(_PR_SET_DUMPABLE, 1)
    unshare(CLONE_NEWUSER | others)
    _write(proc, "self/setgroups", "deny")
    _write(proc, "self/uid_map", f"{uid} {uid} 1")
    _write(proc, "self/gid_map", f"{gid} {gid} 1")


def raise_loopback():
    """Brings up the loopback interface of a new network namespace, the only one in it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        request = struct.pack("16sH22x", b"lo", 0)
        (flags,) = struct.unpack_from("H", fcntl.ioctl(probe, _SIOCGIFFLAGS, request), 16)
        fcntl.ioctl(probe, _SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", flags | _IFF_UP))


def change_user(uid, gid):
    """Turns root into an ordinary user for good."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def drop_capabilities():
    """Gives up every capability in this and every later program."""
    prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(64):
        try:
            prctl(_PR_CAPBSET_DROP, capability)
        except OSError:
            # Beyond the kernel's last capability, or without the right to: then there is none to drop.
            break
    try:
        prctl(_PR_SET_SECUREBITS, _SECUREBITS)
    except PermissionError:
        pass
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    syscall("capset", ctypes.c_char_p(header), ctypes.c_char_p(bytes(24)))


def forbid_new_privileges():
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent(parent):
    """The kernel ends this process when the thread that forked it ends. Must follow every change of user."""
    prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def hide_memory():
    """No core dumps, and no other process of this user can read this process's memory."""
    prctl(_PR_SET_DUMPABLE, 0)


def _write(folder, path, text):
    opened = os.open(path, os.O_WRONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.write(opened, text.encode())
    finally:
        os.close(opened)
