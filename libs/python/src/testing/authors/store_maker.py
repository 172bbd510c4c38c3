# Gives the store and its retriever themselves to other components.
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langflow.custom import Component
from langflow.field_typing import Embeddings, Retriever, VectorStore
from langflow.io import HandleInput, MessageTextInput, Output


class StoreMaker(Component):
    display_name = "Store"
    inputs = [
        HandleInput(name="embedding", display_name="Embedding", input_types=["Embeddings"]),
        MessageTextInput(name="texts", display_name="Texts", is_list=True),
    ]
    outputs = [
        Output(name="store", display_name="Store", method="build_store"),
        Output(name="retriever", display_name="Retriever", method="build_retriever"),
    ]

    def build_store(self) -> VectorStore:
        store = InMemoryVectorStore(self.embedding)
        store.add_documents([Document(text, metadata={"position": n}) for n, text in enumerate(self.texts)])
        return store

    def build_retriever(self) -> Retriever:
        return self.build_store().as_retriever(search_kwargs={"k": 1})
