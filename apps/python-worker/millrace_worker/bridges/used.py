"""What the executor can do with the objects of this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.vectorstores import VectorStore
from lfx.schema.data import Data

from millrace_worker.bridges.chat import answer_frame, content_text, from_frame
from millrace_worker.bridges.history import as_message, as_record

Chunk = Callable[[Any], None]


async def use(value: Any, method: str, arguments: dict, *, values: Any, chunk: Chunk) -> Any:
    """Returns the answer to a ``use`` frame; ``chunk`` sends a part of it before."""
    found = _METHODS.get(method)
    if found is None:
        msg = f"There is no method {method}."
        raise ValueError(msg)
    return await found(value, arguments, values, chunk)


async def _tool_call(tool: Any, arguments: dict, values: Any, _chunk: Chunk) -> Any:
    result = await tool.ainvoke(values.decode(arguments["arguments"]))
    return values.encode(content_text(result) if isinstance(result, list) and _are_parts(result) else result)


def _are_parts(result: list) -> bool:
    return bool(result) and all(isinstance(part, dict) and part.get("type") == "text" for part in result)


def _bound(model: Any, arguments: dict) -> Any:
    tools = arguments.get("tools")
    if not tools:
        return model
    options = {"tool_choice": arguments["toolToCall"]} if "toolToCall" in arguments else {}
    try:
        return model.bind_tools([{"type": "function", "function": tool} for tool in tools], **options)
    except (NotImplementedError, AttributeError) as error:
        msg = f"The model {type(model).__name__} cannot call tools."
        raise ValueError(msg) from error


def _conversation(arguments: dict) -> list[BaseMessage]:
    return [from_frame(message) for message in arguments["messages"]]


async def _generate(model: Any, arguments: dict, _values: Any, _chunk: Chunk) -> Any:
    return _answer(await _bound(model, arguments).ainvoke(_conversation(arguments)))


async def _stream(model: Any, arguments: dict, _values: Any, chunk: Chunk) -> Any:
    whole: Any = None
    async for part in _bound(model, arguments).astream(_conversation(arguments)):
        text = part if isinstance(part, str) else content_text(part.content)
        if text:
            chunk(text)
        whole = part if whole is None else whole + part
    return _answer("" if whole is None else whole)


def _answer(message: Any) -> dict:
    """A completion model answers with a text."""
    return {"text": message, "toolCalls": [], "usage": None} if isinstance(message, str) else answer_frame(message)


async def _embed(embeddings: Any, arguments: dict, _values: Any, _chunk: Chunk) -> Any:
    texts = arguments["texts"]
    if arguments["purpose"] == "query":
        vectors = [await embeddings.aembed_query(text) for text in texts]
    else:
        vectors = await embeddings.aembed_documents(texts)
    return [[float(number) for number in vector] for vector in vectors]


async def _search(retriever: Any, arguments: dict, values: Any, _chunk: Chunk) -> Any:
    if isinstance(retriever, VectorStore):
        retriever = retriever.as_retriever()
    found = await retriever.ainvoke(arguments["query"])
    return values.encode([Data.from_document(document) for document in found])


async def _read_history(history: Any, _arguments: dict, _values: Any, _chunk: Chunk) -> Any:
    return [as_record(message) for message in await history.aget_messages()]


async def _add_to_history(history: Any, arguments: dict, _values: Any, _chunk: Chunk) -> Any:
    await history.aadd_messages([as_message(arguments)])


async def _read_text(stream: Any, _arguments: dict, _values: Any, chunk: Chunk) -> Any:
    """Reads the text stream of a message; its items are texts, or chunks of a model."""
    counted = None
    async for item in _items(stream):
        text = item if isinstance(item, str) else content_text(getattr(item, "content", ""))
        counted = getattr(item, "usage_metadata", None) or counted
        if text:
            chunk(text)
    return None if counted is None else {name: counted.get(name) for name in _USAGE}


async def _items(stream: Any) -> AsyncIterator[Any]:
    if hasattr(stream, "__aiter__"):
        async for item in stream:
            yield item
    else:
        for item in stream:
            yield item


_USAGE = ("input_tokens", "output_tokens", "total_tokens")
_METHODS: dict[str, Callable[[Any, dict, Any, Chunk], Awaitable[Any]]] = {
    "tool.call": _tool_call,
    "model.generate": _generate,
    "model.stream": _stream,
    "embed": _embed,
    "retriever.search": _search,
    "history.read": _read_history,
    "history.add": _add_to_history,
    "text.read": _read_text,
}
