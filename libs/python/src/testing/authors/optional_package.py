# Uses a package when it is installed, and works without it: the import is in the method.
from langflow.custom import Component
from langflow.io import MultilineInput, Output
from langflow.schema import Data


class OptionalPackage(Component):
    display_name = "Parse JSON"
    inputs = [MultilineInput(name="text", display_name="Text")]
    outputs = [Output(name="parsed", display_name="Parsed", method="parse")]

    def parse(self) -> list[Data]:
        try:
            import nowhere_json as json_module

            fast = True
        except ImportError:
            import json as json_module

            from langflow.helpers.data import data_to_text  # noqa: F401

            fast = False
        found = json_module.loads(self.text)
        items = found if isinstance(found, list) else [found]
        return [Data(data={**item, "fast": fast}) for item in items]
