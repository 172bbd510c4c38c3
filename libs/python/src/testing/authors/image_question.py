# Asks a native model with an image, a system message and a turn before.
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langflow.custom import Component
from langflow.io import HandleInput, Output
from langflow.schema.message import Message

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class ImageQuestion(Component):
    display_name = "Image"
    inputs = [HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"])]
    outputs = [Output(name="answer", display_name="Answer", method="ask")]

    async def ask(self) -> Message:
        parts = [
            {"type": "text", "text": "what is on the picture?"},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        ]
        answer = await self.llm.ainvoke([SystemMessage("Look."), HumanMessage("hi"), AIMessage("hello"), HumanMessage(parts)])
        return Message(text=answer.content)
