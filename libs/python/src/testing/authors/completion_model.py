# A completion model: it answers texts with texts.
from langchain_core.language_models.llms import LLM
from langflow.custom import Component
from langflow.field_typing import LanguageModel
from langflow.io import Output


class Backwards(LLM):
    @property
    def _llm_type(self):
        return "backwards"

    def _call(self, prompt, stop=None, run_manager=None, **kwargs):
        return prompt[::-1]


class CompletionModel(Component):
    display_name = "Completion"
    inputs = []
    outputs = [Output(name="model", display_name="Language Model", method="build_model")]

    def build_model(self) -> LanguageModel:
        return Backwards()
