# A stock component with one method changed: a common way to edit.
from lfx.components.input_output import TextInputComponent
from lfx.io import BoolInput
from lfx.schema.message import Message


class LoudTextInput(TextInputComponent):
    display_name = "Loud Text Input"
    inputs = [*TextInputComponent.inputs, BoolInput(name="loud", display_name="Loud", value=True)]

    def text_response(self) -> Message:
        message = super().text_response()
        return Message(text=message.text.upper() if self.loud else message.text)
