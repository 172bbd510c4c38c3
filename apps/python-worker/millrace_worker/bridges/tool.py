"""Tools of the executor, and the description of Python's tools for it."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool


def host_tool(host: Any, described: dict) -> BaseTool:
    handle = described["handle"]

    def run(**arguments: Any) -> str:
        return host.call("tool.call", {"handle": handle, "arguments": arguments})

    async def run_async(**arguments: Any) -> str:
        return await host.call_async("tool.call", {"handle": handle, "arguments": arguments})

    return StructuredTool(
        name=described["name"],
        description=described["description"],
        args_schema=described["parameters"],
        func=run,
        coroutine=run_async,
        metadata={"millrace_handle": handle},
        tags=[described["name"]],
    )


def tool_parameters(tool: BaseTool) -> dict:
    """Returns the JSON Schema of a tool's arguments."""
    return convert_to_openai_tool(tool)["function"].get("parameters") or {"type": "object", "properties": {}}
