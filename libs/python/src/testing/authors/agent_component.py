# An agent of Langflow's base class with a native model and tools of both sides.
from langchain_classic.agents import create_tool_calling_agent
from langchain_core.prompts import ChatPromptTemplate, HumanMessagePromptTemplate, PromptTemplate
from langflow.base.agents.agent import LCToolsAgentComponent
from langflow.inputs import MessageTextInput
from langflow.inputs.inputs import DataInput, HandleInput


class OwnAgent(LCToolsAgentComponent):
    display_name = "Own Tool Agent"
    name = "OwnToolAgent"
    inputs = [
        *LCToolsAgentComponent.get_base_inputs(),
        HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"], required=True),
        MessageTextInput(name="system_prompt", display_name="System Prompt", value="You are helpful."),
        DataInput(name="chat_history", display_name="Chat Memory", is_list=True, advanced=True),
    ]

    def create_agent_runnable(self):
        prompt = ChatPromptTemplate.from_messages(
            [
                ("system", self.system_prompt),
                ("placeholder", "{chat_history}"),
                HumanMessagePromptTemplate(prompt=PromptTemplate.from_template("{input}")),
                ("placeholder", "{agent_scratchpad}"),
            ]
        )
        return create_tool_calling_agent(self.llm, self.tools or [], prompt)
