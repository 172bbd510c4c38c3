# Needs a package that is not installed.
from crewai import Agent
from langflow.custom import Component
from langflow.io import MessageTextInput, Output


class CrewAgent(Component):
    display_name = "Crew Agent"
    inputs = [MessageTextInput(name="role", display_name="Role")]
    outputs = [Output(name="agent", display_name="Agent", method="build_agent")]

    def build_agent(self) -> Agent:
        return Agent(role=self.role)
