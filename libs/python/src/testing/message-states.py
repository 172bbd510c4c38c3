"""
Prints, as JSON, [{"case", "built", "validated"}]: the state of messages as the worker decodes them, and as pydantic makes
them of the same members. The argument is the folder of the worker.
"""

import itertools
import json
import sys

sys.path.insert(0, sys.argv[1])

from lfx.schema.message import Message  # noqa: E402
from lfx.schema.properties import Properties, Source  # noqa: E402
from millrace_worker import messages  # noqa: E402


def state(message):
    fields = message.__dict__
    return {
        "fields": [[name, repr(value)] for name, value in fields.items()],
        "data": [[name, repr(value)] for name, value in message.data.items()],
        # Whether `data` has the same object as the field; texts are never changed in place.
        "shared": [name for name, value in message.data.items() if type(value) is not str and value is fields.get(name)],
        "set": sorted(message.__pydantic_fields_set__),
        "other": repr((message.__pydantic_extra__, message.__pydantic_private__)),
        "properties": sorted(message.properties.__pydantic_fields_set__),
        "source": sorted(message.properties.source.__pydantic_fields_set__),
    }


def validated(content):
    given = content["fields"]
    order = messages._STORED_ORDER if "id" in given else messages._NEW_ORDER
    members = {}
    for name in order:
        value = {**messages.DEFAULTS, **given, "text": content["text"]}.get(name)
        if name == "properties":
            value = Properties(**{**value, "source": Source(**value["source"])})
        if value is not None or name in messages._NULLABLE:
            members[name] = list(value) if type(value) is list else value
    extra = dict(content.get("extra", {}))
    if "data" in extra:
        extra["data"] = {"data": extra["data"]}
    return Message(**members, **extra)


def contents():
    timestamps = ("2026-11-24 14:00:00.123456 UTC", "2026-11-24T14:00:00", "2026-11-24 14:00:00,123456 UTC")
    choices = itertools.product([None, "id"], [None, "User"], ["", "s"], timestamps, ["message", "error"], [None, 3])
    for identity, sender, session, timestamp, category, duration in choices:
        fields = {"id": identity, "sender": sender, "session_id": session, "timestamp": timestamp, "duration": duration}
        fields |= {"category": category, "error": category == "error"}
        yield {"text": "a", "fields": {name: value for name, value in fields.items() if value is not None}}
    fields = {"timestamp": timestamps[0]}
    yield {"text": "", "fields": {**fields, "session_metadata": {"a": 1}}}
    yield {"text": "a", "fields": {**fields, "files": ["flow/a.txt"]}}
    yield {"text": "a", "fields": {**fields, "content_blocks": [{"type": "text", "text": "b"}]}}
    yield {"text": "a", "fields": {**fields, "properties": {**messages.DEFAULTS["properties"], "icon": "b"}}}
    yield {"text": "a", "fields": fields, "extra": {"own": 1}}
    yield {"text": "a", "fields": fields, "extra": {"own": 1, "data": [{"text": "b"}]}}


def compared(content):
    outcomes = []
    for make in (lambda: messages.decode_message(content, lambda value: value), lambda: validated(content)):
        try:
            outcomes.append(state(make()))
        except ValueError as error:
            outcomes.append(str(error))
    return {"case": content, "built": outcomes[0], "validated": outcomes[1]}


json.dump([compared(content) for content in contents()], sys.stdout)
