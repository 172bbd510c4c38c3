"""Messages as JSON and back: the content of a ``$message``.

Members with the value of ``DEFAULTS`` are left out of a frame, because most messages have it. A message of the executor
is built without pydantic's validation where the executor's types leave nothing to validate or convert: validation takes
most of the time of a small vertex.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime
from types import NoneType
from typing import Any

from lfx.schema.image import Image
from lfx.schema.legacy_render import render_v1_content_blocks
from lfx.schema.message import Message
from lfx.schema.properties import Properties, Source, Usage
from pydantic import BaseModel

_PLAIN_FIELDS = (
    "sender",
    "sender_name",
    "session_id",
    "context_id",
    "flow_id",
    "run_id",
    "timestamp",
    "error",
    "edit",
    "category",
    "duration",
    "session_metadata",
)
_DEFAULT_PROPERTIES = Properties().model_dump(mode="json")
DEFAULTS: dict[str, Any] = {
    "session_id": "",
    "context_id": "",
    "error": False,
    "edit": False,
    "category": "message",
    "files": [],
    "properties": _DEFAULT_PROPERTIES,
    "content_blocks": [],
}
_NULLABLE = ("sender", "sender_name", "run_id", "flow_id", "duration", "session_metadata")
_NEW_ORDER = (
    "text",
    "files",
    "sender",
    "sender_name",
    "session_id",
    "context_id",
    "run_id",
    "timestamp",
    "flow_id",
    "error",
    "edit",
    "properties",
    "category",
    "content_blocks",
    "duration",
    "session_metadata",
)
_STORED_ORDER = (
    "timestamp",
    "sender",
    "sender_name",
    "session_id",
    "context_id",
    "text",
    "files",
    "error",
    "edit",
    "properties",
    "category",
    "content_blocks",
    "session_metadata",
    "id",
    "flow_id",
    "run_id",
    "duration",
)
DECLARED = {*_PLAIN_FIELDS, "text", "files", "properties", "content_blocks", "id", "text_key", "default_value"}

_MISSING = object()
_TEXT = frozenset({str})
_TEXT_OR_NONE = frozenset({str, NoneType})
# The types with which a member stays as it is in pydantic's validation. Files and content blocks do not.
_VALID_TYPES: dict[str, frozenset[type]] = {
    "text": _TEXT,
    "sender": _TEXT_OR_NONE,
    "sender_name": _TEXT_OR_NONE,
    "session_id": _TEXT,
    "context_id": _TEXT,
    "run_id": _TEXT_OR_NONE,
    "flow_id": _TEXT_OR_NONE,
    "timestamp": _TEXT,
    "error": frozenset({bool}),
    "edit": frozenset({bool}),
    "category": _TEXT,
    "duration": frozenset({int, NoneType}),
    "session_metadata": frozenset({NoneType}),
}
_CATEGORIES = frozenset({"message", "error", "warning", "info"})
_MODEL_FIELDS = frozenset(Message.model_fields)


def encode_message(message: Message, encode: Callable[[Any], Any], add_reference: Callable[[Any], int]) -> dict:
    """Returns the content of a ``$message``; the text of a stream is left to the one who reads it."""
    stream = message.text_stream
    fields: dict[str, Any] = {}
    for name in _PLAIN_FIELDS:
        value = getattr(message, name, None)
        # 0 is equal to False.
        if value is not None and (type(value) is int or DEFAULTS.get(name) != value):
            fields[name] = encode(value)
    if message.files:
        fields["files"] = [file.path if isinstance(file, Image) else str(file) for file in message.files]
    properties = _encoded_properties(message.properties)
    if properties != _DEFAULT_PROPERTIES:
        fields["properties"] = properties
    # The executor keeps blocks as Langflow's API shows them, without the text, which can change there.
    blocks = render_v1_content_blocks(message.content_blocks) if message.content_blocks else None
    if blocks:
        fields["content_blocks"] = encode(blocks)
    identity = message.get_id()
    if identity is not None:
        fields["id"] = str(identity)
    encoded = {"text": "" if stream is not None else str(message.text), "fields": fields}
    extra = {
        str(key): encode(item)
        for key, item in message.data.items()
        if key not in DECLARED and not isinstance(item, (Iterator, AsyncIterator))
    }
    if extra:
        encoded["extra"] = extra
    if stream is not None:
        encoded["stream"] = add_reference(stream)
    return encoded


def decode_message(content: dict, decode: Callable[[Any], Any]) -> Message:
    given = content["fields"]
    members: dict[str, Any] = {}
    # The order of these members is the order of the keys in `data`, and of columns and texts made from it.
    for name in _STORED_ORDER if "id" in given else _NEW_ORDER:
        value = given.get(name, _MISSING)
        if value is _MISSING:
            if name in DEFAULTS:
                members[name] = _default(name)
            elif name in _NULLABLE:
                members[name] = None
            elif name == "text":
                members[name] = content["text"]
        elif name == "properties":
            members[name] = _properties(decode(value) or {})
        else:
            members[name] = decode(value)
    extra = content.get("extra")
    if not extra and _is_valid(members):
        return _built(members)
    own = {key: decode(item) for key, item in (extra or {}).items()}
    # A member `data` is inside the data of the message.
    if "data" in own:
        own["data"] = {"data": own["data"]}
    return Message(**members, **own)


def _default(name: str) -> Any:
    if name == "properties":
        return _default_properties()
    value = DEFAULTS[name]
    return list(value) if type(value) is list else value


def _is_valid(members: dict[str, Any]) -> bool:
    """Returns whether pydantic would keep each member as it is."""
    for name, types in _VALID_TYPES.items():
        if type(members.get(name)) not in types:
            return False
    return (
        not members["files"]
        and not members["content_blocks"]
        and members["category"] in _CATEGORIES
        and _is_timestamp(members["timestamp"])
    )


def _is_timestamp(text: str) -> bool:
    """Returns whether a text is a time as lfx writes it, ``YYYY-mm-dd HH:MM:SS.ffffff UTC``."""
    try:
        return text[0] != "0" and f"{datetime.fromisoformat(text[:-4]).isoformat(' ', 'microseconds')} UTC" == text
    except (ValueError, IndexError):
        return False


def _built(members: dict[str, Any]) -> Message:
    """Returns ``Message(**members)``. Its fields have copies of the lists that `data` has, as after a validation."""
    fields = {name: members.get(name) for name in Message.model_fields}
    fields["text_key"] = "text"
    fields["default_value"] = ""
    fields["data"] = members
    fields["files"] = []
    fields["content_blocks"] = []
    message = Message.__new__(Message)
    object.__setattr__(message, "__dict__", fields)
    object.__setattr__(message, "__pydantic_fields_set__", (members.keys() & _MODEL_FIELDS) | {"data"})
    object.__setattr__(message, "__pydantic_extra__", None)
    object.__setattr__(message, "__pydantic_private__", None)
    return message


def _default_properties() -> Properties:
    """Returns what ``_properties(_DEFAULT_PROPERTIES)`` does."""
    properties = Properties.__new__(Properties)
    fields = dict(_DEFAULT_PROPERTIES)
    fields["source"] = Source(**_DEFAULT_PROPERTIES["source"])
    fields["targets"] = []
    object.__setattr__(properties, "__dict__", fields)
    object.__setattr__(properties, "__pydantic_fields_set__", set(fields))
    object.__setattr__(properties, "__pydantic_extra__", None)
    object.__setattr__(properties, "__pydantic_private__", None)
    return properties


def _properties(fields: dict) -> Properties:
    source = fields.get("source") or {}
    usage = fields.get("usage")
    return Properties(
        **{
            **fields,
            "source": source if isinstance(source, str) else Source(**source),
            "usage": None if usage is None else Usage(**usage),
        }
    )


def _encoded_properties(properties: Any) -> Any:
    if type(properties) is Properties:
        fields = properties.__dict__
        if type(fields["source"]) is Source and fields["usage"] is None and not fields["targets"]:
            return {**fields, "source": dict(fields["source"].__dict__)}
    return properties.model_dump(mode="json") if isinstance(properties, BaseModel) else properties
