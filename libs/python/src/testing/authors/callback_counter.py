# Counts what a native model does with a callback handler, and asks it in a batch.
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import PromptTemplate
from langflow.custom import Component
from langflow.io import HandleInput, MessageTextInput, Output
from langflow.schema import Data


class Counter(AsyncCallbackHandler):
    def __init__(self):
        self.starts = 0
        self.tokens = 0

    async def on_chat_model_start(self, *args, **kwargs):
        self.starts += 1

    async def on_llm_end(self, response, **kwargs):
        usage = response.generations[0][0].message.usage_metadata or {}
        self.tokens += usage.get("output_tokens", 0)


class CallbackCounter(Component):
    display_name = "Batch"
    inputs = [
        HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"]),
        MessageTextInput(name="words", display_name="Words", is_list=True),
    ]
    outputs = [Output(name="answers", display_name="Answers", method="ask_all")]

    async def ask_all(self) -> Data:
        counter = Counter()
        chain = PromptTemplate.from_template("say {word}") | self.llm | StrOutputParser()
        answers = await chain.abatch([{"word": word} for word in self.words], config={"callbacks": [counter]})
        return Data(data={"answers": answers, "starts": counter.starts, "counted": counter.tokens > 0})
