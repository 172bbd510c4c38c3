# Three outputs that share one computation, kept on the component between their methods.
from langflow.custom import Component
from langflow.io import FloatInput, HandleInput, Output
from langflow.schema import Data, DataFrame
from langflow.schema.message import Message


class ScoreGate(Component):
    display_name = "Gate"
    inputs = [
        HandleInput(name="scored", display_name="Scored", input_types=["Data"], is_list=True),
        FloatInput(name="limit", display_name="Limit", value=0.5),
    ]
    outputs = [
        Output(name="passed", display_name="Passed", method="passed_rows"),
        Output(name="rejected", display_name="Rejected", method="rejected_rows"),
        Output(name="report", display_name="Report", method="build_report"),
    ]

    def _pre_run_setup(self):
        self._computed = 0
        self._split = None

    def _halves(self):
        if self._split is None:
            self._computed += 1
            good = [row for row in self.scored if row.score >= self.limit]
            self._split = good, [row for row in self.scored if row not in good]
        return self._split

    def passed_rows(self) -> list[Data]:
        return self._halves()[0]

    def rejected_rows(self) -> DataFrame:
        return DataFrame(self._halves()[1])

    def build_report(self) -> Message:
        good, bad = self._halves()
        return Message(text=f"{len(good)} passed, {len(bad)} rejected, computed {self._computed} time")
