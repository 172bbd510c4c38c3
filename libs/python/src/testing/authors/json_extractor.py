# Asks a native model for a structure, by the model's tools.
from langflow.custom import Component
from langflow.io import HandleInput, MessageTextInput, Output
from langflow.schema import Data
from pydantic import BaseModel, Field


class Order(BaseModel):
    """An order that a text names."""

    product: str = Field(description="What was ordered")
    amount: int = Field(description="How many")


class JsonExtractor(Component):
    display_name = "Extract"
    inputs = [
        HandleInput(name="llm", display_name="Language Model", input_types=["LanguageModel"], required=True),
        MessageTextInput(name="text", display_name="Text", tool_mode=True),
    ]
    outputs = [Output(name="order", display_name="Order", method="extract")]

    async def extract(self) -> Data:
        found = await self.llm.with_structured_output(Order).ainvoke(self.text)
        return Data(data=found.model_dump())
