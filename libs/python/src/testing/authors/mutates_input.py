# Changes what it got in place: another vertex with the same source must not see it.
from langflow.custom import Component
from langflow.io import DataInput, Output
from langflow.schema import Data


class MutatesInput(Component):
    display_name = "Mutates"
    inputs = [DataInput(name="record", display_name="Record")]
    outputs = [Output(name="changed", display_name="Changed", method="change")]

    def change(self) -> Data:
        self.record.data["seen"] = self.record.data.get("seen", 0) + 1
        self.record.data["items"].append("x")
        return self.record
