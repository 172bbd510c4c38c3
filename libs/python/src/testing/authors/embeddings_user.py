# Compares texts with a native embedding model.
import math

from langflow.custom import Component
from langflow.io import HandleInput, MessageTextInput, Output
from langflow.schema import Data


class EmbeddingsUser(Component):
    display_name = "Compare"
    inputs = [
        HandleInput(name="embeddings", display_name="Embeddings", input_types=["Embeddings"]),
        MessageTextInput(name="texts", display_name="Texts", is_list=True),
    ]
    outputs = [Output(name="compared", display_name="Compared", method="compare")]

    async def compare(self) -> Data:
        first, *others = await self.embeddings.aembed_documents(self.texts)
        query = self.embeddings.embed_query(self.texts[0])
        close = [math.isclose(sum(a * b for a, b in zip(query, vector, strict=True)), 1.0, abs_tol=1e-6) for vector in [first, *others]]
        return Data(data={"size": len(first), "equal": close})
