"""Files of the run's user: the executor reads them, and this process writes them into its folder.

A stored file has a path ``<folder>/<name>``; here it is at the same path below the working folder. lfx's storage service
and the helpers of components find it there, too.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import os
import shutil
import threading
from pathlib import Path, PurePosixPath
from typing import Any

from lfx.custom.custom_component.custom_component import CustomComponent
from lfx.services.deps import get_settings_service
from lfx.services.manager import get_service_manager
from lfx.services.schema import ServiceType
from lfx.services.storage.local import LocalStorageService

from millrace_worker import current
from millrace_worker.compiled import MAXIMUM_CLASSES
from millrace_worker.host import HostError

_lock = threading.Lock()
# Local paths by the name that was asked for, and stored paths by local path.
_local: dict[str, str] = {}
_stored: dict[str, str] = {}
_root = ""


def open_folder(folder: str) -> None:
    """Makes this folder lfx's storage. Call it once in each process."""
    global _root
    _root = os.path.realpath(folder)
    settings = get_settings_service().settings
    settings.__dict__["config_dir"] = _root
    # The process sees no other files, and none of another user.
    settings.__dict__["restrict_local_file_access"] = False
    get_service_manager().services[ServiceType.STORAGE_SERVICE] = HostStorage(None, get_settings_service())
    CustomComponent.resolve_path = staticmethod(_resolved_path)


def fetch(name: str) -> str:
    """Returns the local path of a stored file. Raises a HostError for a file that the run's user does not have."""
    known = _local.get(name)
    if known is not None and os.path.exists(known):
        return known
    host = current.require().host
    part = host.call("file.read", {"name": name, "offset": 0})
    path = _local_path(part["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{threading.get_ident()}")
    with open(partial, "wb") as file:
        file.write(base64.b64decode(part["data"]))
        while file.tell() < part["size"]:
            part = host.call("file.read", {"name": name, "offset": file.tell()})
            file.write(base64.b64decode(part["data"]))
    os.replace(partial, path)
    with _lock:
        _local[name] = str(path)
        _stored[str(path)] = part["path"]
    return str(path)


def localized(value: Any) -> Any:
    """Returns the value of a file field with local paths; the files of lists one after the other."""
    if isinstance(value, list):
        return [localized(item) for item in value]
    if not isinstance(value, str) or value == "":
        return value
    own = os.path.realpath(value)
    return own if own.startswith(_root + os.sep) and os.path.exists(own) and own not in _stored else fetch(value)


@functools.lru_cache(maxsize=MAXIMUM_CLASSES)
def field_names(component_class: type) -> frozenset[str]:
    """Returns the names of the file fields of a class; of one of the style before 1.0, too."""
    inputs = getattr(component_class, "inputs", None)
    if inputs:
        return frozenset(item.name for item in inputs if getattr(item, "field_type", None) == "file")
    try:
        fields = component_class().build_config()
        return frozenset(name for name, field in fields.items() if _type_of(field) == "file")
    except Exception:  # An author's method, called without values: what it says of its fields is optional.
        return frozenset()


def with_stored_paths(value: Any) -> tuple[Any, bool]:
    """Returns an encoded value with the stored paths of files in place of local ones, and whether it had any."""
    if not _stored:
        return value, False
    found: list[str] = []
    return _with_stored_paths(value, found), bool(found)


def is_fetched(path: str) -> bool:
    return os.path.abspath(path) in _stored


def forget() -> None:
    """Removes what a run left in the folder."""
    with _lock:
        _local.clear()
        _stored.clear()
    for entry in os.scandir(_root):
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                os.unlink(entry.path)


class HostStorage(LocalStorageService):
    """lfx's storage: files of the run's user, and those that components save here during the run."""

    async def _validated_path(self, flow_id: str, file_name: str) -> Any:
        path = await super()._validated_path(flow_id, file_name)
        _try_fetch(f"{flow_id}/{file_name}")
        return path

    def build_full_path(self, flow_id: str, file_name: str) -> str:
        name = f"{flow_id}/{file_name}" if flow_id else file_name
        return _try_fetch(name) or super().build_full_path(flow_id, file_name)


_lfx_resolve_path = CustomComponent.resolve_path


def _resolved_path(path: str) -> str:
    return (_try_fetch(path) if path else None) or _lfx_resolve_path(path)


def _try_fetch(name: str) -> str | None:
    """Returns the local path of a stored file; None when it is a path of another kind."""
    if os.path.exists(name) and not is_fetched(name):
        return None
    try:
        return fetch(name)
    except (HostError, current.NoVertexRun):
        return None


def _local_path(stored: str) -> Path:
    parts = [part for part in PurePosixPath(stored).parts if part not in ("/", "..")]
    return Path(_root, *parts)


def _type_of(field: Any) -> Any:
    return field.get("field_type") if isinstance(field, dict) else getattr(field, "field_type", None)


def _with_stored_paths(value: Any, found: list[str]) -> Any:
    if type(value) is str:
        stored = _stored.get(value)
        if stored is None:
            return value
        found.append(stored)
        return stored
    if type(value) is list:
        return [_with_stored_paths(item, found) for item in value]
    if type(value) is dict:
        return {key: _with_stored_paths(item, found) for key, item in value.items()}
    return value
