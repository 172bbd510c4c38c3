# The style before 1.0: an asynchronous build that gets a live model.
from langflow.custom import CustomComponent
from langflow.field_typing import BaseLanguageModel, Text


class OldModelCaller(CustomComponent):
    display_name = "Caller"

    async def build(self, llm: BaseLanguageModel, question: str) -> Text:
        answer = await llm.ainvoke(f"Q: {question}")
        return getattr(answer, "content", answer)
