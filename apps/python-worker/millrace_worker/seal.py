"""
Seals a process before it runs authors' code, with namespaces, Landlock, seccomp and resource limits. A sealed process
can use its memory, its scratch folder and its open connections, and can read its packages. The kernel refuses
everything else. Call `apply` in the forked process before it starts a second thread.
"""

import contextlib
import os
import platform
import tempfile

from .sealing import egress_relay, kernel, landlock, limits, mounts, namespaces, seccomp, system_files

#: The uid and the gid to which a process of root changes, unless the options name others.
_UNPRIVILEGED_ID = 65534
#: The layers without which the level of a process is not "sealed".
_REQUIRED_LAYERS = (
    "no_new_privs",
    "user",
    "user_namespace",
    "mount_namespace",
    "network_namespace",
    "landlock",
    "seccomp",
    "rlimits",
)
_ALL_LAYERS = (*_REQUIRED_LAYERS, "egress_proxy")
#: The value of the layer `egress_proxy` for a process that is to have no network.
_NO_EGRESS = "no egress socket: the process has no network"


class SealError(Exception):
    """Some layers could not be applied to a process that must have all of them. `layers` has the reasons."""

    def __init__(self, layers):
        missing = [f"{name} ({layers[name]})" for name in _missing(layers)]
        super().__init__(f"The process is not sealed. Missing: {', '.join(missing)}.")
        self.layers = layers


def apply(options):
    """
    Seals this process irreversibly.

    Required options:

    - `readable`: the paths that the process can read
    - `scratch`: the path of the only folder that it can write
    - `memory_bytes`: the limit of its address space beyond its present size
    - `cpu_seconds`: the limit of its CPU time
    - `files_bytes`: the limit of the size of one file
    - `processes`: the limit of its threads (RLIMIT_NPROC); seccomp refuses processes
    - `open_files`: the limit of its file descriptors
    - `egress_socket`: the socket file of the egress proxy, or None for no network
    - `keep_fds`: the file descriptors that stay open
    - `required`: whether every layer is required

    Optional: `egress_label` (the name of this process in the log of the egress proxy; its pid unless given), `uid` and
    `gid` (those to which a process of root changes; 65534 unless given).

    Returns {"level": "sealed" | "partly" | "open", "layers": {name: True, a version, or the reason for its absence}}.
    Raises SealError when `required` is set and a layer is missing; the caller must then end the process.
    """
    layers = dict.fromkeys(_ALL_LAYERS, "not reached")
    if kernel.IS_SUPPORTED:
        _Seal(options, layers).apply()
    else:
        reason = f"not available on {platform.system()} with {kernel.MACHINE}"
        layers.update(dict.fromkeys(_ALL_LAYERS, reason))
    level = level_of(layers)
    if options["required"] and level != "sealed":
        raise SealError(layers)
    return {"level": level, "layers": layers}


def level_of(layers):
    """
    Returns "sealed" when every required layer is applied, "open" when no layer restricts files or system calls, and
    "partly" otherwise.
    """
    if not _missing(layers):
        return "sealed"
    is_restricted = any(_is_applied(layers[name]) for name in ("landlock", "seccomp", "mount_namespace"))
    return "partly" if is_restricted else "open"


def _missing(layers):
    # A process without network needs no proxy.
    required = _REQUIRED_LAYERS if layers["egress_proxy"] == _NO_EGRESS else _ALL_LAYERS
    return [name for name in required if not _is_applied(layers[name])]


def _is_applied(layer):
    """Whether the value of a layer is True or a version. Otherwise it is the reason for its absence."""
    return layer is True or isinstance(layer, int)


