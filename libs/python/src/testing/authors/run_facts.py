# Reads what surrounds it: ids of the run, the flow, the user, the session, its own vertex.
from lfx.custom import Component
from lfx.io import Output
from lfx.schema import Data


class RunFacts(Component):
    display_name = "Facts"
    inputs = []
    outputs = [Output(name="facts", display_name="Facts", method="collect")]

    def collect(self) -> Data:
        return Data(
            data={
                "id": self._id,
                "get_id": self.get_id(),
                "user": str(self.user_id),
                "flow": str(self.flow_id),
                "flow_name": self.flow_name,
                "session": self.graph.session_id,
                "has_run": bool(self.graph.run_id),
                "display_name": self.display_name,
                "vertex": self._vertex.id,
                "edges": [edge.source_name for edge in self._vertex.outgoing_edges],
                "trace": self.trace_name,
            }
        )
