# Outputs that a field chooses in the editor: the node has others than the class.
from langflow.custom import Component
from langflow.io import DropdownInput, MessageTextInput, Output
from langflow.schema import Data, DataFrame
from langflow.schema.message import Message


class DynamicOutputs(Component):
    display_name = "As"
    inputs = [
        DropdownInput(name="form", display_name="Form", options=["Message", "Table"], value="Message", real_time_refresh=True),
        MessageTextInput(name="text", display_name="Text"),
    ]
    outputs = [Output(name="message", display_name="Message", method="as_message", dynamic=True)]

    def update_outputs(self, frontend_node: dict, field_name: str, field_value) -> dict:
        if field_name == "form" and field_value == "Table":
            output = Output(name="table", display_name="Table", method="as_table", dynamic=True)
            frontend_node["outputs"] = [output.to_dict()]
        return frontend_node

    def update_build_config(self, build_config: dict, field_value, field_name: str | None = None):
        build_config["text"]["show"] = True
        return build_config

    def as_message(self) -> Message:
        return Message(text=self.text)

    def as_table(self) -> DataFrame:
        return DataFrame([Data(data={"text": self.text, "form": self.form})])
