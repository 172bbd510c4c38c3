# Gives an output parser to another component of Python.
from langchain_core.output_parsers import CommaSeparatedListOutputParser
from langflow.custom import Component
from langflow.field_typing.constants import OutputParser
from langflow.io import Output


class ListParser(Component):
    display_name = "List Parser"
    inputs = []
    outputs = [Output(name="parser", display_name="Parser", method="build_parser")]

    def build_parser(self) -> OutputParser:
        return CommaSeparatedListOutputParser()
