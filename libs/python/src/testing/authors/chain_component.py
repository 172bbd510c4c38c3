# The base class of chains.
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import PromptTemplate
from langflow.base.chains.model import LCChainComponent
from langflow.schema.message import Message
from langflow.inputs import HandleInput, MultilineInput


class TranslateChain(LCChainComponent):
    display_name = "Translate Chain"
    name = "TranslateChain"
    inputs = [
        MultilineInput(name="input_value", display_name="Input", required=True),
        HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"], required=True),
    ]

    def invoke_chain(self) -> Message:
        chain = PromptTemplate.from_template("in capitals: {text}") | self.llm | StrOutputParser()
        result = chain.invoke({"text": self.input_value}, config={"callbacks": self.get_langchain_callbacks()})
        self.status = result
        return Message(text=result.upper())
