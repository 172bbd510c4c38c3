"""Conversations with a model, between LangChain's messages and frames."""

from __future__ import annotations

import json
import re
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.ai import UsageMetadata

DATA_URL = re.compile(r"data:([a-z]+/[a-zA-Z0-9.+-]+);base64,(.*)", re.DOTALL)


def content_text(content: Any) -> str:
    """Returns the text of a message's content: a text, or a list of texts and parts."""
    if isinstance(content, str):
        return content
    return "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in content)


def to_frame(message: BaseMessage) -> dict:
    text = content_text(message.content)
    if isinstance(message, SystemMessage):
        return {"role": "system", "content": text}
    if isinstance(message, ToolMessage):
        return {"role": "tool", "content": text, "callId": message.tool_call_id, "name": message.name or ""}
    if isinstance(message, AIMessage):
        calls = [
            {"id": call["id"] or "", "name": call["name"], "argumentsText": json.dumps(call["args"])}
            for call in message.tool_calls
        ]
        return {"role": "assistant", "content": text} | ({"toolCalls": calls} if calls else {})
    images = [image for part in _parts(message.content) if (image := _image(part)) is not None]
    return {"role": "user", "content": text} | ({"images": images} if images else {})


def from_frame(frame: dict) -> BaseMessage:
    role, text = frame["role"], frame["content"]
    if role == "system":
        return SystemMessage(text)
    if role == "tool":
        return ToolMessage(text, tool_call_id=frame["callId"], name=frame["name"])
    if role == "assistant":
        return AIMessage(text, **tool_calls(frame.get("toolCalls", [])))
    images = frame.get("images", [])
    if not images:
        return HumanMessage(text)
    parts: list = [{"type": "text", "text": text}]
    parts += [
        {"type": "image_url", "image_url": {"url": f"data:{image['mimeType']};base64,{image['base64']}"}}
        for image in images
    ]
    return HumanMessage(parts)


def tool_calls(calls: list[dict]) -> dict:
    """Returns the arguments of an AIMessage for calls as the model wrote them."""
    valid, invalid = [], []
    for call in calls:
        try:
            arguments = json.loads(call["argumentsText"] or "{}")
        except ValueError:
            arguments = None
        if isinstance(arguments, dict):
            valid.append({"name": call["name"], "args": arguments, "id": call["id"], "type": "tool_call"})
        else:
            invalid.append(
                {
                    "name": call["name"],
                    "args": call["argumentsText"],
                    "id": call["id"],
                    "error": "The arguments are not a JSON object.",
                    "type": "invalid_tool_call",
                }
            )
    return {"tool_calls": valid, "invalid_tool_calls": invalid}


def usage(counted: dict | None) -> UsageMetadata | None:
    if counted is None:
        return None
    sent, received = counted.get("input_tokens") or 0, counted.get("output_tokens") or 0
    return UsageMetadata(
        input_tokens=sent, output_tokens=received, total_tokens=counted.get("total_tokens") or sent + received
    )


def answer_frame(message: BaseMessage) -> dict:
    """Returns a model's answer for the executor."""
    calls = [
        {"id": call["id"] or "", "name": call["name"], "argumentsText": json.dumps(call["args"])}
        for call in getattr(message, "tool_calls", [])
    ]
    counted = getattr(message, "usage_metadata", None)
    return {
        "text": content_text(message.content),
        "toolCalls": calls,
        "usage": None
        if counted is None
        else {name: counted.get(name) for name in ("input_tokens", "output_tokens", "total_tokens")},
    }


def _parts(content: Any) -> list[dict]:
    return [] if isinstance(content, str) else [part for part in content if isinstance(part, dict)]


def _image(part: dict) -> dict | None:
    if part.get("type") == "image_url":
        url = part.get("image_url")
        found = DATA_URL.fullmatch(url if isinstance(url, str) else (url or {}).get("url", ""))
        return None if found is None else {"mimeType": found[1], "base64": found[2]}
    if part.get("type") == "image" and (part.get("source_type") == "base64" or "base64" in part):
        return {"mimeType": part.get("mime_type", "image/png"), "base64": part.get("data") or part.get("base64")}
    return None
