"""Live objects at the border.

An object of Python stays in this process: ``describe`` gives the executor its number and what it can do. An object of
the executor stays there: ``build`` makes an object of LangChain that calls the executor.
"""

from __future__ import annotations

from typing import Any, Callable

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseLanguageModel
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from langchain_core.vectorstores import VectorStore

from millrace_worker.bridges.embeddings import HostEmbeddings
from millrace_worker.bridges.history import HostHistory
from millrace_worker.bridges.model import HostModel
from millrace_worker.bridges.retriever import HostRetriever
from millrace_worker.bridges.tool import host_tool, tool_parameters

_HOST_OBJECTS = (HostModel, HostEmbeddings, HostRetriever, HostHistory)


def describe(value: Any, reference: Callable[[Any], int]) -> dict:
    """Returns the tagged description of a live object; an object of the executor is itself again."""
    handle = value.handle if isinstance(value, _HOST_OBJECTS) else (getattr(value, "metadata", None) or {}).get(
        "millrace_handle"
    ) if isinstance(value, BaseTool) else None
    if handle is not None:
        return {"$host": handle}
    described = {"ref": reference(value), "type": type(value).__name__}
    if isinstance(value, BaseTool):
        described |= {
            "name": value.name,
            "description": value.description or "",
            "parameters": tool_parameters(value),
        }
        return {"$tool": described}
    if isinstance(value, BaseLanguageModel):
        return {"$model": described | {"model": _model_name(value)}}
    if isinstance(value, Embeddings):
        return {"$embeddings": described | {"model": _model_name(value)}}
    if isinstance(value, (BaseRetriever, VectorStore)):
        return {"$retriever": described}
    if isinstance(value, BaseChatMessageHistory):
        return {"$history": described}
    return {"$object": described}


def build(tag: str, content: dict, host: Any, values: Any) -> Any:
    """Returns the object for a tagged description of the executor."""
    if tag == "$host_model":
        return HostModel(host=host, handle=content["handle"], model_name=content["model"], provider=content["provider"])
    if tag == "$host_embeddings":
        return HostEmbeddings(host, content["handle"], content["model"])
    if tag == "$host_tool":
        return host_tool(host, content)
    if tag == "$host_retriever":
        return HostRetriever(host=host, handle=content["handle"], values=values)
    if tag == "$host_history":
        return HostHistory(host, content["handle"], content["session_id"])
    msg = f"A value has the unknown tag {tag}."
    raise ValueError(msg)


def _model_name(value: Any) -> str:
    for name in ("model_name", "model", "model_id", "deployment_name"):
        found = getattr(value, name, None)
        if isinstance(found, str) and found:
            return found
    return type(value).__name__
