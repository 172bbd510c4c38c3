# The beginning of every stand-in: what its outputs are made of.
import json

import httpx
from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.language_models import BaseChatModel, BaseLanguageModel
from langchain_core.messages import AIMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from langflow.custom import Component
from langflow.inputs import inputs as kinds
from langflow.io import Output
from langflow.schema import Data, DataFrame
from langflow.schema.message import Message

_SERVICE = "http://api.openai.com/v1/chat/completions"


class StandInModel(BaseChatModel):
    """A chat model that asks a service in OpenAI's protocol, without TLS: the service is a fake of this machine."""

    @property
    def _llm_type(self):
        return "stand-in"

    def bind_tools(self, tools, *, tool_choice=None, **_options):
        choices = {None: None, "auto": "auto", "any": "required", "required": "required", True: "required"}
        choice = tool_choice
        if isinstance(choice, str | bool | None):
            choice = choices.get(choice, {"type": "function", "function": {"name": choice}})
        bound = {"tools": [convert_to_openai_tool(tool) for tool in tools]}
        return self.bind(**bound, **({} if choice is None else {"tool_choice": choice}))

    def _generate(self, messages, stop=None, run_manager=None, **options):
        body = {"model": "gpt-4o-mini", "messages": convert_to_openai_messages(messages)}
        body |= {name: options[name] for name in ("tools", "tool_choice") if options.get(name)}
        answer = httpx.post(_SERVICE, json=body, headers={"authorization": "Bearer a-key"}, timeout=20)
        answer.raise_for_status()
        said = answer.json()["choices"][0]["message"]
        calls = [
            {"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
            for call in said.get("tool_calls") or []
        ]
        message = AIMessage(content=said.get("content") or "", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def _shown(value):
    """The text of a value, the same in each run: objects are shown as their type."""
    if isinstance(value, list):
        return " ".join(_shown(item) for item in value[:5])
    text = getattr(value, "text", None)
    if isinstance(text, str):
        return text
    return str(value) if isinstance(value, str | int | float | dict | Data | DataFrame) else type(value).__name__


class StandInBase:
    """What the methods of a stand-in return. A stand-in has `field_names`, `keys` and `says_json`."""

    def _values(self):
        return [value for name in self.field_names if (value := getattr(self, name, None))]

    def _said(self):
        return " ".join(_shown(value)[:200] for value in self._values())[:2000] or "nothing"

    def _text(self):
        return json.dumps(self._record()) if self.says_json else self._said()

    def _given(self, kind, otherwise):
        return next((value for value in self._values() if isinstance(value, kind)), None) or otherwise

    def _record(self):
        return {"text": self._said(), **{key: f"the {key}" for key in self.keys}}

    def _store(self):
        embedding = self._given(Embeddings, DeterministicFakeEmbedding(size=32))
        return self._given(VectorStore, InMemoryVectorStore(embedding))

    def _tool(self):
        return StructuredTool.from_function(func=self._use, name="stand_in", description="Answers.")

    def _use(self, text: str = ""):
        """Answers a text."""
        return f"{text} {self._said()}"


