# The base class of document transformers.
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langflow.base.document_transformers.model import LCDocumentTransformerComponent
from langflow.inputs import DataInput


class Numbering(BaseDocumentTransformer):
    def transform_documents(self, documents, **kwargs: Any):
        return [
            Document(document.page_content, metadata={**document.metadata, "number": number})
            for number, document in enumerate(documents, 1)
        ]


class NumberDocuments(LCDocumentTransformerComponent):
    display_name = "Number"
    inputs = [DataInput(name="documents", display_name="Documents", input_types=["Data"], is_list=True)]

    def get_data_input(self) -> Any:
        return self.documents

    def build_document_transformer(self) -> BaseDocumentTransformer:
        return Numbering()
