# Reads a generator of another component.
from langflow.custom import Component
from langflow.io import HandleInput, Output
from langflow.schema import DataFrame


class GeneratorUser(Component):
    display_name = "Rows"
    inputs = [HandleInput(name="rows", display_name="Rows", input_types=["Iterator"])]
    outputs = [Output(name="table", display_name="Table", method="collect")]

    def collect(self) -> DataFrame:
        return DataFrame(list(self.rows))
