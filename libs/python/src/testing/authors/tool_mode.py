# A component in tool mode: each output is a tool, its marked inputs are the arguments.
from langflow.custom import Component
from langflow.io import BoolInput, DropdownInput, IntInput, MessageTextInput, Output
from langflow.schema import Data
from langflow.schema.message import Message


class Weather(Component):
    display_name = "Weather"
    description = "Knows the weather."
    inputs = [
        MessageTextInput(name="city", display_name="City", tool_mode=True, required=True, info="The name of a city"),
        IntInput(name="days", display_name="Days", value=1, tool_mode=True),
        DropdownInput(name="unit", display_name="Unit", options=["C", "F"], value="C", tool_mode=True),
        BoolInput(name="verbose", display_name="Verbose", value=False),
    ]
    outputs = [
        Output(name="today", display_name="Today", method="weather_today"),
        Output(name="forecast", display_name="Forecast", method="weather_forecast"),
    ]

    def weather_today(self) -> Message:
        """Returns the weather of today."""
        return Message(text=f"{self.city} is sunny, 20 {self.unit}" + (" and dry" if self.verbose else ""))

    async def weather_forecast(self) -> Data:
        """Returns the forecast."""
        if self.days > 10:
            msg = f"{self.days} days are too many"
            raise ValueError(msg)
        return Data(data={"city": self.city, "days": [f"day {day}" for day in range(self.days)]})
