# Writes the context that the vertices of a run share.
from langflow.custom import Component
from langflow.io import MessageTextInput, Output
from langflow.schema.message import Message


class ContextWriter(Component):
    display_name = "Remember"
    inputs = [MessageTextInput(name="topic", display_name="Topic")]
    outputs = [Output(name="topic_out", display_name="Topic", method="remember")]

    def remember(self) -> Message:
        self.ctx["topic"] = self.topic
        self.update_ctx({"steps": [*self.ctx.get("steps", []), "writer"]})
        self.add_to_ctx("step", 1, overwrite=True)
        return Message(text=self.topic)
