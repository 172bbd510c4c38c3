"""lfx's message memory, kept by the executor: messages of the run's flow, under the executor's rules of visibility."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from lfx.schema.message import Message

from millrace_worker import current, files

DEFAULT_LIMIT = 10_000


def get_messages(*arguments: Any, **options: Any) -> list[Message]:
    run = current.require()
    return run.values.decode(run.host.call("messages.read", _query(*arguments, **options)))


async def aget_messages(*arguments: Any, **options: Any) -> list[Message]:
    run = current.require()
    return run.values.decode(await run.host.call_async("messages.read", _query(*arguments, **options)))


def store_message(message: Message, **_options: Any) -> list[Message]:
    run = current.require()
    return [run.values.decode(run.host.call("messages.store", {"message": _encoded(message)}))]


async def astore_message(message: Message, **_options: Any) -> list[Message]:
    run = current.require()
    stored = await run.host.call_async("messages.store", {"message": _encoded(message)})
    return [run.values.decode(stored)]


def add_messages(messages: Message | list[Message], **_options: Any) -> list[Message]:
    return [stored for message in _list(messages) for stored in store_message(message)]


async def aadd_messages(messages: Message | list[Message], **_options: Any) -> list[Message]:
    return [stored for message in _list(messages) for stored in await astore_message(message)]


async def aadd_messagetables(*_arguments: Any, **_options: Any) -> list[Message]:
    return _unchangeable()


async def aupdate_messages(*_arguments: Any, **_options: Any) -> list[Message]:
    return _unchangeable()


async def adelete_messages(*_arguments: Any, **_options: Any) -> None:
    _unchangeable()


def delete_messages(*_arguments: Any, **_options: Any) -> None:
    _unchangeable()


async def delete_message(id_: Any = None, **_options: Any) -> None:
    """Agents delete the partial message of a run that fails: it was never stored."""
    if current.require().sent.get(str(id_), "") is not None:
        _unchangeable()


async def send_message(self: Any, message: Message, id_: str | None = None, *, skip_db_update: bool = False) -> Message:
    """``Component.send_message``: the executor stores the message and streams it to the caller.

    A message that is partial, or an update of the stream only, has an id and stays here: the complete message follows.
    """
    del id_
    run = current.require()
    if message.text_stream is None and (skip_db_update or message.properties.state == "partial"):
        if not message.has_id():
            message.id = str(uuid4())
        run.sent.setdefault(str(message.id), None)
        self.status = message
        return message
    await send_held(run)
    if message.text_stream is None and run.feeds_chat:
        sent = _complete(self, message)
        run.held = sent
    else:
        sent = await _send(run, message)
    if sent.has_id():
        run.sent[str(sent.get_id())] = str(sent.text)
    self.status = sent
    return sent


async def send_held(run: current.CurrentRun, outputs: Iterable[Any] = ()) -> None:
    """Sends the message that waits, unless the chat output after the vertex gets it and sends it itself.

    The last message of a vertex before a chat output waits until the vertex ends or sends another one: it is usually
    the answer, which would be in the session twice.
    """
    held, run.held = run.held, None
    if held is None or any(isinstance(value, Message) and value.get_id() == held.get_id() for value in outputs):
        return
    await _send(run, held)


async def _send(run: current.CurrentRun, message: Message) -> Message:
    return run.values.decode(
        await run.host.call_async("messages.send", {"message": _encoded(message)})
    )


def _complete(component: Any, message: Message) -> Message:
    """Returns a message with what every stored one has."""
    message.sender = message.sender or "Machine"
    message.sender_name = message.sender_name or "AI"
    message.session_id = message.session_id or component.graph.session_id
    message.properties.state = "complete"
    if not message.has_id():
        message.id = str(uuid4())
    return message


async def update_stored_message(self: Any, message: Message) -> Message:
    """``Component._update_stored_message``: adds token counts to a message that the vertex sent.

    The counts reach the output of the vertex only; the stored message stays as it is.
    """
    del self
    if not message.has_id() or current.require().sent.get(str(message.get_id())) != str(message.text):
        _unchangeable()
    return message


async def send_error(self: Any, *_arguments: Any, **_options: Any) -> None:
    """``Component.send_error``: the executor reports errors of components itself."""
    del self


def _encoded(message: Message) -> Any:
    encoded, _ = files.with_stored_paths(current.require().values.encode(message))
    return encoded


def _list(messages: Message | list[Message]) -> list[Message]:
    return messages if isinstance(messages, list) else [messages]


def _query(
    sender: str | None = None,
    sender_name: str | None = None,
    session_id: Any = None,
    context_id: Any = None,
    order_by: str | None = "timestamp",
    order: str | None = "DESC",
    flow_id: Any = None,
    limit: int | None = None,
    **_options: Any,
) -> dict:
    del order_by, flow_id
    query = {
        "session_id": None if session_id is None else str(session_id),
        "order": "ascending" if (order or "").upper().startswith("ASC") else "descending",
        "limit": DEFAULT_LIMIT if limit is None else limit,
        "sender": sender,
        "sender_name": sender_name,
        "context_id": None if context_id is None else str(context_id),
    }
    return {name: value for name, value in query.items() if value not in (None, "")}


def _unchangeable() -> Any:
    msg = "A component can add messages to a session; it cannot change or delete stored ones."
    raise NotImplementedError(msg)
