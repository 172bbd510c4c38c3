# The base class of chat memories: the memory itself stays in Python.
from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
from langflow.base.memory.model import LCChatMemoryComponent
from langflow.inputs import MessageTextInput


class OwnChatMemory(LCChatMemoryComponent):
    display_name = "Own Memory"
    name = "OwnChatMemory"
    inputs = [MessageTextInput(name="greeting", display_name="Greeting", value="Welcome")]

    def build_message_history(self) -> BaseChatMessageHistory:
        history = InMemoryChatMessageHistory()
        history.add_user_message("hello")
        history.add_ai_message(self.greeting)
        return history
