"""
The seccomp filter: a classic BPF program that allows the system calls which Python, its libraries and their threads
need, and refuses every other one with an errno, so that a library can fall back.
"""

import ctypes
import errno
import struct
from collections import namedtuple

from .kernel import MACHINE, syscall
from .syscall_numbers import NUMBERS

_AUDIT_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
#: Calls of the x32 ABI have this bit in their number.
_X32_BIT = 0x40000000
#: Calls above are newer than this list and answered like calls that the kernel lacks.
_NEWEST = 462

_LOAD, _AND, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_KILL, _ALLOW = 0x80000000, 0x7FFF0000

_SET_MODE_FILTER = 1

_ALWAYS = """
read write open close stat fstat lstat newfstatat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask
rt_sigreturn pread64 pwrite64 readv writev access pipe select sched_yield mremap msync mincore madvise dup dup2 pause
nanosleep getitimer alarm setitimer getpid sendfile connect accept sendto recvfrom sendmsg recvmsg shutdown bind listen
getsockname getpeername setsockopt getsockopt exit wait4 uname flock fsync fdatasync truncate ftruncate getdents getcwd
chdir fchdir rename mkdir rmdir creat link unlink symlink readlink umask gettimeofday getrlimit getrusage sysinfo times
getuid getgid geteuid getegid getppid getpgrp getpgid getsid getgroups getresuid getresgid capget rt_sigpending
rt_sigtimedwait rt_sigsuspend sigaltstack getpriority sched_getparam sched_getscheduler sched_get_priority_max
sched_get_priority_min sched_rr_get_interval arch_prctl gettid readahead getxattr lgetxattr fgetxattr listxattr
llistxattr flistxattr time futex sched_getaffinity sched_getattr epoll_create getdents64 set_tid_address
restart_syscall fadvise64 timer_create timer_settime timer_gettime timer_getoverrun timer_delete clock_gettime
clock_getres clock_nanosleep exit_group epoll_wait epoll_ctl mbind set_mempolicy get_mempolicy waitid openat mkdirat
unlinkat renameat linkat symlinkat readlinkat faccessat pselect6 ppoll set_robust_list get_robust_list sync_file_range
epoll_pwait signalfd timerfd_create eventfd fallocate timerfd_settime timerfd_gettime accept4 signalfd4 eventfd2
epoll_create1 dup3 pipe2 preadv pwritev recvmmsg sendmmsg getcpu renameat2 getrandom membarrier mlock munlock mlock2
copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx rseq close_range faccessat2
epoll_pwait2 futex_waitv statfs fstatfs cachestat map_shadow_stack futex_wake futex_wait futex_requeue mseal
""".split()

#: Landlock does not cover these; only in a mount namespace do they reach nothing but the scratch folder.
_MODES_AND_TIMES = "chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat".split()

#: S_ISUID and S_ISGID. A file with them would give its owner's rights to others on this machine.
_SET_ID_BITS = 0o6000
#: The argument with the mode of a file, of each call that has one.
_MODES = {"open": 2, "creat": 1, "openat": 3, "chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2}

_CLONE_THREAD = 0x00010000
#: CLONE_PTRACE, CLONE_PARENT, CLONE_THREAD, CLONE_UNTRACED and those that make namespaces.
_CLONE_MASK = 0x00002000 | 0x00008000 | _CLONE_THREAD | 0x00800000 | 0x7E020000
_SOCKET_TYPE_MASK = 0xF
_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
SOCK_STREAM, SOCK_DGRAM, _SOCK_SEQPACKET = 1, 2, 5
_IPPROTO_IP, _IPPROTO_TCP, _IPPROTO_UDP = 0, 6, 17
_MSG_FASTOPEN = 0x20000000
#: FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ, SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR, SIOCGIFNETMASK.
_IOCTLS = (0x541B, 0x5421, 0x5451, 0x5450, 0x5401, 0x5413, 0x8912, 0x8913, 0x8915, 0x891B)
#: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, locks, F_DUPFD_CLOEXEC, pipe sizes, seals. Not F_SETOWN and F_SETSIG,
#: with which the kernel sends a signal of the caller's choice to another process.
_FCNTLS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1031, 1032, 1033, 1034)
#: PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS, PR_SET_VMA.
_PRCTLS = (3, 15, 16, 21, 23, 39, 0x53564D41)

Condition = namedtuple("Condition", "argument mask values")
_Instruction = namedtuple("_Instruction", "code true false k")


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def install(pid, socket_types, has_own_mounts):
    """Installs the filter on this thread and all that it starts. Needs no_new_privs. Raises OSError."""
    instructions = program(MACHINE, pid, socket_types, has_own_mounts)
    encoded = b"".join(struct.pack("=HBBI", *one) for one in instructions)
    syscall("seccomp", _SET_MODE_FILTER, 0, ctypes.byref(_Program(len(instructions), encoded)))


