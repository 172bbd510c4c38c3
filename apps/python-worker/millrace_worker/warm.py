"""Runs components of this file once, so that a forked process finds all modules and caches filled."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import time
import warnings

from langchain_core.messages import HumanMessage
from langchain_core.tools import StructuredTool
from lfx.services.deps import get_settings_service

from millrace_worker import adapted, current, renamed
from millrace_worker.bridges import build, describe
from millrace_worker.compiled import Compiled
from millrace_worker.references import References
from millrace_worker.values import Values
from millrace_worker.vertex_run import VertexRun

COMPONENT = """
from lfx.custom.custom_component.component import Component
from lfx.io import BoolInput, DataInput, IntInput, MessageTextInput, MultilineInput, Output, SecretStrInput
from lfx.schema.data import Data
from lfx.schema.dataframe import DataFrame
from lfx.schema.message import Message


class Warm(Component):
    display_name = "Warm"
    inputs = [
        MessageTextInput(name="text", tool_mode=True),
        MultilineInput(name="lines"),
        IntInput(name="number"),
        BoolInput(name="flag"),
        DataInput(name="data"),
        SecretStrInput(name="secret"),
    ]
    outputs = [
        Output(name="message", method="message_out"),
        Output(name="data_out", method="data_method"),
        Output(name="table", method="table_out"),
        Output(name="waited", method="waited_out"),
    ]

    def message_out(self) -> Message:
        self.log("warm")
        return Message(text=f"{self.text}{self.number}")

    def data_method(self) -> Data:
        return Data(data={"a": 1})

    def table_out(self) -> DataFrame:
        return DataFrame([{"a": 1, "b": 2.5, "c": "x"}, {"a": 2}])

    async def waited_out(self) -> Message:
        return Message(text="waited")
"""


def warm() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.INFO)
    adapted.adapt()
    # Loads lfx's services, which each process uses for its files.
    get_settings_service()
    asyncio.run(_run())
    renamed.install()
    deadline = time.monotonic() + 5
    while threading.active_count() > 1 and time.monotonic() < deadline:
        time.sleep(0.01)


async def _run() -> None:
    references = References()
    values = Values(None, references)
    frame = {
        "run": 0,
        "codeHash": hashlib.sha256(COMPONENT.encode()).hexdigest(),
        "code": COMPONENT,
        "type": "Warm",
        "id": "Warm-1",
        "node": {"outputs": []},
        "fields": {"text": {"$message": {"text": "a", "fields": {}}}, "number": 1, "data": {"$data": _DATA}},
        "wanted": ["message", "data_out", "table", "waited"],
        "flow": {},
    }
    for wanted in (frame["wanted"], ["component_as_tool"]):
        run = VertexRun({**frame, "wanted": wanted}, host=None, values=values, context={})
        current.begin(run)
        done = await run.compute(Compiled().component_class(frame))
        current.end(run)
        for value in done["outputs"].values():
            if not isinstance(value, list):
                values.decode(value)
    model = build("$host_model", {"handle": 1, "model": "m", "provider": "p"}, None, values)
    model._arguments([HumanMessage("a")], {})
    model.bind_tools([StructuredTool.from_function(_described, name="warm")])
    describe(object(), references.add)


def _described(text: str) -> str:
    """Does nothing."""
    return text


_DATA = {"data": {"text": "b"}, "text_key": "text", "default": ""}
