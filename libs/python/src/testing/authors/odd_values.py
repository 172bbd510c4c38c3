# A Data with values that JSON does not have.
import datetime
import decimal
import enum
import uuid
from pathlib import Path

from langflow.custom import Component
from langflow.io import Output
from langflow.schema import Data


class Color(enum.Enum):
    RED = "red"


class OddValues(Component):
    display_name = "Odd values"
    inputs = []
    outputs = [Output(name="data", display_name="Data", method="build_data")]

    def build_data(self) -> Data:
        return Data(
            data={
                "date": datetime.date(2026, 1, 2),
                "moment": datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc),
                "span": datetime.timedelta(minutes=2),
                "price": decimal.Decimal("1.50"),
                "id": uuid.UUID(int=1),
                "color": Color.RED,
                "path": Path("folder") / "file.txt",
                "error": ValueError("wrong"),
                "pair": (1, 2),
                "set": {3},
                "bytes": b"abc",
                "large": 2**70,
                1: "a number as key",
            }
        )
