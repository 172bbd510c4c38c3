# Reads variables of the user by name, asynchronously and in the older way.
from langflow.custom import Component
from langflow.io import Output, StrInput
from langflow.schema import Data


class VariableReader(Component):
    display_name = "Variables"
    inputs = [StrInput(name="wanted", display_name="Wanted", value="FIRST")]
    outputs = [Output(name="values", display_name="Values", method="read")]

    async def read(self) -> Data:
        found = await self.get_variables(self.wanted, "wanted")
        try:
            self.variables("ABSENT", "wanted")
            absent = "found"
        except ValueError as error:
            absent = str(error)
        return Data(data={"found": found, "absent": absent})
