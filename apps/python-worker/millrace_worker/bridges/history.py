"""A chat memory of the executor."""

from __future__ import annotations

from typing import Any

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from millrace_worker.bridges.chat import content_text


class HostHistory(BaseChatMessageHistory):
    def __init__(self, host: Any, handle: int, session_id: str) -> None:
        self._host = host
        self.handle = handle
        self.session_id = session_id

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        found = self._host.call("history.read", {"handle": self.handle, "session_id": self.session_id})
        return [as_message(record) for record in found]

    def add_messages(self, messages: Any) -> None:
        for message in messages:
            self._host.call(
                "history.add",
                {"handle": self.handle, "session_id": self.session_id, **as_record(message)},
            )

    def clear(self) -> None:
        msg = "A component can add messages to a memory; it cannot delete stored ones."
        raise NotImplementedError(msg)


def as_message(record: dict) -> BaseMessage:
    return HumanMessage(record["text"]) if record["sender"] == "User" else AIMessage(record["text"])


def as_record(message: BaseMessage) -> dict:
    return {"sender": "User" if message.type == "human" else "Machine", "text": content_text(message.content)}
