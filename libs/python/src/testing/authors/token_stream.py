# Produces a text in parts and sends it itself.
import asyncio

from langflow.custom import Component
from langflow.io import MessageTextInput, Output
from langflow.schema.message import Message


class TokenStream(Component):
    display_name = "Tokens"
    inputs = [MessageTextInput(name="text", display_name="Text", value="one two three")]
    outputs = [Output(name="message", display_name="Message", method="speak")]

    async def speak(self) -> Message:
        async def parts():
            for word in self.text.split(" "):
                await asyncio.sleep(0)
                yield word + " "

        message = await self.send_message(
            Message(text=parts(), sender="Machine", sender_name="Speaker", session_id=self.graph.session_id)
        )
        return Message(text=message.text.strip())
