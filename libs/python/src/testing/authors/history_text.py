# Formats the session's history by Langflow's own helpers.
from langflow.custom import Component
from langflow.helpers.data import data_to_text
from langflow.io import IntInput, MessageTextInput, Output
from langflow.memory import aget_messages
from langflow.schema.message import Message


class HistoryText(Component):
    display_name = "History"
    inputs = [
        IntInput(name="count", display_name="Count", value=10),
        MessageTextInput(name="template", display_name="Template", value="{sender_name}: {text}"),
    ]
    outputs = [Output(name="text", display_name="Text", method="as_text")]

    async def as_text(self) -> Message:
        messages = await aget_messages(session_id=self.graph.session_id, limit=self.count, order="DESC")
        return Message(text=data_to_text(template=self.template, data=list(reversed(messages)), sep="\n"))
