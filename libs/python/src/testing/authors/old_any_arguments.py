# The style before 1.0: no build_config, optional and union types, further keyword arguments.
from typing import Optional, Union

from langflow.custom import CustomComponent


class OldAnyArguments(CustomComponent):
    def build(self, first: Union[str, list], second: Optional[str] = None, flag: bool = False, **others) -> dict:
        return {"first": first, "second": second, "flag": flag, "others": sorted(others)}
