# Sends two notes of its progress before its answer, which it sends, too.
from langflow.custom import Component
from langflow.io import BoolInput, Output
from langflow.schema.message import Message


class ProgressSender(Component):
    display_name = "Progress"
    inputs = [BoolInput(name="fails", display_name="Fails", value=False)]
    outputs = [Output(name="answer", display_name="Answer", method="work")]

    async def work(self) -> Message:
        await self.send_message(Message(text="first"))
        await self.send_message(Message(text="second"))
        if self.fails:
            msg = "It failed after its notes."
            raise RuntimeError(msg)
        return await self.send_message(Message(text="answer", sender_name="Worker"))
