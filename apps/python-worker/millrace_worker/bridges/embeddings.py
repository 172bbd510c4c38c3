"""An embedding model of the executor."""

from __future__ import annotations

from typing import Any

from langchain_core.embeddings import Embeddings


class HostEmbeddings(Embeddings):
    def __init__(self, host: Any, handle: int, model: str) -> None:
        self._host = host
        self.handle = handle
        self.model = model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return _floats(self._host.call("embed", self._arguments(texts, "document")))

    def embed_query(self, text: str) -> list[float]:
        return _floats(self._host.call("embed", self._arguments([text], "query")))[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return _floats(await self._host.call_async("embed", self._arguments(texts, "document")))

    async def aembed_query(self, text: str) -> list[float]:
        return _floats(await self._host.call_async("embed", self._arguments([text], "query")))[0]

    def _arguments(self, texts: list[str], purpose: str) -> dict:
        return {"handle": self.handle, "texts": list(texts), "purpose": purpose}


def _floats(vectors: list[list]) -> list[list[float]]:
    return [[float(number) for number in vector] for vector in vectors]
