"""A file system of the process's own: what it can read, its scratch folder, and nothing else."""

import ctypes
import os

from .kernel import call, syscall

_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE_CLONE, _OPEN_TREE_CLOEXEC = 1, 0o2000000
_MOVE_MOUNT_F_EMPTY_PATH = 0x4
_MOUNT_ATTR_RDONLY, _MOUNT_ATTR_NOSUID, _MOUNT_ATTR_NODEV, _MOUNT_ATTR_NOEXEC = 0x1, 0x2, 0x4, 0x8
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x4000, 0x40000
_MNT_DETACH = 2

_HOSTS = "127.0.0.1 localhost\n::1 localhost\n"


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


def replace_root(readable, devices, scratch):
    """
    Replaces the root of this process's new mount namespace: `readable` paths, read-only, the device files, and
    `scratch`, all at their present places, in an otherwise empty file system. Raises OSError; the old root is then
    still in place.
    """
    call("mount", None, "/", None, _MS_REC | _MS_PRIVATE, None)
    links, sources = _sources([*readable, *devices])
    scratch = os.path.realpath(scratch)
    trees = []
    try:
        for path in sorted(sources):
            trees.append((path, os.path.isdir(path), _clone(path, path in devices)))
        trees.append((scratch, True, _clone_writable(scratch)))
        # The scratch folder is the one place that exists on every machine; its own tree is already cloned.
        call("mount", "tmpfs", scratch, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755,size=1m")
        try:
            _fill(scratch, trees, links)
            os.chdir(scratch)
            # Stacks the old root on the new one.
            syscall("pivot_root", ".", ".")
        except OSError:
            os.chdir("/")
            call("umount2", scratch, _MNT_DETACH)
            raise
    finally:
        for _, _, tree in trees:
            os.close(tree)
    call("umount2", ".", _MNT_DETACH)
    os.chdir("/")
    _set_attributes(_AT_FDCWD, "/", _MOUNT_ATTR_RDONLY, 0)


def _sources(paths):
    """Splits paths into the symbolic links on their way, as {link: target}, and the real files and folders."""
    links, sources = {}, set()
    waiting = [os.path.normpath(path) for path in paths]
    while waiting:
        path = waiting.pop()
        if not os.path.exists(path):
            continue
        link = _first_link(path)
        if link is None:
            sources.add(path)
            continue
        links[link] = os.readlink(link)
        target = os.path.join(os.path.dirname(link), links[link])
        waiting.append(os.path.normpath(target + path[len(link) :]))
    return links, sources


def _first_link(path):
    prefix = ""
    for part in path.split("/")[1:]:
        prefix = f"{prefix}/{part}"
        if os.path.islink(prefix):
            return prefix
    return None


def _clone(path, is_device):
    tree = _open_tree(path)
    attributes = _MOUNT_ATTR_NOSUID | (_MOUNT_ATTR_NOEXEC if is_device else _MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NODEV)
    _set_attributes(tree, "", attributes, _AT_EMPTY_PATH | _AT_RECURSIVE)
    return tree


def _clone_writable(path):
    tree = _open_tree(path)
    _set_attributes(tree, "", _MOUNT_ATTR_NOSUID | _MOUNT_ATTR_NODEV, _AT_EMPTY_PATH | _AT_RECURSIVE)
    return tree


def _open_tree(path):
    return syscall("open_tree", _AT_FDCWD, path, _OPEN_TREE_CLONE | _OPEN_TREE_CLOEXEC | _AT_RECURSIVE)


def _set_attributes(folder, path, attributes, flags):
    wanted = _MountAttributes(set=attributes)
    syscall("mount_setattr", folder, path, flags, ctypes.byref(wanted), ctypes.sizeof(wanted))


def _fill(root, trees, links):
    os.umask(0o022)
    for path, is_folder, tree in trees:
        place = root + path
        if is_folder:
            os.makedirs(place, exist_ok=True)
        elif not os.path.exists(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.close(os.open(place, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
        syscall("move_mount", tree, "", _AT_FDCWD, place, _MOVE_MOUNT_F_EMPTY_PATH)
    for link, target in links.items():
        place = root + link
        if not os.path.lexists(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.symlink(target, place)
    os.makedirs(f"{root}/etc", exist_ok=True)
    hosts = os.open(f"{root}/etc/hosts", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644)
    try:
        os.write(hosts, _HOSTS.encode())
    finally:
        os.close(hosts)
