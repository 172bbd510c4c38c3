# Goes round a cycle of the graph until a count is reached: stops one of its branches each time.
from langflow.custom import Component
from langflow.io import IntInput, MessageTextInput, Output
from langflow.schema.message import Message


class RetryCounter(Component):
    display_name = "Retry"
    inputs = [
        MessageTextInput(name="draft", display_name="Draft"),
        IntInput(name="limit", display_name="Limit", value=3),
    ]
    outputs = [
        Output(name="again", display_name="Again", method="retry", group_outputs=True),
        Output(name="finished", display_name="Finished", method="finish", group_outputs=True),
    ]

    def _pre_run_setup(self):
        self.ctx["tries"] = self.ctx.get("tries", 0) + 1

    def retry(self) -> Message:
        if self.ctx["tries"] >= self.limit:
            self.stop("again")
            return None
        return Message(text=f"{self.draft}+")

    def finish(self) -> Message:
        if self.ctx["tries"] < self.limit:
            self.stop("finished")
            return None
        return Message(text=f"{self.draft} after {self.ctx['tries']}")
