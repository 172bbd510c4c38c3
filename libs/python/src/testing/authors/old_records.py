# The style before 1.0 with a list of records, and repr_value as its status.
from typing import List

from langflow.interface.custom.custom_component import CustomComponent
from langflow.schema import Data


class OldRecords(CustomComponent):
    display_name = "Records"

    def build_config(self):
        return {"lines": {"display_name": "Lines"}, "separator": {"display_name": "Separator", "advanced": True}}

    def build(self, lines: str, separator: str = ";") -> List[Data]:
        records = [Data(data={"text": line, "position": index}) for index, line in enumerate(lines.split(separator))]
        self.repr_value = f"{len(records)} records"
        return records
