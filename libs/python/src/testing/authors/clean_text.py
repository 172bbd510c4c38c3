# A text component of lfx's own names with helpers outside of the class.
import re
import unicodedata

from lfx.custom.custom_component.component import Component
from lfx.inputs.inputs import BoolInput, MultilineInput
from lfx.schema.message import Message
from lfx.template.field.base import Output

SPACES = re.compile(r"\s+")


def plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


class CleanText(Component):
    display_name = "Clean Text"
    inputs = [
        MultilineInput(name="text", display_name="Text", input_types=["Message"]),
        BoolInput(name="lower", display_name="Lower case", value=True),
    ]
    outputs = [Output(name="cleaned", display_name="Cleaned", method="clean")]

    def clean(self) -> Message:
        text = SPACES.sub(" ", plain(self.text)).strip()
        return Message(text=text.lower() if self.lower else text)
