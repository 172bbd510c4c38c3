"""Confines a forked process before it runs authors' code: its folder, its environment, its seal, its output."""

from __future__ import annotations

import os
import sys
import sysconfig

import millrace_worker
from millrace_worker import seal


def confine(options: dict, kept: list[int]) -> dict:
    """Confines this process for good, as far as the executor asks.

    options: `scratch` (path) and `seal`: None, which leaves the process open, or `level` (the least that is enough:
    ``required`` or ``partial``) and the options of ``seal.apply`` but `readable`, `scratch`, `keep_fds` and `required`.
    kept: the descriptors that stay open.

    Returns the level and the layers. The caller must end the process unless ``is_enough`` holds.
    """
    scratch = options["scratch"]
    _enter(scratch)
    settings = options["seal"]
    nothing = os.open(os.devnull, os.O_RDWR)
    if settings is None:
        sealed = {"level": "open", "layers": {}}
    else:
        sealed = _seal(settings, scratch, [*kept, nothing, 0, 1, 2])
        os.environ.update(_lfx_environment(scratch))
    _silence(nothing)
    return sealed


def is_enough(options: dict, sealed: dict) -> bool:
    """Whether the level is the demanded one or a higher one."""
    settings = options["seal"]
    if settings is None:
        return True
    return sealed["level"] == "sealed" or (settings["level"] == "partial" and sealed["level"] == "partly")


def readable() -> list[str]:
    """The folders of Python, of its packages and of this package: all that a sealed process imports from."""
    own = os.path.dirname(os.path.abspath(millrace_worker.__file__))
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    # Beside the package is what only the executor's side needs.
    beside = os.path.realpath(os.path.dirname(own))
    paths.update(path for path in sys.path if path and os.path.realpath(path) != beside)
    return sorted({own, *(os.path.abspath(path) for path in paths)})


def _seal(settings: dict, scratch: str, kept: list[int]) -> dict:
    own = {"readable": readable(), "scratch": scratch, "keep_fds": kept}
    required = settings["level"] == "required"
    try:
        return seal.apply({**settings, **own, "required": required})
    except seal.SealError as error:
        return {"level": seal.level_of(error.layers), "layers": error.layers}


def _enter(scratch: str) -> None:
    """Leaves the process nothing of the zygote's environment, and a folder of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, HOME=scratch, TMPDIR=scratch, **_lfx_environment(scratch))
    os.chdir(scratch)


def _lfx_environment(scratch: str) -> dict[str, str]:
    return {
        "LANGFLOW_CONFIG_DIR": scratch,
        "LANGFLOW_USE_NOOP_DATABASE": "true",
        "LANGCHAIN_TRACING_V2": "false",
        "DO_NOT_TRACK": "true",
    }


def _silence(nothing: int) -> None:
    """What native code prints is dropped: it has no vertex, and could be of any length."""
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
