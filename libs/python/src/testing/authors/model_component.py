# An author's own provider: the base class of models, answers in words.
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langflow.base.models.model import LCModelComponent
from langflow.field_typing import LanguageModel
from langflow.inputs import FloatInput, SecretStrInput, StrInput


class MirrorModel(BaseChatModel):
    model_name: str = "mirror-1"
    prefix: str = ""

    @property
    def _llm_type(self) -> str:
        return "mirror"

    def _text(self, messages) -> str:
        return f"{self.prefix} {len(messages)}: {messages[-1].content}"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        usage = {"input_tokens": 2, "output_tokens": 3, "total_tokens": 5}
        message = AIMessage(content=self._text(messages), usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        for word in self._text(messages).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word + " "))


class MirrorModelComponent(LCModelComponent):
    display_name = "Mirror"
    name = "MirrorModel"
    inputs = [
        *LCModelComponent.get_base_inputs(),
        StrInput(name="prefix", display_name="Prefix", value="Mirror"),
        FloatInput(name="temperature", display_name="Temperature", value=0.1),
        SecretStrInput(name="api_key", display_name="API Key", value=""),
    ]

    def build_model(self) -> LanguageModel:
        return MirrorModel(prefix=self.prefix)
