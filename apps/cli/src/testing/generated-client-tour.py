"""Calls a server with the client of openapi-python-client: generated-client-tour.py <url> <key> <export file>."""

import json
import sys

from millrace_api.api.access import create_api_key, delete_api_key, list_api_keys, read_caller, rotate_api_key
from millrace_api.api.flows import change_flow, create_flow, delete_flow, list_flows, read_flow
from millrace_api.api.messages import list_messages
from millrace_api.api.projects import list_projects
from millrace_api.api.run_flows import run_flow
from millrace_api.api.runs import list_runs, read_run
from millrace_api.api.system import read_readiness, read_version
from millrace_api.api.variables import change_variable, create_variable, delete_variable, list_variables
from millrace_api.api.webhooks import send_webhook
from millrace_api.client import AuthenticatedClient
from millrace_api.types import Unset
from millrace_api import models

url, key, export = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key, prefix="", auth_header_name="x-api-key")
calls = 0


def call(operation, *path, status=200, **given):
    """Returns the parsed answer of an operation, which must have this status."""
    global calls
    calls += 1
    answer = operation.sync_detailed(*path, client=client, **given)
    assert answer.status_code == status, (operation.__name__, answer.status_code, answer.content[:500])
    return answer.parsed


assert call(read_readiness).ready
assert call(read_version).version
assert call(read_caller).username == "admin"
assert len(call(list_projects)) == 1

with open(export, encoding="utf-8") as file:
    exported = {**json.load(file), "name": "Toured in Python", "endpoint_name": "toured-in-python"}
exported.pop("id", None)
flow = call(create_flow, body=models.NewFlow.from_dict(exported), status=201)
assert flow.name == "Toured in Python"
changed = call(change_flow, flow.id, body=models.FlowChanges.from_dict({"description": "Changed"}))
assert changed.description == "Changed"
assert call(read_flow, flow.id).description == "Changed"
assert flow.id in [listed.id for listed in call(list_flows, header_flows=True)]

answer = call(run_flow, "toured-in-python", body=models.RunRequest.from_dict({"input_value": "Hello"}))
assert not isinstance(answer.session_id, Unset)
assert "Hello" in json.dumps(answer.to_dict())
accepted = call(send_webhook, "toured-in-python", body={"from": "Python"}, status=202)
run = call(read_run, accepted.run_id)
assert str(run.flow_id) == str(flow.id)
assert call(list_runs, flow_id=flow.id, limit=1).runs
assert call(list_messages, flow_id=flow.id)

body = {"name": "TOURED", "value": "north", "type": "Generic", "default_fields": []}
variable = call(create_variable, body=models.NewVariable.from_dict(body), status=201)
call(
    change_variable,
    variable.id,
    body=models.VariableChanges.from_dict({"id": str(variable.id), "value": "south"}),
)
assert "south" in [listed.value for listed in call(list_variables)]
call(delete_variable, variable.id, status=204)

created = call(create_api_key, body=models.NewApiKey.from_dict({"name": "tour"}))
assert created.api_key.startswith("sk-")
assert created.id in [listed.id for listed in call(list_api_keys).api_keys]
rotated = call(rotate_api_key, created.id, body=models.KeyRotation.from_dict({"overlap_seconds": 0}))
call(delete_api_key, rotated.id)
call(delete_flow, flow.id)
assert call(delete_flow, flow.id, status=404) is not None
print(f"{calls} calls")
