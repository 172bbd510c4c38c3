"""The outputs of a stock class: those that it declares, and those that its text adds when a field changes.

The node of a file names the method of each output. A stock component runs without an approval, so a file must not be able
to call other methods of its class.
"""

from __future__ import annotations

import ast
import functools
import sys

# The output of a component in tool mode.
TOOLS_METHOD = "to_toolkit"


def stock_outputs(component_class: type, saved: list[dict], wanted: list[str]) -> list[dict]:
    """Returns the saved outputs that the class has. Raises a ValueError when it lacks one that is wanted."""
    declared = _declared_methods(component_class)
    kept = [output for output in saved if _is_one_of(output, declared)]
    if len(kept) < len(saved):
        methods = declared | _methods_in_text(component_class)
        kept = [output for output in saved if _is_one_of(output, methods)]
    names = {output.get("name") for output in kept}
    for output in saved:
        if output.get("name") in wanted and output.get("name") not in names:
            msg = (
                f"{component_class.__name__} has no output with the method {output.get('method')!r}. "
                "Replace the component in the flow by its current version."
            )
            raise ValueError(msg)
    return kept


def _is_one_of(output: dict, methods: frozenset[str]) -> bool:
    # An output without a method cannot call one: the class fails with its own words.
    method = output.get("method")
    return method is None or method in methods


@functools.lru_cache(maxsize=256)
def _declared_methods(component_class: type) -> frozenset[str]:
    lists = [vars(base).get("outputs") for base in component_class.__mro__]
    declared = [output for outputs in lists if isinstance(outputs, list) for output in outputs]
    return frozenset([TOOLS_METHOD, *(output.method for output in declared if output.method)])


@functools.lru_cache(maxsize=256)
def _methods_in_text(component_class: type) -> frozenset[str]:
    """Returns each constant ``method`` of an ``Output(…)`` in the modules of a class and of its base classes."""
    modules = {base.__module__ for base in component_class.__mro__}
    return frozenset(method for module in modules for method in _methods_in_module(module))


def _methods_in_module(name: str) -> set[str]:
    path = getattr(sys.modules.get(name), "__file__", None)
    if path is None or not path.endswith(".py"):
        return set()
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_output(node.func)]
    methods = (keyword.value for call in calls for keyword in call.keywords if keyword.arg == "method")
    return {value.value for value in methods if isinstance(value, ast.Constant) and isinstance(value.value, str)}


def _is_output(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id == "Output"
