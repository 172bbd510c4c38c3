"""
Seals a process before it runs authors' code: it keeps its memory, its scratch folder and its open connections, can
read its packages, and can do nothing else. `apply` is called in the forked process while it has one thread.
"""

import contextlib
import os
import platform
import tempfile

from .sealing import egress_relay, kernel, landlock, limits, mounts, namespaces, seccomp, system_files

#: Uid and gid that root takes, unless the options name others: the user without rights.
_UNPRIVILEGED_ID = 65534
#: Without one of these a process is not sealed.
_NEEDED = (
    "no_new_privs",
    "user",
    "user_namespace",
    "mount_namespace",
    "network_namespace",
    "landlock",
    "seccomp",
    "rlimits",
)
_ALL = (*_NEEDED, "egress_proxy")
_NO_EGRESS = "no egress socket: the process has no network"


class SealError(Exception):
    """The process could not be sealed, and `required` was set. `layers` holds the reasons."""

    def __init__(self, layers):
        missing = [f"{name} ({layers[name]})" for name in _missing(layers)]
        super().__init__(f"The process is not sealed. Missing: {', '.join(missing)}.")
        self.layers = layers


def apply(options):
    """
    Seals this process for good.

    options: `readable` (paths), `scratch` (path), `memory_bytes` (beyond what the process has now), `cpu_seconds`,
    `files_bytes` (the largest file), `processes` (threads, too), `open_files`, `egress_socket` (path or None),
    `keep_fds`, `required`; and, unless left out, `egress_label` (names this process in the log of the egress proxy),
    `uid` and `gid` (what root becomes; 65534).

    Returns {"level": "sealed" | "partly" | "open", "layers": {name: True, a version, or the reason for its absence}}.
    Raises SealError when `required` is set and a layer is missing; the process must then end.
    """
    layers = dict.fromkeys(_ALL, "not reached")
    if kernel.IS_SUPPORTED:
        _Seal(options, layers).apply()
    else:
        reason = f"not available on {platform.system()} with {kernel.MACHINE}"
        layers.update(dict.fromkeys(_ALL, reason))
    level = level_of(layers)
    if options["required"] and level != "sealed":
        raise SealError(layers)
    return {"level": level, "layers": layers}


def level_of(layers):
    """sealed: every layer holds. open: files and system calls are not restricted. partly: anything between."""
    if not _missing(layers):
        return "sealed"
    restricts = any(_holds(layers[name]) for name in ("landlock", "seccomp", "mount_namespace"))
    return "partly" if restricts else "open"


def _missing(layers):
    # A process without network needs no proxy.
    needed = _NEEDED if layers["egress_proxy"] == _NO_EGRESS else _ALL
    return [name for name in needed if not _holds(layers[name])]


def _holds(layer):
    return layer is True or isinstance(layer, int)


