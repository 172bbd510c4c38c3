# Returns a generator of texts where a list is declared.
from collections.abc import Iterator

from langflow.custom import Component
from langflow.io import IntInput, Output
from langflow.schema import Data


class GeneratorOutput(Component):
    display_name = "Generator"
    inputs = [IntInput(name="count", display_name="Count", value=3)]
    outputs = [
        Output(name="rows", display_name="Rows", method="rows"),
        Output(name="mapped", display_name="Mapped", method="mapped"),
    ]

    def rows(self) -> Iterator[Data]:
        for number in range(self.count):
            yield Data(data={"n": number})

    def mapped(self) -> list[str]:
        return map(str, range(self.count))
