# Returns documents of LangChain as they are, which declare no type of Langflow.
from langchain_core.documents import Document
from langflow.custom import Component
from langflow.io import Output
from langflow.schema import Data


class Documents(Component):
    display_name = "Documents"
    inputs = []
    outputs = [
        Output(name="data", display_name="Data", method="as_data"),
        Output(name="documents", display_name="Documents", method="as_documents", types=["Document"]),
    ]

    def as_documents(self):
        return [Document("first", metadata={"page": 1}), Document("second", metadata={"page": 2})]

    def as_data(self) -> list[Data]:
        return [Data.from_document(document) for document in self.as_documents()]
