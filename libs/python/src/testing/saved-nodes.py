"""Prints the nodes that Langflow's editor would save for components, as JSON by file name.

Arguments: the folder with the package of the Python worker, and a folder of components.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from millrace_worker import renamed  # noqa: E402

renamed.install()

from lfx.custom.custom_component.component import Component  # noqa: E402
from lfx.custom.utils import build_custom_component_template  # noqa: E402

nodes = {}
for path in sorted(Path(sys.argv[2]).glob("*.py")):
    text = path.read_text(encoding="utf-8")
    try:
        node, made = build_custom_component_template(Component(_code=text))
        nodes[path.stem] = {"type": made.name or type(made).__name__, "node": node}
    except Exception as error:  # noqa: BLE001
        nodes[path.stem] = {"failed": str(getattr(error, "detail", error))}
json.dump(nodes, sys.stdout, default=str)
