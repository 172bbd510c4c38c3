# The base class of compressors of search results.
from langchain_core.documents.compressor import BaseDocumentCompressor
from langflow.base.compressors.model import LCCompressorComponent
from langflow.template.field.base import Output


class Shortest(BaseDocumentCompressor):
    top: int = 1

    def compress_documents(self, documents, query, callbacks=None):
        return sorted(documents, key=lambda document: len(document.page_content))[: self.top]


class ShortestFirst(LCCompressorComponent):
    display_name = "Shortest"
    name = "ShortestFirst"
    inputs = LCCompressorComponent.inputs
    outputs = [
        Output(name="documents", display_name="Data", method="compress_documents"),
        Output(name="table", display_name="Table", method="compress_documents_as_dataframe"),
    ]

    def build_compressor(self):
        return Shortest(top=self.top_n)
