# The base class of vector stores, over embeddings from elsewhere.
from langchain_core.vectorstores import InMemoryVectorStore
from langflow.base.vectorstores.model import LCVectorStoreComponent, check_cached_vector_store
from langflow.io import HandleInput, IntInput, StrInput
from langflow.schema import Data


class OwnVectorStore(LCVectorStoreComponent):
    display_name = "Own Store"
    name = "OwnVectorStore"
    inputs = [
        *LCVectorStoreComponent.inputs,
        HandleInput(name="embedding", display_name="Embedding", input_types=["Embeddings"]),
        StrInput(name="search_type", display_name="Search Type", value="similarity", advanced=True),
        IntInput(name="number_of_results", display_name="Results", value=2, advanced=True),
    ]

    @check_cached_vector_store
    def build_vector_store(self) -> InMemoryVectorStore:
        store = InMemoryVectorStore(self.embedding)
        documents = [
            item.to_lc_document() if isinstance(item, Data) else item for item in self._prepare_ingest_data()
        ]
        if documents:
            store.add_documents(documents)
        return store
