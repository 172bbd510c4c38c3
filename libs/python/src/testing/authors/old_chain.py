# The style before 1.0: a chain of prompt and model is an object for another component.
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable
from langflow.custom import CustomComponent
from langflow.field_typing import BaseLanguageModel


class OldChain(CustomComponent):
    display_name = "Chain"

    def build(self, llm: BaseLanguageModel, template: str) -> Runnable:
        return ChatPromptTemplate.from_messages([("system", "Be brief."), ("human", template)]) | llm
