"""Makes ``langflow.*`` importable under Langflow's own name where only lfx is installed."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType

OLD = "langflow"
NEW = "lfx"


class _SameModule(importlib.abc.Loader):
    """Returns a module that is already loaded, and leaves its own spec in place."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, _spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


class RenamedModules(importlib.abc.MetaPathFinder):
    """Finds ``langflow.x`` as ``lfx.x``."""

    def find_spec(self, name: str, _path=None, _target=None) -> importlib.machinery.ModuleSpec | None:
        if name != OLD and not name.startswith(OLD + "."):
            return None
        renamed = NEW + name[len(OLD) :]
        try:
            module = importlib.import_module(renamed)
        except ModuleNotFoundError as error:
            if error.name is not None and (error.name + ".").startswith(NEW + "."):
                return None
            raise
        return importlib.util.spec_from_loader(name, _SameModule(module), is_package=hasattr(module, "__path__"))


def install() -> None:
    """Adds the finder, unless Langflow itself is installed.

    The finder precedes the one of the file system, which would find the files of ``lfx`` below ``langflow`` and load each
    module a second time, with classes of its own.
    """
    if any(isinstance(finder, RenamedModules) for finder in sys.meta_path):
        return
    if importlib.util.find_spec(OLD) is None:
        sys.meta_path.insert(0, RenamedModules())
