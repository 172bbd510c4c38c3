"""Component classes of authors' texts and of lfx, compiled once in a process."""

from __future__ import annotations

import hashlib
import importlib
import re
import threading
from collections import OrderedDict
from typing import Any

from lfx.custom.eval import eval_custom_component_code

from millrace_worker.star_imports import with_names

MAXIMUM_CLASSES = 256
# Components of lfx, and of its bundles, which are packages named lfx_….
STOCK_MODULE = re.compile(r"(?:lfx\.(?:components|base)|lfx_[a-z0-9_]+)\.[A-Za-z0-9_.]+")


class Compiled:
    def __init__(self) -> None:
        # The executor sends each text once, and only texts of one flow version.
        self._texts: dict[str, str] = {}
        self._classes: OrderedDict[tuple[str, str], type] = OrderedDict()
        self._lock = threading.Lock()

    def component_class(self, frame: dict) -> type:
        """Returns the class of a ``run`` or ``check`` frame: of lfx's module, or of the text with this SHA-256."""
        known = self.known_class(frame)
        if known is not None:
            return known
        module = frame.get("module")
        key = _key_of(frame)
        created = _stock_class(module) if module else _own_class(self._text(frame), key[1])
        with self._lock:
            _remember(self._classes, key, created)
        return created

    def known_class(self, frame: dict) -> type | None:
        """Returns a class that was compiled before; None for another one."""
        key = _key_of(frame)
        with self._lock:
            known = self._classes.get(key)
            if known is not None:
                self._classes.move_to_end(key)
        return known

    def _text(self, frame: dict) -> str:
        digest = frame["codeHash"]
        text = frame.get("code")
        if text is None:
            text = self._texts.get(digest)
            if text is None:
                msg = "The text of the component was not sent to this process."
                raise RuntimeError(msg)
            return text
        if hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest() != digest:
            msg = "The text of the component does not have the announced SHA-256."
            raise RuntimeError(msg)
        self._texts[digest] = text
        return text


def _key_of(frame: dict) -> tuple[str, str]:
    return frame.get("module") or frame["codeHash"], class_name(frame["type"])


def class_name(node_type: str) -> str:
    """``ext:<bundle>:<Class>@<slot>`` names its class; other types are names of classes, or of nothing in the text."""
    return node_type.rpartition(":")[2].partition("@")[0] if node_type.startswith("ext:") else node_type


def _own_class(text: str, name: str) -> type:
    return eval_custom_component_code(with_names(text), class_name=name)


def _stock_class(name: str) -> type:
    if STOCK_MODULE.fullmatch(name) is None:
        msg = f"{name} is not a component of lfx."
        raise ValueError(msg)
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _remember(cache: OrderedDict, key: Any, value: Any) -> None:
    cache[key] = value
    if len(cache) > MAXIMUM_CLASSES:
        cache.popitem(last=False)