class _Seal:
    """Applies the layers in turn, and writes the outcome of each to `layers`."""

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
            # Fails for the leader of a process group, which has no controlling terminal to lose.
            os.setsid()
        proxy = self._connect_to_proxy()
        limits.close_files(self._keep_fds)
        limits.replace_environment({})
        # Opened before the change of root, because the new root has no /proc.
        proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._set_limits()
            self._enter_namespaces(proc)
        finally:
            os.close(proc)
        listener = self._listen(proxy)
        self._apply_layer("no_new_privs", namespaces.forbid_new_privileges)
        os.umask(0o077)
        self._restrict_files(listener)
        os.chdir(self._scratch)
        namespaces.drop_capabilities()
        namespaces.die_with_parent(parent)
        namespaces.hide_memory()
        self._restrict_system_calls(listener)
        self._set_environment(listener)
        if listener is not None:
            egress_relay.start(proxy, listener)

    def _apply_layer(self, layer, function, *arguments):
        """
        Calls the function that applies a layer. Stores its result (True for None), or the reason of its OSError, as the
        value of the layer. Returns whether the layer is applied.
        """
        try:
            result = function(*arguments)
        except OSError as error:
            self._layers[layer] = kernel.reason_of(error)
            return False
        self._layers[layer] = True if result is None else result
        return True

    def _connect_to_proxy(self):
        """Returns the connection to the egress proxy; None without a socket file, or when connecting fails."""
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
        self._apply_layer("rlimits", limits.set_limits, *(self._options[name] for name in names))

    def _enter_namespaces(self, proc):
        """
        Moves the process to new mount, user, network and IPC namespaces, and changes root to an unprivileged user.
        `proc` is a descriptor of /proc.
        """
        is_root = os.geteuid() == 0
        has_mount_namespace = False
        if is_root:
            # Before the change of user: only root may be able to open the parent folders of the packages.
            has_mount_namespace = self._apply_layer("mount_namespace", self._enter_mount_namespace)
        self._change_from_root(is_root)
        flags = namespaces.CLONE_NEWNET | namespaces.CLONE_NEWIPC
        if not has_mount_namespace:
            flags |= namespaces.CLONE_NEWNS
        if not self._apply_layer("user_namespace", namespaces.enter_user_namespace, flags, proc):
            for layer in ("network_namespace", *(() if has_mount_namespace else ("mount_namespace",))):
                self._layers[layer] = f"needs user_namespace: {self._layers['user_namespace']}"
            self._report_unlimited_threads("without a user namespace, the limit would apply to all threads of the user")
            return
        if not has_mount_namespace:
            self._apply_layer("mount_namespace", self._replace_root)
        self._apply_layer("network_namespace", namespaces.raise_loopback)
        if _kernel_release() < (5, 14):
            self._report_unlimited_threads("needs Linux 5.14")
        else:
            limits.limit_threads(self._options["processes"])

    def _enter_mount_namespace(self):
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

    def _change_from_root(self, is_root):
        """Changes root to the unprivileged user, unless that user cannot open the files that the process needs."""
        if not is_root:
            self._layers["user"] = True
            return
        path = self._first_inaccessible_path()
        if path is None:
            self._apply_layer("user", self._change_user)
        else:
            self._layers["user"] = f"uid {self._uid} cannot open {path}: the process stays uid 0"

    def _change_user(self):
        os.chown(self._scratch, self._uid, self._gid)
        namespaces.change_user(self._uid, self._gid)

    def _first_inaccessible_path(self):
        """Returns the first path that the process needs and the unprivileged user cannot open; None without one."""
        # Checked as root: for another user, a path in a folder without access seems not to exist.
        readable = [path for path in self._options["readable"] if os.path.lexists(path)]
        needed = [(os.path.dirname(self._scratch), os.X_OK), *((path, os.R_OK) for path in readable)]
        try:
            os.seteuid(self._uid)
        except OSError:
            # The change of user fails for the same reason, which then becomes the value of the layer.
            return None
        try:
            return next((path for path, right in needed if not os.access(path, right, effective_ids=True)), None)
        finally:
            os.seteuid(0)

    def _report_unlimited_threads(self, reason):
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
        self._apply_layer("landlock", landlock.restrict, readable, system_files.WRITABLE_DEVICES, self._scratch, port)

    def _restrict_system_calls(self, listener):
        types = self._allowed_socket_types()
        if listener is not None:
            reason = "the process has no sockets: needs a network namespace, or Landlock 4"
            self._layers["egress_proxy"] = True if types else reason
        has_mount_namespace = self._layers["mount_namespace"] is True
        self._apply_layer("seccomp", seccomp.install, os.getpid(), types, has_mount_namespace)

    def _allowed_socket_types(self):
        """
        Returns the socket types that seccomp allows: those whose sockets the network namespace, or else Landlock,
        confines to the loopback port of the egress relay.
        """
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
        # Replaces the folder that `tempfile` may have cached in the zygote before the fork.
        tempfile.tempdir = self._scratch


def _kernel_release():
    major, minor = platform.release().split(".")[:2]
    return int(major), int("".join(digit for digit in minor if digit.isdigit()) or 0)