class _Seal:
    def __init__(self, options, layers):
        self._options = options
        self._layers = layers
        self._scratch = os.path.realpath(options["scratch"])
        self._readable = [*options["readable"], *system_files.READABLE]
        self._devices = [*system_files.READABLE_DEVICES, *system_files.WRITABLE_DEVICES]
        self._keep_fds = set(options["keep_fds"])

    def apply(self):
        parent = os.getppid()
        with contextlib.suppress(PermissionError):
            # Fails where the process leads a group, and has no terminal then either.
            os.setsid()
        proxy = self._connect_egress()
        limits.close_files(self._keep_fds)
        limits.replace_environment({})
        # The new root has no /proc.
        proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._set_limits()
            self._isolate(proc)
        finally:
            os.close(proc)
        listener = self._listen(proxy)
        self._try("no_new_privs", namespaces.forbid_new_privileges)
        os.umask(0o077)
        self._restrict_files(listener)
        os.chdir(self._scratch)
        namespaces.drop_capabilities()
        namespaces.die_with_parent(parent)
        namespaces.hide_memory()
        self._restrict_calls(listener)
        self._set_environment(listener)
        if listener is not None:
            egress_relay.start(proxy, listener)

    def _try(self, layer, step, *arguments):
        """Records that a layer holds, or the reason for its absence."""
        try:
            result = step(*arguments)
        except OSError as error:
            self._layers[layer] = kernel.reason_of(error)
            return False
        self._layers[layer] = True if result is None else result
        return True

    def _connect_egress(self):
        path = self._options["egress_socket"]
        if path is None:
            self._layers["egress_proxy"] = _NO_EGRESS
            return None
        try:
            proxy = egress_relay.connect(path, self._options.get("egress_label", str(os.getpid())))
        except OSError as error:
            self._layers["egress_proxy"] = f"{path}: {error.strerror or error}"
            return None
        self._keep_fds.add(proxy.fileno())
        return proxy

    def _set_limits(self):
        names = ("memory_bytes", "cpu_seconds", "files_bytes", "open_files")
        self._try("rlimits", limits.set_limits, *(self._options[name] for name in names))

    def _isolate(self, proc):
        """Namespaces and, for root, another user."""
        is_root = os.geteuid() == 0
        has_mounts = False
        if is_root:
            # As root, since folders on the way to the packages can be closed to others.
            has_mounts = self._try("mount_namespace", self._enter_mounts)
        self._leave_root(is_root)
        others = namespaces.CLONE_NEWNET | namespaces.CLONE_NEWIPC
        if not has_mounts:
            others |= namespaces.CLONE_NEWNS
        if not self._try("user_namespace", namespaces.enter_user_namespace, others, proc):
            for layer in ("network_namespace", *(() if has_mounts else ("mount_namespace",))):
                self._layers[layer] = f"needs user_namespace: {self._layers['user_namespace']}"
            self._note_unlimited_threads("without a user namespace they are counted together with all of this user's")
            return
        if not has_mounts:
            self._try("mount_namespace", self._replace_root)
        self._try("network_namespace", namespaces.raise_loopback)
        if _kernel_release() < (5, 14):
            self._note_unlimited_threads("needs Linux 5.14")
        else:
            limits.limit_threads(self._options["processes"])

    def _enter_mounts(self):
        namespaces.unshare(namespaces.CLONE_NEWNS)
        self._replace_root()

    def _replace_root(self):
        mounts.replace_root(self._readable, self._devices, self._scratch)

    @property
    def _uid(self):
        return self._options.get("uid", _UNPRIVILEGED_ID)

    @property
    def _gid(self):
        return self._options.get("gid", _UNPRIVILEGED_ID)

    def _leave_root(self, is_root):
        if not is_root:
            self._layers["user"] = True
            return
        closed = self._closed_to_user()
        if closed is None:
            self._try("user", self._change_user)
        else:
            self._layers["user"] = f"uid {self._uid} cannot open {closed}: the process stays uid 0"

    def _change_user(self):
        os.chown(self._scratch, self._uid, self._gid)
        namespaces.change_user(self._uid, self._gid)

    def _closed_to_user(self):
        """The first of the paths it needs that is closed to the user that root becomes; None when there is none."""
        # As root: a path below a closed folder seems to be absent to others.
        readable = [path for path in self._options["readable"] if os.path.lexists(path)]
        needed = [(os.path.dirname(self._scratch), os.X_OK), *((path, os.R_OK) for path in readable)]
        try:
            os.seteuid(self._uid)
        except OSError:
            # The change of user will fail, too, and give the reason.
            return None
        try:
            return next((path for path, right in needed if not os.access(path, right, effective_ids=True)), None)
        finally:
            os.seteuid(0)

    def _note_unlimited_threads(self, reason):
        if self._layers["rlimits"] is True:
            self._layers["rlimits"] = f"threads are not limited: {reason}"

    def _listen(self, proxy):
        if proxy is None:
            return None
        try:
            return egress_relay.listen()
        except OSError as error:
            self._layers["egress_proxy"] = kernel.reason_of(error)
            return None

    def _restrict_files(self, listener):
        port = None if listener is None else listener.getsockname()[1]
        readable = [*self._readable, *system_files.READABLE_DEVICES]
        if self._layers["mount_namespace"] is True:
            readable.append(system_files.HOSTS)
        self._try("landlock", landlock.restrict, readable, system_files.WRITABLE_DEVICES, self._scratch, port)

    def _restrict_calls(self, listener):
        types = self._socket_types()
        if listener is not None:
            missing = "the process has no sockets: needs a network namespace, or Landlock 4"
            self._layers["egress_proxy"] = True if types else missing
        has_own_mounts = self._layers["mount_namespace"] is True
        self._try("seccomp", seccomp.install, os.getpid(), types, has_own_mounts)

    def _socket_types(self):
        """Sockets lead to the relay alone, by the network namespace or by Landlock; otherwise there are none."""
        if self._layers["network_namespace"] is True:
            return (seccomp.SOCK_STREAM, seccomp.SOCK_DGRAM)
        version = self._layers["landlock"]
        if isinstance(version, int) and version >= landlock.NETWORK_ABI:
            return (seccomp.SOCK_STREAM,)
        return ()

    def _set_environment(self, listener):
        variables = {
            "HOME": self._scratch,
            "TMPDIR": self._scratch,
            "USER": "millrace",
            "LOGNAME": "millrace",
            "LANG": "C.UTF-8",
        }
        if listener is not None:
            proxy = f"http://127.0.0.1:{listener.getsockname()[1]}"
            for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
                variables[name] = variables[name.lower()] = proxy
        os.environ.update(variables)
        # Looked up once in a process; the one that forked this process can have done so.
        tempfile.tempdir = self._scratch


def _kernel_release():
    major, minor = platform.release().split(".")[:2]
    return int(major), int("".join(digit for digit in minor if digit.isdigit()) or 0)
