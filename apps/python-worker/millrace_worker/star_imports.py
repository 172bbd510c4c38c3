"""Makes ``from module import *`` usable in authors' texts: lfx imports single names only."""

from __future__ import annotations

import ast
import importlib
import re

IDENTIFIER = re.compile(r"[^\W\d]\w*")


def with_names(text: str) -> str:
    """Returns the text with the names that it uses in place of the stars; imports the modules. Lines stay where they are.

    Raises ModuleNotFoundError. A text that is no Python stays as it is: its error is reported where it is compiled.
    """
    if "*" not in text or "import" not in text:
        return text
    try:
        stars = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]
    except (SyntaxError, ValueError):
        return text
    lines = text.split("\n")
    words = set(IDENTIFIER.findall(text))
    for node in stars:
        if node.module is None or node.level or node.end_lineno != node.lineno:
            continue
        line = lines[node.lineno - 1].encode()
        start, end = line[: node.col_offset], line[node.end_col_offset :]
        lines[node.lineno - 1] = (start + _statement(node.module, words).encode() + end).decode()
    return "\n".join(lines)


def _statement(module: str, words: set[str]) -> str:
    names = sorted(words & _exported(module))
    return f"from {module} import {', '.join(names)}" if names else f"import {module}"


def _exported(name: str) -> set[str]:
    module = importlib.import_module(name)
    declared = getattr(module, "__all__", None)
    return set(declared) if declared is not None else {each for each in vars(module) if not each.startswith("_")}
