# Logs lines with and without names, prints, and has a status that is no output.
import logging

from langflow.custom import Component
from langflow.io import Output
from langflow.schema import Data
from loguru import logger


class LogsAndStatus(Component):
    display_name = "Logs"
    inputs = []
    outputs = [Output(name="result", display_name="Result", method="work")]

    def work(self) -> Data:
        self.log("first line")
        self.log({"step": 2}, name="second")
        print("printed")
        logging.getLogger(__name__).warning("warned")
        logger.info("logged")
        self.status = {"state": "finished", "count": 2}
        return Data(data={"ok": True})
