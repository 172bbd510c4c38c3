# Uses a chain of another component: an object that only Python knows passes between vertices.
from langflow.custom import Component
from langflow.io import HandleInput, MessageTextInput, Output
from langflow.schema.message import Message


class ChainUser(Component):
    display_name = "Chain user"
    inputs = [
        HandleInput(name="chain", display_name="Chain", input_types=["Runnable"]),
        MessageTextInput(name="topic", display_name="Topic"),
    ]
    outputs = [Output(display_name="Answer", name="answer", method="ask")]

    async def ask(self) -> Message:
        answer = await self.chain.ainvoke({"topic": self.topic})
        return Message(text=answer.content)
