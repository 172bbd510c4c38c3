# The base class of agents, with a native model and a tool that the component brings along.
from langchain_classic.agents import AgentExecutor, create_tool_calling_agent
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import StructuredTool
from langflow.base.agents.agent import LCAgentComponent
from langflow.inputs.inputs import HandleInput


def word_count(text: str) -> int:
    """Counts the words of a text."""
    return len(text.split())


class PlainAgent(LCAgentComponent):
    display_name = "Counting Agent"
    name = "CountingAgent"
    inputs = [
        *LCAgentComponent.get_base_inputs(),
        HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"], required=True),
    ]

    def create_agent_runnable(self):
        prompt = ChatPromptTemplate.from_messages([("human", "{input}"), ("placeholder", "{agent_scratchpad}")])
        return create_tool_calling_agent(self.llm, [StructuredTool.from_function(word_count)], prompt)

    def build_agent(self) -> AgentExecutor:
        options = self.get_agent_kwargs()["agent_executor_kwargs"]
        tools = [StructuredTool.from_function(word_count)]
        return AgentExecutor(agent=self.create_agent_runnable(), tools=tools, **options)
