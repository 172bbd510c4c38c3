"""Frames: four bytes of length, big-endian, then that many bytes of JSON in UTF-8."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

HEADER_BYTES = 4
READ_BYTES = 1 << 18
# The executor ends a process that sends a frame with more.
MAXIMUM_VALUES = 2_000_000


class FrameTooLarge(ValueError):
    """A frame exceeds the limit that the executor set."""


def encode(frame: dict, maximum_bytes: int) -> bytes:
    data = _json(frame, ensure_ascii=False)
    if len(data) > maximum_bytes:
        msg = f"The values of the component are larger than {maximum_bytes >> 20} MiB."
        raise FrameTooLarge(msg)
    # A value is followed by a comma, or is the last one of a list or an object: few frames have to be counted.
    if len(data) > 2 * MAXIMUM_VALUES and data.count(b",") + data.count(b"[") + data.count(b"{") >= MAXIMUM_VALUES:
        _check_count(frame)
    return len(data).to_bytes(HEADER_BYTES, "big") + data


def _check_count(frame: dict) -> None:
    count = 0
    found: list[Any] = [frame]
    while found:
        value = found.pop()
        count += 1
        if isinstance(value, dict):
            found.extend(value.values())
        elif isinstance(value, list):
            found.extend(value)
    if count > MAXIMUM_VALUES:
        msg = f"The values of the component have more than {MAXIMUM_VALUES} parts."
        raise FrameTooLarge(msg)


def _json(frame: dict, *, ensure_ascii: bool) -> bytes:
    text = json.dumps(frame, ensure_ascii=ensure_ascii, separators=(",", ":"), check_circular=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # A text with a lone surrogate has no UTF-8; as an escape it arrives as it is.
        return _json(frame, ensure_ascii=True)


class FrameSocket:
    """A blocking socket with frames. Any thread can send; one thread at a time receives."""

    def __init__(self, connection: socket.socket, maximum_bytes: int) -> None:
        self._socket = connection
        self._maximum_bytes = maximum_bytes
        self._lock = threading.Lock()
        self._received = bytearray()
        self._buffer = memoryview(bytearray(READ_BYTES))

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def send(self, frame: dict) -> None:
        data = encode(frame, self._maximum_bytes)
        with self._lock:
            self._socket.sendall(data)

    def fill(self) -> bool:
        """Waits for data and reads it; False at the end of the stream."""
        data = self._socket.recv(READ_BYTES)
        self._received += data
        return bool(data)

    def read_arrived(self) -> bool:
        """Reads all that has arrived, without waiting; False at the end of the stream."""
        while True:
            try:
                # A new buffer for each call would be a mapping of its own.
                count = self._socket.recv_into(self._buffer, 0, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return True
            self._received += self._buffer[:count]
            if count < READ_BYTES:
                return count > 0

    def take(self) -> dict[str, Any] | None:
        """Returns the next complete frame that was read; None without one."""
        if len(self._received) < HEADER_BYTES:
            return None
        length = int.from_bytes(self._received[:HEADER_BYTES], "big")
        if length > self._maximum_bytes:
            msg = f"A frame of {length} bytes is larger than {self._maximum_bytes}."
            raise FrameTooLarge(msg)
        end = HEADER_BYTES + length
        if len(self._received) < end:
            return None
        frame = json.loads(self._received[HEADER_BYTES:end].decode("utf-8", errors="surrogatepass"))
        del self._received[:end]
        return frame
