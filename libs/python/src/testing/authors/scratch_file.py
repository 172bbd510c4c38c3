# Writes a file of its own and gives its rows on.
import csv
import tempfile
from pathlib import Path

from langflow.custom import Component
from langflow.io import DataFrameInput, Output
from langflow.schema import Data


class ScratchFile(Component):
    display_name = "CSV"
    inputs = [DataFrameInput(name="table", display_name="Table")]
    outputs = [Output(name="summary", display_name="Summary", method="write")]

    def write(self) -> Data:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            self.table.to_csv(path, index=False)
            with path.open(newline="") as file:
                rows = list(csv.DictReader(file))
            return Data(data={"rows": rows, "bytes": path.stat().st_size, "name": path.name})
