# Chooses a branch by the graph's own method for conditions.
from lfx.custom import Component
from lfx.io import IntInput, Output
from lfx.schema.message import Message


class GraphRouter(Component):
    display_name = "Size Router"
    inputs = [IntInput(name="size", display_name="Size", value=1)]
    outputs = [
        Output(name="small", display_name="Small", method="small_branch", group_outputs=True),
        Output(name="large", display_name="Large", method="large_branch", group_outputs=True),
    ]

    def small_branch(self) -> Message:
        if self.size >= 10:
            self.graph.exclude_branch_conditionally(self._id, output_name="small")
            return Message(text="")
        return Message(text="small")

    def large_branch(self) -> Message:
        if self.size < 10:
            self.graph.exclude_branch_conditionally(self._id, output_name="large")
            return Message(text="")
        return Message(text="large")