def program(machine, pid, socket_types, has_own_mounts):
    """
    The filter for the process `pid` as instructions (code, jump if true, jump if false, k). `socket_types` of the
    Internet families can be created: SOCK_STREAM, SOCK_DGRAM, or none.
    """
    numbers = NUMBERS[machine]
    lines = [
        _Instruction(_LOAD, 0, 0, 4),
        _Instruction(_JUMP_EQUAL, 1, 0, _AUDIT_ARCHITECTURE[machine]),
        _Instruction(_RETURN, 0, 0, _KILL),
        _Instruction(_LOAD, 0, 0, 0),
        _Instruction(_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT),
        _Instruction(_RETURN, 0, 0, _KILL),
    ]
    checked = _checked(pid, socket_types)
    for name, argument in _MODES.items():
        if name in numbers and (has_own_mounts or name not in _MODES_AND_TIMES):
            checked[name] = (errno.EPERM, [Condition(argument, _SET_ID_BITS, (0,))])
    always = _ALWAYS + (_MODES_AND_TIMES if has_own_mounts else [])
    for name in always:
        if name in numbers and name not in checked:
            lines += [_Instruction(_JUMP_EQUAL, 0, 1, numbers[name]), _Instruction(_RETURN, 0, 0, _ALLOW)]
    for name, (refusal, conditions) in checked.items():
        block = _block(refusal, conditions)
        lines += [_Instruction(_JUMP_EQUAL, 0, len(block), numbers[name]), *block]
    lines += [
        # Their arguments are in memory, which a filter cannot read; libraries fall back to the older calls.
        _Instruction(_JUMP_EQUAL, 1, 0, numbers["clone3"]),
        _Instruction(_JUMP_EQUAL, 0, 1, numbers["openat2"]),
        _Instruction(_RETURN, 0, 0, _refuse(errno.ENOSYS)),
        _Instruction(_JUMP_GREATER_EQUAL, 0, 1, _NEWEST + 1),
        _Instruction(_RETURN, 0, 0, _refuse(errno.ENOSYS)),
        _Instruction(_RETURN, 0, 0, _refuse(errno.EPERM)),
    ]
    return lines


def _checked(pid, socket_types):
    """The calls that depend on their arguments: for each the errno of a refusal and the conditions that allow it."""
    itself = [Condition(0, None, (pid,))]
    itself_or_zero = [Condition(0, None, (0, pid))]
    rules = {
        "clone": (errno.EPERM, [Condition(0, _CLONE_MASK, (_CLONE_THREAD,))]),
        "kill": (errno.EPERM, itself),
        "tgkill": (errno.EPERM, itself),
        "rt_sigqueueinfo": (errno.EPERM, itself),
        "rt_tgsigqueueinfo": (errno.EPERM, itself),
        "prlimit64": (errno.EPERM, itself_or_zero),
        "sched_setaffinity": (errno.EPERM, itself_or_zero),
        "sched_setparam": (errno.EPERM, itself_or_zero),
        "sched_setscheduler": (errno.EPERM, itself_or_zero),
        "prctl": (errno.EPERM, [Condition(0, None, _PRCTLS)]),
        "ioctl": (errno.ENOTTY, [Condition(1, None, _IOCTLS)]),
        "fcntl": (errno.EPERM, [Condition(1, None, _FCNTLS)]),
        # Datagram sockets of a pair could be connected to a socket file afterwards.
        "socketpair": (
            errno.EPERM,
            [
                Condition(0, None, (_AF_UNIX,)),
                Condition(1, _SOCKET_TYPE_MASK, (SOCK_STREAM, _SOCK_SEQPACKET)),
            ],
        ),
    }
    if socket_types:
        rules["socket"] = (
            errno.EPERM,
            [
                Condition(0, None, (_AF_INET, _AF_INET6)),
                Condition(1, _SOCKET_TYPE_MASK, tuple(socket_types)),
                Condition(2, None, (_IPPROTO_IP, _IPPROTO_TCP, _IPPROTO_UDP)),
            ],
        )
    # TCP Fast Open connects without connect(2), which Landlock does not see.
    for name, argument in (("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)):
        rules[name] = (errno.EPERM, [Condition(argument, _MSG_FASTOPEN, (0,))])
    return rules


def _block(refusal, conditions):
    """Instructions that allow a call when every condition holds, and refuse it otherwise. The kernel reads these
    arguments as 32 bits, and so does the filter."""
    lines = []
    for argument, mask, values in conditions:
        lines.append(_Instruction(_LOAD, 0, 0, 16 + 8 * argument))
        if mask is not None:
            lines.append(_Instruction(_AND, 0, 0, mask))
        for index, value in enumerate(values):
            lines.append(_Instruction(_JUMP_EQUAL, len(values) - index, 0, value))
        lines.append(_Instruction(_RETURN, 0, 0, _refuse(refusal)))
    return [*lines, _Instruction(_RETURN, 0, 0, _ALLOW)]


def _refuse(code):
    return 0x00050000 | code
