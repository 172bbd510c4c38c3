"""Computes one vertex: builds its component, runs the wanted outputs, collects what it stopped, logged and showed."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
from typing import Any

from lfx.custom.custom_component.component import Component
from lfx.utils.async_helpers import async_delegate_target

from millrace_worker import files, memory
from millrace_worker.compiled import MAXIMUM_CLASSES
from millrace_worker.graph_view import Vertex, attach_graph
from millrace_worker.host import Host
from millrace_worker.recorded import Recorded
from millrace_worker.stock_outputs import stock_outputs
from millrace_worker.values import Values


class VertexRun:
    def __init__(self, frame: dict, *, host: Host, values: Values, context: dict) -> None:
        self.number: int = frame["run"]
        self.host = host
        self.values = values
        self.printed = 0
        # The texts of the messages that the vertex sent, by id; None for one that is still partial.
        self.sent: dict[str, str | None] = {}
        # A chat output makes a message of its own for one of a chat input.
        self.feeds_chat = "ChatOutput" in frame.get("feeds", []) and frame["type"] != "ChatInput"
        # The message that waits: see memory.send_held.
        self.held: Any = None
        self._frame = frame
        self._vertex: Vertex = attach_graph(frame, context)
        self._recorded = Recorded(values, context) if frame.get("record") else None
        self._logs: dict[str, list[dict]] = {}

    async def compute(self, component_class: type) -> dict:
        """Returns the members of the ``done`` frame."""
        fields = {name: self.values.decode(value) for name, value in self._frame["fields"].items()}
        parameters = await self._with_files(_parsed_settings(fields), component_class)
        if "module" in self._frame and issubclass(component_class, Component):
            self._vertex.outputs = stock_outputs(component_class, self._vertex.outputs, self._frame["wanted"])
        component = component_class(
            _user_id=self._vertex.graph.user_id,
            _parameters=parameters,
            _vertex=self._vertex,
            _tracing_service=None,
            _id=self._vertex.id,
        )
        self._vertex.params = parameters
        self._vertex.custom_component = component
        results: dict[str, Any] = {}
        try:
            if isinstance(component, Component):
                results = await self._outputs(component, parameters)
            else:
                results = await self._build(component, parameters)
        finally:
            # The component refers to its vertex: without this, only the garbage collector frees both.
            self._vertex.custom_component = None
            await memory.send_held(self, results.values())
        done = {
            "outputs": {name: self.values.encode(value) for name, value in results.items()},
            "stopped": sorted(self._vertex.graph.stopped),
            "status": self._status(component, results),
            "logs": self._logs,
        }
        done, has_paths = files.with_stored_paths(done)
        if self._recorded is not None and not has_paths:
            done |= self._recorded.changes()
        return done

    async def _with_files(self, parameters: dict, component_class: type) -> dict:
        """Returns the fields with local paths in place of the names of stored files."""
        named = {name for name in files.field_names(component_class) if parameters.get(name)}
        changed = {name: await asyncio.to_thread(files.localized, parameters[name]) for name in named}
        return {**parameters, **changed}

    async def _outputs(self, component: Component, parameters: dict) -> dict[str, Any]:
        component.set_event_manager(None)
        component.set_attributes(parameters)
        component._pre_run_setup_if_needed()
        component._handle_tool_mode()
        results: dict[str, Any] = {}
        for output in component._get_outputs_to_process():
            component._current_output = output.name
            results[output.name] = await component._get_output_result(output)
            self._take_logs(component, output.name)
        return results

    async def _build(self, component: Any, parameters: dict) -> dict[str, Any]:
        """The style before 1.0: one method ``build`` with the fields as its arguments."""
        accepted = inspect.signature(component.build).parameters.values()
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in accepted):
            names = {parameter.name for parameter in accepted}
            parameters = {name: value for name, value in parameters.items() if name in names}
        result = component.build(**parameters)
        if inspect.isawaitable(result):
            result = await result
        wanted = self._frame["wanted"]
        output = wanted[0] if wanted else next((output["name"] for output in self._vertex.outputs), "output")
        self._take_logs(component, output)
        return {output: result}

    def _take_logs(self, component: Any, output: str) -> None:
        lines = [
            {"name": log.name, "message": log.message if isinstance(log.message, str) else str(log.message)}
            for log in component._logs
        ]
        component._logs = []
        if lines:
            self._logs[output] = lines

    def _status(self, component: Any, results: dict[str, Any]) -> Any:
        status = component.status
        if status is None or status == "":
            status = getattr(component, "repr_value", None)
        if status is None or (isinstance(status, str) and status == ""):
            return None
        for name, value in results.items():
            if value is status:
                return {"$output": name}
        return self.values.encode(status)


def runs_without_loop(component_class: type, frame: dict) -> bool:
    """Returns whether a vertex can be computed in a thread without an event loop.

    Its wanted outputs come from plain functions, which run in another thread anyway. Nothing else of an author runs: what
    an author's own constructor does may need the loop.
    """
    wanted = frame["wanted"]
    methods = {output.get("name"): output.get("method") for output in frame["node"].get("outputs") or []}
    return bool(wanted) and _has_plain_methods(component_class, tuple(methods.get(name) for name in wanted))


@functools.lru_cache(maxsize=MAXIMUM_CLASSES)
def _has_plain_methods(component_class: type, names: tuple[str | None, ...]) -> bool:
    if not issubclass(component_class, Component):
        return False
    for base in component_class.__mro__[: component_class.__mro__.index(Component)]:
        if not _OWN_HOOKS.isdisjoint(vars(base)):
            return False
    return all(name is not None and _is_plain(component_class, name) for name in names)


def _is_plain(component_class: type, name: str) -> bool:
    method = getattr(component_class, name, None)
    return inspect.isfunction(method) and not (
        inspect.iscoroutinefunction(method) or async_delegate_target(component_class, name)
    )


# What lfx calls of a component before and after its method.
_OWN_HOOKS = frozenset(
    {
        "__init__",
        "__setattr__",
        "__getattr__",
        "__getattribute__",
        "_get_output_result",
        "_get_outputs_to_process",
        "_handle_tool_mode",
        "_pre_run_setup",
        "map_inputs",
        "map_outputs",
        "set_attributes",
        "set_class_code",
        "set_event_manager",
    }
)


def _parsed_settings(fields: dict[str, Any]) -> dict[str, Any]:
    """Langflow reads texts in fields named kwargs or config as JSON, and leaves out those that are none."""
    parsed: dict[str, Any] = {}
    for name, value in fields.items():
        if ("kwargs" in name or "config" in name) and isinstance(value, str):
            try:
                parsed[name] = json.loads(value)
            except ValueError:
                continue
        else:
            parsed[name] = value
    return parsed
