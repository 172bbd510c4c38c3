# An author's model that calls the first tool it is given, then reports the result.
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from langflow.custom import Component
from langflow.field_typing import LanguageModel
from langflow.io import Output


class FirstToolModel(BaseChatModel):
    @property
    def _llm_type(self):
        return "first-tool"

    def bind_tools(self, tools, **kwargs):
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        tools = kwargs.get("tools", [])
        results = [message.content for message in messages if message.type == "tool"]
        if tools and not results:
            function = tools[0]["function"]
            properties = function["parameters"]["properties"].items()
            given = {name: 2 if schema["type"] == "integer" else "Rome" for name, schema in properties}
            call = {"name": function["name"], "args": given, "id": "call-1", "type": "tool_call"}
            message = AIMessage(content="", tool_calls=[call])
        else:
            message = AIMessage(content=f"The tool said: {' '.join(results)}")
        return ChatResult(generations=[ChatGeneration(message=message)])


class ToolCallingModel(Component):
    display_name = "First tool"
    inputs = []
    outputs = [Output(name="model", display_name="Language Model", method="build_model")]

    def build_model(self) -> LanguageModel:
        return FirstToolModel()
