# An edited chat output: the base class of chat components, stores and sends its message.
from langflow.base.io.chat import ChatComponent
from langflow.io import BoolInput, DropdownInput, HandleInput, MessageTextInput, Output
from langflow.schema.message import Message
from langflow.schema.properties import Source
from langflow.utils.constants import MESSAGE_SENDER_AI, MESSAGE_SENDER_NAME_AI, MESSAGE_SENDER_USER


class OwnChatOutput(ChatComponent):
    display_name = "Chat Output"
    name = "ChatOutput"
    inputs = [
        HandleInput(name="input_value", display_name="Text", input_types=["Message", "Data"], required=True),
        BoolInput(name="should_store_message", display_name="Store Messages", value=True, advanced=True),
        DropdownInput(name="sender", display_name="Sender Type", options=[MESSAGE_SENDER_AI, MESSAGE_SENDER_USER], value=MESSAGE_SENDER_AI),
        MessageTextInput(name="sender_name", display_name="Sender Name", value=MESSAGE_SENDER_NAME_AI),
        MessageTextInput(name="session_id", display_name="Session ID", advanced=True),
    ]
    outputs = [Output(display_name="Message", name="message", method="message_response")]

    async def message_response(self) -> Message:
        source, icon, display_name, source_id = self.get_properties_from_source_component()
        text = self.input_value.text if isinstance(self.input_value, Message) else self.input_value.get_text()
        message = Message(
            text=f"** {text} **",
            sender=self.sender,
            sender_name=self.sender_name,
            session_id=self.session_id or self.graph.session_id,
            flow_id=self.graph.flow_id,
        )
        message.properties.source = Source(id=source_id, display_name=display_name, source=source)
        message.properties.icon = icon
        if message.session_id and self.should_store_message:
            message = await self.send_message(message)
        self.status = message
        return message
