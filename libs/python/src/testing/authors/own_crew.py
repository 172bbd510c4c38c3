# The base class of crews, whose crew is the author's own: CrewAI is not needed.
from langchain_core.agents import AgentFinish
from langflow.base.agents.crewai.crew import BaseCrewComponent
from langflow.io import MessageTextInput


class Result:
    def __init__(self, raw: str) -> None:
        self.raw = raw


class Crew:
    def __init__(self, tasks, on_step) -> None:
        self.tasks = tasks
        self.on_step = on_step

    async def kickoff_async(self) -> Result:
        for task in self.tasks:
            self.on_step(AgentFinish({"output": task}, log=f"did {task}"))
        return Result(" and ".join(self.tasks))


class OwnCrew(BaseCrewComponent):
    display_name = "Own Crew"
    name = "OwnCrew"
    inputs = [
        *BaseCrewComponent.get_base_inputs(),
        MessageTextInput(name="steps", display_name="Steps", is_list=True),
    ]

    def build_crew(self) -> Crew:
        return Crew(self.steps, self.get_step_callback())
