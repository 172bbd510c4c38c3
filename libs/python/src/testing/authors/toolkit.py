# Several tools by one output; one is asynchronous, one fails.
from langchain_core.tools import StructuredTool, ToolException
from langflow.custom import Component
from langflow.field_typing import Tool
from langflow.io import Output, StrInput


class Toolkit(Component):
    display_name = "Toolkit"
    inputs = [StrInput(name="owner", display_name="Owner", value="Ann")]
    outputs = [Output(name="tools", display_name="Tools", method="build_toolkit")]

    def build_toolkit(self) -> list[Tool]:
        async def who(formal: bool = False) -> str:
            """Returns the owner of the shop."""
            return f"Dear {self.owner}" if formal else self.owner

        def broken(reason: str) -> str:
            """Always fails."""
            raise ToolException(f"It is broken: {reason}")

        return [
            StructuredTool.from_function(coroutine=who, name="who"),
            StructuredTool.from_function(func=broken, name="broken", handle_tool_error=True),
        ]
