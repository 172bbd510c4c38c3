# Outputs that name their types themselves, one of them not cached, with methods without annotations.
from langflow.custom import Component
from langflow.io import MessageTextInput, Output
from langflow.schema import Data


class TypedOutput(Component):
    display_name = "Typed"
    inputs = [MessageTextInput(name="text", display_name="Text", is_list=True)]
    outputs = [
        Output(name="first", display_name="First", method="build_first", types=["Message", "Text"], selected="Text"),
        Output(name="all", display_name="All", method="build_all", types=["Data"], cache=False),
    ]

    def build_first(self):
        return self.text[0]

    def build_all(self):
        return Data(data={"texts": self.text})
