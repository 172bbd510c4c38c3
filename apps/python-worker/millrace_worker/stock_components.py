"""The component classes of lfx and of its bundles, by the type that flow files use; found without importing them.

lfx's package contains an index of most of its components. The other classes are read from the sources: those that lfx
keeps for old flows, and those of bundles, which are separate packages named ``lfx_<bundle>``. The type of a component is
the ``name`` of its class, else the name of the class.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

INDEX = Path("_assets", "component_index.json")
ALIASES = Path("utils", "component_aliases.py")
# Components that Langflow no longer offers; a newer one with the same type comes first.
RETIRED = "deactivated"


def stock_components(lfx: Path, bundles: list[Path]) -> dict[str, str]:
    """Returns the import path of each component by its type, and by the name of its class where no type has that name.

    ``lfx`` and ``bundles`` are the folders of the packages.
    """
    found = list(_indexed(lfx))
    modules = {path.rpartition(".")[0] for _, path in found}
    found += _of_sources(lfx / "components", "lfx.components", modules)
    for bundle in bundles:
        found += _of_sources(bundle, bundle.name, modules)
    found.sort(key=lambda one: f".{RETIRED}." in one[1])
    components: dict[str, str] = {}
    for name, path in found:
        components.setdefault(name, path)
    for _, path in found:
        components.setdefault(path.rpartition(".")[2], path)
    for old, name in _aliases(lfx).items():
        path = components.get(name.rpartition(":")[2].partition("@")[0])
        if path is not None:
            components.setdefault(old, path)
    return components


def _indexed(lfx: Path) -> Iterator[tuple[str, str]]:
    try:
        entries = json.loads((lfx / INDEX).read_text(encoding="utf-8"))["entries"]
    except FileNotFoundError:
        return
    for _, components in entries:
        for name, component in components.items():
            yield name, component["metadata"]["module"]


def _of_sources(folder: Path, package: str, known_modules: set[str]) -> list[tuple[str, str]]:
    found = []
    for file in sorted(folder.rglob("*.py")):
        module = ".".join([package, *file.relative_to(folder).with_suffix("").parts])
        if file.name == "__init__.py" or module in known_modules:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if "display_name" not in text:
            continue
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        found += [(_type_of(node), f"{module}.{node.name}") for node in tree.body if _is_component(node)]
    return found


def _is_component(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ClassDef) or node.name.startswith(("_", "Base")):
        return False
    return bool(node.bases) and isinstance(_attribute(node, "display_name"), str)


def _type_of(node: ast.ClassDef) -> str:
    name = _attribute(node, "name")
    return name if isinstance(name, str) and name else node.name


def _attribute(node: ast.ClassDef, name: str) -> object:
    """Returns the constant that a class assigns to a name; None when it assigns none."""
    for statement in node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            value = getattr(statement, "value", None)
            return value.value if isinstance(value, ast.Constant) else None
    return None


def _aliases(lfx: Path) -> dict[str, str]:
    """Returns lfx's table of types that were renamed: the new type by the old one."""
    try:
        tree = ast.parse((lfx / ALIASES).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    for statement in tree.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if statement.target.id == "LEGACY_TYPE_ALIASES" and statement.value is not None:
                return ast.literal_eval(statement.value)
    return {}
