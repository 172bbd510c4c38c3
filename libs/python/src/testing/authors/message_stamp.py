# Changes a message and keeps its sender, files and properties.
from langflow.custom import Component
from langflow.io import MessageInput, Output
from langflow.schema.message import Message
from langflow.schema.properties import Source


class MessageStamp(Component):
    display_name = "Stamp"
    inputs = [MessageInput(name="message", display_name="Message", required=True)]
    outputs = [Output(name="stamped", display_name="Stamped", method="stamp")]

    def stamp(self) -> Message:
        message: Message = self.message
        message.text = f"[{message.sender_name}] {message.text}"
        message.properties.source = Source(id=self._id, display_name=self.display_name, source="stamp")
        message.properties.icon = "stamp"
        message.data["stamped_by"] = self.name or type(self).__name__
        return message
