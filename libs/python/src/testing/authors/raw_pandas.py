# Returns plain objects of pandas and numpy, which no class of Langflow wraps.
import numpy as np
import pandas as pd
from langflow.custom import Component
from langflow.io import HandleInput, Output


class RawPandas(Component):
    display_name = "Raw"
    inputs = [HandleInput(name="rows", display_name="Rows", input_types=["Data"], is_list=True)]
    outputs = [
        Output(name="table", display_name="Table", method="build_table", types=["DataFrame"]),
        Output(name="vector", display_name="Vector", method="build_vector", types=["Data"]),
    ]

    def build_table(self):
        frame = pd.DataFrame([row.data for row in self.rows])
        return frame[frame["n"] > 1].set_index("name", drop=False)

    def build_vector(self):
        numbers = np.array([row.data["n"] for row in self.rows])
        return {"mean": numbers.mean(), "largest": numbers.max(), "all": numbers * 2, "many": numbers > 1}
