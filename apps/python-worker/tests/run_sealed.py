"""
Runs snippets of Python, each in a process of its own that is forked and sealed as by the worker, and prints one line of
JSON for each. Reads its task from standard input:

{"packages": path, "egress_socket": path or null, "refuse": {system call: errno name},
 "cases": [{"name", "code", "sealed", "options": {...}}]}

`code` is the body of a function of one parameter, `world`: what there is outside. "refuse" makes the kernel refuse
system calls to all processes, as container runtimes do. Each line: {"name", "seal": {"level", "layers"} or {"refused"},
"outcome": {"returned"} or {"raised", "errno", "text"} or {"signal"} or {"status"}}.
"""

import ctypes
import errno
import json
import os
import select
import signal
import socket
import struct
import sys
import sysconfig
import tempfile
import textwrap
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from millrace_worker import seal  # noqa: E402
from millrace_worker.sealing import kernel, limits, namespaces  # noqa: E402

CASE_SECONDS = 20

# Calls that snippets make or "refuse" names, and that the seal itself does not use: x86_64, aarch64.
OTHER_CALLS = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "unshare": (272, 97), "setns": (308, 268),
    "mount": (165, 40), "umount2": (166, 39), "chroot": (161, 51), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "settimeofday": (164, 170), "sethostname": (170, 161), "setdomainname": (171, 162), "quotactl": (179, 60),
    "personality": (135, 92), "kexec_load": (246, 104), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "acct": (163, 89), "syslog": (103, 116), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "inotify_init1": (294, 26), "fanotify_init": (300, 262), "kcmp": (312, 272), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "execve": (59, 221), "execveat": (322, 281), "setpriority": (141, 140),
    "ioprio_set": (251, 30), "tkill": (200, 130), "fsopen": (430, 430), "fsmount": (432, 432),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "vmsplice": (278, 75), "setxattr": (188, 5),
    "mknodat": (259, 33), "fchownat": (260, 54), "setuid": (105, 146), "setresuid": (117, 147),
    "setgroups": (116, 159), "mlockall": (151, 230), "lookup_dcookie": (212, 18), "nfsservctl": (180, 42),
    "io_setup": (206, 0), "splice": (275, 76), "setsid": (112, 157), "setpgid": (109, 154),
    "remap_file_pages": (216, 234), "set_mempolicy_home_node": (450, 450), "quotactl_fd": (443, 443),
}  # fmt: skip


def number_of(name):
    numbers = kernel.NUMBERS[kernel.MACHINE]
    if name in numbers:
        return numbers[name]
    return OTHER_CALLS[name][0 if kernel.MACHINE == "x86_64" else 1]


def raw(name, *arguments):
    """Makes a system call by its name or number, as a snippet would by ctypes."""
    number = name if isinstance(name, int) else number_of(name)
    libc = ctypes.CDLL(None, use_errno=True)
    values = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(name))
    return result


def main():
    task = json.load(sys.stdin)
    refuse_calls(task.get("refuse", {}))
    outside = tempfile.mkdtemp(prefix="outside-")
    world = build_world(outside, task["packages"])
    for case in task["cases"]:
        print(json.dumps({"name": case["name"], **run_case(case, task, world)}), flush=True)
    os.kill(world["sibling"], signal.SIGKILL)


def build_world(outside, packages):
    """What an escape would reach: made anew, so that nothing of the machine is at stake."""

    def write(name, text="planted"):
        path = os.path.join(outside, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    world = {
        "raw": raw,
        "outside": outside,
        "packages": packages,
        "secret": write("secret.txt"),
        "other_scratch": os.path.dirname(write("runs/other/notes.txt")),
        "parent": os.getpid(),
        "environment": limits._initial_environment(),
        "stdout": os.fstat(1).st_ino,
    }
    world["socket_file"] = os.path.join(outside, "service.sock")
    world["abstract"] = f"\0millrace-{os.getpid()}"
    world["listeners"] = []
    for kind, address in (
        (socket.SOCK_STREAM, world["socket_file"]),
        (socket.SOCK_STREAM, world["abstract"]),
        (socket.SOCK_DGRAM, world["socket_file"] + ".dgram"),
    ):
        world["listeners"].append(listen(socket.AF_UNIX, kind, address))
    world["listeners"].append(listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)))
    world["tcp_port"] = world["listeners"][-1].getsockname()[1]
    world["listeners"].append(listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)))
    world["udp_port"] = world["listeners"][-1].getsockname()[1]
    world["forgotten"] = os.open(world["secret"], os.O_RDONLY)
    world["sibling"] = sleeping_process()
    return world


