# An edited chat input with files: the flow's entry is in Python.
from langflow.base.data.utils import IMG_FILE_TYPES, TEXT_FILE_TYPES
from langflow.base.io.chat import ChatComponent
from langflow.inputs import BoolInput
from langflow.io import FileInput, MessageTextInput, MultilineInput, Output
from langflow.schema.message import Message


class OwnChatInput(ChatComponent):
    display_name = "Chat Input"
    name = "ChatInput"
    inputs = [
        MultilineInput(name="input_value", display_name="Text", value=""),
        BoolInput(name="should_store_message", display_name="Store Messages", value=True, advanced=True),
        MessageTextInput(name="sender", display_name="Sender", value="User", advanced=True),
        MessageTextInput(name="sender_name", display_name="Sender Name", value="User", advanced=True),
        MessageTextInput(name="session_id", display_name="Session ID", advanced=True),
        FileInput(name="files", display_name="Files", file_types=TEXT_FILE_TYPES + IMG_FILE_TYPES, is_list=True, advanced=True, temp_file=True),
    ]
    outputs = [Output(display_name="Message", name="message", method="message_response")]

    async def message_response(self) -> Message:
        message = await Message.create(
            text=self.input_value.strip(),
            sender=self.sender,
            sender_name=self.sender_name,
            session_id=self.session_id,
            files=self.files or [],
        )
        if self.session_id and isinstance(message, Message) and self.should_store_message:
            message = await self.send_message(message)
        self.status = message
        return message
