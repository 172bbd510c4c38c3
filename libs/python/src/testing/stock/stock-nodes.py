"""
Prints, as JSON, the nodes that Langflow's editor saves for components of lfx: [{template, outputs}] for the nodes on
standard input: [{"module": "lfx.components….Class", "fields": {name: value}, "wired": [name]}]. As in the editor, a
field that changes other fields or outputs is set before the ones that follow it. A class that cannot be imported gives
{"reason"}.
"""

import asyncio
import copy
import importlib
import inspect
import json
import sys

from lfx.custom.custom_component.component import Component

KEPT = (
    "type",
    "value",
    "show",
    "list",
    "load_from_db",
    "password",
    "required",
    "file_path",
    "override_skip",
    "input_types",
    "table_schema",
)


async def awaited(value):
    return await value if inspect.isawaitable(value) else value


def create(module):
    name, _, attribute = module.rpartition(".")
    return getattr(importlib.import_module(name), attribute)(_code="# stock")


async def updated(component, node, name, value):
    """The editor asks the component after a change of such a field."""
    try:
        template = await awaited(component.update_build_config(copy.deepcopy(node["template"]), value, name))
        node["template"] = template if isinstance(template, dict) else template.to_dict()
        return await component.run_and_validate_update_outputs(node, name, value)
    except Exception as error:  # noqa: BLE001 - the editor shows it and keeps the node
        print(f"{type(component).__name__}.{name}: {error}", file=sys.stderr)
        return node


async def describe(wanted):
    try:
        component = create(wanted["module"])
    except ImportError as error:
        return {"reason": str(error)}
    if not isinstance(component, Component):
        return {"reason": "The class has the style before 1.0, which has no node of its own."}
    node = component.to_frontend_node()["data"]["node"]
    for name, value in wanted["fields"].items():
        entry = node["template"].setdefault(name, {"type": "str", "show": True})
        if isinstance(entry, dict):
            entry["value"] = value
            if entry.get("real_time_refresh"):
                node = await updated(component, node, name, value)
                node["template"][name]["value"] = value
    for name in [*wanted["fields"], *wanted["wired"]]:
        node["template"].setdefault(name, {"type": "other", "value": ""})["show"] = True
    template = {
        name: {key: entry[key] for key in KEPT if key in entry}
        for name, entry in node["template"].items()
        if isinstance(entry, dict) and name != "code"
    }
    outputs = [
        {key: output.get(key) for key in ("name", "display_name", "method", "types", "cache", "allows_loop", "group_outputs")}
        for output in node["outputs"]
    ]
    return {
        "template": template,
        "outputs": outputs,
        "display_name": component.display_name,
    }


async def main():
    nodes = [await describe(wanted) for wanted in json.load(sys.stdin)]
    json.dump(nodes, sys.stdout, default=str)


asyncio.run(main())
