"""Describes an exception for the executor: its type, its text, its trace and, for an import, the missing module."""

from __future__ import annotations

import traceback

MAXIMUM_TEXT = 20_000
MAXIMUM_TRACE = 20_000


def describe(error: BaseException) -> dict:
    described = {
        "type": type(error).__name__,
        "text": _shortened(_text(error), MAXIMUM_TEXT),
        "trace": _shortened(_trace(error), MAXIMUM_TRACE),
    }
    module = _missing_module(error)
    if module is not None:
        described["module"] = module
    return described


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # An author's exception can fail while it is printed.
        return type(error).__name__


def _trace(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error, limit=-40))
    except Exception:
        return ""


def _missing_module(error: BaseException) -> str | None:
    """lfx reports a failed import as a ValueError with the import's error as its cause."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        if isinstance(cause, ModuleNotFoundError) and cause.name:
            return cause.name
        cause = cause.__cause__ or cause.__context__
    return None


def _shortened(text: str, maximum: int) -> str:
    return text if len(text) <= maximum else text[: maximum // 2] + "\n…\n" + text[-maximum // 2 :]
