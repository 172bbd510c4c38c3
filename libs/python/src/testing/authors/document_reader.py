# Takes documents of another component.
from langflow.custom import Component
from langflow.io import HandleInput, Output
from langflow.schema.message import Message


class DocumentReader(Component):
    display_name = "Reader"
    inputs = [HandleInput(name="documents", display_name="Documents", input_types=["Document"], is_list=True)]
    outputs = [Output(name="text", display_name="Text", method="read")]

    def read(self) -> Message:
        return Message(text=" ".join(f"{d.metadata['page']}={d.page_content}" for d in self.documents))
