# The base class of embedding models: vectors by the letters of a text.
from langchain_core.embeddings import Embeddings as CoreEmbeddings
from langflow.base.embeddings.model import LCEmbeddingsModel
from langflow.field_typing import Embeddings
from langflow.io import IntInput


class LetterEmbeddings(CoreEmbeddings):
    def __init__(self, size: int) -> None:
        self.size = size

    def embed_query(self, text: str) -> list[float]:
        vector = [0.0] * self.size
        for letter in text.lower():
            if letter.isalpha():
                vector[ord(letter) % self.size] += 1
        return vector

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class LetterEmbeddingsComponent(LCEmbeddingsModel):
    display_name = "Letters"
    name = "LetterEmbeddings"
    inputs = [IntInput(name="size", display_name="Size", value=26)]

    def build_embeddings(self) -> Embeddings:
        return LetterEmbeddings(self.size)
