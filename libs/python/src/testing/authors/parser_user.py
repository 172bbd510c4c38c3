# Parses a native model's answer with another component's parser.
from langflow.custom import Component
from langflow.io import HandleInput, MessageTextInput, Output
from langflow.schema import Data


class ParserUser(Component):
    display_name = "Parsed answer"
    inputs = [
        HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"]),
        HandleInput(name="parser", display_name="Parser", input_types=["OutputParser"]),
        MessageTextInput(name="text", display_name="Text"),
    ]
    outputs = [Output(name="items", display_name="Items", method="parse")]

    def parse(self) -> list[Data]:
        items = (self.llm | self.parser).invoke(self.text)
        return [Data(text=item) for item in items]
