# A type that is no class of the text: helpers come before and after the component.
from abc import ABC, abstractmethod

from langflow.custom import Component
from langflow.io import Output
from langflow.schema import Data


class Rule(ABC):
    @abstractmethod
    def holds(self, number: int) -> bool: ...


class Even(Rule):
    def holds(self, number: int) -> bool:
        return number % 2 == 0


class Checker(Component):
    display_name = "Checker"
    inputs = []
    outputs = [Output(name="checked", display_name="Checked", method="check")]

    def check(self) -> Data:
        return Data(data={"even": [number for number in range(5) if RULE.holds(number)]})


RULE = Even()
