# A key that the flow names as a global variable; the text of the component logs it masked.
from langflow.custom import Component
from langflow.io import Output, SecretStrInput, StrInput
from langflow.schema.message import Message


class SecretUser(Component):
    display_name = "Secret user"
    inputs = [
        SecretStrInput(name="api_key", display_name="API Key", value="SERVICE_KEY"),
        StrInput(name="base_url", display_name="Address", load_from_db=True, value="SERVICE_URL"),
    ]
    outputs = [Output(name="masked", display_name="Masked", method="mask")]

    def mask(self) -> Message:
        key = str(self.api_key)
        self.log(f"{key[:2]}{'*' * (len(key) - 2)}", name="key")
        return Message(text=f"{len(key)} characters for {self.base_url}")
