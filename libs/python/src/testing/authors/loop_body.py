# The body of a native loop: changes one item.
from langflow.custom import Component
from langflow.io import HandleInput, Output
from langflow.schema import Data


class LoopBody(Component):
    display_name = "Body"
    inputs = [HandleInput(name="item", display_name="Item", input_types=["Data"])]
    outputs = [Output(name="changed", display_name="Changed", method="change")]

    def change(self) -> Data:
        self.ctx["rounds"] = self.ctx.get("rounds", 0) + 1
        return Data(data={**self.item.data, "twice": self.item.data["n"] * 2, "round": self.ctx["rounds"]})
