"""Replaces the parts of lfx that would reach a database, the environment or a tracing service by calls of the executor."""

from __future__ import annotations

from copy import deepcopy
from enum import Enum
from typing import Any

import lfx.memory
from lfx.base.models.model import LCModelComponent
from lfx.custom.custom_component.component import Component
from lfx.custom.custom_component.custom_component import CustomComponent
from lfx.inputs.input_mixin import BaseInputMixin
from lfx.schema.message import Message
from lfx.services.variable.service import VariableService
from lfx.template.field.base import Input, Output

from millrace_worker import current, memory


def adapt() -> None:
    """Changes lfx in place; call it once, in the zygote."""
    lfx.memory._impl = lambda: memory
    Component.send_message = memory.send_message
    Component.send_error = memory.send_error
    Component._update_stored_message = memory.update_stored_message
    LCModelComponent._handle_stream = _handle_stream
    Component.set_class_code = _no_class_code
    Component._get_outputs_to_process = _outputs_to_process
    CustomComponent.get_variable = _get_variable
    CustomComponent.variables = _variables
    CustomComponent.get_variables = _get_variable
    CustomComponent.list_key_names = _list_key_names
    CustomComponent.load_flow = _no_flows
    CustomComponent.run_flow = _no_flows
    CustomComponent.tracing_service = None
    VariableService.get_variable = _service_variable
    for described in (BaseInputMixin, Input, Output):
        described.__deepcopy__ = _deep_copy


# Values that a copy shares. Types of enumerations are added as they are found in lfx's inputs.
_SHARED_TYPES: set[type] = {type(None), bool, int, float, str}


def _deep_copy(self: Any, memo: dict[int, Any] | None = None) -> Any:
    """Copies an input or an output as pydantic does. Each component copies all of its own, whose members are mostly texts.

    ``copy.deepcopy`` takes several times as long, because it looks up how to copy each of them.
    """
    memo = {} if memo is None else memo
    copied = type(self).__new__(type(self))
    members = self.__dict__.copy()
    for name, value in members.items():
        if type(value) not in _SHARED_TYPES and not _is_shared(value):
            members[name] = deepcopy(value, memo)
    object.__setattr__(copied, "__dict__", members)
    extra = self.__pydantic_extra__
    object.__setattr__(copied, "__pydantic_extra__", None if extra is None else deepcopy(extra, memo))
    object.__setattr__(copied, "__pydantic_fields_set__", self.__pydantic_fields_set__.copy())
    # Pydantic leaves out private members without a value; these models have no private members.
    private = self.__pydantic_private__
    object.__setattr__(copied, "__pydantic_private__", None if private is None else deepcopy(private, memo))
    return copied


def _is_shared(value: Any) -> bool:
    if not isinstance(value, Enum):
        return False
    kind = type(value)
    # An author's class would stay in memory.
    if kind.__module__.startswith("lfx."):
        _SHARED_TYPES.add(kind)
    return True


def _outputs_to_process(self: Component) -> list[Output]:
    """Returns the wanted outputs, those of the class in its order first. lfx copies each output before it looks it up."""
    known = {output.name: self._outputs_map.get(output.name) or deepcopy(output) for output in self.outputs}
    return [output for output in {**known, **self._outputs_map}.values() if self._should_process_output(output)]


_answer_whole = LCModelComponent._handle_stream


async def _handle_stream(self: LCModelComponent, runnable: Any, inputs: Any) -> tuple:
    """Leaves the stream in the message, for the chat output that the model is connected to."""
    if not self.is_connected_to_chat_output():
        return await _answer_whole(self, runnable, inputs)
    message = Message(
        text=runnable.astream(inputs), sender="Machine", sender_name="AI", session_id=self.graph.session_id
    )
    return message, "", None


def _no_class_code(self: Component) -> None:
    """Reads no source file for each component: an author's text has none, and no output needs it."""
    self._code = self._code or ""


async def _get_variable(self: CustomComponent, name: str, field: str = "", session: Any = None) -> str:
    del self, field, session
    return _found(name, await current.require().host.call_async("variable", {"name": name}))


def _variables(self: CustomComponent, name: str, field: str = "") -> str:
    del self, field
    return _found(name, current.require().host.call("variable", {"name": name}))


async def _list_key_names(self: CustomComponent) -> list[str]:
    """A component can read a variable by its name; it cannot list the names."""
    del self
    return []


async def _no_flows(self: CustomComponent, *_arguments: Any, **_options: Any) -> Any:
    del self
    msg = "A component in Python cannot run other flows. A Run Flow component can."
    raise NotImplementedError(msg)


async def _service_variable(self: VariableService, name: str, **_options: Any) -> str | None:
    del self
    return await current.require().host.call_async("variable", {"name": name})


def _found(name: str, value: str | None) -> str:
    if value is None:
        msg = f"{name} variable not found."
        raise ValueError(msg)
    return value
