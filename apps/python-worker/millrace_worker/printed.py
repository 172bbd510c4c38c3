"""Sends what components print to the executor, up to a limit for each vertex."""

from __future__ import annotations

import io
import sys

from millrace_worker import current

MAXIMUM_CHARACTERS = 64 * 1024


class Printed(io.TextIOBase):
    """Replaces ``sys.stdout`` and ``sys.stderr``. Text outside of a vertex is dropped."""

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        run = current.find()
        if run is not None and run.printed < MAXIMUM_CHARACTERS:
            part = text[: MAXIMUM_CHARACTERS - run.printed]
            run.printed += len(part)
            try:
                run.host.send({"event": "stdout", "run": run.number, "data": part})
            except OSError:
                pass
        return len(text)


def install() -> None:
    sys.stdout = Printed()
    sys.stderr = Printed()
