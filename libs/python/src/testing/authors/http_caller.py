# Calls a service with httpx and with requests; their errors become data.
import httpx
import requests
from langflow.custom import Component
from langflow.io import DictInput, IntInput, Output, StrInput
from langflow.schema import Data


class HttpCaller(Component):
    display_name = "Service"
    inputs = [
        StrInput(name="url", display_name="URL", required=True),
        DictInput(name="headers", display_name="Headers", is_list=True),
        IntInput(name="timeout", display_name="Timeout", value=10, advanced=True),
    ]
    outputs = [Output(name="answers", display_name="Answers", method="call")]

    async def call(self) -> list[Data]:
        async with httpx.AsyncClient(timeout=self.timeout) as client:
            found = await client.post(self.url, json={"by": "httpx"}, headers=self.headers or {})
        answers = [Data(data=found.json())]
        try:
            second = requests.get(f"{self.url}/absent", timeout=self.timeout)
            second.raise_for_status()
        except requests.HTTPError as error:
            answers.append(Data(data={"error": str(error.response.status_code)}))
        return answers
