# The style before 1.0: build returns a tool of one string argument.
from langchain_core.tools import Tool as CoreTool
from langflow.custom import CustomComponent
from langflow.field_typing import Tool


class OldTool(CustomComponent):
    display_name = "Shout tool"

    def build_config(self):
        return {"suffix": {"display_name": "Suffix"}}

    def build(self, suffix: str = "!") -> Tool:
        return CoreTool(name="Shout Tool", description="Shouts a text.", func=lambda text: text.upper() + suffix)