def listen(family, kind, address):
    one = socket.socket(family, kind)
    one.bind(address)
    if kind == socket.SOCK_STREAM:
        one.listen(64)
    return one


def sleeping_process():
    pid = os.fork()
    if pid == 0:
        namespaces.die_with_parent(os.getppid())
        time.sleep(600)
        os._exit(0)
    return pid


def run_case(case, task, world):
    scratch = tempfile.mkdtemp(prefix="scratch-")
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        run_child(case, task, {**world, "scratch": scratch}, scratch, theirs)
    theirs.close()
    answers, is_late = receive(ours, time.monotonic() + CASE_SECONDS)
    if is_late:
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    lines = [json.loads(line) for line in answers.decode().splitlines()]
    result = {key: value for line in lines for key, value in line.items()}
    if "outcome" not in result:
        ended = {"signal": signal.Signals(os.WTERMSIG(status)).name} if os.WIFSIGNALED(status) else {}
        result["outcome"] = {"late": True} if is_late else ended or {"status": os.WEXITSTATUS(status)}
    return result


def receive(connection, end):
    answers = b""
    while True:
        ready, _, _ = select.select([connection], [], [], max(0, end - time.monotonic()))
        if not ready:
            return answers, True
        data = connection.recv(65536)
        if not data:
            return answers, False
        answers += data


def run_child(case, task, world, scratch, answers):
    def answer(value):
        answers.sendall(json.dumps(value).encode() + b"\n")

    try:
        if case["sealed"]:
            started = time.perf_counter()
            try:
                sealed = seal.apply(options_of(case, task, scratch, answers.fileno()))
            except seal.SealError as error:
                answer({"seal": {"refused": str(error), "layers": error.layers}, "outcome": {"status": 0}})
                os._exit(0)
            milliseconds = (time.perf_counter() - started) * 1000
            answer({"seal": {**sealed, "milliseconds": milliseconds}})
        else:
            os.chdir(scratch)
            limits.close_files({answers.fileno(), world["forgotten"], 1, 2})
        answer({"outcome": outcome_of(case["code"], world)})
    except BaseException as error:
        answer({"outcome": {"broken": f"{type(error).__name__}: {error}"}})
    os._exit(0)


def options_of(case, task, scratch, kept):
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return {
        "readable": sorted({*paths, task["packages"]}),
        "scratch": scratch,
        "memory_bytes": 512 * 1024 * 1024,
        "cpu_seconds": 60,
        "files_bytes": 8 * 1024 * 1024,
        "processes": 64,
        "open_files": 128,
        "egress_socket": task.get("egress_socket"),
        "egress_label": case["name"][:60],
        "keep_fds": [kept],
        "required": False,
        **case.get("options", {}),
    }


def outcome_of(code, world):
    names = {}
    try:
        exec(compile("def snippet(world):\n" + textwrap.indent(textwrap.dedent(code), "    "), "<snippet>", "exec"), names)
        returned = names["snippet"](world)
        json.dumps(returned)
        return {"returned": returned}
    except BaseException as error:
        code = getattr(error, "errno", None)
        return {
            "raised": type(error).__name__,
            "errno": errno.errorcode.get(code) if isinstance(code, int) else None,
            "text": str(error)[:500],
        }


def refuse_calls(refused):
    """Installs a filter that answers these system calls with these errnos."""
    if not refused:
        return
    namespaces.forbid_new_privileges()
    lines = [(0x20, 0, 0, 0)]
    for name, code in refused.items():
        lines += [(0x15, 0, 1, number_of(name)), (0x06, 0, 0, 0x00050000 | getattr(errno, code))]
    lines.append((0x06, 0, 0, 0x7FFF0000))
    encoded = b"".join(struct.pack("=HBBI", *line) for line in lines)
    program = struct.pack("H6xP", len(lines), ctypes.addressof(buffer := ctypes.create_string_buffer(encoded)))
    raw("seccomp", 1, 0, ctypes.c_char_p(program))
    del buffer


if __name__ == "__main__":
    main()
