"""A vector store of the executor, as a retriever."""

from __future__ import annotations

from typing import Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict


class HostRetriever(BaseRetriever):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    host: Any
    handle: int
    values: Any

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        del run_manager
        return self._documents(self.host.call("retriever.search", {"handle": self.handle, "query": query}))

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        del run_manager
        found = await self.host.call_async("retriever.search", {"handle": self.handle, "query": query})
        return self._documents(found)

    def _documents(self, found: list) -> list[Document]:
        return [data.to_lc_document() for data in self.values.decode(found)]
