# Reads and writes a native chat memory as LangChain's history.
from langchain_core.messages import AIMessage, HumanMessage
from langflow.custom import Component
from langflow.io import HandleInput, MessageTextInput, Output
from langflow.schema import Data


class MemoryUser(Component):
    display_name = "Memory user"
    inputs = [
        HandleInput(name="memory", display_name="Memory", input_types=["Memory", "BaseChatMessageHistory"]),
        MessageTextInput(name="text", display_name="Text"),
    ]
    outputs = [Output(name="history", display_name="History", method="extend")]

    async def extend(self) -> list[Data]:
        await self.memory.aadd_messages([HumanMessage(self.text), AIMessage("noted")])
        return [Data(data={"type": m.type, "text": m.content}) for m in await self.memory.aget_messages()]
