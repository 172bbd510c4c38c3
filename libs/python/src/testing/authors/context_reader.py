# Reads the context that another vertex wrote; the edge only orders them.
from langflow.custom import Component
from langflow.io import HandleInput, Output
from langflow.schema import Data


class ContextReader(Component):
    display_name = "Recall"
    inputs = [HandleInput(name="after", display_name="After", input_types=["Message"])]
    outputs = [Output(name="recalled", display_name="Recalled", method="recall")]

    def recall(self) -> Data:
        return Data(data=dict(self.ctx))
