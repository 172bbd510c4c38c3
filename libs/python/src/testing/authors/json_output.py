# The class names of Langflow 1.13: JSON and Table in place of Data and DataFrame.
from lfx.custom import Component
from lfx.io import JSONInput, Output
from lfx.schema.data import JSON
from lfx.schema.dataframe import Table


class JsonOutput(Component):
    display_name = "JSON and Table"
    inputs = [JSONInput(name="value", display_name="Value")]
    outputs = [
        Output(name="json", display_name="JSON", method="as_json"),
        Output(name="table", display_name="Table", method="as_table"),
    ]

    def as_json(self) -> JSON:
        return JSON(data={"inner": self.value.data, "type": type(self.value).__name__})

    def as_table(self) -> Table:
        return Table([self.value.data])
