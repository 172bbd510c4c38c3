# Calls tools that it is connected to, native ones and Python's.
from langflow.custom import Component
from langflow.io import HandleInput, NestedDictInput, Output
from langflow.schema import Data


class ToolUser(Component):
    display_name = "Tool user"
    inputs = [
        HandleInput(name="tools", display_name="Tools", input_types=["Tool", "BaseTool", "StructuredTool"], is_list=True),
        NestedDictInput(name="arguments", display_name="Arguments"),
    ]
    outputs = [Output(name="results", display_name="Results", method="call_all")]

    async def call_all(self) -> Data:
        results = {}
        for tool in self.tools:
            schema = tool.args
            given = {name: value for name, value in self.arguments.items() if name in schema}
            try:
                results[tool.name] = await tool.ainvoke(given)
            except Exception as error:
                results[tool.name] = f"failed: {error}"
        return Data(data=results)
