# Refuses its input with an error of its own class that has a cause.
from langflow.custom import Component
from langflow.io import MessageTextInput, Output
from langflow.schema import Data


class InputRefused(Exception):
    pass


class StrictInput(Component):
    display_name = "Strict"
    inputs = [MessageTextInput(name="number", display_name="Number")]
    outputs = [Output(name="parsed", display_name="Parsed", method="parse")]

    def parse(self) -> Data:
        try:
            return Data(data={"number": int(self.number)})
        except ValueError as error:
            msg = f"{self.number!r} is not a number"
            raise InputRefused(msg) from error
