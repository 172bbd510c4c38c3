# The base class of file components, for texts.
from langflow.base.data.base_file import BaseFileComponent
from langflow.io import Output
from langflow.schema import Data


class LineCounter(BaseFileComponent):
    display_name = "Line Counter"
    name = "LineCounter"
    VALID_EXTENSIONS = ["txt", "md"]
    inputs = [*BaseFileComponent.get_base_inputs()]
    outputs = [Output(name="lines", display_name="Lines", method="load_files")]

    def process_files(self, file_list: list[BaseFileComponent.BaseFile]) -> list[BaseFileComponent.BaseFile]:
        for file in file_list:
            text = file.path.read_text()
            file.data = Data(data={"text": text, "lines": len(text.splitlines())})
        return file_list
