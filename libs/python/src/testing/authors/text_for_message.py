# Declares a message and returns a plain text, a dict or nothing, as many authors do.
from langflow.custom import Component
from langflow.io import DropdownInput, Output
from langflow.schema import Data
from langflow.schema.message import Message


class TextForMessage(Component):
    display_name = "Loose types"
    inputs = [DropdownInput(name="kind", display_name="Kind", options=["text", "none", "number"], value="text")]
    outputs = [
        Output(name="message", display_name="Message", method="as_message"),
        Output(name="data", display_name="Data", method="as_data"),
    ]

    def as_message(self) -> Message:
        return {"text": "plain", "none": None, "number": 7}[self.kind]

    def as_data(self) -> Data:
        return {"kind": self.kind, "nested": {"list": [1, 2.0, None]}}
