# A list of Data in and out, chosen by an operator.
from typing import Any

from langflow.custom import Component
from langflow.io import DataInput, DropdownInput, MessageTextInput, Output
from langflow.schema import Data

OPERATORS = {"equals": lambda a, b: a == b, "contains": lambda a, b: b in a, "starts with": lambda a, b: a.startswith(b)}


class FilterRecords(Component):
    display_name = "Filter Records"
    inputs = [
        DataInput(name="records", display_name="Records", is_list=True, required=True),
        MessageTextInput(name="key", display_name="Key"),
        DropdownInput(name="operator", display_name="Operator", options=list(OPERATORS), value="equals"),
        MessageTextInput(name="wanted", display_name="Wanted"),
    ]
    outputs = [Output(name="found", display_name="Found", method="find")]

    def matches(self, value: Any) -> bool:
        return OPERATORS[self.operator](str(value), self.wanted)

    def find(self) -> list[Data]:
        found = [record for record in self.records if self.matches(record.data.get(self.key, ""))]
        self.status = found or "Nothing found"
        return found
