# Searches a store and a retriever of other components.
from langflow.custom import Component
from langflow.helpers.data import docs_to_data
from langflow.io import HandleInput, MessageTextInput, Output
from langflow.schema import Data


class StoreSearcher(Component):
    display_name = "Searcher"
    inputs = [
        HandleInput(name="store", display_name="Store", input_types=["VectorStore"]),
        HandleInput(name="retriever", display_name="Retriever", input_types=["Retriever"]),
        MessageTextInput(name="query", display_name="Query"),
    ]
    outputs = [Output(name="found", display_name="Found", method="search")]

    async def search(self) -> list[Data]:
        found = []
        if self.store:
            found += await self.store.asimilarity_search(self.query, k=1)
        if self.retriever:
            found += await self.retriever.ainvoke(self.query)
        return docs_to_data(found)
