# The base class of tools: data by one output, the tool by the other.
from langchain_core.tools import StructuredTool
from langflow.base.langchain_utilities.model import LCToolComponent
from langflow.field_typing import Tool
from langflow.inputs import IntInput, MessageTextInput
from langflow.schema import Data
from pydantic import BaseModel, Field


class ShopTool(LCToolComponent):
    display_name = "Shop"
    name = "ShopTool"
    inputs = [
        MessageTextInput(name="product", display_name="Product", value=""),
        IntInput(name="stock", display_name="Stock", value=5),
    ]

    class Schema(BaseModel):
        product: str = Field(..., description="The product")
        amount: int = Field(default=1, description="How many")

    def run_model(self) -> list[Data]:
        return self._search(self.product)

    def build_tool(self) -> Tool:
        return StructuredTool.from_function(
            name="search_shop",
            description="Searches the shop.",
            func=self._search,
            args_schema=self.Schema,
        )

    def _search(self, product: str, amount: int = 1) -> list[Data]:
        available = amount <= self.stock
        data = [Data(data={"text": f"{amount} {product}", "available": available})]
        self.status = data
        return data
