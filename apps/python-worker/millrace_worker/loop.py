"""The event loop in which components run."""

from __future__ import annotations

import asyncio
import functools
from typing import Any


class Loop(asyncio.SelectorEventLoop):
    """A loop whose threads end each call: no future takes a StopIteration, and its reader would wait without end."""

    def run_in_executor(self, executor: Any, func: Any, *arguments: Any) -> Any:
        return super().run_in_executor(executor, functools.partial(_call, func), *arguments)


def _call(func: Any, *arguments: Any) -> Any:
    try:
        return func(*arguments)
    except StopIteration as error:
        # As generators and coroutines do.
        msg = "component raised StopIteration"
        raise RuntimeError(msg) from error
