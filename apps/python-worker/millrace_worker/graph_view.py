"""The graph and the vertex as a component sees them.

The graph has the vertex itself, the sources of its fields and, of the vertices that it feeds, those that components ask
for. It answers questions, and takes the stops of the component's own branches; it cannot change the flow.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from lfx.schema.dotdict import dotdict


class Edge:
    def __init__(self, source_id: str, output: str, target_id: str = "", field: str = "") -> None:
        self.source_id = source_id
        self.source_name = output
        self.source_handle = Handle(id=source_id, name=output)
        self.target_id = target_id
        self.target_param = field
        self.target_handle = Handle(id=target_id, field_name=field)
        self.is_cycle = False


class Handle:
    def __init__(self, **values: str) -> None:
        vars(self).update(values)


class Source:
    """The component of a connected vertex, as far as it is known here."""

    icon = None

    def __init__(self, described: dict) -> None:
        self._id: str = described["id"]
        self.display_name: str = described.get("name") or described["type"]
        self.name: str = described["type"]
        if described.get("model") is not None:
            self.model_name: str = described["model"]

    def get_id(self) -> str:
        return self._id


class Vertex:
    """The part of a vertex that components read."""

    # A component can set any of these on its vertex.
    is_state = False
    is_task = False
    is_interface_component = False
    is_loop = False
    frozen = False
    built = False
    built_object = None
    built_result = None
    result = None
    task_id = None
    parent_node_id = None
    parent_is_top_level = False
    has_external_input = False
    has_external_output = False
    has_cycle_edges = False
    will_stream = False
    use_result = False
    layer = None
    state = "ACTIVE"
    description = None
    icon = None

    def __init__(self, graph: Graph, described: dict) -> None:
        self.graph = graph
        self.id: str = described["id"]
        self.base_name = self.base_type = self.vertex_type = described["type"]
        self.display_name: str = described.get("name") or described["type"]
        self.is_input: bool = described.get("is_input", False)
        self.is_output: bool = described.get("is_output", False)
        self.custom_component: Any = Source(described)
        self.outputs: list[dict] = []
        self.outgoing_edges: list[Edge] = []
        self.incoming_edges: list[Edge] = []
        self.edges_source_names: set[str] = set()
        self.params: dict[str, Any] = {}
        self.results: dict[str, Any] = {}
        self.artifacts: dict[str, Any] = {}
        self.load_from_db_fields: list[str] = []
        self.required_inputs: list[str] = []
        self.steps_ran: list[Any] = []
        model = described.get("model")
        if model is not None:
            self.params["model_name"] = model

    @property
    def raw_params(self) -> dict[str, Any]:
        return self.params

    @property
    def template(self) -> dict[str, Any]:
        return {name: {"name": name, "value": value} for name, value in self.params.items()}

    @property
    def data(self) -> dict[str, Any]:
        node = {"template": self.template, "outputs": self.outputs, "display_name": self.display_name}
        return {"id": self.id, "type": self.base_name, "node": node}

    @property
    def full_data(self) -> dict[str, Any]:
        return {"id": self.id, "type": "genericNode", "data": self.data}

    @property
    def edges(self) -> list[Edge]:
        return self.incoming_edges + self.outgoing_edges

    @property
    def output_names(self) -> list[str]:
        return [output["name"] for output in self.outputs]

    @property
    def has_session_id(self) -> bool:
        return "session_id" in self.params

    @property
    def predecessors(self) -> list[Vertex]:
        return self.graph.get_predecessors(self)

    @property
    def successors(self) -> list[Vertex]:
        return self.graph.get_successors(self)

    @property
    def successors_ids(self) -> list[str]:
        return self.graph.successor_map[self.id]

    def is_active(self) -> bool:
        return self.state == "ACTIVE"

    def get_value_from_template_dict(self, key: str) -> Any:
        return self.params.get(key, "")

    def get_incoming_edge_by_target_param(self, name: str) -> str | None:
        return next((edge.source_id for edge in self.incoming_edges if edge.target_param == name), None)

    def _accumulate_upstream_token_usage(self) -> None:
        return None


class Graph:
    """The part of a graph that components read. ``context`` is shared by the vertices of a run."""

    end_user_id = None
    execution_principal = None
    source_flow_id = None
    tracing_service = None
    tracing_user_id = None
    persist_messages = True
    pause_requested = False
    is_cyclic = False
    description = None
    updated_at = None
    state = None
    tags = None
    icon = None

    def __init__(self, flow: dict, context: dict) -> None:
        self.flow_id: str | None = flow.get("flow_id")
        self.user_id: str | None = flow.get("user_id")
        self.session_id: str = flow.get("session_id") or ""
        self.run_id: str | None = flow.get("run_id")
        self.flow_name: str | None = flow.get("flow_name")
        self.context = context
        self.stopped: set[str] = set()
        self.vertices: list[Vertex] = []
        self.edges: list[Edge] = []
        self.successor_map: dict[str, list[str]] = defaultdict(list)
        self.predecessor_map: dict[str, list[str]] = defaultdict(list)
        self.conditional_exclusion_sources: dict[str, set[str]] = {}
        self.conditionally_excluded_vertices: set[str] = set()
        self.inactivated_vertices: set[str] = set()
        self.activated_vertices: list[str] = []
        self.cycle_vertices: set[str] = set()
        self.top_level_vertices: list[str] = []
        self.own_id = ""

    @property
    def vertex_map(self) -> dict[str, Vertex]:
        return {vertex.id: vertex for vertex in self.vertices}

    @property
    def parent_child_map(self) -> dict[str, list[str]]:
        return self.successor_map

    @property
    def in_degree_map(self) -> dict[str, int]:
        return {vertex.id: len(self.predecessor_map[vertex.id]) for vertex in self.vertices}

    @property
    def has_session_id_vertices(self) -> list[str]:
        return [vertex.id for vertex in self.vertices if vertex.has_session_id]

    @property
    def metadata(self) -> dict[str, Any]:
        return {"flow_id": self.flow_id, "flow_name": self.flow_name}

    def get_vertex(self, vertex_id: str, *, silent: bool = False) -> Vertex | None:
        found = self.vertex_map.get(vertex_id)
        if found is None and not silent:
            msg = f"Vertex {vertex_id} is not connected to this component."
            raise ValueError(msg)
        return found

    def get_vertex_ids(self) -> list[str]:
        return [vertex.id for vertex in self.vertices]

    def get_vertex_neighbors(self, vertex: Vertex) -> dict[Vertex, int]:
        return {other: 1 for other in self.vertices if other is not vertex}

    def get_vertex_edges(self, vertex_id: str, *_: Any, **__: Any) -> list[Edge]:
        return [edge for edge in self.edges if vertex_id in (edge.source_id, edge.target_id)]

    def get_predecessors(self, vertex: Vertex) -> list[Vertex]:
        return [self.vertex_map[other] for other in self.predecessor_map[vertex.id]]

    def get_successors(self, vertex: Vertex) -> list[Vertex]:
        return [self.vertex_map[other] for other in self.successor_map[vertex.id]]

    def mark_branch(self, vertex_id: str, state: str, output_name: str | None = None) -> None:
        outputs = self._own_outputs(vertex_id, output_name)
        if state == "ACTIVE":
            self.stopped -= outputs
        else:
            self.stopped |= outputs

    def exclude_branch_conditionally(self, vertex_id: str, output_name: str | None = None) -> None:
        self.stopped |= self._own_outputs(vertex_id, output_name)

    def exclude_branches_conditionally(self, vertex_id: str, output_names: list[str]) -> None:
        for name in output_names:
            self.exclude_branch_conditionally(vertex_id, name)

    def set_run_id(self, run_id: Any = None) -> None:
        """The run has its id from the executor."""

    def activate_state_vertices(self, *_: Any, **__: Any) -> None:
        msg = "A component that runs in Python cannot start the Listen components of a key."
        raise NotImplementedError(msg)

    def request_pause(self, *_: Any, **__: Any) -> None:
        msg = "A run cannot pause to ask a person."
        raise NotImplementedError(msg)

    def connect(self, edge: Edge) -> None:
        self.edges.append(edge)
        if edge.target_id and edge.target_id not in self.successor_map[edge.source_id]:
            self.successor_map[edge.source_id].append(edge.target_id)
            self.predecessor_map[edge.target_id].append(edge.source_id)

    def _own_outputs(self, vertex_id: str, output_name: str | None) -> set[str]:
        """Returns the outputs of a branch; without a name, it begins at each output."""
        if vertex_id != self.own_id:
            msg = "A component can stop only branches that begin at its own outputs."
            raise ValueError(msg)
        return {output_name} if output_name is not None else set(self.vertex_map[vertex_id].output_names)


def attach_graph(frame: dict, context: dict) -> Vertex:
    """Returns the vertex of a ``run`` frame in its graph, with the vertices that it is connected to."""
    graph = Graph(frame["flow"], context)
    vertex = Vertex(graph, {**frame["node"], "id": frame["id"], "type": frame["type"], "name": frame.get("name")})
    vertex.outputs = list(frame["node"].get("outputs") or [])
    vertex.edges_source_names = set(frame["wanted"])
    graph.own_id = vertex.id
    graph.vertices.append(vertex)
    for field, source in frame.get("sources", {}).items():
        if graph.get_vertex(source["id"], silent=True) is None:
            graph.vertices.append(Vertex(graph, source))
        # The frame names the first source of a field; a list has as many edges as items, or fewer.
        value = frame["fields"].get(field)
        for _ in range(max(1, len(value)) if isinstance(value, list) else 1):
            edge = Edge(source["id"], "", vertex.id, field)
            vertex.incoming_edges.append(edge)
            graph.connect(edge)
    fed = [f"{base_name}-{index}" for index, base_name in enumerate(frame.get("feeds", []))]
    for vertex_id, base_name in zip(fed, frame.get("feeds", []), strict=True):
        graph.vertices.append(Vertex(graph, {"id": vertex_id, "type": base_name, "is_output": True}))
    for output in frame["wanted"]:
        edges = [Edge(vertex.id, output, target) for target in fed] or [Edge(vertex.id, output)]
        vertex.outgoing_edges.extend(edges)
        for edge in edges:
            graph.connect(edge)
    return vertex


def new_context() -> dict:
    """Returns the context of a run, whose keys are also attributes, as components expect."""
    return dotdict()
