"""
Prints, as JSON, what lfx says about its components that execute code: {"listed": [identifier], "classes": [{"class",
"identifiers", "calls"}]}. ``listed`` are the members of all sets of lfx named ..._COMPONENT_TYPES; ``calls`` says whether
the module of the class executes Python.
"""

import ast
import json
import sys
from pathlib import Path

import lfx
from lfx.utils import flow_validation

EXECUTES = {"exec", "eval", "PythonREPL", "CodeAgent", "create_csv_agent", "eval_custom_component_code"}


def attribute(node, name):
    for statement in node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            value = getattr(statement, "value", None)
            return value.value if isinstance(value, ast.Constant) else None
    return None


def classes():
    for file in sorted(Path(lfx.__file__).parent.joinpath("components").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and isinstance(attribute(node, "display_name"), str):
                named = {node.name, attribute(node, "name"), attribute(node, "display_name")}
                yield {
                    "class": node.name,
                    "identifiers": sorted(name for name in named if isinstance(name, str)),
                    "calls": sorted(called & EXECUTES),
                }


listed = {
    identifier
    for name, members in vars(flow_validation).items()
    if name.endswith("_COMPONENT_TYPES")
    for identifier in members
}
json.dump({"listed": sorted(listed), "classes": list(classes())}, sys.stdout)
