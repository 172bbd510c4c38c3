# What the editor offers as a new component: one text in, a Data with a value out.
from langflow.custom import Component
from langflow.io import MessageTextInput, Output
from langflow.schema import Data


class CustomComponent(Component):
    display_name = "Custom Component"
    description = "Use as a template to create your own component."
    icon = "code"
    name = "CustomComponent"

    inputs = [
        MessageTextInput(name="input_value", display_name="Input Value", value="Hello, World!", tool_mode=True),
    ]
    outputs = [Output(display_name="Output", name="output", method="build_output")]

    def build_output(self) -> Data:
        data = Data(value=self.input_value)
        self.status = data
        return data
