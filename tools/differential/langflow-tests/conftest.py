"""Runs a copy of Langflow's HTTP tests against a server that runs already.

The fixtures of the copy that start a server, or write users and flows to its database, are replaced by ones that
use the HTTP interface. A test that opens the database itself gets an empty one, which no server reads.

Environment: LIVE_URL and LIVE_ADMIN_KEY name the server, LIVE_RESULTS the file for the outcomes (JSON, by test),
LIVE_ONLY a file with the tests to run (JSON array; all tests without it).
"""

import json
import os
import shutil
import uuid
from collections import Counter
from types import SimpleNamespace

import httpx
import pytest
from langflow.services.database.models.flow.model import FlowRead
from langflow.services.utils import register_all_service_factories
from lfx.services.manager import get_service_manager
from sqlmodel import SQLModel, create_engine

from tests.copied_conftest import *  # noqa: F403 - the fixtures that stay
from tests.copied_conftest import pytest_configure  # noqa: F401

URL = os.environ["LIVE_URL"]
ADMIN = {"x-api-key": os.environ["LIVE_ADMIN_KEY"]}
# Tests log in with it.
PASSWORD = "testpassword"  # noqa: S105
outcomes = {}
requests = Counter()


def pytest_collection_modifyitems(config, items):
    named = os.environ.get("LIVE_ONLY")
    only = None if named is None else set(json.load(open(named, encoding="utf-8")))
    kept = [
        item
        for item in items
        if "client" in item.fixturenames
        and not {"noclient", "load_flows"} & set(item.keywords)
        and (only is None or item.nodeid in only)
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        known = outcomes.get(report.nodeid, {"outcome": "passed"})
        if known["outcome"] == "passed":
            text = "" if report.longrepr is None else str(report.longrepr)
            outcomes[report.nodeid] = {"outcome": report.outcome, "reason": text[-600:]}
    if report.when == "teardown" and report.nodeid in outcomes:
        outcomes[report.nodeid]["requests"] = requests[report.nodeid]


def pytest_sessionfinish():
    with open(os.environ["LIVE_RESULTS"], "w", encoding="utf-8") as file:
        json.dump(outcomes, file, indent=1)


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory):
    file = tmp_path_factory.mktemp("database") / "empty.db"
    engine = create_engine(f"sqlite:///{file}")
    SQLModel.metadata.create_all(engine)
    engine.dispose()
    return file


@pytest.fixture(autouse=True)
def own_services(empty_database, tmp_path, monkeypatch):
    """Starts each test with no service of Langflow running in its process, so that the tests before do not matter."""
    monkeypatch.setenv("LANGFLOW_DATABASE_URL", f"sqlite:///{shutil.copy(empty_database, tmp_path / 'own.db')}")
    manager = get_service_manager()
    manager.factories.clear()
    manager.services.clear()
    register_all_service_factories()


@pytest.fixture(name="client")
async def live_client(request):
    async def count(_sent):
        requests[request.node.nodeid] += 1

    hooks = {"request": [count]}
    async with httpx.AsyncClient(base_url=f"{URL}/", timeout=60, event_hooks=hooks) as client:
        yield client


async def new_user():
    """Creates a user with a name of its own; returns it with its API key."""
    username = f"user-{uuid.uuid4()}"
    async with httpx.AsyncClient(base_url=URL, timeout=60) as client:
        given = {"username": username, "password": PASSWORD}
        made = await client.post("/api/v1/users/", json=given, headers=ADMIN)
        if made.status_code >= 400:
            # Millrace takes no password, and answers with the first key.
            made = await client.post("/api/v1/users", json={"username": username}, headers=ADMIN)
        made.raise_for_status()
        user = made.json()
        key = user.get("api_key")
        if key is None:
            login = await client.post("/api/v1/login", data=given)
            headers = {"Authorization": f"Bearer {login.json()['access_token']}"}
            key = (await client.post("/api/v1/api_key/", json={"name": "first"}, headers=headers)).json()["api_key"]
    return SimpleNamespace(
        id=uuid.UUID(user["id"]), username=username, is_active=True, is_superuser=False, api_key=key
    )


@pytest.fixture
async def active_user():
    return await new_user()


@pytest.fixture
async def logged_in_headers(active_user):
    return {"x-api-key": active_user.api_key}


@pytest.fixture
async def active_super_user():
    return SimpleNamespace(username="admin", is_active=True, is_superuser=True, api_key=ADMIN["x-api-key"])


@pytest.fixture
async def logged_in_headers_super_user():
    return dict(ADMIN)


@pytest.fixture
async def created_api_key(active_user):
    return SimpleNamespace(api_key=active_user.api_key, user_id=active_user.id, name="first")


@pytest.fixture
async def user_two():
    return await new_user()


@pytest.fixture
async def created_user_two_api_key(user_two):
    return SimpleNamespace(api_key=user_two.api_key, user_id=user_two.id, name="first")


@pytest.fixture
async def flow(client, json_flow, logged_in_headers):
    given = {"name": "test_flow", "data": json.loads(json_flow)["data"]}
    made = await client.post("api/v1/flows/", json=given, headers=logged_in_headers)
    made.raise_for_status()
    return FlowRead.model_validate(made.json())
