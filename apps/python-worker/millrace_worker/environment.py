"""Describes the environment of this interpreter: prints one JSON object.

``{"python": version, "lfx": version or "", "components": {type: import path}, "modules": [name]}``. ``modules`` are the
names that ``import`` finds at the top level. Runs as a file with ``python -I -B``, without importing lfx. An interpreter
that is too old for lfx prints its version alone, so this file uses the syntax of old versions.
"""

import importlib.machinery
import json
import os
import platform
import sys
from typing import Optional

OLDEST = (3, 10)


def describe() -> dict:
    described = {"python": platform.python_version(), "lfx": "", "components": {}, "modules": []}
    if sys.version_info < OLDEST:
        return described
    modules = _installed_modules()
    described["modules"] = sorted(modules | sys.stdlib_module_names)
    described["lfx"] = _version("lfx")
    if described["lfx"]:
        described["components"] = _components(modules)
    return described


def _version(distribution: str) -> str:
    import importlib.metadata

    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _components(modules: set) -> dict:
    # An isolated interpreter does not search the folder of its script.
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from stock_components import stock_components

    lfx = _folder("lfx")
    bundles = [_folder(name) for name in sorted(modules) if name.startswith("lfx_")]
    return {} if lfx is None else stock_components(lfx, [bundle for bundle in bundles if bundle is not None])


def _folder(package: str):
    import importlib.util
    from pathlib import Path

    spec = importlib.util.find_spec(package)
    folders = list(spec.submodule_search_locations or []) if spec is not None else []
    return Path(folders[0]) if folders else None


def _installed_modules() -> set:
    """Returns the names of files and folders that the interpreter imports, but for its standard library."""
    library = os.path.dirname(os.__file__)
    names = set()
    for folder in sys.path:
        if folder in (library, os.path.join(library, "lib-dynload")) or not os.path.isdir(folder):
            continue
        for entry in os.scandir(folder):
            name = _module_name(entry)
            if name is not None and name.isidentifier() and name != "__pycache__":
                names.add(name)
    return names


def _module_name(entry: os.DirEntry) -> Optional[str]:
    if entry.is_dir():
        return entry.name
    for suffix in importlib.machinery.all_suffixes():
        if entry.name.endswith(suffix):
            return entry.name[: -len(suffix)]
    return None


if __name__ == "__main__":
    json.dump(describe(), sys.stdout)
