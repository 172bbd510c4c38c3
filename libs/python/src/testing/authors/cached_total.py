# The base class of components with a cache that the components of a process share.
from langflow.custom.custom_component.component_with_cache import ComponentWithCache
from langflow.io import DataInput, IntInput, MessageTextInput, Output
from langflow.schema import Data
from lfx.services.cache.utils import CacheMiss


class CachedTotal(ComponentWithCache):
    display_name = "Total"
    inputs = [
        MessageTextInput(name="key", display_name="Key"),
        IntInput(name="amount", display_name="Amount", value=1),
        DataInput(name="after", display_name="After"),
    ]
    outputs = [Output(name="total", display_name="Total", method="add")]

    def add(self) -> Data:
        found = self._shared_component_cache.get(self.key)
        total = (0 if isinstance(found, CacheMiss) else found) + self.amount
        self._shared_component_cache.set(self.key, total)
        return Data(data={"total": total, "was_known": not isinstance(found, CacheMiss)})
