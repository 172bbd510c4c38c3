# The style before 1.0: typed arguments of build are the fields, build_config describes them.
from langflow import CustomComponent
from langflow.field_typing import Text


class OldRepeat(CustomComponent):
    display_name = "Repeat"
    description = "Repeats a text."

    def build_config(self):
        return {
            "text": {"display_name": "Text", "multiline": True},
            "times": {"display_name": "Times", "value": 2},
            "code": {"show": False},
        }

    def build(self, text: Text, times: int = 2) -> Text:
        result = " ".join([text] * times)
        self.status = result
        return result
