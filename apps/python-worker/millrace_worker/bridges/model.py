"""A chat model of the executor: whole and streamed answers, tools, structured output."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field

from millrace_worker.bridges.chat import to_frame, tool_calls, usage


class HostModel(BaseChatModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    host: Any = Field(exclude=True, repr=False)
    handle: int
    model_name: str
    provider: str

    @property
    def _llm_type(self) -> str:
        return "millrace-host-model"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name, "provider": self.provider}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable | BaseTool],
        *,
        tool_choice: str | dict | bool | None = None,
        **options: Any,
    ) -> Runnable:
        described = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=described, tool_choice=_chosen(tool_choice, described), **_kept(options))

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        del run_manager
        return _result(self.host.call("model.generate", self._arguments(messages, options)), stop)

    async def _agenerate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        del run_manager
        return _result(await self.host.call_async("model.generate", self._arguments(messages, options)), stop)

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **options: Any
    ) -> Iterator[ChatGenerationChunk]:
        del stop
        for text, answer in self.host.stream("model.stream", self._arguments(messages, options)):
            chunk = _chunk(text, answer)
            if run_manager is not None and text:
                run_manager.on_llm_new_token(text, chunk=chunk)
            yield chunk

    async def _astream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **options: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        del stop
        async for text, answer in self.host.stream_async("model.stream", self._arguments(messages, options)):
            chunk = _chunk(text, answer)
            if run_manager is not None and text:
                await run_manager.on_llm_new_token(text, chunk=chunk)
            yield chunk

    def _arguments(self, messages: list[BaseMessage], options: dict) -> dict:
        arguments: dict[str, Any] = {"handle": self.handle, "messages": [to_frame(message) for message in messages]}
        tools = options.get("tools")
        if tools:
            arguments["tools"] = [convert_to_openai_tool(tool)["function"] for tool in tools]
            chosen = _chosen(options.get("tool_choice"), [convert_to_openai_tool(tool) for tool in tools])
            if chosen is not None:
                arguments["toolToCall"] = chosen
        return arguments


def _chosen(choice: str | dict | bool | None, tools: list[dict]) -> str | None:
    """Returns the name of the tool that must be called; None when the model decides."""
    names = [tool["function"]["name"] for tool in tools]
    if isinstance(choice, dict):
        choice = (choice.get("function") or choice).get("name")
    if choice in names:
        return str(choice)
    return names[0] if choice in ("any", "required", True) and len(names) == 1 else None


def _kept(options: dict) -> dict:
    """Options of single providers, and those for traces, are of no use to the executor."""
    return {name: value for name, value in options.items() if name == "ls_structured_output_format"}


def _result(answer: dict, stop: list[str] | None) -> ChatResult:
    text = answer["text"]
    for end in stop or []:
        text = text.split(end, 1)[0]
    message = AIMessage(text, usage_metadata=usage(answer.get("usage")), **tool_calls(answer["toolCalls"]))
    return ChatResult(generations=[ChatGeneration(message=message)])


def _chunk(text: str | None, answer: dict | None) -> ChatGenerationChunk:
    if answer is None:
        return ChatGenerationChunk(message=AIMessageChunk(text or ""))
    calls = [
        {"name": call["name"], "args": call["argumentsText"], "id": call["id"], "index": index, "type": "tool_call_chunk"}
        for index, call in enumerate(answer["toolCalls"])
    ]
    return ChatGenerationChunk(
        message=AIMessageChunk("", tool_call_chunks=calls, usage_metadata=usage(answer.get("usage")))
    )
