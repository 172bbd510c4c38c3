# A table in and out, grouped with pandas; empty cells and dates are among its values.
import pandas as pd
from lfx.custom import Component
from lfx.io import DataFrameInput, Output, StrInput
from lfx.schema import DataFrame


class GroupTable(Component):
    display_name = "Group Table"
    inputs = [
        DataFrameInput(name="table", display_name="Table"),
        StrInput(name="by", display_name="By", value="city"),
    ]
    outputs = [Output(name="groups", display_name="Groups", method="group")]

    def group(self) -> DataFrame:
        groups = self.table.groupby(self.by, sort=True)["count"].agg(["sum", "mean", "max"]).reset_index()
        groups["seen"] = pd.to_datetime("2026-03-01")
        groups["note"] = [None] * len(groups)
        return DataFrame(groups)
