"""The graph and the vertex that a component finds around it."""

from __future__ import annotations

from typing import Any


class Vertex:
    """The part of a vertex that components read."""

    is_state = False
    custom_component = None

    def __init__(self, graph: Graph, described: dict) -> None:
        self.graph = graph
        self.id: str = described["id"]
        self.base_name: str = described["type"]
        self.vertex_type: str = described["type"]
        self.display_name: str = described.get("name") or described["type"]
        self.is_input: bool = described.get("is_input", False)
        self.is_output: bool = described.get("is_output", False)
        self.outputs: list[dict] = []
        self.outgoing_edges: list[Edge] = []
        self.edges_source_names: set[str] = set()
        self.sources: dict[str, str] = {}
        self.params: dict[str, Any] = {}
        self.data = {"id": self.id, "type": self.base_name, "node": {}}
        model = described.get("model")
        if model is not None:
            self.params["model_name"] = model

    def get_incoming_edge_by_target_param(self, name: str) -> str | None:
        return self.sources.get(name)

    def _accumulate_upstream_token_usage(self) -> None:
        return None


class Edge:
    def __init__(self, source_id: str, output: str) -> None:
        self.source_id = source_id
        self.source_name = output


class Graph:
    """The part of a graph that components read. ``context`` is shared by the vertices of a run."""

    end_user_id = None
    execution_principal = None
    persist_messages = True
    description = None
    updated_at = None
    state = None

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
        self.successor_map: dict[str, list[str]] = {}
        self.conditional_exclusion_sources: dict[str, set[str]] = {}
        self.conditionally_excluded_vertices: set[str] = set()

    def get_vertex(self, vertex_id: str, *, silent: bool = False) -> Vertex | None:
        for vertex in self.vertices:
            if vertex.id == vertex_id:
                return vertex
        if silent:
            return None
        msg = f"Vertex {vertex_id} is not connected to this component."
        raise ValueError(msg)

    def get_vertex_neighbors(self, vertex: Vertex) -> dict[Vertex, int]:
        return {other: 1 for other in self.vertices if other is not vertex}

    def mark_branch(self, vertex_id: str, output_name: str, state: str) -> None:
        del vertex_id
        if state == "ACTIVE":
            self.stopped.discard(output_name)
        else:
            self.stopped.add(output_name)

    def exclude_branch_conditionally(self, vertex_id: str, output_name: str | None = None) -> None:
        del vertex_id
        if output_name is not None:
            self.stopped.add(output_name)

    def exclude_branches_conditionally(self, vertex_id: str, output_names: list[str]) -> None:
        for name in output_names:
            self.exclude_branch_conditionally(vertex_id, name)

    def set_run_id(self, run_id: Any = None) -> None:
        """The run has its id from the executor."""


def surround(frame: dict, context: dict) -> Vertex:
    """Returns the vertex of a ``run`` frame in its graph, with the vertices that it is connected to."""
    graph = Graph(frame["flow"], context)
    vertex = Vertex(graph, {**frame["node"], "id": frame["id"], "type": frame["type"], "name": frame.get("name")})
    vertex.outputs = list(frame["node"].get("outputs") or [])
    vertex.edges_source_names = set(frame["wanted"])
    vertex.outgoing_edges = [Edge(vertex.id, output) for output in frame["wanted"]]
    graph.edges = list(vertex.outgoing_edges)
    graph.vertices.append(vertex)
    for field, source in frame.get("sources", {}).items():
        vertex.sources[field] = source["id"]
        if graph.get_vertex(source["id"], silent=True) is None:
            graph.vertices.append(Vertex(graph, source))
    for index, base_name in enumerate(frame.get("feeds", [])):
        graph.vertices.append(Vertex(graph, {"id": f"{base_name}-{index}", "type": base_name}))
    return vertex
