# Makes components of lfx itself and chains them, as authors of larger blocks do.
from lfx.components.input_output import TextInputComponent
from lfx.components.models_and_agents import PromptComponent
from lfx.custom import Component
from lfx.io import MessageTextInput, Output
from lfx.schema.message import Message


class StockUser(Component):
    display_name = "Block"
    inputs = [MessageTextInput(name="person", display_name="Name")]
    outputs = [Output(name="greeting", display_name="Greeting", method="greet")]

    async def greet(self) -> Message:
        text = TextInputComponent().set(input_value=self.person).text_response()
        prompt = PromptComponent().set(template="Dear {name}", name=text.text)
        return await prompt.build_prompt()
