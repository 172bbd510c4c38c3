"""
Relays the outgoing connections of a sealed process to the egress proxy of the executor. A listener on the loopback
interface of the process accepts them; they share one Unix connection to the proxy, as streams of it. A thread of the
sealed process passes the bytes on; it has no more rights than the rest of the process.

A frame is kind (1 byte), stream id (4), value (4), big endian, then a payload. The value is the length of the payload;
for CREDIT, which has none, it is the number of further bytes of the stream that the receiver of the frame may send.
HELLO and DATA have a payload. Each direction of a stream starts with a credit of WINDOW_BYTES.
"""

import contextlib
import selectors
import socket
import struct
import threading

_HEADER = struct.Struct(">BII")
HELLO, OPEN, DATA, END, RESET, CREDIT = range(6)
WINDOW_BYTES = 262_144
_CHUNK = 65_536
#: Bytes for the proxy that wait in this process; beyond, nothing more is read from the connections.
_MAXIMUM_WAITING = 1_048_576
_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


def connect(path, label):
    """Connects to the egress proxy's socket file. `label` names this process in the proxy's log."""
    proxy = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        proxy.settimeout(5)
        proxy.connect(path)
        text = label.encode()[:200]
        proxy.sendall(_HEADER.pack(HELLO, 0, len(text)) + text)
    except OSError:
        proxy.close()
        raise
    return proxy


def listen():
    """Returns a listener on a free port of 127.0.0.1."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    return listener


def start(proxy, listener):
    """Passes connections on, in a thread, until the proxy closes its connection."""
    threading.Thread(target=_Relay(proxy, listener).run, name="egress", daemon=True).start()


class _Stream:
    """One connection of a client in this process."""

    def __init__(self, number, client):
        self.number = number
        self.client = client
        self.credit = WINDOW_BYTES
        self.for_client = bytearray()
        self.has_client_ended = False
        self.has_proxy_ended = False


class _Relay:
    def __init__(self, proxy, listener):
        self._proxy = proxy
        self._listener = listener
        self._selector = selectors.DefaultSelector()
        self._streams = {}
        self._next = 1
        self._received = bytearray()
        self._for_proxy = bytearray()

    def run(self):
        self._proxy.setblocking(False)
        self._listener.setblocking(False)
        try:
            self._watch(self._listener, _READ, self._accept)
            while True:
                for stream in self._streams.values():
                    self._watch_stream(stream)
                self._watch(self._proxy, _READ | (_WRITE if self._for_proxy else 0), self._on_proxy)
                for key, events in self._selector.select():
                    key.data(events)
        except (OSError, struct.error):
            pass
        finally:
            for stream in self._streams.values():
                stream.client.close()
            self._listener.close()
            self._proxy.close()

    def _watch(self, one, events, handler):
        key = self._selector.get_map().get(one)
        if key is None:
            if events:
                self._selector.register(one, events, handler)
        elif not events:
            self._selector.unregister(one)
        elif key.events != events:
            self._selector.modify(one, events, handler)

    def _watch_stream(self, stream):
        can_read = not stream.has_client_ended and stream.credit > 0 and len(self._for_proxy) < _MAXIMUM_WAITING
        events = (_READ if can_read else 0) | (_WRITE if stream.for_client else 0)
        self._watch(stream.client, events, lambda ready: self._on_client(stream, ready))

    def _accept(self, _):
        with contextlib.suppress(BlockingIOError, ConnectionError):
            client, _ = self._listener.accept()
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream = _Stream(self._next, client)
            self._next += 1
            self._streams[stream.number] = stream
            self._send(OPEN, stream)

    def _on_client(self, stream, ready):
        # Another event of the same round can have closed the stream.
        if stream.number not in self._streams:
            return
        try:
            if ready & _WRITE:
                self._write(stream)
            if ready & _READ:
                self._read(stream)
        except BlockingIOError:
            pass
        except OSError:
            self._send(RESET, stream)
            self._close(stream)

    def _read(self, stream):
        data = stream.client.recv(min(_CHUNK, stream.credit))
        if data:
            stream.credit -= len(data)
            self._send(DATA, stream, data)
        else:
            stream.has_client_ended = True
            self._send(END, stream)
            self._close_if_ended(stream)

    def _write(self, stream):
        sent = stream.client.send(stream.for_client)
        del stream.for_client[:sent]
        self._for_proxy += _HEADER.pack(CREDIT, stream.number, sent)
        self._end_client(stream)

    def _end_client(self, stream):
        if stream.has_proxy_ended and not stream.for_client:
            stream.client.shutdown(socket.SHUT_WR)
            self._close_if_ended(stream)

    def _close_if_ended(self, stream):
        if stream.has_client_ended and stream.has_proxy_ended and not stream.for_client:
            self._close(stream)

    def _close(self, stream):
        self._watch(stream.client, 0, None)
        del self._streams[stream.number]
        stream.client.close()

    def _send(self, kind, stream, payload=b""):
        self._for_proxy += _HEADER.pack(kind, stream.number, len(payload)) + payload

    def _on_proxy(self, ready):
        with contextlib.suppress(BlockingIOError):
            if ready & _WRITE:
                sent = self._proxy.send(self._for_proxy)
                del self._for_proxy[:sent]
            if ready & _READ:
                data = self._proxy.recv(_CHUNK)
                if not data:
                    raise ConnectionError("the egress proxy closed the connection")
                self._received += data
                self._take_frames()

    def _take_frames(self):
        while len(self._received) >= _HEADER.size:
            kind, number, value = _HEADER.unpack_from(self._received)
            end = _HEADER.size + (value if kind == DATA else 0)
            if len(self._received) < end:
                return
            payload = bytes(self._received[_HEADER.size : end])
            del self._received[:end]
            stream = self._streams.get(number)
            # Frames of a stream that this side has closed are on their way still.
            if stream is not None:
                self._on_frame(stream, kind, value, payload)

    def _on_frame(self, stream, kind, value, payload):
        if kind == DATA:
            stream.for_client += payload
        elif kind == CREDIT:
            stream.credit += value
        elif kind in (END, RESET):
            stream.has_proxy_ended = True
            # After a reset the client still gets what came before.
            stream.has_client_ended = stream.has_client_ended or kind == RESET
            try:
                self._end_client(stream)
            except OSError:
                self._close(stream)
