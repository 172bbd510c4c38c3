# Streams a native model's answer into the chat, and keeps the whole text.
from langflow.custom import Component
from langflow.io import HandleInput, MessageTextInput, Output
from langflow.schema.message import Message


class StreamedAnswer(Component):
    display_name = "Streamed"
    inputs = [
        HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"]),
        MessageTextInput(name="question", display_name="Question"),
    ]
    outputs = [Output(name="answer", display_name="Answer", method="answer_question")]

    def answer_question(self) -> Message:
        return Message(text=self.llm.stream(self.question), sender="Machine", sender_name="AI")
