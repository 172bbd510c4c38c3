# The base class of text components.
from langflow.base.io.text import TextComponent
from langflow.io import MultilineInput, Output
from langflow.schema.message import Message


class OwnTextOutput(TextComponent):
    display_name = "Text Output"
    name = "TextOutput"
    inputs = [MultilineInput(name="input_value", display_name="Text")]
    outputs = [Output(display_name="Text", name="text", method="text_response")]

    def text_response(self) -> Message:
        message = Message(text=self.input_value)
        self.status = self.input_value
        return message
