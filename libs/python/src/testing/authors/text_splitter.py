# The base class of text splitters.
from typing import Any

from langchain_text_splitters import CharacterTextSplitter, TextSplitter
from langflow.base.textsplitters.model import LCTextSplitterComponent
from langflow.inputs import DataInput, IntInput, MessageTextInput


class OwnSplitter(LCTextSplitterComponent):
    display_name = "Own Splitter"
    name = "OwnSplitter"
    inputs = [
        IntInput(name="chunk_size", display_name="Chunk Size", value=10),
        MessageTextInput(name="separator", display_name="Separator", value="|"),
        DataInput(name="data_input", display_name="Input", input_types=["Document", "Data"], required=True),
    ]

    def get_data_input(self) -> Any:
        return self.data_input

    def build_text_splitter(self) -> TextSplitter:
        return CharacterTextSplitter(chunk_size=self.chunk_size, chunk_overlap=0, separator=self.separator)
