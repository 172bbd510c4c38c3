# Chooses one of two branches with self.stop, once by each output's method.
from langflow.custom import Component
from langflow.io import MessageTextInput, Output
from langflow.schema.message import Message


class IfElse(Component):
    display_name = "If-Else"
    name = "ConditionalRouter"
    inputs = [
        MessageTextInput(name="input_text", display_name="Text Input"),
        MessageTextInput(name="match_text", display_name="Match"),
        MessageTextInput(name="message", display_name="Message"),
    ]
    outputs = [
        Output(name="true_result", display_name="True", method="true_response"),
        Output(name="false_result", display_name="False", method="false_response"),
    ]

    def _matches(self) -> bool:
        return self.input_text.lower() == self.match_text.lower()

    def true_response(self) -> Message:
        if self._matches():
            self.status = self.message
            return self.message
        self.stop("true_result")
        return None

    def false_response(self) -> Message:
        if not self._matches():
            self.status = self.message
            return self.message
        self.stop("false_result")
        return None
