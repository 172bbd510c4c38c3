# Runs another flow of the user by name, as Langflow's own block does.
from langflow.custom import Component
from langflow.io import MessageTextInput, Output
from langflow.schema.message import Message


class RunsFlow(Component):
    display_name = "Runs a flow"
    inputs = [MessageTextInput(name="flow", display_name="Flow")]
    outputs = [Output(name="answer", display_name="Answer", method="run_other")]

    async def run_other(self) -> Message:
        outputs = await self.run_flow(inputs={"input_value": "hi"}, flow_name=self.flow)
        return Message(text=str(outputs))
