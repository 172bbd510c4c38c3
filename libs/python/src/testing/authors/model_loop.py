# Runs its own loop of calls: binds a tool to a native model and answers its calls.
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langflow.custom import Component
from langflow.io import HandleInput, IntInput, MessageTextInput, Output
from langflow.schema.message import Message


@tool
def price_of(product: str) -> str:
    """Returns the price of a product."""
    return f"{product} costs 3"


class ModelLoop(Component):
    display_name = "Own agent"
    inputs = [
        HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"]),
        MessageTextInput(name="question", display_name="Question"),
        IntInput(name="rounds", display_name="Rounds", value=3, advanced=True),
    ]
    outputs = [Output(name="answer", display_name="Answer", method="answer_question")]

    async def answer_question(self) -> Message:
        bound = self.llm.bind_tools([price_of])
        messages = [SystemMessage("Use tools."), HumanMessage(self.question)]
        for _ in range(self.rounds):
            reply = await bound.ainvoke(messages)
            messages.append(reply)
            if not reply.tool_calls:
                return Message(text=reply.content)
            for call in reply.tool_calls:
                result = price_of.invoke(call["args"])
                messages.append(ToolMessage(result, tool_call_id=call["id"], name=call["name"]))
        return Message(text="too many rounds")
