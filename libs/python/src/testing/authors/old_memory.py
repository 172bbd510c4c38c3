# The base class of chat memories before 1.0, with its build_config.
from langflow.base.memory.memory import BaseMemoryComponent
from langflow.field_typing import Text
from langflow.schema import Data


class OldMemory(BaseMemoryComponent):
    display_name = "Notebook"

    def get_messages(self, **kwargs) -> list[Data]:
        pages = [Data(text=f"page {number} of {kwargs['session_id']}") for number in range(1, 4)]
        if kwargs["order"] == "Descending":
            pages.reverse()
        return pages[: kwargs["n_messages"]]

    def add_message(self, sender, sender_name, text, session_id, metadata=None, **kwargs) -> None:
        self.status = f"{sender_name}: {text}"

    def build(self, session_id: str, n_messages: int = 2, order: str = "Descending") -> Text:
        self.add_message("User", "Ann", "read", session_id)
        pages = self.get_messages(session_id=session_id, n_messages=n_messages, order=order)
        return "\n".join(page.text for page in pages)
